! Runtimes: plugins that are loaded, with their clients and devices.
module cyxla_runtimes
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_loc, c_null_ptr, c_ptr, c_size_t, &
      c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64
  use cyxla_bindings
  use cyxla_errors, only: cyxla_error, report, text_from_c, text_to_c
  implicit none
  private
  public :: borrow_runtime

  ! A loaded plugin with its client and devices. One that an executable was asked for is the
  ! executable's: destroying it lets go of it only.
  type, public :: cyxla_runtime
    private
    type(c_ptr) :: object = c_null_ptr
    logical :: is_borrowed = .false.
  contains
    procedure :: create => create_runtime
    procedure :: get_info
    procedure :: c_pointer => pointer_of_runtime
    procedure :: destroy => destroy_runtime
  end type cyxla_runtime

  ! What a runtime is.
  type, public :: cyxla_runtime_info
    character(:), allocatable :: platform          ! in lower case, such as "cpu"
    character(:), allocatable :: platform_version  ! the plugin's own text
    character(:), allocatable :: plugin_path       ! absolute, without links
    integer :: pjrt_api_major = 0
    integer :: pjrt_api_minor = 0
    integer(int64) :: stablehlo_version(3) = 0     ! the latest that it reads; 0: unknown
    integer :: num_devices = 0
    logical :: zero_copy = .false.                 ! runs use arrays without copies
  end type cyxla_runtime_info

contains

  ! Loads a plugin and creates its client. Without a path the plugin is looked for, and
  ! num_threads is the size of its pool for computing.
  subroutine create_runtime(self, plugin, platform, num_threads, error)
    class(cyxla_runtime), intent(inout) :: self
    character(*), intent(in), optional :: plugin, platform
    integer, intent(in), optional :: num_threads
    type(cyxla_error), intent(out), optional :: error
    type(c_runtime_options) :: options
    character(kind=c_char, len=:), allocatable, target :: plugin_text, platform_text
    type(c_error) :: found
    integer(c_int) :: status

    call self%destroy()
    options%struct_size = c_sizeof(options)
    if (present(plugin)) then
      plugin_text = text_to_c(plugin)
      options%plugin = c_loc(plugin_text)
    end if
    if (present(platform)) then
      platform_text = text_to_c(platform)
      options%platform = c_loc(platform_text)
    end if
    if (present(num_threads)) options%num_threads = int(num_threads, c_size_t)
    status = cyxla_runtime_create(options, self%object, found)
    call report(status, found, error)
  end subroutine create_runtime

  subroutine get_info(self, info, error)
    class(cyxla_runtime), intent(in) :: self
    type(cyxla_runtime_info), intent(out) :: info
    type(cyxla_error), intent(out), optional :: error
    type(c_runtime_info) :: c_info
    type(c_error) :: found
    integer(c_int) :: status

    c_info%struct_size = c_sizeof(c_info)
    status = cyxla_runtime_get_info(self%object, c_info, found)
    info%platform = text_from_c(c_info%platform)
    info%platform_version = text_from_c(c_info%platform_version)
    info%plugin_path = text_from_c(c_info%plugin_path)
    info%pjrt_api_major = int(c_info%pjrt_api_major)
    info%pjrt_api_minor = int(c_info%pjrt_api_minor)
    info%stablehlo_version = c_info%stablehlo_version
    info%num_devices = int(c_info%num_devices)
    info%zero_copy = c_info%zero_copy
    call report(status, found, error)
  end subroutine get_info

  function borrow_runtime(pointer) result(runtime)
    type(c_ptr), intent(in) :: pointer
    type(cyxla_runtime) :: runtime

    runtime%object = pointer
    runtime%is_borrowed = .true.
  end function borrow_runtime

  function pointer_of_runtime(self) result(pointer)
    class(cyxla_runtime), intent(in) :: self
    type(c_ptr) :: pointer

    pointer = self%object
  end function pointer_of_runtime

  subroutine destroy_runtime(self)
    class(cyxla_runtime), intent(inout) :: self

    if (.not. self%is_borrowed) call cyxla_runtime_destroy(self%object)
    self%object = c_null_ptr
    self%is_borrowed = .false.
  end subroutine destroy_runtime
end module cyxla_runtimes
