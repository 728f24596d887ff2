! Arrays of each type and of the ranks 0 to 8, pointed at and bound.
module test_types
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use cyxla
  use support
  implicit none
  private
  public :: run_tests_of_types

  ! So that the tests compare logical values as they do numbers.
  interface operator(==)
    procedure :: equal_bools
  end interface

contains

  subroutine run_tests_of_types()
    integer :: dtype

    do dtype = CYXLA_BOOL, CYXLA_COMPLEX128
      call begin_test(cyxla_dtype_name(dtype) // '_arrays_of_each_rank_are_copied')
      select case (dtype)
      case (CYXLA_FLOAT32)
        call copy_float32(dtype)
      case (CYXLA_FLOAT64)
        call copy_float64(dtype)
      case (CYXLA_COMPLEX64)
        call copy_complex64(dtype)
      case (CYXLA_COMPLEX128)
        call copy_complex128(dtype)
      case (CYXLA_INT8, CYXLA_UINT8)
        call copy_int8(dtype)
      case (CYXLA_INT16, CYXLA_UINT16)
        call copy_int16(dtype)
      case (CYXLA_INT32, CYXLA_UINT32)
        call copy_int32(dtype)
      case (CYXLA_INT64, CYXLA_UINT64)
        call copy_int64(dtype)
      case (CYXLA_BOOL)
        call copy_bool(dtype)
      case default
        call refuse_what_has_no_type(dtype)
      end select
      call end_test()
    end do
  end subroutine run_tests_of_types

  elemental logical function equal_bools(left, right)
    logical(c_bool), intent(in) :: left, right

    equal_bools = left .eqv. right
  end function equal_bools

  subroutine refuse_what_has_no_type(dtype)
    integer, intent(in) :: dtype
    type(cyxla_executable) :: executable
    type(cyxla_call) :: call
    type(cyxla_error) :: error
    integer(int16), pointer :: x(:)

    call open_copy(dtype, 1, executable, call)
    call call%input('x', x, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'the pointer to input "x" is integer(int16) of rank 1; expected the address, for ' // &
        'want of a type, of (2), which is ' // cyxla_dtype_name(dtype) // ' [2] in JAX')
    call expect(c_associated(call%input_address('x')), 'there is an address')
    call close_both(executable, call)
  end subroutine refuse_what_has_no_type

  subroutine copy_float32(dtype)
    real(real32), parameter :: value = 2.5_real32
    real(real32), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    real(real32), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    real(real32), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    real(real32), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    real(real32), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    real(real32), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    real(real32), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_float32

  subroutine copy_float64(dtype)
    real(real64), parameter :: value = 2.5_real64
    real(real64), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    real(real64), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    real(real64), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    real(real64), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    real(real64), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    real(real64), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    real(real64), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_float64

  subroutine copy_complex64(dtype)
    complex(real32), parameter :: value = cmplx(2.5, -1, real32)
    complex(real32), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    complex(real32), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    complex(real32), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    complex(real32), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    complex(real32), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    complex(real32), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    complex(real32), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_complex64

  subroutine copy_complex128(dtype)
    complex(real64), parameter :: value = cmplx(2.5, -1, real64)
    complex(real64), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    complex(real64), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    complex(real64), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    complex(real64), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    complex(real64), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    complex(real64), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    complex(real64), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_complex128

  subroutine copy_int8(dtype)
    integer(int8), parameter :: value = -3_int8
    integer(int8), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    integer(int8), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    integer(int8), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    integer(int8), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    integer(int8), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    integer(int8), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    integer(int8), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_int8

  subroutine copy_int16(dtype)
    integer(int16), parameter :: value = -3_int16
    integer(int16), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    integer(int16), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    integer(int16), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    integer(int16), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    integer(int16), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    integer(int16), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    integer(int16), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_int16

  subroutine copy_int32(dtype)
    integer(int32), parameter :: value = -3_int32
    integer(int32), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    integer(int32), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    integer(int32), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    integer(int32), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    integer(int32), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    integer(int32), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    integer(int32), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_int32

  subroutine copy_int64(dtype)
    integer(int64), parameter :: value = -3_int64
    integer(int64), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    integer(int64), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    integer(int64), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    integer(int64), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    integer(int64), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    integer(int64), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    integer(int64), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_int64

  subroutine copy_bool(dtype)
    logical(c_bool), parameter :: value = .true._c_bool
    logical(c_bool), pointer :: x0, y0, x1(:), y1(:), x2(:, :), y2(:, :), x3(:, :, :)
    logical(c_bool), pointer :: y3(:, :, :), x4(:, :, :, :), y4(:, :, :, :)
    logical(c_bool), pointer :: x5(:, :, :, :, :), y5(:, :, :, :, :)
    logical(c_bool), pointer :: x6(:, :, :, :, :, :), y6(:, :, :, :, :, :)
    logical(c_bool), pointer :: x7(:, :, :, :, :, :, :), y7(:, :, :, :, :, :, :)
    logical(c_bool), pointer :: x8(:, :, :, :, :, :, :, :), y8(:, :, :, :, :, :, :, :)
    logical(c_bool), target :: bound(3, 2)
    include 'copy_each_rank.inc'
  end subroutine copy_bool

end module test_types
