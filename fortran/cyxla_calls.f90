! Calls: one thread's seat at an executable, with its input and output arrays.
module cyxla_calls
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_f_pointer, c_int, c_loc, &
      c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use cyxla_arrays
  use cyxla_bindings
  use cyxla_errors, only: cyxla_error, report
  use cyxla_executables, only: cyxla_executable
  use cyxla_specs, only: OF_INPUTS, OF_OUTPUTS
  implicit none
  private

  ! A call is used by one thread at a time, and keeps its executable. In its procedures,
  ! `which` is the index of an array, from 1 on, or its name.
  !
  !   create(executable, error)
  !       Makes the call, with input arrays that hold zeros.
  !   run(error)
  !       Runs the executable on the input arrays; returns when the outputs are there.
  !   input(which, array, error, shape)
  !   output(which, array, error, shape)
  !       Point a Fortran pointer at the array of an input, to be filled in before a run, or
  !       of an output of the last run, to be read until the next. The type and rank of the
  !       pointer have to be those of the array, and so the shape if it is given. An input
  !       stays where it is until something is bound; an output is asked for after each run.
  !       After an error the pointer is not associated.
  !   bind_input(which, array, error)
  !   bind_output(which, array, error)
  !       Put an array of the caller in the place of an input's, or let each run put an
  !       output there. Type and shape have to be those of the array, and the elements lie
  !       side by side. The array, a target or pointer, has to live until the binding ends;
  !       cyxla_call_bind_input in cyxla.h has the rules on alignment and overlap.
  !   unbind_input(which, error)
  !   unbind_output(which, error)
  !       Put the call's own array back.
  !   input_is_copied(which, error)
  !   output_is_copied(which, error)
  !       Whether a run copies the input, or the last run copied the output, rather than
  !       using the array where it lies.
  !   input_address(which, error)
  !   output_address(which, error)
  !       The address of an array, also of those that Fortran has no type for: float16.
  type, public :: cyxla_call
    private
    type(c_ptr) :: object = c_null_ptr
  contains
    procedure :: create
    procedure :: run
    procedure :: destroy
    procedure :: unbind_input
    procedure :: unbind_output
    procedure :: input_is_copied
    procedure :: output_is_copied
    procedure :: input_address
    procedure :: output_address
    procedure :: c_pointer  ! for C functions; borrowed
    generic :: input => &
        input_float32, input_float64, input_complex64, input_complex128, input_int8, &
        input_int16, input_int32, input_int64, input_bool
    generic :: output => &
        output_float32, output_float64, output_complex64, output_complex128, output_int8, &
        output_int16, output_int32, output_int64, output_bool
    generic :: bind_input => &
        bind_input_float32, bind_input_float64, bind_input_complex64, bind_input_complex128, &
        bind_input_int8, bind_input_int16, bind_input_int32, bind_input_int64, bind_input_bool
    generic :: bind_output => &
        bind_output_float32, bind_output_float64, bind_output_complex64, &
        bind_output_complex128, bind_output_int8, bind_output_int16, bind_output_int32, &
        bind_output_int64, bind_output_bool
    procedure, private :: &
        input_float32, input_float64, input_complex64, input_complex128, input_int8, &
        input_int16, input_int32, input_int64, input_bool
    procedure, private :: &
        output_float32, output_float64, output_complex64, output_complex128, output_int8, &
        output_int16, output_int32, output_int64, output_bool
    procedure, private :: &
        bind_input_float32, bind_input_float64, bind_input_complex64, bind_input_complex128, &
        bind_input_int8, bind_input_int16, bind_input_int32, bind_input_int64, bind_input_bool
    procedure, private :: &
        bind_output_float32, bind_output_float64, bind_output_complex64, &
        bind_output_complex128, bind_output_int8, bind_output_int16, bind_output_int32, &
        bind_output_int64, bind_output_bool
  end type cyxla_call

contains

  subroutine create(self, executable, error)
    class(cyxla_call), intent(inout) :: self
    type(cyxla_executable), intent(in) :: executable
    type(cyxla_error), intent(out), optional :: error
    type(c_error) :: found
    integer(c_int) :: status

    call self%destroy()
    status = cyxla_call_create(executable%c_pointer(), self%object, found)
    call report(status, found, error)
  end subroutine create

  subroutine run(self, error)
    class(cyxla_call), intent(in) :: self
    type(cyxla_error), intent(out), optional :: error
    type(c_error) :: found
    integer(c_int) :: status

    status = cyxla_call_run(self%object, found)
    call report(status, found, error)
  end subroutine run

  ! Pointers to the call's own arrays end with it.
  subroutine destroy(self)
    class(cyxla_call), intent(inout) :: self

    call cyxla_call_destroy(self%object)
    self%object = c_null_ptr
  end subroutine destroy

  subroutine unbind_input(self, which, error)
    class(cyxla_call), intent(in) :: self
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error

    call unbind_memory(self%object, OF_INPUTS, which, error)
  end subroutine unbind_input

  subroutine unbind_output(self, which, error)
    class(cyxla_call), intent(in) :: self
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error

    call unbind_memory(self%object, OF_OUTPUTS, which, error)
  end subroutine unbind_output

  logical function input_is_copied(self, which, error)
    class(cyxla_call), intent(in) :: self
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error
    integer :: index

    input_is_copied = .false.
    call locate_array(self%object, OF_INPUTS, which, index, error)
    if (index == 0) return
    input_is_copied = cyxla_call_input_is_copied(self%object, int(index - 1, c_size_t))
  end function input_is_copied

  logical function output_is_copied(self, which, error)
    class(cyxla_call), intent(in) :: self
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error
    integer :: index

    output_is_copied = .false.
    call locate_array(self%object, OF_OUTPUTS, which, index, error)
    if (index == 0) return
    output_is_copied = cyxla_call_output_is_copied(self%object, int(index - 1, c_size_t))
  end function output_is_copied

  function input_address(self, which, error) result(memory)
    class(cyxla_call), intent(in) :: self
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error
    type(c_ptr) :: memory
    integer :: index

    call address_of_array(self%object, OF_INPUTS, which, memory, index, error)
  end function input_address

  function output_address(self, which, error) result(memory)
    class(cyxla_call), intent(in) :: self
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error
    type(c_ptr) :: memory
    integer :: index

    call address_of_array(self%object, OF_OUTPUTS, which, memory, index, error)
  end function output_address

  function c_pointer(self) result(pointer)
    class(cyxla_call), intent(in) :: self
    type(c_ptr) :: pointer

    pointer = self%object
  end function c_pointer

  ! ---- Arrays, with a procedure for each type of them ------------------------------------
  !
  ! What is the same for all types is included in each, since it uses the array's type.

  include 'call_pointers.inc'
  include 'call_bindings.inc'
end module cyxla_calls
