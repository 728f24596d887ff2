module test_calls
  use, intrinsic :: ieee_arithmetic, only: ieee_get_flag, ieee_get_halting_mode, &
      ieee_divide_by_zero
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use cyxla
  use support
  implicit none
  private
  public :: run_tests_of_calls

  real(real64), parameter :: COUNTED(3, 2) = &
      reshape([1.0_real64, 2.0_real64, 3.0_real64, 4.0_real64, 5.0_real64, 6.0_real64], [3, 2])

contains

  subroutine run_tests_of_calls()
    call begin_test('a_run_reads_inputs_and_writes_outputs')
    call run_once()
    call end_test()
    call begin_test('memory_is_in_the_order_of_jax')
    call look_at_memory()
    call end_test()
    call begin_test('pointers_of_another_type_rank_or_shape_are_refused')
    call point_wrongly()
    call end_test()
    call begin_test('outputs_without_a_run_are_refused')
    call ask_too_early()
    call end_test()
    call begin_test('a_failed_run_is_an_error_after_which_runs_work')
    call fail_a_run()
    call end_test()
    call begin_test('what_was_not_created_is_an_error')
    call use_no_call()
    call end_test()
    call begin_test('arrays_of_the_program_are_bound')
    call bind_arrays()
    call end_test()
    call begin_test('arrays_that_do_not_fit_are_not_bound')
    call bind_wrongly()
    call end_test()
    call begin_test('a_state_is_updated_in_place')
    call advance_in_place()
    call end_test()
    call begin_test('arrays_without_elements_work')
    call use_empty_arrays()
    call end_test()
    call begin_test('traps_stay_on_and_do_not_meet_the_plugin')
    call run_with_traps()
    call end_test()
  end subroutine run_tests_of_calls

  subroutine run_once()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    real(real64), pointer :: left(:, :), right(:, :), total(:, :), again(:, :)

    call open_sum(executable, adder)
    call executable%destroy()
    call adder%input('left', left)
    call adder%input(2, right, shape=[3, 2])
    call expect(all(shape(left) == [3, 2]), 'the shape is that of Fortran')
    call expect(all(left == 0), 'inputs begin with zeros')
    left = COUNTED
    right = 10
    call adder%run()
    call adder%output('sum', total)
    call expect(all(total == COUNTED + 10), 'the sum is right')
    call adder%run()
    call adder%output('left', again, shape=shape(left))
    call expect(all(again == COUNTED), 'inputs keep their values')
    call expect(.not. adder%input_is_copied('left'), 'inputs are not copied')
    call expect(.not. adder%output_is_copied(1), 'outputs are not copied')
    call close_both(executable, adder)
  end subroutine run_once

  subroutine look_at_memory()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    type(c_ptr) :: address
    real(real64), pointer :: left(:, :), flat(:)

    call open_sum(executable, adder)
    call adder%input('left', left)
    left = COUNTED
    address = adder%input_address('left')
    call expect(c_associated(address, c_loc(left)), 'the address is that of the array')
    call c_f_pointer(address, flat, [6])
    ! The place of [i, j] in C is 3 i + j.
    call expect(flat(3 * 1 + 2 + 1) == left(2 + 1, 1 + 1), '[1, 2] is (3, 2)')
    call adder%run()
    call expect(c_associated(adder%output_address('sum')), 'outputs have an address')
    call close_both(executable, adder)
  end subroutine look_at_memory

  subroutine point_wrongly()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    type(cyxla_error) :: error
    real(real32), pointer :: single(:, :)
    real(real64), pointer :: vector(:), array(:, :)

    call open_sum(executable, adder)
    call adder%input('left', single, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the pointer to input "left" is ' // &
        'real(real32) of rank 2; expected real(real64) (3, 2), which is float64 [2, 3] in JAX')
    call expect(.not. associated(single), 'the pointer is not associated')
    call adder%input(2, vector, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the pointer to input "right" is ' // &
        'real(real64) of rank 1; expected real(real64) (3, 2), which is float64 [2, 3] in JAX')
    call expect(.not. associated(vector), 'the pointer is not associated')
    call adder%input('left', array, error, shape=[2, 3])
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the pointer to input "left" is ' // &
        'real(real64) of rank 2 for the shape (2, 3); expected real(real64) (3, 2), which ' // &
        'is float64 [2, 3] in JAX')
    call adder%input('left', array, error, shape=[6])
    call expect(error%failed(), 'a shape of another rank is refused')
    call adder%run()
    call adder%output('sum', vector, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the pointer to output "sum" is ' // &
        'real(real64) of rank 1; expected real(real64) (3, 2), which is float64 [2, 3] in JAX')
    call adder%input('middle', array, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no input "middle", the program has 2: left, right')
    call adder%output(3, array, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no output 3, the program has 2: sum, left')
    call expect(.not. associated(array), 'the pointer is not associated')
    call expect(.not. adder%output_is_copied(3, error), 'what is not there is not copied')
    call expect(error%failed(), 'and is an error')
    call expect(.not. adder%input_is_copied('', error), 'what has no name is not copied')
    call expect(error%failed(), 'and is an error, too')
    call close_both(executable, adder)
  end subroutine point_wrongly

  subroutine ask_too_early()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    type(cyxla_error) :: error
    real(real64), pointer :: total(:, :)

    call open_sum(executable, adder)
    call adder%output('sum', total, error)
    call expect_error(error, CYXLA_FAILED_PRECONDITION, 'output "sum" has no values, ' // &
        'expected a run that succeeded before they are asked for')
    call expect(.not. associated(total), 'the pointer is not associated')
    call expect(.not. c_associated(adder%output_address(1, error)), 'there is no address')
    call expect(error%failed(), 'the address is an error')
    call close_both(executable, adder)
  end subroutine ask_too_early

  subroutine fail_a_run()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    type(cyxla_error) :: error

    call open_sum(executable, adder)
    call support_fail_runs(1)
    call adder%run(error)
    call support_fail_runs(0)
    call expect(error%status == CYXLA_INTERNAL, 'the status is that of the plugin')
    call expect(index(error%message, 'injected failure') > 0, 'so is the message')
    call adder%run(error)
    call expect(.not. error%failed(), 'the next run works')
    call close_both(executable, adder)
  end subroutine fail_a_run

  subroutine use_no_call()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: nothing
    type(cyxla_error) :: error
    real(real64), pointer :: array(:)
    real(real64), target :: own(3)

    call nothing%create(executable, error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'no executable is an error')
    call nothing%run(error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'it cannot run')
    call nothing%input(1, array, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'the call has not been made, expected a create that succeeded before')
    call nothing%bind_output(1, own, error)
    call expect(error%failed(), 'nothing is bound')
    call nothing%destroy()
  end subroutine use_no_call

  subroutine bind_arrays()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    real(real64), target :: mine(3, 2), padded(3, 4), total(3, 2)
    real(real64), pointer :: bound(:, :), own(:, :)

    call open_sum(executable, adder)
    call adder%input('left', own)
    own = 7
    mine = COUNTED
    call adder%bind_input('left', mine)
    call adder%input('left', bound)
    call expect(associated(bound, mine), 'the input is the array')
    ! Columns of a larger array lie side by side, and are not aligned to 64 bytes.
    padded = 0
    padded(:, 2:3) = 100
    bound => padded(:, 2:3)
    call adder%bind_input('right', bound)
    total = -1
    call adder%bind_output('sum', total)
    call adder%run()
    call expect(all(total == COUNTED + 100), 'the sum is in the array')
    call expect(adder%output_is_copied('sum'), 'it was copied there')
    call adder%unbind_input('left')
    call adder%unbind_input(2)
    call adder%unbind_output('sum')
    total = -1
    call adder%run()
    call expect(all(total == -1), 'the array is no longer written')
    call adder%output('sum', bound)
    call expect(all(bound == 7), 'the own arrays are back')
    call close_both(executable, adder)
  end subroutine bind_arrays

  subroutine bind_wrongly()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    type(cyxla_error) :: error
    real(real64), target :: turned(2, 3), large(6, 2), flat(6)
    real(real32), target :: single(3, 2)
    real(real64), pointer :: nothing(:, :)
    character(*), parameter :: EXPECTED = &
        '; expected real(real64) (3, 2), which is float64 [2, 3] in JAX'

    call open_sum(executable, adder)
    call adder%bind_input('left', turned, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the array for input "left" is ' // &
        'real(real64) (2, 3), which is float64 [3, 2] in JAX' // EXPECTED)
    call adder%bind_output('sum', single, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the array for output "sum" is ' // &
        'real(real32) (3, 2), which is float32 [2, 3] in JAX' // EXPECTED)
    call adder%bind_output('sum', flat, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the array for output "sum" is ' // &
        'real(real64) (6), which is float64 [6] in JAX' // EXPECTED)
    call adder%bind_input(1, large(1:6:2, :), error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the array for input "left" is ' // &
        'not contiguous, expected one whose elements lie side by side')
    nullify(nothing)
    call adder%bind_input(1, nothing, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'the array for input "left" is ' // &
        'not associated, expected an array; unbind ends a binding')
    call adder%bind_output('left', large(:3, :), error)
    call expect(error%failed(), 'a part of columns is not contiguous')
    call adder%bind_input('middle', turned, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no input "middle", the program has 2: left, right')
    call close_both(executable, adder)
  end subroutine bind_wrongly

  subroutine advance_in_place()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: call
    type(cyxla_error) :: error
    real(real64), pointer :: time, velocity(:), other(:)

    call open_advance(executable, call)
    nullify(time)
    call call%input('time', time)
    time = 0.5_real64
    call call%input('state.velocity', velocity)
    velocity = [1, 2, 3, 4]
    call call%bind_output('velocity', velocity)
    call call%run()
    call expect(all(velocity == [-1, -2, -3, -4]), 'the state has changed in place')
    call expect(.not. call%output_is_copied(1), 'without a copy')
    call call%run()
    call expect(all(velocity == [1, 2, 3, 4]), 'and so it has again')
    call expect(time == 0.5_real64, 'the scalar has its value')
    call call%unbind_output(1)
    call call%run()
    call call%output(1, other)
    call call%bind_input('state.velocity', other, error)
    call expect(index(error%message, 'the memory is the array of output velocity') == 1, &
        'rules of C are kept')
    call close_both(executable, call)
  end subroutine advance_in_place

  subroutine use_empty_arrays()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: call
    real(real64), pointer :: x(:, :), y(:, :)
    real(real64), allocatable, target :: mine(:, :)

    call open_empty(executable, call)
    call call%input('x', x)
    call expect(all(shape(x) == [0, 2]), 'the shape has its zero')
    call call%run()
    call call%output('y', y)
    call expect(size(y) == 0, 'the output is empty')
    allocate(mine(0, 2))
    call call%bind_input('x', mine)
    call call%run()
    call close_both(executable, call)
  end subroutine use_empty_arrays

  subroutine run_with_traps()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    logical :: halts, is_raised

    call ieee_get_halting_mode(ieee_divide_by_zero, halts)
    call expect(halts, 'a division by zero ends the program')
    call support_divide_by_zero(1)
    call open_sum(executable, adder)
    call adder%run()
    call support_divide_by_zero(0)
    call ieee_get_halting_mode(ieee_divide_by_zero, halts)
    call expect(halts, 'it still does')
    call ieee_get_flag(ieee_divide_by_zero, is_raised)
    call expect(.not. is_raised, 'there is no trace of the divisions of the plugin')
    call close_both(executable, adder)
  end subroutine run_with_traps
end module test_calls
