module test_executables
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use cyxla
  use support
  implicit none
  private
  public :: run_tests_of_executables

  ! The fake plugin serializes in a way of its own.
  character(*), parameter :: NOT_KNOWN = &
      'it is not serialized as XLA''s CPU plugins do that are known'

contains

  subroutine run_tests_of_executables()
    call begin_test('inputs_and_outputs_are_described')
    call describe_arrays()
    call end_test()
    call begin_test('copies_are_names_of_one_executable')
    call copy_executables()
    call end_test()
    call begin_test('what_is_opened_again_is_destroyed')
    call open_again()
    call end_test()
    call begin_test('arrays_that_are_not_there_are_errors')
    call describe_what_is_not_there()
    call end_test()
    call begin_test('what_is_not_open_has_nothing')
    call use_what_is_not_open()
    call end_test()
    call begin_test('a_program_is_compiled_for_a_runtime_and_saved')
    call compile_for_a_runtime()
    call end_test()
    call begin_test('a_runtime_that_cannot_be_made_is_an_error')
    call make_no_runtime()
    call end_test()
    call begin_test('an_executable_runs_in_the_runtime_that_is_given')
    call open_in_a_runtime()
    call end_test()
    call begin_test('a_tier_can_be_chosen')
    call choose_tiers()
    call end_test()
  end subroutine run_tests_of_executables

  subroutine describe_arrays()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: call
    type(cyxla_array_spec) :: spec

    call open_sum(executable, call)
    call expect(executable%num_inputs() == 2, 'there are two inputs')
    call expect(executable%num_outputs() == 2, 'there are two outputs')
    call expect(executable%find_input('right') == 2, 'right is the second input')
    call expect(executable%find_output('left  ') == 2, 'left is the second output')
    call expect(executable%find_output('right') == 0, 'right is no output')
    call expect(executable%find_output('lef') == 0, 'half a name is none')
    call expect_text(executable%tier(), 'pjrt')
    call expect_text(executable%tier_reason(), NOT_KNOWN)
    call expect(executable%compile_seconds() >= 0, 'compiling took time')
    call expect(executable%code_bytes() == 1234, 'the plugin tells the size of the code')

    spec = executable%input('right')
    call expect_text(spec%name, 'right')
    call expect(spec%dtype == CYXLA_FLOAT64, 'it is float64')
    call expect(spec%rank == 2 .and. size(spec%shape) == 2, 'it has two dimensions')
    call expect(all(spec%shape == [3, 2]), 'they are those of Fortran')
    call expect(all(spec%jax_shape() == [2, 3]), 'JAX has them the other way round')
    call expect(spec%bytes == 48, 'it has 48 bytes')
    call expect(spec%aliased_output == 0, 'it is not donated')
    call expect_text(spec%describe(), &
        'real(real64) (3, 2), which is float64 [2, 3] in JAX')

    call open_advance(executable, call)
    spec = executable%input(1)
    call expect(spec%rank == 0 .and. size(spec%shape) == 0, 'a scalar has no dimensions')
    call expect_text(spec%describe(), 'real(real64) (), which is float64 [] in JAX')
    spec = executable%input(2_int64)
    call expect(spec%aliased_output == 1, 'the velocity is donated to the first output')
    spec = executable%output('velocity')
    call expect(spec%aliased_output == 0, 'an output is donated to none')
    call close_both(executable, call)
  end subroutine describe_arrays

  subroutine copy_executables()
    type(cyxla_executable) :: executable
    type(cyxla_executable) :: copies(2)
    type(cyxla_call) :: call

    call open_sum(executable, call)
    call call%destroy()
    copies = executable
    call expect(copies(2)%num_inputs() == 2, 'a copy works')
    call copies(2)%destroy()
    call expect(.not. copies(2)%is_open(), 'it has nothing any more')
    call copies(2)%destroy()
    call expect(support_num_alive() == 0, 'the executable is gone')
  end subroutine copy_executables

  subroutine open_again()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: call
    type(cyxla_error) :: error
    integer :: num_alive

    call open_sum(executable, call)
    num_alive = int(support_num_alive())
    call open_sum(executable, call)
    call expect(support_num_alive() == num_alive, 'no more than before is alive')
    call executable%open('missing.cyxla', error=error)
    call call%create(executable, error)
    call expect(error%failed(), 'there is no executable')
  end subroutine open_again

  subroutine describe_what_is_not_there()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: call
    type(cyxla_array_spec) :: spec
    type(cyxla_error) :: error

    call open_sum(executable, call)
    spec = executable%input('middle', error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no input "middle", the program has 2: left, right')
    call expect(spec%rank == 0 .and. spec%name == '', 'the specification is empty')
    spec = executable%output(0, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no output 0, the program has 2: sum, left')
    spec = executable%output(3_int64, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no output 3, the program has 2: sum, left')
    spec = executable%output(1.5_real64, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, 'there is no output of that type, ' // &
        'which is neither an index nor a name, the program has 2: sum, left')
    call close_both(executable, call)
  end subroutine describe_what_is_not_there

  subroutine use_what_is_not_open()
    type(cyxla_executable) :: executable
    type(cyxla_program) :: program
    type(cyxla_runtime) :: runtime
    type(cyxla_runtime_info) :: info
    type(cyxla_array_spec) :: spec
    type(cyxla_error) :: error

    call expect(executable%num_inputs() == 0, 'there are no inputs')
    call expect(executable%find_output('sum') == 0, 'there is no output')
    call expect_text(executable%tier() // executable%tier_reason(), '')
    call expect_text(program%platform() // program%metadata(), '')
    call expect(executable%compile_seconds() <= 0, 'nothing was compiled')
    call expect(executable%code_bytes() == -1, 'there is no code')
    call expect(.not. executable%is_deserialized(), 'nothing was loaded')
    call expect(program%num_executables() == 0, 'there are no executables')
    spec = executable%input(1, error)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'there is no input 1, the program has 0')
    call executable%save('nothing.cyxla', error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'it is not saved')
    call program%save('nothing.cyxla', error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'the program is not saved')
    call executable%compile(runtime, program, error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'nothing is compiled')
    call executable%create(executable%runtime(), program, error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'nothing is made')
    call runtime%get_info(info, error)
    call expect(error%status == CYXLA_INVALID_ARGUMENT, 'there is no information')
    call runtime%destroy()
  end subroutine use_what_is_not_open

  subroutine compile_for_a_runtime()
    type(cyxla_executable) :: executable
    type(cyxla_program) :: program
    type(cyxla_runtime) :: runtime
    type(cyxla_runtime_info) :: info
    type(cyxla_call) :: call
    type(cyxla_error) :: error

    call open_sum(executable, call)
    call executable%save('executable.cyxla')
    call executable%destroy()
    call call%destroy()
    call program%load('executable.cyxla', error)
    call expect_text(error%message, '')
    call expect_text(program%platform(), 'cpu')
    call expect_text(program%metadata(), 'written by a test')
    call expect(program%num_inputs() == 2, 'it is the sum')

    call runtime%create(plugin=plugin(), platform='cpu', num_threads=1)
    call runtime%get_info(info)
    call expect_text(info%platform, 'cpu')
    call expect_text(info%plugin_path(len(info%plugin_path) - 13:), 'fake_plugin.so')
    call expect(info%pjrt_api_major == 0 .and. info%pjrt_api_minor == 114, '0.114')
    call expect(all(info%stablehlo_version == [1, 18, 1]), 'StableHLO 1.18.1')
    call expect(info%num_devices == 1 .and. info%zero_copy, 'a device without copies')

    call executable%compile(runtime, program)
    call runtime%destroy()
    call program%save('program.cyxla')
    call program%destroy()
    call call%create(executable)
    call call%run()
    call program%load('program.cyxla')
    call expect(program%find_output('sum') == 1, 'the program was saved')
    call program%destroy()
    call close_both(executable, call)
  end subroutine compile_for_a_runtime

  subroutine make_no_runtime()
    type(cyxla_runtime) :: runtime
    type(cyxla_error) :: error

    call runtime%create(plugin='/no/plugin.so', error=error)
    call expect(error%status == CYXLA_PLUGIN_UNLOADABLE, 'the plugin cannot be loaded')
    call expect(index(error%message, '/no/plugin.so') > 0, 'the plugin is named')
    call runtime%create(plugin=plugin(), platform='tpu', error=error)
    call expect(error%status == CYXLA_PLATFORM_MISMATCH, 'the platform is another')
  end subroutine make_no_runtime

  subroutine open_in_a_runtime()
    type(cyxla_executable) :: executable
    type(cyxla_runtime) :: runtime
    type(cyxla_call) :: call

    call runtime%create(plugin=plugin())
    call executable%open('program.cyxla', runtime=runtime)
    call runtime%destroy()
    call call%create(executable)
    call call%run()
    call close_both(executable, call)
  end subroutine open_in_a_runtime

  subroutine choose_tiers()
    type(cyxla_executable) :: executable
    type(cyxla_program) :: program
    type(cyxla_runtime) :: runtime
    type(cyxla_error) :: error

    call runtime%create(plugin=plugin())
    call program%load('program.cyxla')
    call executable%open('program.cyxla', runtime=runtime, tier=CYXLA_TIER_PJRT)
    call expect_text(executable%tier() // executable%tier_reason(), 'pjrt')
    call executable%create(runtime, program, tier=CYXLA_TIER_PJRT)
    call expect_text(executable%tier() // executable%tier_reason(), 'pjrt')
    call executable%create(runtime, program, tier=CYXLA_TIER_AUTO)
    call expect_text(executable%tier_reason(), NOT_KNOWN)
    call executable%open('program.cyxla', runtime=runtime, error=error, &
        tier=CYXLA_TIER_DIRECT)
    call expect(error%status == CYXLA_UNIMPLEMENTED, 'the code is not known')
    call expect(index(error%message, NOT_KNOWN) > 0, 'the reason is told')
    call executable%create(runtime, program, error, CYXLA_TIER_DIRECT)
    call expect(error%status == CYXLA_UNIMPLEMENTED, 'nor is it when it is compiled')
    call executable%create(runtime, program, error, 7)
    call expect_error(error, CYXLA_INVALID_ARGUMENT, &
        'the tier is 7, expected one of cyxla_tier')
    call executable%create(runtime, program, error, CYXLA_TIER_DEFAULT)
    call expect(.not. error%failed(), 'the default is none of these')
    call program%destroy()
    call executable%destroy()
    call runtime%destroy()
  end subroutine choose_tiers
end module test_executables
