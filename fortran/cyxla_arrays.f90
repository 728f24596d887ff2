! The arrays of a call: where they lie, and whether a Fortran array fits them. What is here
! knows no type but by its dtype; cyxla_calls has a procedure for each type on top of it.
module cyxla_arrays
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_int64_t, &
      c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int64
  use cyxla_bindings
  use cyxla_errors, only: cyxla_error, fail, report, succeed
  use cyxla_specs
  implicit none
  private
  public :: address_of_array, bind_memory, locate_array, look_up_array, &
      unbind_memory

  ! The largest rank that Fortran has.
  integer, parameter, public :: RANK_MAXIMUM = 15

  ! Where the array of an input or output lies, and its shape in the order of Fortran.
  type, public :: located_array
    type(c_ptr) :: memory = c_null_ptr
    integer(int64) :: sizes(RANK_MAXIMUM) = 0
  end type located_array

  ! An array of the caller.
  type, public :: given_array
    integer :: dtype = 0
    logical :: is_associated = .false.
    logical :: is_contiguous = .false.
    integer(int64), allocatable :: sizes(:)
    type(c_ptr) :: memory = c_null_ptr
  end type given_array

contains

  function program_of(call) result(program)
    type(c_ptr), intent(in) :: call
    type(c_ptr) :: program

    program = cyxla_executable_program(cyxla_call_executable(call))
  end function program_of

  ! The index that an index or a name stands for; 0 and an error if there is none.
  subroutine locate_array(call, side, which, index, error)
    type(c_ptr), intent(in) :: call
    integer, intent(in) :: side
    class(*), intent(in) :: which
    integer, intent(out) :: index
    type(cyxla_error), intent(out), optional :: error

    if (c_associated(call)) then
      call locate(program_of(call), side, which, index, error)
    else
      index = 0
      call fail(CYXLA_INVALID_ARGUMENT, &
          'the call has not been made, expected a create that succeeded before', error)
    end if
  end subroutine locate_array

  ! Where the array lies, NULL and an error if there is none. The address says nothing of
  ! what is there.
  subroutine address_of_array(call, side, which, memory, index, error)
    type(c_ptr), intent(in) :: call
    integer, intent(in) :: side
    class(*), intent(in) :: which
    type(c_ptr), intent(out) :: memory
    integer, intent(out) :: index
    type(cyxla_error), intent(out), optional :: error
    type(cyxla_array_spec) :: spec

    memory = c_null_ptr
    call locate_array(call, side, which, index, error)
    if (index == 0) return
    if (side == OF_INPUTS) memory = cyxla_call_input(call, int(index - 1, c_size_t))
    if (side == OF_OUTPUTS) memory = cyxla_call_output(call, int(index - 1, c_size_t))
    if (c_associated(memory)) return
    spec = make_spec(program_of(call), side, index)
    call fail(CYXLA_FAILED_PRECONDITION, 'output "' // spec%name // &
        '" has no values, expected a run that succeeded before they are asked for', error)
  end subroutine address_of_array

  ! Finds the array of an input, or of an output of the last run, for a pointer of a dtype
  ! and rank; its memory is NULL after an error. An expected shape is compared, too.
  subroutine look_up_array(call, side, which, dtype, rank, found, error, expected)
    type(c_ptr), intent(in) :: call
    integer, intent(in) :: side, dtype, rank
    class(*), intent(in) :: which
    type(located_array), intent(out) :: found
    type(cyxla_error), intent(out), optional :: error
    integer, intent(in), optional :: expected(:)
    type(cyxla_array_spec) :: spec
    type(c_ptr) :: memory
    integer :: index
    logical :: fits

    call address_of_array(call, side, which, memory, index, error)
    if (.not. c_associated(memory)) return
    call compare_with_spec(get_c_spec(program_of(call), side, index), dtype, rank, fits, &
        found%sizes)
    if (fits .and. present(expected)) then
      fits = size(expected) == rank
      if (fits) fits = all(expected == found%sizes(:rank))
    end if
    if (fits) then
      found%memory = memory
    else
      spec = make_spec(program_of(call), side, index)
      call fail(CYXLA_INVALID_ARGUMENT, &
          describe_pointer(side, spec, dtype, rank, expected), error)
    end if
  end subroutine look_up_array

  ! Whether an array has the type and rank of a specification, and what sizes the latter has.
  subroutine compare_with_spec(spec, dtype, rank, fits, sizes)
    type(c_array_spec), intent(in) :: spec
    integer, intent(in) :: dtype, rank
    logical, intent(out) :: fits
    integer(int64), intent(out) :: sizes(RANK_MAXIMUM)
    integer(c_int64_t), pointer :: shape_in_c(:)

    sizes = 0
    fits = dtype == fortran_dtype(int(spec%dtype)) .and. rank == spec%rank
    if (.not. fits .or. rank == 0) return
    call c_f_pointer(spec%shape, shape_in_c, [rank])
    sizes(:rank) = shape_in_c(rank:1:-1)
  end subroutine compare_with_spec

  ! Puts an array of the caller in the place of an input or output.
  subroutine bind_memory(call, side, which, given, error)
    type(c_ptr), intent(in) :: call
    integer, intent(in) :: side
    class(*), intent(in) :: which
    type(given_array), intent(in) :: given
    type(cyxla_error), intent(out), optional :: error
    type(cyxla_error) :: problem
    integer :: index

    call locate_array(call, side, which, index, error)
    if (index == 0) return
    call check_given(side, make_spec(program_of(call), side, index), given, problem)
    if (problem%failed()) then
      call fail(problem%status, problem%message, error)
      return
    end if
    call bind_address(call, side, index, given%memory, error)
  end subroutine bind_memory

  ! Puts the call's own array back.
  subroutine unbind_memory(call, side, which, error)
    type(c_ptr), intent(in) :: call
    integer, intent(in) :: side
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error
    integer :: index

    call locate_array(call, side, which, index, error)
    if (index > 0) call bind_address(call, side, index, c_null_ptr, error)
  end subroutine unbind_memory

  subroutine bind_address(call, side, index, memory, error)
    type(c_ptr), intent(in) :: call, memory
    integer, intent(in) :: side, index
    type(cyxla_error), intent(out), optional :: error
    type(c_error) :: problem
    integer(c_int) :: status

    if (side == OF_INPUTS) then
      status = cyxla_call_bind_input(call, int(index - 1, c_size_t), memory, problem)
    else
      status = cyxla_call_bind_output(call, int(index - 1, c_size_t), memory, problem)
    end if
    call report(status, problem, error)
  end subroutine bind_address

  subroutine check_given(side, spec, given, problem)
    integer, intent(in) :: side
    type(cyxla_array_spec), intent(in) :: spec
    type(given_array), intent(in) :: given
    type(cyxla_error), intent(out) :: problem
    character(:), allocatable :: what
    logical :: fits

    what = 'the array for ' // trim(SIDE_NAMES(side)) // ' "' // spec%name // '" is '
    if (.not. given%is_associated) then
      call fail(CYXLA_INVALID_ARGUMENT, what // &
          'not associated, expected an array; unbind ends a binding', problem)
      return
    end if
    fits = given%dtype == fortran_dtype(spec%dtype) .and. size(given%sizes) == spec%rank
    if (fits) fits = all(given%sizes == spec%shape)
    if (.not. fits) then
      call fail(CYXLA_INVALID_ARGUMENT, what // describe_given(given) // '; expected ' // &
          spec%describe(), problem)
    else if (.not. given%is_contiguous) then
      call fail(CYXLA_INVALID_ARGUMENT, what // &
          'not contiguous, expected one whose elements lie side by side', problem)
    end if
  end subroutine check_given

  function describe_pointer(side, spec, dtype, rank, expected) result(text)
    integer, intent(in) :: side, dtype, rank
    type(cyxla_array_spec), intent(in) :: spec
    integer, intent(in), optional :: expected(:)
    character(:), allocatable :: text

    text = 'the pointer to ' // trim(SIDE_NAMES(side)) // ' "' // spec%name // '" is ' // &
        describe_dtype(dtype) // ' of rank ' // digits_of(int(rank, int64))
    if (present(expected)) then
      text = text // ' for the shape ' // describe_shape(int(expected, int64), '()')
    end if
    text = text // '; expected ' // spec%describe()
  end function describe_pointer

  function describe_given(given) result(text)
    type(given_array), intent(in) :: given
    character(:), allocatable :: text
    type(cyxla_array_spec) :: spec

    spec%dtype = given%dtype
    spec%rank = size(given%sizes)
    spec%shape = given%sizes
    text = spec%describe()
  end function describe_given
end module cyxla_arrays
