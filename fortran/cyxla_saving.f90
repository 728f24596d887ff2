! Saving executables together, in one file.
module cyxla_saving
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
  use cyxla_bindings
  use cyxla_errors, only: cyxla_error, report, text_to_c
  use cyxla_executables, only: cyxla_executable
  implicit none
  private
  public :: cyxla_save_all

contains

  ! Writes a .cyxla file as save does, with executables of several sizes of one program.
  subroutine cyxla_save_all(executables, path, error)
    type(cyxla_executable), intent(in) :: executables(:)
    character(*), intent(in) :: path
    type(cyxla_error), intent(out), optional :: error
    type(c_ptr) :: objects(size(executables))
    type(c_error) :: found
    integer(c_int) :: status
    integer :: i

    do i = 1, size(executables)
      objects(i) = executables(i)%c_pointer()
    end do
    status = cyxla_executable_save_all(objects, size(objects, kind=c_size_t), &
        text_to_c(path), found)
    call report(status, found, error)
  end subroutine cyxla_save_all
end module cyxla_saving
