! Functions that were saved at several sizes, and the shapes that pick one of them.
module cyxla_sizes
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_int64_t, c_loc, &
      c_null_char, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use cyxla_bindings
  use cyxla_errors, only: cyxla_error, fail, report, succeed
  use cyxla_specs, only: digits_of
  implicit none
  private
  public :: convert_shapes, count_sizes, find_size, pick_size

  integer, parameter :: NAME_MAXIMUM = 512

  ! The shape of an input, in the order of Fortran: cyxla_shape([3, 4], name='position') or
  ! cyxla_shape(shape(position), name='position'). A list of them picks a size; without a
  ! name it is the input in that place of the list. A longer name than fits is none that any
  ! input has.
  !
  ! All components have a fixed size: gfortran 12 does not free allocatable ones of what a
  ! function returns to an array constructor.
  type, public :: cyxla_shape
    private
    integer :: rank = 0
    integer(int64) :: sizes(CYXLA_RANK_MAXIMUM) = 0
    character(NAME_MAXIMUM) :: name = ''
  end type cyxla_shape

  interface cyxla_shape
    procedure :: make_from_int32
    procedure :: make_from_int64
  end interface cyxla_shape

  ! Shapes as C takes them, in the order of C. What C is given lives as long as this does.
  type, public :: converted_shapes
    type(c_ptr) :: inputs = c_null_ptr
    integer(c_size_t) :: num_inputs = 0
    type(c_array_spec), allocatable, private :: specs(:)
    integer(c_int64_t), allocatable, private :: sizes(:, :)
    character(kind=c_char), allocatable, private :: names(:, :)
  end type converted_shapes

contains

  pure function make_from_int32(sizes, name) result(shape)
    integer(int32), intent(in) :: sizes(:)
    character(*), intent(in), optional :: name
    type(cyxla_shape) :: shape

    shape = make_from_int64(int(sizes, int64), name)
  end function make_from_int32

  pure function make_from_int64(sizes, name) result(shape)
    integer(int64), intent(in) :: sizes(:)
    character(*), intent(in), optional :: name
    type(cyxla_shape) :: shape
    integer :: num_kept

    ! C says that a larger rank is too large, and does not read its sizes.
    shape%rank = size(sizes)
    num_kept = min(shape%rank, CYXLA_RANK_MAXIMUM)
    shape%sizes(:num_kept) = sizes(:num_kept)
    if (.not. present(name)) return
    shape%name = name
    if (len_trim(name) > NAME_MAXIMUM) shape%name(NAME_MAXIMUM - 2:) = '...'
  end function make_from_int64

  ! Without shapes there are no inputs.
  subroutine convert_shapes(shapes, converted)
    type(cyxla_shape), intent(in), optional :: shapes(:)
    type(converted_shapes), intent(out), target :: converted
    integer :: i

    if (.not. present(shapes)) return
    if (size(shapes) == 0) return
    allocate(converted%specs(size(shapes)))
    allocate(converted%sizes(CYXLA_RANK_MAXIMUM, size(shapes)))
    allocate(converted%names(NAME_MAXIMUM + 1, size(shapes)))
    do i = 1, size(shapes)
      call convert_shape(shapes(i), converted%specs(i), converted%sizes(:, i), &
          converted%names(:, i))
    end do
    converted%inputs = c_loc(converted%specs)
    converted%num_inputs = size(shapes, kind=c_size_t)
  end subroutine convert_shapes

  subroutine convert_shape(shape, spec, sizes, name)
    type(cyxla_shape), intent(in) :: shape
    type(c_array_spec), intent(out) :: spec
    integer(c_int64_t), intent(out), target, contiguous :: sizes(:)
    character(kind=c_char), intent(out), target, contiguous :: name(:)
    integer :: i, num_kept

    num_kept = min(shape%rank, CYXLA_RANK_MAXIMUM)
    sizes = 0
    sizes(:num_kept) = shape%sizes(num_kept:1:-1)
    name = c_null_char
    do i = 1, len_trim(shape%name)
      name(i) = shape%name(i:i)
    end do
    spec%name = c_null_ptr
    if (len_trim(shape%name) > 0) spec%name = c_loc(name)
    spec%dtype = 0_c_int
    spec%rank = int(shape%rank, c_size_t)
    spec%shape = c_loc(sizes)
    spec%bytes = 0_c_size_t
    spec%aliased_output = -1_c_int64_t
  end subroutine convert_shape

  ! At how many sizes a program is there; 0 for the program NULL.
  integer function count_sizes(program)
    type(c_ptr), intent(in) :: program

    count_sizes = 0
    if (c_associated(program)) count_sizes = int(cyxla_program_num_sizes(program))
  end function count_sizes

  ! The size of an index from 1 on; NULL and an error if there is none.
  subroutine find_size(program, index, found, error)
    type(c_ptr), intent(in) :: program
    integer, intent(in) :: index
    type(c_ptr), intent(out) :: found
    type(cyxla_error), intent(out), optional :: error

    found = c_null_ptr
    if (index >= 1 .and. index <= count_sizes(program)) then
      found = cyxla_program_size(program, int(index - 1, c_size_t))
      call succeed(error)
    else
      call fail(CYXLA_INVALID_ARGUMENT, 'there is no size ' // digits_of(int(index, int64)) &
          // ', the program has ' // digits_of(int(count_sizes(program), int64)), error)
    end if
  end subroutine find_size

  ! The size for which the inputs have these shapes; NULL and an error if there is none, or
  ! more than one.
  subroutine pick_size(program, shapes, picked, error)
    type(c_ptr), intent(in) :: program
    type(cyxla_shape), intent(in), optional :: shapes(:)
    type(c_ptr), intent(out) :: picked
    type(cyxla_error), intent(out), optional :: error
    type(converted_shapes), target :: converted
    type(c_error) :: problem
    integer(c_int) :: status

    call convert_shapes(shapes, converted)
    status = cyxla_program_pick(program, converted%inputs, converted%num_inputs, picked, &
        problem)
    call report(status, problem, error)
  end subroutine pick_size
end module cyxla_sizes
