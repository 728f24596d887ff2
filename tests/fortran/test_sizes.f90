! One function at several sizes: step float64[], x float64[n, 3] -> y, for n of 2, 3 and 4.
module test_sizes
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use cyxla
  use support
  implicit none
  private
  public :: run_tests_of_sizes

  character(*), parameter :: PATH = 'sizes.cyxla'
  character(*), parameter :: ORDER = &
      ' (shapes in the order of JAX; in Fortran they are the other way round)'

contains

  subroutine run_tests_of_sizes()
    call save_sizes(PATH)
    call begin_test('a_size_is_opened_by_its_shapes')
    call open_by_shapes()
    call end_test()
    call begin_test('sizes_are_counted_and_picked_without_a_plugin')
    call pick_without_a_plugin()
    call end_test()
    call begin_test('a_size_that_is_not_there_is_an_error_that_lists_the_sizes')
    call open_what_is_not_there()
    call end_test()
    call begin_test('shapes_that_are_none_are_errors')
    call pick_by_wrong_shapes()
    call end_test()
    call begin_test('a_file_of_one_size_is_opened_with_and_without_shapes')
    call open_one_size()
    call end_test()
    call begin_test('the_size_is_changed_while_the_program_runs')
    call change_the_size()
    call end_test()
    call begin_test('sizes_are_only_let_go_of_and_keep_one_another')
    call destroy_sizes()
    call end_test()
    call begin_test('executables_of_all_sizes_are_saved_in_one_file')
    call save_executables()
    call end_test()
    call begin_test('what_is_not_open_has_no_sizes')
    call use_what_is_not_open()
    call end_test()
  end subroutine run_tests_of_sizes

  ! Runs an executable on an array of n columns.
  subroutine expect_to_run(executable, n)
    type(cyxla_executable), intent(in) :: executable
    integer, intent(in) :: n
    type(cyxla_call) :: call
    real(real64), pointer :: x(:, :), y(:, :)

    call call%create(executable)
    call call%input('x', x, shape=[3, n])
    x = 1
    x(3, n) = 2
    call call%run()
    call call%output('y', y, shape=[3, n])
    call expect(all(y == -x), 'the array is negated')
    call call%destroy()
  end subroutine expect_to_run

  subroutine open_by_shapes()
    type(cyxla_executable) :: executable
    type(cyxla_shape) :: shapes(1)
    type(cyxla_error) :: error
    real(real64) :: x(3, 4), step

    x = 0
    step = 0
    call executable%open(PATH, plugin=plugin(), shapes=[cyxla_shape([3, 2], name='x  ')])
    call expect_to_run(executable, 2)
    call executable%open(PATH, plugin(), error=error, &
        shapes=[cyxla_shape(shape(step)), cyxla_shape(shape(x))])
    call expect(.not. error%failed(), 'the shapes of arrays pick a size')
    call expect_to_run(executable, 4)
    shapes(1) = cyxla_shape([3_int64, 3_int64], 'x')
    call executable%open(PATH, plugin(), shapes=shapes)
    call expect_to_run(executable, 3)
    call executable%destroy()
  end subroutine open_by_shapes

  subroutine pick_without_a_plugin()
    type(cyxla_program) :: program, picked
    type(cyxla_array_spec) :: spec
    type(cyxla_error) :: error
    integer :: i

    call program%load(PATH)
    call expect(program%num_sizes() == 3, 'there are three sizes')
    do i = 1, program%num_sizes()
      picked = program%size(i, error)
      call expect(.not. error%failed(), 'the size is there')
      spec = picked%input('x')
      call expect(all(spec%shape == [3, i + 1]), 'its shape is that of Fortran')
      call expect(picked%num_sizes() == 3, 'each size knows all of them')
    end do
    picked = picked%pick([cyxla_shape([3, 2], name='x')], error)
    call expect(.not. error%failed(), 'a size is picked by another one')
    spec = picked%output('y')
    call expect(all(spec%shape == [3, 2]), 'it is the one of that shape')
    picked = program%size(0, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no size 0, the program has 3')
    picked = program%size(4, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no size 4, the program has 3')
    call expect(.not. picked%is_open(), 'it is none')
    call program%destroy()
  end subroutine pick_without_a_plugin

  subroutine open_what_is_not_there()
    type(cyxla_executable) :: executable
    type(cyxla_error) :: error

    call executable%open(PATH, plugin(), error=error, &
        shapes=[cyxla_shape([3, 5], name='x')])
    call expect_error(error, CYXLA_SIZE_NOT_FOUND, 'the program has no size for ' // &
        'x[5,3]; pad the arrays to one that it has, or save it for this one too; it ' // &
        'has: x[2,3]; x[3,3]; x[4,3] (in ' // PATH // ')' // ORDER)
    call expect(.not. executable%is_open(), 'nothing is open')
    call executable%open(PATH, plugin(), error=error)
    call expect_error(error, CYXLA_SIZE_NOT_FOUND, 'the program was saved at 3 sizes, ' // &
        'and none was asked for; give the shapes of its inputs: x[2,3]; x[3,3]; x[4,3]' // &
        ' (in ' // PATH // ')' // ORDER)
    call executable%open(PATH, plugin(), error=error, shapes=[cyxla_shape([2, 3], 'x')])
    call expect(error%status == CYXLA_SIZE_NOT_FOUND, 'the order of C is another shape')
    call executable%open(PATH, plugin(), error=error, &
        shapes=[cyxla_shape([integer ::], name='step')])
    call expect_error(error, CYXLA_SIZE_NOT_FOUND, '3 sizes of the program have the ' // &
        'inputs step[]; give the shapes of more of them: x[2,3]; x[3,3]; x[4,3]' // &
        ' (in ' // PATH // ')' // ORDER)
  end subroutine open_what_is_not_there

  subroutine pick_by_wrong_shapes()
    type(cyxla_program) :: program, picked
    type(cyxla_error) :: error
    character(600) :: name
    integer :: i

    call program%load(PATH)
    picked = program%pick([cyxla_shape([3, 2], name='z')], error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'the program has no input z; its first is step')
    name = repeat('a', 600)
    picked = program%pick([cyxla_shape([3, 2], name)], error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'the program has no input ' // name(:509) // '...; its first is step')
    picked = program%pick([cyxla_shape([(3, i = 1, 65)], name='x')], error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'the rank given for input x is 65, and the largest is 64')
    picked = program%pick([(cyxla_shape([integer ::]), i = 1, 3)], error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        '3 inputs are given, and the program has 2')
    picked = program%pick([cyxla_shape([3, -2], name='x')], error)
    call expect(error%status == CYXLA_SIZE_NOT_FOUND, 'no array has less than no columns')
    call program%destroy()
  end subroutine pick_by_wrong_shapes

  subroutine open_one_size()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: call
    type(cyxla_program) :: program
    type(cyxla_error) :: error
    type(cyxla_shape) :: none(0)

    call open_sum(executable, call)
    call expect(executable%num_sizes() == 1, 'there is one size')
    program = executable%pick(error=error)
    call expect(.not. error%failed(), 'it is picked without shapes')
    call expect(program%find_output('sum') == 1, 'it is the sum')
    call executable%open('test_fortran.cyxla', plugin(), shapes=none)
    call executable%open('test_fortran.cyxla', plugin(), &
        shapes=[cyxla_shape([3, 2], name='right')])
    call expect(executable%find_output('sum') == 1, 'it is opened by its shape')
    call executable%open('test_fortran.cyxla', plugin(), error=error, &
        shapes=[cyxla_shape([3, 2]), cyxla_shape([3])])
    call expect_error(error, CYXLA_SIZE_NOT_FOUND, 'the program has no size for ' // &
        'left[2,3] right[3]; pad the arrays to one that it has, or save it for this ' // &
        'one too; it has: left[2,3] right[2,3] (in test_fortran.cyxla)' // ORDER)
    call close_both(executable, call)
  end subroutine open_one_size

  ! The file is gone, and the executable is made of what it replaces.
  subroutine change_the_size()
    type(cyxla_executable) :: executable
    type(cyxla_program) :: program
    type(cyxla_runtime) :: runtime
    type(cyxla_error) :: error
    integer :: n

    call save_sizes('gone.cyxla')
    call executable%open('gone.cyxla', plugin(), shapes=[cyxla_shape([3, 2], name='x')])
    call remove('gone.cyxla')
    do n = 4, 2, -1
      call executable%create(executable%runtime(), &
          executable%pick([cyxla_shape([3, n], name='x')]))
      call expect_to_run(executable, n)
    end do
    program = executable%pick([cyxla_shape([3, 5], name='x')], error)
    call expect(error%status == CYXLA_SIZE_NOT_FOUND, 'there is no such size')
    call expect_to_run(executable, 2)
    call executable%compile(executable%runtime(), executable%size(3), error)
    call expect(.not. error%failed(), 'it is compiled')
    call expect_to_run(executable, 4)
    call executable%open(PATH, runtime=executable%runtime(), &
        shapes=[cyxla_shape([3, 3], name='x')])
    call expect_to_run(executable, 3)

    runtime = executable%runtime()
    call runtime%destroy()
    call runtime%destroy()
    call expect_to_run(executable, 3)
    call executable%destroy()
  end subroutine change_the_size

  ! Removes a file, whether it is there or not.
  subroutine remove(file)
    character(*), intent(in) :: file
    integer :: unit

    open(newunit=unit, file=file, status='unknown')
    close(unit, status='delete')
  end subroutine remove

  subroutine destroy_sizes()
    type(cyxla_program) :: program, first, last
    type(cyxla_runtime) :: runtime
    type(cyxla_executable) :: executable

    call program%load(PATH)
    first = program%size(1)
    last = program%size(3)
    call first%destroy()
    call expect(.not. first%is_open(), 'it has nothing any more')
    call first%destroy()
    call expect(program%num_sizes() == 3, 'the program has all its sizes')
    call runtime%create(plugin=plugin())
    call executable%create(runtime, last)
    call runtime%destroy()
    call program%destroy()
    first = executable%size(1)
    call first%save('saved.cyxla')
    call first%load('saved.cyxla')
    call expect(first%num_sizes() == 3, 'saving one saves all')
    call first%destroy()
    call executable%destroy()
  end subroutine destroy_sizes

  subroutine save_executables()
    type(cyxla_executable) :: executables(3), executable
    type(cyxla_program) :: program, last
    type(cyxla_runtime) :: runtime
    type(cyxla_error) :: error
    integer :: i

    call program%load(PATH)
    call runtime%create(plugin=plugin())
    do i = 1, size(executables)
      call executables(i)%create(runtime, program%size(i))
      call expect(.not. executables(i)%is_deserialized(), 'it was compiled')
    end do
    call remove('compiled.cyxla')  ! of other builds of the plugin, which would be kept
    call cyxla_save_all(executables(3:1:-2), 'compiled.cyxla')
    call cyxla_save_all(executables(2:1), 'none.cyxla', error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'nothing is not saved')
    call program%load('compiled.cyxla')
    do i = 1, size(executables)
      call executables(i)%destroy()
      call executable%create(runtime, program%size(i))
      call expect(executable%is_deserialized() .eqv. i /= 2, 'what was saved is loaded')
    end do
    call expect_to_run(executable, 4)
    last = program%size(3)
    call expect(last%num_executables() == 1, 'the last size was read with one')
    last = program%size(2)
    call expect(last%num_executables() == 0, 'and another size with none')
    call program%destroy()
    call executable%destroy()
    call runtime%destroy()
  end subroutine save_executables

  subroutine use_what_is_not_open()
    type(cyxla_executable) :: executable
    type(cyxla_program) :: program
    type(cyxla_error) :: error

    call expect(executable%num_sizes() == 0, 'there are no sizes')
    program = executable%size(1, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no size 1, the program has 0')
    program = program%pick([cyxla_shape([3, 2])], error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'nothing is picked')
    call cyxla_save_all([executable], 'nothing.cyxla', error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'nothing is saved')
  end subroutine use_what_is_not_open
end module test_sizes
