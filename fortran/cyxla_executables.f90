! Programs and executables. They never change once they are made; any number of threads use
! them. A copy of a variable is another name for the same thing. What is not destroyed lives
! until the process ends; procedures that make something new destroy what a variable held.
! There are no finalizers: gfortran 12 also calls them for its own temporary copies.
module cyxla_executables
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_loc, c_null_ptr, &
      c_ptr, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use cyxla_bindings
  use cyxla_errors, only: cyxla_error, report, text_from_c, text_to_c
  use cyxla_runtimes, only: borrow_runtime, cyxla_runtime
  use cyxla_sizes
  use cyxla_specs
  implicit none
  private

  ! What has inputs and outputs. An index counts from 1, and `which` is an index or a name.
  type, abstract, public :: cyxla_signature
    private
    type(c_ptr) :: object = c_null_ptr
  contains
    procedure(get_program), deferred, private :: c_program
    procedure :: num_inputs
    procedure :: num_outputs
    procedure :: find_input   ! the index of the input of a name, 0 if there is none
    procedure :: find_output
    procedure :: input        ! the specification of an input
    procedure :: output
    procedure :: num_sizes    ! at how many sizes the function was saved; 0 of nothing
    procedure :: size => get_size  ! the program at one of them
    procedure :: pick         ! the program at the one for given shapes
    procedure :: is_open      ! whether it holds something
    procedure :: c_pointer    ! for C functions; borrowed
    procedure(destroy_object), deferred :: destroy
  end type cyxla_signature

  abstract interface
    function get_program(self) result(pointer)
      import :: c_ptr, cyxla_signature
      class(cyxla_signature), intent(in) :: self
      type(c_ptr) :: pointer
    end function get_program

    subroutine destroy_object(self)
      import :: cyxla_signature
      class(cyxla_signature), intent(inout) :: self
    end subroutine destroy_object
  end interface

  ! A lowered JAX function. One that is a size of another program or of an executable lives
  ! as long as that, and as what was made of it: destroying it lets go of it only.
  type, extends(cyxla_signature), public :: cyxla_program
    logical, private :: is_borrowed = .false.
  contains
    procedure :: load => load_program
    procedure :: save => save_program
    procedure :: platform
    procedure :: metadata
    procedure :: num_executables
    procedure :: destroy => destroy_program
    procedure, private :: c_program => program_of_program
  end type cyxla_program

  ! A program compiled for a runtime.
  type, extends(cyxla_signature), public :: cyxla_executable
  contains
    procedure :: open => open_executable
    procedure :: create
    procedure :: compile
    procedure :: save => save_executable
    procedure :: runtime => runtime_of_executable
    procedure :: tier
    procedure :: tier_reason
    procedure :: compile_seconds
    procedure :: is_deserialized
    procedure :: code_bytes
    procedure :: destroy => destroy_executable
    procedure, private :: replace
    procedure, private :: c_program => program_of_executable
  end type cyxla_executable

contains

  integer function num_inputs(self)
    class(cyxla_signature), intent(in) :: self

    num_inputs = num_arrays(self%c_program(), OF_INPUTS)
  end function num_inputs

  integer function num_outputs(self)
    class(cyxla_signature), intent(in) :: self

    num_outputs = num_arrays(self%c_program(), OF_OUTPUTS)
  end function num_outputs

  integer function find_input(self, name)
    class(cyxla_signature), intent(in) :: self
    character(*), intent(in) :: name

    find_input = find_array(self%c_program(), OF_INPUTS, name)
  end function find_input

  integer function find_output(self, name)
    class(cyxla_signature), intent(in) :: self
    character(*), intent(in) :: name

    find_output = find_array(self%c_program(), OF_OUTPUTS, name)
  end function find_output

  function input(self, which, error) result(spec)
    class(cyxla_signature), intent(in) :: self
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error
    type(cyxla_array_spec) :: spec

    spec = find_spec(self%c_program(), OF_INPUTS, which, error)
  end function input

  function output(self, which, error) result(spec)
    class(cyxla_signature), intent(in) :: self
    class(*), intent(in) :: which
    type(cyxla_error), intent(out), optional :: error
    type(cyxla_array_spec) :: spec

    spec = find_spec(self%c_program(), OF_OUTPUTS, which, error)
  end function output

  integer function num_sizes(self)
    class(cyxla_signature), intent(in) :: self

    num_sizes = count_sizes(self%c_program())
  end function num_sizes

  ! The index counts from 1 to num_sizes.
  function get_size(self, index, error) result(program)
    class(cyxla_signature), intent(in) :: self
    integer, intent(in) :: index
    type(cyxla_error), intent(out), optional :: error
    type(cyxla_program) :: program

    program%is_borrowed = .true.
    call find_size(self%c_program(), index, program%object, error)
  end function get_size

  ! The program at the size whose inputs have these shapes: as many as tell it from others.
  function pick(self, shapes, error) result(program)
    class(cyxla_signature), intent(in) :: self
    type(cyxla_shape), intent(in), optional :: shapes(:)
    type(cyxla_error), intent(out), optional :: error
    type(cyxla_program) :: program

    program%is_borrowed = .true.
    call pick_size(self%c_program(), shapes, program%object, error)
  end function pick

  logical function is_open(self)
    class(cyxla_signature), intent(in) :: self

    is_open = c_associated(self%object)
  end function is_open

  function c_pointer(self) result(pointer)
    class(cyxla_signature), intent(in) :: self
    type(c_ptr) :: pointer

    pointer = self%object
  end function c_pointer

  ! ---- Programs --------------------------------------------------------------------------

  ! Reads the program of a .cyxla file. No plugin is needed.
  subroutine load_program(self, path, error)
    class(cyxla_program), intent(inout) :: self
    character(*), intent(in) :: path
    type(cyxla_error), intent(out), optional :: error
    type(c_error) :: found
    integer(c_int) :: status

    call self%destroy()
    status = cyxla_program_load(text_to_c(path), self%object, found)
    call report(status, found, error)
  end subroutine load_program

  ! Writes a .cyxla file that holds the program.
  subroutine save_program(self, path, error)
    class(cyxla_program), intent(in) :: self
    character(*), intent(in) :: path
    type(cyxla_error), intent(out), optional :: error
    type(c_error) :: found
    integer(c_int) :: status

    status = cyxla_program_save(self%object, text_to_c(path), found)
    call report(status, found, error)
  end subroutine save_program

  ! The platform that it was lowered for, such as "cpu".
  function platform(self) result(text)
    class(cyxla_program), intent(in) :: self
    character(:), allocatable :: text

    text = ''
    if (self%is_open()) text = text_from_c(cyxla_program_platform(self%object))
  end function platform

  ! The text that is kept with the program.
  function metadata(self) result(text)
    class(cyxla_program), intent(in) :: self
    character(:), allocatable :: text

    text = ''
    if (self%is_open()) text = text_from_c(cyxla_program_metadata(self%object))
  end function metadata

  ! The number of executables that it was read with from a file.
  integer function num_executables(self)
    class(cyxla_program), intent(in) :: self

    num_executables = 0
    if (self%is_open()) num_executables = int(cyxla_program_num_executables(self%object))
  end function num_executables

  function program_of_program(self) result(pointer)
    class(cyxla_program), intent(in) :: self
    type(c_ptr) :: pointer

    pointer = self%object
  end function program_of_program

  subroutine destroy_program(self)
    class(cyxla_program), intent(inout) :: self

    if (.not. self%is_borrowed) call cyxla_program_destroy(self%object)
    self%object = c_null_ptr
    self%is_borrowed = .false.
  end subroutine destroy_program

  ! ---- Executables -----------------------------------------------------------------------

  ! Opens a .cyxla file and makes its program ready to run, in the runtime that is given,
  ! else in a default one of the plugin at that path, else of the plugin that is found as
  ! cyxla_open of C tells. Of a function at several sizes the shapes pick one, as in pick.
  ! The tier is a constant, such as CYXLA_TIER_DIRECT. Open only files that you trust: they
  ! become machine code.
  subroutine open_executable(self, path, plugin, runtime, error, shapes, tier)
    class(cyxla_executable), intent(inout) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: plugin
    type(cyxla_runtime), intent(in), optional :: runtime
    type(cyxla_error), intent(out), optional :: error
    type(cyxla_shape), intent(in), optional :: shapes(:)
    integer, intent(in), optional :: tier
    type(c_open_options) :: options
    type(converted_shapes), target :: wanted
    character(kind=c_char, len=:), allocatable, target :: plugin_text
    type(c_ptr) :: opened
    type(c_error) :: found
    integer(c_int) :: status

    options%struct_size = c_sizeof(options)
    if (present(runtime)) options%runtime = runtime%c_pointer()
    if (present(plugin)) then
      plugin_text = text_to_c(plugin)
      options%plugin = c_loc(plugin_text)
    end if
    call convert_shapes(shapes, wanted)
    options%inputs = wanted%inputs
    options%num_inputs = wanted%num_inputs
    if (present(tier)) options%tier = tier
    status = cyxla_open(text_to_c(path), options, opened, found)
    call self%replace(opened, status, found, error)
  end subroutine open_executable

  ! Makes a program ready to run on the first device of a runtime: loads what fits of the
  ! executables that its file held, and else compiles it. The tier is as in open.
  subroutine create(self, runtime, program, error, tier)
    class(cyxla_executable), intent(inout) :: self
    type(cyxla_runtime), intent(in) :: runtime
    type(cyxla_program), intent(in) :: program
    type(cyxla_error), intent(out), optional :: error
    integer, intent(in), optional :: tier
    type(c_executable_options) :: options
    type(c_ptr) :: created
    type(c_error) :: found
    integer(c_int) :: status

    options%struct_size = c_sizeof(options)
    if (present(tier)) options%tier = tier
    status = cyxla_executable_create_with(runtime%c_pointer(), program%object, options, &
        created, found)
    call self%replace(created, status, found, error)
  end subroutine create

  ! Compiles a program for the first device of a runtime.
  subroutine compile(self, runtime, program, error)
    class(cyxla_executable), intent(inout) :: self
    type(cyxla_runtime), intent(in) :: runtime
    type(cyxla_program), intent(in) :: program
    type(cyxla_error), intent(out), optional :: error
    type(c_ptr) :: compiled
    type(c_error) :: found
    integer(c_int) :: status

    status = cyxla_executable_compile(runtime%c_pointer(), program%object, compiled, found)
    call self%replace(compiled, status, found, error)
  end subroutine compile

  ! Puts what C made, or nothing, in the place of the old executable. That is destroyed only
  ! now, since its runtime and its program may be what the new one was made of.
  subroutine replace(self, object, status, found, error)
    class(cyxla_executable), intent(inout) :: self
    type(c_ptr), intent(in) :: object
    integer(c_int), intent(in) :: status
    type(c_error), intent(in) :: found
    type(cyxla_error), intent(out), optional :: error

    call self%destroy()
    self%object = object
    call report(status, found, error)
  end subroutine replace

  ! Writes a .cyxla file that holds the program, the executable, and which plugin made it.
  subroutine save_executable(self, path, error)
    class(cyxla_executable), intent(in) :: self
    character(*), intent(in) :: path
    type(cyxla_error), intent(out), optional :: error
    type(c_error) :: found
    integer(c_int) :: status

    status = cyxla_executable_save(self%object, text_to_c(path), found)
    call report(status, found, error)
  end subroutine save_executable

  ! The runtime that it was made for; its c_pointer is null where it runs without one.
  function runtime_of_executable(self) result(runtime)
    class(cyxla_executable), intent(in) :: self
    type(cyxla_runtime) :: runtime

    if (self%is_open()) runtime = borrow_runtime(cyxla_executable_runtime(self%object))
  end function runtime_of_executable

  ! How calls run: "direct" or "pjrt". It may change after the first runs.
  function tier(self) result(text)
    class(cyxla_executable), intent(in) :: self
    character(:), allocatable :: text

    text = ''
    if (self%is_open()) text = text_from_c(cyxla_executable_tier(self%object))
  end function tier

  ! Why calls do not run directly; empty where they do.
  function tier_reason(self) result(text)
    class(cyxla_executable), intent(in) :: self
    character(:), allocatable :: text

    text = ''
    if (self%is_open()) text = text_from_c(cyxla_executable_tier_reason(self%object))
  end function tier_reason

  ! Seconds that the plugin took to compile, or to load.
  function compile_seconds(self) result(seconds)
    class(cyxla_executable), intent(in) :: self
    real(real64) :: seconds

    seconds = 0
    if (self%is_open()) seconds = cyxla_executable_compile_seconds(self%object)
  end function compile_seconds

  ! Whether it was loaded and not compiled.
  logical function is_deserialized(self)
    class(cyxla_executable), intent(in) :: self

    is_deserialized = .false.
    if (self%is_open()) is_deserialized = cyxla_executable_is_deserialized(self%object)
  end function is_deserialized

  ! Bytes of machine code as the plugin counts them, -1 where it does not tell.
  function code_bytes(self) result(bytes)
    class(cyxla_executable), intent(in) :: self
    integer(int64) :: bytes

    bytes = -1
    if (self%is_open()) bytes = cyxla_executable_code_bytes(self%object)
  end function code_bytes

  function program_of_executable(self) result(pointer)
    class(cyxla_executable), intent(in) :: self
    type(c_ptr) :: pointer

    pointer = c_null_ptr
    if (self%is_open()) pointer = cyxla_executable_program(self%object)
  end function program_of_executable

  subroutine destroy_executable(self)
    class(cyxla_executable), intent(inout) :: self

    call cyxla_executable_destroy(self%object)
    self%object = c_null_ptr
  end subroutine destroy_executable
end module cyxla_executables
