! Inputs and outputs: what they are, and how they are found.
!
! A shape has two spellings. C and JAX write the slowest dimension first and Fortran the
! fastest, so that the array [n, m] of JAX is the array (m, n) of Fortran: the same numbers
! in the same places of memory, and never a transposition.
module cyxla_specs
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_int64_t, &
      c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use cyxla_bindings
  use cyxla_errors, only: cyxla_error, fail, is_text_of_c, succeed, text_from_c
  implicit none
  private
  public :: cyxla_dtype_name, describe_dtype, describe_shape, digits_of, find_array, &
      find_spec, fortran_dtype, get_c_spec, locate, make_spec, num_arrays

  ! Of which an array is one.
  integer, parameter, public :: OF_INPUTS = 1, OF_OUTPUTS = 2
  character(6), parameter, public :: SIDE_NAMES(2) = ['input ', 'output']

  ! One input or output.
  type, public :: cyxla_array_spec
    character(:), allocatable :: name        ! from the JAX function, "state.velocity"
    integer :: dtype = 0                     ! such as CYXLA_FLOAT64
    integer :: rank = 0                      ! number of dimensions, 0 for a scalar
    integer(int64), allocatable :: shape(:)  ! [rank] sizes in the order of Fortran
    integer(int64) :: bytes = 0              ! of the whole array
    integer :: aliased_output = 0            ! of a donated input: the index of the output
                                             ! that may take over its memory; else 0
  contains
    procedure :: jax_shape
    procedure :: describe
  end type cyxla_array_spec

contains

  ! NumPy's name of a dtype, such as "float32".
  function cyxla_dtype_name(dtype) result(name)
    integer, intent(in) :: dtype
    character(:), allocatable :: name

    name = text_from_c(cyxla_dtype_text(int(dtype, c_int)))
  end function cyxla_dtype_name

  ! The shape in the order of JAX and C.
  pure function jax_shape(self) result(sizes)
    class(cyxla_array_spec), intent(in) :: self
    integer(int64), allocatable :: sizes(:)

    sizes = self%shape(self%rank:1:-1)
  end function jax_shape

  ! Such as "real(real64) (3, 4), which is float64 [4, 3] in JAX".
  function describe(self) result(text)
    class(cyxla_array_spec), intent(in) :: self
    character(:), allocatable :: text

    text = describe_dtype(self%dtype) // ' ' // describe_shape(self%shape, '()') // &
        ', which is ' // cyxla_dtype_name(self%dtype) // ' ' // &
        describe_shape(self%jax_shape(), '[]') // ' in JAX'
  end function describe

  ! The dtype of the Fortran type that holds a dtype. Fortran has no unsigned integers:
  ! their bits come as a signed integer of the same size.
  pure integer function fortran_dtype(dtype)
    integer, intent(in) :: dtype

    fortran_dtype = dtype
    if (dtype < CYXLA_UINT8 .or. dtype > CYXLA_UINT64) return
    fortran_dtype = dtype - CYXLA_UINT8 + CYXLA_INT8
  end function fortran_dtype

  ! The Fortran type that holds a dtype.
  function describe_dtype(dtype) result(text)
    integer, intent(in) :: dtype
    character(:), allocatable :: text

    select case (fortran_dtype(dtype))
    case (CYXLA_BOOL)
      text = 'logical(c_bool)'
    case (CYXLA_INT8)
      text = 'integer(int8)'
    case (CYXLA_INT16)
      text = 'integer(int16)'
    case (CYXLA_INT32)
      text = 'integer(int32)'
    case (CYXLA_INT64)
      text = 'integer(int64)'
    case (CYXLA_FLOAT32)
      text = 'real(real32)'
    case (CYXLA_FLOAT64)
      text = 'real(real64)'
    case (CYXLA_COMPLEX64)
      text = 'complex(real32)'
    case (CYXLA_COMPLEX128)
      text = 'complex(real64)'
    case default
      text = 'the address, for want of a type, of'
    end select
  end function describe_dtype

  ! Such as "(3, 4)", between the brackets.
  function describe_shape(sizes, brackets) result(text)
    integer(int64), intent(in) :: sizes(:)
    character(2), intent(in) :: brackets
    character(:), allocatable :: text
    integer :: i

    text = brackets(1:1)
    do i = 1, size(sizes)
      if (i > 1) text = text // ', '
      text = text // digits_of(sizes(i))
    end do
    text = text // brackets(2:2)
  end function describe_shape

  function digits_of(number) result(text)
    integer(int64), intent(in) :: number
    character(:), allocatable :: text
    character(20) :: digits

    write(digits, '(i0)') number
    text = trim(digits)
  end function digits_of

  ! How many inputs or outputs a program has; 0 for the program NULL.
  pure integer function num_arrays(program, side)
    type(c_ptr), intent(in) :: program
    integer, intent(in) :: side

    num_arrays = 0
    if (.not. c_associated(program)) return
    if (side == OF_INPUTS) num_arrays = int(cyxla_program_num_inputs(program))
    if (side == OF_OUTPUTS) num_arrays = int(cyxla_program_num_outputs(program))
  end function num_arrays

  ! The specification as it is in C, of an index from 1 to num_arrays.
  function get_c_spec(program, side, index) result(spec)
    type(c_ptr), intent(in) :: program
    integer, intent(in) :: side, index
    type(c_array_spec), pointer :: spec

    if (side == OF_INPUTS) then
      call c_f_pointer(cyxla_program_input(program, int(index - 1, c_size_t)), spec)
    else
      call c_f_pointer(cyxla_program_output(program, int(index - 1, c_size_t)), spec)
    end if
  end function get_c_spec

  ! The specification of an index, from 1 to num_arrays.
  function make_spec(program, side, index) result(spec)
    type(c_ptr), intent(in) :: program
    integer, intent(in) :: side, index
    type(cyxla_array_spec) :: spec
    type(c_array_spec), pointer :: found
    integer(c_int64_t), pointer :: sizes(:)

    found => get_c_spec(program, side, index)
    spec%name = text_from_c(found%name)
    spec%dtype = int(found%dtype)
    spec%rank = int(found%rank)
    allocate(spec%shape(spec%rank))
    if (spec%rank > 0) then
      call c_f_pointer(found%shape, sizes, [spec%rank])
      spec%shape = sizes(spec%rank:1:-1)
    end if
    spec%bytes = int(found%bytes, int64)
    spec%aliased_output = int(found%aliased_output) + 1
  end function make_spec

  ! The specification of the input or output of an index or a name.
  function find_spec(program, side, which, error) result(spec)
    type(c_ptr), intent(in) :: program
    integer, intent(in) :: side
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error
    type(cyxla_array_spec) :: spec
    integer :: index

    call locate(program, side, which, index, error)
    if (index > 0) then
      spec = make_spec(program, side, index)
    else
      spec%name = ''
      allocate(spec%shape(0))
    end if
  end function find_spec

  ! The index of the input or output of that name, 0 if there is none.
  integer function find_array(program, side, name) result(index)
    type(c_ptr), intent(in) :: program
    integer, intent(in) :: side
    character(*), intent(in) :: name
    type(c_array_spec), pointer :: spec

    do index = 1, num_arrays(program, side)
      spec => get_c_spec(program, side, index)
      if (is_text_of_c(name, spec%name)) return
    end do
    index = 0
  end function find_array

  ! The index that an index or a name stands for; 0 and an error if there is none.
  subroutine locate(program, side, which, index, error)
    type(c_ptr), intent(in) :: program
    integer, intent(in) :: side
    class(*), intent(in) :: which
    integer, intent(out) :: index
    type(cyxla_error), intent(out), optional :: error

    index = 0
    select type (which)
    type is (character(*))
      index = find_array(program, side, which)
    type is (integer(int32))
      if (which >= 1 .and. which <= num_arrays(program, side)) index = which
    type is (integer(int64))
      if (which >= 1 .and. which <= num_arrays(program, side)) index = int(which)
    end select
    if (index > 0) then
      call succeed(error)
    else
      call fail(CYXLA_INVALID_ARGUMENT, 'there is no ' // trim(SIDE_NAMES(side)) // ' ' // &
          describe_which(which) // ', the program has ' // list_names(program, side), error)
    end if
  end subroutine locate

  function describe_which(which) result(text)
    class(*), intent(in) :: which
    character(:), allocatable :: text

    select type (which)
    type is (character(*))
      text = '"' // trim(which) // '"'
    type is (integer(int32))
      text = digits_of(int(which, int64))
    type is (integer(int64))
      text = digits_of(which)
    class default
      text = 'of that type, which is neither an index nor a name'
    end select
  end function describe_which

  ! Such as "2: position, velocity".
  function list_names(program, side) result(text)
    type(c_ptr), intent(in) :: program
    integer, intent(in) :: side
    character(:), allocatable :: text
    type(c_array_spec), pointer :: spec
    integer :: i

    text = digits_of(int(num_arrays(program, side), int64))
    do i = 1, num_arrays(program, side)
      spec => get_c_spec(program, side, i)
      text = text // merge(': ', ', ', i == 1) // text_from_c(spec%name)
    end do
  end function list_names
end module cyxla_specs
