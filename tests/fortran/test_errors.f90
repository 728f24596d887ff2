module test_errors
  use, intrinsic :: iso_c_binding, only: c_sizeof
  use cyxla
  use cyxla_bindings, only: c_array_spec, c_error, c_executable_options, c_open_options, &
      c_runtime_info, c_runtime_options
  use support
  implicit none
  private
  public :: run_tests_of_errors

contains

  subroutine run_tests_of_errors()
    call structs_have_the_sizes_of_c()
    call an_error_has_status_name_and_message()
    call success_clears_an_error()
    call long_messages_arrive_as_a_whole()
    call the_version_is_that_of_the_library()
  end subroutine run_tests_of_errors

  subroutine structs_have_the_sizes_of_c()
    type(c_error) :: error
    type(c_array_spec) :: spec
    type(c_runtime_options) :: runtime_options
    type(c_runtime_info) :: info
    type(c_open_options) :: open_options
    type(c_executable_options) :: executable_options

    call begin_test('structs_have_the_sizes_of_c')
    call expect(c_sizeof(error) == size_in_c('cyxla_error'), 'cyxla_error fits')
    call expect(c_sizeof(spec) == size_in_c('cyxla_array_spec'), 'cyxla_array_spec fits')
    call expect(c_sizeof(runtime_options) == size_in_c('cyxla_runtime_options'), &
        'cyxla_runtime_options fits')
    call expect(c_sizeof(info) == size_in_c('cyxla_runtime_info'), 'the info fits')
    call expect(c_sizeof(open_options) == size_in_c('cyxla_open_options'), &
        'cyxla_open_options fits')
    call expect(c_sizeof(executable_options) == size_in_c('cyxla_executable_options'), &
        'cyxla_executable_options fits')
    call end_test()
  end subroutine structs_have_the_sizes_of_c

  subroutine an_error_has_status_name_and_message()
    type(cyxla_executable) :: executable
    type(cyxla_error) :: error

    call begin_test('an_error_has_status_name_and_message')
    call executable%open('missing.cyxla  ', error=error)
    call expect_error(error, CYXLA_FILE_UNREADABLE, &
        'the file missing.cyxla cannot be read: No such file or directory')
    call expect_text(error%status_name(), 'FILE_UNREADABLE')
    call expect(.not. executable%is_open(), 'nothing is open')
    call end_test()
  end subroutine an_error_has_status_name_and_message

  subroutine success_clears_an_error()
    type(cyxla_executable) :: executable
    type(cyxla_call) :: adder
    type(cyxla_error) :: error

    call begin_test('success_clears_an_error')
    call open_sum(executable, adder)
    call adder%unbind_input('wrong', error)
    call expect(error%failed(), 'a wrong name is an error')
    call adder%run(error)
    call expect(.not. error%failed(), 'the run succeeds')
    call expect(error%status == CYXLA_OK, 'the status is CYXLA_OK')
    call expect_text(error%message, '')
    call close_both(executable, adder)
    call end_test()
  end subroutine success_clears_an_error

  subroutine long_messages_arrive_as_a_whole()
    type(cyxla_executable) :: executable
    type(cyxla_error) :: error

    call begin_test('long_messages_arrive_as_a_whole')
    call executable%open(repeat('x', 5000), error=error)
    call expect(len(error%message) == 4095, 'the message is as long as C allows')
    call expect_text(error%message(4093:), '...')
    call end_test()
  end subroutine long_messages_arrive_as_a_whole

  subroutine the_version_is_that_of_the_library()
    call begin_test('the_version_is_that_of_the_library')
    call expect(verify(cyxla_version(), '0123456789.') == 0, 'it consists of numbers')
    call expect_text(cyxla_dtype_name(CYXLA_BFLOAT16), 'bfloat16')
    call end_test()
  end subroutine the_version_is_that_of_the_library
end module test_errors
