! The tests of the Fortran module. Prints what failed and closes with the counts.
program test_fortran
  use support, only: num_failed, num_passed
  use test_calls, only: run_tests_of_calls
  use test_errors, only: run_tests_of_errors
  use test_executables, only: run_tests_of_executables
  use test_sizes, only: run_tests_of_sizes
  use test_types, only: run_tests_of_types
  implicit none

  call run_tests_of_errors()
  call run_tests_of_executables()
  call run_tests_of_sizes()
  call run_tests_of_calls()
  call run_tests_of_types()
  print '(i0, a, i0, a)', num_passed, ' passed, ', num_failed, ' failed'
  if (num_failed > 0) stop 1
end program test_fortran
