! Errors, and text that goes to C and comes from there.
module cyxla_errors
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, &
      c_null_char, c_ptr
  use cyxla_bindings, only: c_error, c_string_length, CYXLA_ERROR_MESSAGE_SIZE, CYXLA_OK, &
      CYXLA_SIZE_NOT_FOUND, cyxla_status_text
  implicit none
  private
  public :: fail, is_text_of_c, report, succeed, text_from_c, text_to_c

  ! Ends messages that list shapes for the reader to choose from, which C writes.
  character(*), parameter :: ORDER_OF_SHAPES = &
      ' (shapes in the order of JAX; in Fortran they are the other way round)'

  ! What went wrong. Procedures that can fail take one as an optional argument and set it
  ! each time: to CYXLA_OK with an empty message where nothing failed. Without the argument
  ! a failure stops the program, with the message on standard error.
  type, public :: cyxla_error
    integer :: status = CYXLA_OK
    character(:), allocatable :: message
  contains
    procedure :: failed
    procedure :: status_name
  end type cyxla_error

contains

  pure logical function failed(self)
    class(cyxla_error), intent(in) :: self

    failed = self%status /= CYXLA_OK
  end function failed

  ! The name of the status, such as "FILE_INVALID".
  function status_name(self) result(name)
    class(cyxla_error), intent(in) :: self
    character(:), allocatable :: name

    name = text_from_c(cyxla_status_text(int(self%status, c_int)))
  end function status_name

  subroutine succeed(error)
    type(cyxla_error), intent(out), optional :: error

    if (present(error)) error%message = ''
  end subroutine succeed

  subroutine fail(status, message, error)
    integer, intent(in) :: status
    character(*), intent(in) :: message
    type(cyxla_error), intent(out), optional :: error
    character(:), allocatable :: name

    if (present(error)) then
      error%status = status
      error%message = message
    else
      name = text_from_c(cyxla_status_text(int(status, c_int)))
      error stop 'cyxla ' // name // ': ' // message
    end if
  end subroutine fail

  ! Passes on what a function of C returned, with the error that it filled in if it failed.
  subroutine report(status, found, error)
    integer(c_int), intent(in) :: status
    type(c_error), intent(in) :: found
    type(cyxla_error), intent(out), optional :: error
    character(CYXLA_ERROR_MESSAGE_SIZE) :: message
    integer :: length

    if (status == CYXLA_OK) then
      call succeed(error)
      return
    end if
    do length = 0, CYXLA_ERROR_MESSAGE_SIZE - 1
      if (found%message(length + 1) == c_null_char) exit
      message(length + 1:length + 1) = found%message(length + 1)
    end do
    if (status == CYXLA_SIZE_NOT_FOUND) then
      call fail(int(status), message(:length) // ORDER_OF_SHAPES, error)
    else
      call fail(int(status), message(:length), error)
    end if
  end subroutine report

  ! The text at a pointer, empty where it is NULL.
  function text_from_c(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i

    if (.not. c_associated(pointer)) then
      text = ''
      return
    end if
    call c_f_pointer(pointer, letters, [c_string_length(pointer)])
    allocate(character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function text_from_c

  ! Whether the text, without the spaces at its end, is the one at a pointer.
  logical function is_text_of_c(text, pointer)
    character(*), intent(in) :: text
    type(c_ptr), intent(in) :: pointer
    character(kind=c_char), pointer :: letters(:)
    integer :: i

    is_text_of_c = len_trim(text) == c_string_length(pointer)
    if (.not. is_text_of_c) return
    call c_f_pointer(pointer, letters, [len_trim(text)])
    do i = 1, size(letters)
      if (text(i:i) /= letters(i)) is_text_of_c = .false.
    end do
  end function is_text_of_c

  ! The text without the spaces at its end, which fill up variables of a fixed length.
  pure function text_to_c(text) result(terminated)
    character(*), intent(in) :: text
    character(kind=c_char, len=:), allocatable :: terminated

    terminated = trim(text) // c_null_char
  end function text_to_c
end module cyxla_errors
