! cyxla: call JAX functions from Fortran.
!
! The nouns are those of cyxla.h, which describes them: a program is a lowered JAX function,
! a runtime a loaded plugin, an executable a program compiled for a runtime, and a call one
! thread's seat at an executable, with its input and output arrays. Their verbs are
! procedures of the types.
!
!   type(cyxla_executable) :: step
!   type(cyxla_call) :: stepper
!   real(real64), pointer :: state(:, :), next(:, :)
!
!   call step%open('step.cyxla')
!   call stepper%create(step)
!   call stepper%input('state', state)
!   state = 1
!   do i = 1, 1000
!     call stepper%run()
!     call stepper%output('state', next)
!     state = next
!   end do
!
! Errors     Procedures that can fail take a cyxla_error as an optional argument and set it
!            each time. Without it a failure stops the program, with the message on standard
!            error.
! Lifetime   What is opened, made or loaded is destroyed with destroy, in any order, or lives
!            until the process ends. A copy of a variable is another name for the same thing.
! Shapes     The array [n, m] of JAX is the array (m, n) here: the same numbers in the same
!            places, without a transposition. Indices count from 1.
! Sizes      A program may be one function at several sizes, with other shapes each. The
!            shapes of the inputs pick one.
! Threads    Executables are shared; each thread makes its own call.
! Text       Spaces at the end of paths and names are not part of them.
module cyxla
  use cyxla_constants, only: &
      CYXLA_OK, CYXLA_CANCELLED, CYXLA_UNKNOWN, CYXLA_INVALID_ARGUMENT, &
      CYXLA_DEADLINE_EXCEEDED, CYXLA_NOT_FOUND, CYXLA_ALREADY_EXISTS, &
      CYXLA_PERMISSION_DENIED, CYXLA_RESOURCE_EXHAUSTED, CYXLA_FAILED_PRECONDITION, &
      CYXLA_ABORTED, CYXLA_OUT_OF_RANGE, CYXLA_UNIMPLEMENTED, CYXLA_INTERNAL, &
      CYXLA_UNAVAILABLE, CYXLA_DATA_LOSS, CYXLA_UNAUTHENTICATED, CYXLA_OUT_OF_MEMORY, &
      CYXLA_FILE_UNREADABLE, CYXLA_FILE_UNWRITABLE, CYXLA_FILE_INVALID, &
      CYXLA_FILE_TOO_NEW, CYXLA_PLUGIN_NOT_FOUND, CYXLA_PLUGIN_UNLOADABLE, &
      CYXLA_PLUGIN_TOO_OLD, CYXLA_PLUGIN_INVALID, CYXLA_PLATFORM_MISMATCH, &
      CYXLA_SIGNATURE_MISMATCH, CYXLA_FORKED, CYXLA_SIZE_NOT_FOUND
  use cyxla_constants, only: &
      CYXLA_BOOL, CYXLA_INT8, CYXLA_INT16, CYXLA_INT32, CYXLA_INT64, CYXLA_UINT8, &
      CYXLA_UINT16, CYXLA_UINT32, CYXLA_UINT64, CYXLA_FLOAT16, CYXLA_FLOAT32, &
      CYXLA_FLOAT64, CYXLA_BFLOAT16, CYXLA_COMPLEX64, CYXLA_COMPLEX128, CYXLA_ALIGNMENT
  use cyxla_constants, only: &
      CYXLA_TIER_DEFAULT, CYXLA_TIER_AUTO, CYXLA_TIER_PJRT, CYXLA_TIER_DIRECT
  use cyxla_bindings, only: cyxla_version_text
  use cyxla_calls, only: cyxla_call
  use cyxla_errors, only: cyxla_error, text_from_c
  use cyxla_executables, only: cyxla_executable, cyxla_program
  use cyxla_runtimes, only: cyxla_runtime, cyxla_runtime_info
  use cyxla_saving, only: cyxla_save_all
  use cyxla_sizes, only: cyxla_shape
  use cyxla_specs, only: cyxla_array_spec, cyxla_dtype_name
  implicit none
  private :: cyxla_version_text, text_from_c

contains

  ! The version of the library that is loaded, such as "0.1.0".
  function cyxla_version() result(text)
    character(:), allocatable :: text

    text = text_from_c(cyxla_version_text())
  end function cyxla_version
end module cyxla
