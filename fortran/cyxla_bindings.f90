! The functions and structs of cyxla.h that the module cyxla stands on, with the names of C,
! and its numbers. Programs use the module cyxla; this one is its own business.
module cyxla_bindings
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_double, c_int, c_int64_t, &
      c_null_ptr, c_ptr, c_size_t
  use cyxla_constants
  implicit none
  public

  ! The structs have a name in c_, so that they are not taken for the types of cyxla.
  type, bind(c) :: c_error
    integer(c_int) :: status
    character(kind=c_char) :: message(CYXLA_ERROR_MESSAGE_SIZE)
  end type c_error

  type, bind(c) :: c_array_spec
    type(c_ptr) :: name
    integer(c_int) :: dtype
    integer(c_size_t) :: rank
    type(c_ptr) :: shape
    integer(c_size_t) :: bytes
    integer(c_int64_t) :: aliased_output
  end type c_array_spec

  type, bind(c) :: c_runtime_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: plugin = c_null_ptr
    type(c_ptr) :: platform = c_null_ptr
    type(c_ptr) :: options = c_null_ptr
    integer(c_size_t) :: num_options = 0
    integer(c_size_t) :: num_threads = 0
    logical(c_bool) :: without_lapack = .false._c_bool
    logical(c_bool) :: reserved(7) = .false._c_bool
  end type c_runtime_options

  type, bind(c) :: c_runtime_info
    integer(c_size_t) :: struct_size
    type(c_ptr) :: platform = c_null_ptr
    type(c_ptr) :: platform_version = c_null_ptr
    type(c_ptr) :: plugin_path = c_null_ptr
    integer(c_int) :: pjrt_api_major = 0
    integer(c_int) :: pjrt_api_minor = 0
    integer(c_int64_t) :: stablehlo_version(3) = 0
    integer(c_size_t) :: num_devices = 0
    logical(c_bool) :: zero_copy = .false._c_bool
    logical(c_bool) :: reserved(7) = .false._c_bool
  end type c_runtime_info

  type, bind(c) :: c_executable_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: serialized = c_null_ptr
    integer(c_size_t) :: serialized_bytes = 0
    integer(c_int) :: tier = 0
    logical(c_bool) :: without_comparison = .false._c_bool
    logical(c_bool) :: reserved(3) = .false._c_bool
    type(c_ptr) :: examples = c_null_ptr
  end type c_executable_options

  type, bind(c) :: c_open_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: runtime = c_null_ptr
    type(c_ptr) :: plugin = c_null_ptr
    type(c_ptr) :: inputs = c_null_ptr
    integer(c_size_t) :: num_inputs = 0
    integer(c_int) :: tier = 0
    logical(c_bool) :: with_plugin = .false._c_bool
    logical(c_bool) :: reserved(3) = .false._c_bool
  end type c_open_options

  interface
    function cyxla_version_text() result(text) bind(c, name='cyxla_version')
      import :: c_ptr
      type(c_ptr) :: text
    end function cyxla_version_text

    function cyxla_status_text(status) result(text) bind(c, name='cyxla_status_name')
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function cyxla_status_text

    function cyxla_dtype_text(dtype) result(text) bind(c, name='cyxla_dtype_name')
      import :: c_int, c_ptr
      integer(c_int), value :: dtype
      type(c_ptr) :: text
    end function cyxla_dtype_text

    function cyxla_program_load(path, program, error) result(status) bind(c)
      import :: c_char, c_error, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(out) :: program
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_program_load

    function cyxla_program_save(program, path, error) result(status) bind(c)
      import :: c_char, c_error, c_int, c_ptr
      type(c_ptr), value :: program
      character(kind=c_char), intent(in) :: path(*)
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_program_save

    subroutine cyxla_program_destroy(program) bind(c)
      import :: c_ptr
      type(c_ptr), value :: program
    end subroutine cyxla_program_destroy

    pure function cyxla_program_num_inputs(program) result(count) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: program
      integer(c_size_t) :: count
    end function cyxla_program_num_inputs

    pure function cyxla_program_num_outputs(program) result(count) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: program
      integer(c_size_t) :: count
    end function cyxla_program_num_outputs

    function cyxla_program_input(program, index) result(spec) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: program
      integer(c_size_t), value :: index
      type(c_ptr) :: spec
    end function cyxla_program_input

    function cyxla_program_output(program, index) result(spec) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: program
      integer(c_size_t), value :: index
      type(c_ptr) :: spec
    end function cyxla_program_output

    function cyxla_program_platform(program) result(text) bind(c)
      import :: c_ptr
      type(c_ptr), value :: program
      type(c_ptr) :: text
    end function cyxla_program_platform

    function cyxla_program_metadata(program) result(text) bind(c)
      import :: c_ptr
      type(c_ptr), value :: program
      type(c_ptr) :: text
    end function cyxla_program_metadata

    pure function cyxla_program_num_sizes(program) result(count) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: program
      integer(c_size_t) :: count
    end function cyxla_program_num_sizes

    function cyxla_program_size(program, index) result(size) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: program
      integer(c_size_t), value :: index
      type(c_ptr) :: size
    end function cyxla_program_size

    function cyxla_program_pick(program, inputs, num_inputs, size, error) result(status) &
        bind(c)
      import :: c_error, c_int, c_ptr, c_size_t
      type(c_ptr), value :: program, inputs
      integer(c_size_t), value :: num_inputs
      type(c_ptr), intent(out) :: size
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_program_pick

    pure function cyxla_program_num_executables(program) result(count) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: program
      integer(c_size_t) :: count
    end function cyxla_program_num_executables

    function cyxla_runtime_create(options, runtime, error) result(status) bind(c)
      import :: c_error, c_int, c_ptr, c_runtime_options
      type(c_runtime_options), intent(in) :: options
      type(c_ptr), intent(out) :: runtime
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_runtime_create

    subroutine cyxla_runtime_destroy(runtime) bind(c)
      import :: c_ptr
      type(c_ptr), value :: runtime
    end subroutine cyxla_runtime_destroy

    function cyxla_runtime_get_info(runtime, info, error) result(status) bind(c)
      import :: c_error, c_int, c_ptr, c_runtime_info
      type(c_ptr), value :: runtime
      type(c_runtime_info), intent(inout) :: info
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_runtime_get_info

    function cyxla_executable_compile(runtime, program, executable, error) result(status) &
        bind(c)
      import :: c_error, c_int, c_ptr
      type(c_ptr), value :: runtime, program
      type(c_ptr), intent(out) :: executable
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_executable_compile

    function cyxla_executable_create_with(runtime, program, options, executable, error) &
        result(status) bind(c)
      import :: c_error, c_executable_options, c_int, c_ptr
      type(c_ptr), value :: runtime
      type(c_ptr), value :: program
      type(c_executable_options), intent(in) :: options
      type(c_ptr), intent(out) :: executable
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_executable_create_with

    function cyxla_open(path, options, executable, error) result(status) bind(c)
      import :: c_char, c_error, c_int, c_open_options, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_open_options), intent(in) :: options
      type(c_ptr), intent(out) :: executable
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_open

    subroutine cyxla_executable_destroy(executable) bind(c)
      import :: c_ptr
      type(c_ptr), value :: executable
    end subroutine cyxla_executable_destroy

    function cyxla_executable_save(executable, path, error) result(status) bind(c)
      import :: c_char, c_error, c_int, c_ptr
      type(c_ptr), value :: executable
      character(kind=c_char), intent(in) :: path(*)
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_executable_save

    function cyxla_executable_save_all(executables, num_executables, path, error) &
        result(status) bind(c)
      import :: c_char, c_error, c_int, c_ptr, c_size_t
      type(c_ptr), intent(in) :: executables(*)
      integer(c_size_t), value :: num_executables
      character(kind=c_char), intent(in) :: path(*)
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_executable_save_all

    function cyxla_executable_program(executable) result(program) bind(c)
      import :: c_ptr
      type(c_ptr), value :: executable
      type(c_ptr) :: program
    end function cyxla_executable_program

    function cyxla_executable_runtime(executable) result(runtime) bind(c)
      import :: c_ptr
      type(c_ptr), value :: executable
      type(c_ptr) :: runtime
    end function cyxla_executable_runtime

    function cyxla_executable_tier(executable) result(text) bind(c)
      import :: c_ptr
      type(c_ptr), value :: executable
      type(c_ptr) :: text
    end function cyxla_executable_tier

    function cyxla_executable_tier_reason(executable) result(text) bind(c)
      import :: c_ptr
      type(c_ptr), value :: executable
      type(c_ptr) :: text
    end function cyxla_executable_tier_reason

    function cyxla_executable_compile_seconds(executable) result(seconds) bind(c)
      import :: c_double, c_ptr
      type(c_ptr), value :: executable
      real(c_double) :: seconds
    end function cyxla_executable_compile_seconds

    function cyxla_executable_is_deserialized(executable) result(is_deserialized) bind(c)
      import :: c_bool, c_ptr
      type(c_ptr), value :: executable
      logical(c_bool) :: is_deserialized
    end function cyxla_executable_is_deserialized

    function cyxla_executable_code_bytes(executable) result(bytes) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: executable
      integer(c_int64_t) :: bytes
    end function cyxla_executable_code_bytes

    function cyxla_call_create(executable, call, error) result(status) bind(c)
      import :: c_error, c_int, c_ptr
      type(c_ptr), value :: executable
      type(c_ptr), intent(out) :: call
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_call_create

    subroutine cyxla_call_destroy(call) bind(c)
      import :: c_ptr
      type(c_ptr), value :: call
    end subroutine cyxla_call_destroy

    function cyxla_call_input(call, index) result(memory) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: call
      integer(c_size_t), value :: index
      type(c_ptr) :: memory
    end function cyxla_call_input

    function cyxla_call_output(call, index) result(memory) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: call
      integer(c_size_t), value :: index
      type(c_ptr) :: memory
    end function cyxla_call_output

    function cyxla_call_bind_input(call, index, memory, error) result(status) bind(c)
      import :: c_error, c_int, c_ptr, c_size_t
      type(c_ptr), value :: call
      integer(c_size_t), value :: index
      type(c_ptr), value :: memory
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_call_bind_input

    function cyxla_call_bind_output(call, index, memory, error) result(status) bind(c)
      import :: c_error, c_int, c_ptr, c_size_t
      type(c_ptr), value :: call
      integer(c_size_t), value :: index
      type(c_ptr), value :: memory
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_call_bind_output

    function cyxla_call_input_is_copied(call, index) result(is_copied) bind(c)
      import :: c_bool, c_ptr, c_size_t
      type(c_ptr), value :: call
      integer(c_size_t), value :: index
      logical(c_bool) :: is_copied
    end function cyxla_call_input_is_copied

    function cyxla_call_output_is_copied(call, index) result(is_copied) bind(c)
      import :: c_bool, c_ptr, c_size_t
      type(c_ptr), value :: call
      integer(c_size_t), value :: index
      logical(c_bool) :: is_copied
    end function cyxla_call_output_is_copied

    function cyxla_call_run(call, error) result(status) bind(c)
      import :: c_error, c_int, c_ptr
      type(c_ptr), value :: call
      type(c_error), intent(inout) :: error
      integer(c_int) :: status
    end function cyxla_call_run

    function cyxla_call_executable(call) result(executable) bind(c)
      import :: c_ptr
      type(c_ptr), value :: call
      type(c_ptr) :: executable
    end function cyxla_call_executable

    pure function c_string_length(text) result(length) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_string_length
  end interface
end module cyxla_bindings
