! What the Fortran tests share: expectations, and the functions of support.h.
module support
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_long, c_null_char, &
      c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit
  use cyxla, only: cyxla_call, cyxla_error, cyxla_executable
  implicit none
  private
  public :: begin_test, close_both, end_test, expect, expect_error, expect_text, &
      open_advance, open_copy, open_empty, open_sum, plugin, save_sizes, size_in_c, &
      support_divide_by_zero, support_fail_runs, support_num_alive

  integer, public :: num_passed = 0, num_failed = 0
  character(:), allocatable :: test_name
  integer :: num_complaints = 0

  interface
    function support_plugin() bind(c) result(path)
      import :: c_ptr
      type(c_ptr) :: path
    end function support_plugin

    function support_save_copy(path, dtype, rank) bind(c) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: dtype, rank
      integer(c_int) :: status
    end function support_save_copy

    function support_save_sum(path) bind(c) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function support_save_sum

    function support_save_advance(path) bind(c) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function support_save_advance

    function support_save_empty(path) bind(c) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function support_save_empty

    function support_save_sizes(path) bind(c) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function support_save_sizes

    function support_num_alive() bind(c) result(count)
      import :: c_long
      integer(c_long) :: count
    end function support_num_alive

    subroutine support_fail_runs(fail) bind(c)
      import :: c_int
      integer(c_int), value :: fail
    end subroutine support_fail_runs

    subroutine support_divide_by_zero(divide) bind(c)
      import :: c_int
      integer(c_int), value :: divide
    end subroutine support_divide_by_zero

    function support_sizeof(name) bind(c) result(bytes)
      import :: c_char, c_long
      character(kind=c_char), intent(in) :: name(*)
      integer(c_long) :: bytes
    end function support_sizeof
  end interface

contains

  subroutine begin_test(name)
    character(*), intent(in) :: name

    test_name = name
    num_complaints = 0
  end subroutine begin_test

  ! Closes a test, after which nothing that it made may be alive.
  subroutine end_test()

    call expect(support_num_alive() == 0, 'nothing is left alive')
    if (num_complaints == 0) then
      num_passed = num_passed + 1
    else
      num_failed = num_failed + 1
    end if
  end subroutine end_test

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    if (condition) return
    num_complaints = num_complaints + 1
    write(error_unit, '(a)') test_name // ': expected that ' // what
  end subroutine expect

  subroutine expect_text(found, expected)
    character(*), intent(in) :: found, expected

    call expect(found == expected, '"' // found // '" is "' // expected // '"')
  end subroutine expect_text

  subroutine expect_error(error, status, message)
    type(cyxla_error), intent(in) :: error
    integer, intent(in) :: status
    character(*), intent(in) :: message

    call expect(error%failed(), 'there is an error: ' // message)
    call expect(error%status == status, 'the status fits: ' // message)
    call expect_text(error%message, message)
  end subroutine expect_error

  function plugin() result(path)
    character(:), allocatable :: path
    character(kind=c_char), pointer :: letters(:)
    integer :: length

    call c_f_pointer(support_plugin(), letters, [4096])
    do length = 0, 4095
      if (letters(length + 1) == c_null_char) exit
    end do
    allocate(character(length) :: path)
    path = transfer(letters(:length), path)
  end function plugin

  subroutine open_saved(status, executable, call)
    integer(c_int), intent(in) :: status
    type(cyxla_executable), intent(inout) :: executable
    type(cyxla_call), intent(inout) :: call

    if (status /= 0) error stop 'a program of the tests cannot be saved'
    call executable%open('test_fortran.cyxla', plugin=plugin())
    call call%create(executable)
  end subroutine open_saved

  subroutine close_both(executable, call)
    type(cyxla_executable), intent(inout) :: executable
    type(cyxla_call), intent(inout) :: call

    call executable%destroy()
    call call%destroy()
  end subroutine close_both

  subroutine open_copy(dtype, rank, executable, call)
    integer, intent(in) :: dtype, rank
    type(cyxla_executable), intent(inout) :: executable
    type(cyxla_call), intent(inout) :: call

    call open_saved(support_save_copy('test_fortran.cyxla' // c_null_char, &
        int(dtype, c_int), int(rank, c_int)), executable, call)
  end subroutine open_copy

  subroutine open_sum(executable, call)
    type(cyxla_executable), intent(inout) :: executable
    type(cyxla_call), intent(inout) :: call

    call open_saved(support_save_sum('test_fortran.cyxla' // c_null_char), executable, call)
  end subroutine open_sum

  subroutine open_advance(executable, call)
    type(cyxla_executable), intent(inout) :: executable
    type(cyxla_call), intent(inout) :: call

    call open_saved(support_save_advance('test_fortran.cyxla' // c_null_char), executable, &
        call)
  end subroutine open_advance

  subroutine open_empty(executable, call)
    type(cyxla_executable), intent(inout) :: executable
    type(cyxla_call), intent(inout) :: call

    call open_saved(support_save_empty('test_fortran.cyxla' // c_null_char), executable, &
        call)
  end subroutine open_empty

  ! Writes a function at three sizes.
  subroutine save_sizes(path)
    character(*), intent(in) :: path

    if (support_save_sizes(path // c_null_char) /= 0) then
      error stop 'a program of the tests cannot be saved'
    end if
  end subroutine save_sizes

  ! The size of a struct of cyxla.h.
  integer function size_in_c(name)
    character(*), intent(in) :: name

    size_in_c = int(support_sizeof(name // c_null_char))
  end function size_in_c
end module support
