! Heats a plate: the time loop is Fortran's and the physics JAX's, without Python.
!
! usage: heat FOLDER
!
! FOLDER holds step.cyxla, which save.py wrote. Prints how the plate warms up and writes its
! last temperature to FOLDER/temperature.bin.
program heat
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use cyxla, only: cyxla_call, cyxla_executable
  implicit none

  integer, parameter :: NUM_STEPS = 2000
  type(cyxla_executable) :: step
  type(cyxla_call) :: plate
  real(real64), pointer :: temperature(:, :), source(:, :), time_step => null()
  integer :: i

  ! An error stops the program with a message, since no procedure is given a cyxla_error.
  call step%open(folder() // '/step.cyxla')
  call plate%create(step)

  ! Pointers to the inputs. JAX's arrays [40, 60] are (60, 40) here, with the same numbers in
  ! the same places: what JAX calls [row, column] is (column, row).
  call plate%input('temperature', temperature)
  call plate%input('source', source, shape=shape(temperature))
  call plate%input('time_step', time_step)

  temperature = 0
  source = 0
  source(11:13, 6:20) = 5
  time_step = 0.1_real64

  ! The step takes over the temperature's memory, and so it updates it in place.
  call plate%bind_output('temperature', temperature)

  print '(4a10)', 'time', 'mean', 'warmest', 'at'
  do i = 1, NUM_STEPS
    call plate%run()
    if (mod(i, 400) == 0) call print_state(i * time_step)
  end do
  call check_heat(NUM_STEPS * time_step)
  call write_temperature(folder() // '/temperature.bin')

  call plate%destroy()
  call step%destroy()

contains

  function folder() result(path)
    character(:), allocatable :: path
    integer :: length

    if (command_argument_count() /= 1) then
      write(error_unit, '(a)') 'usage: heat FOLDER'
      stop 2, quiet=.true.
    end if
    call get_command_argument(1, length=length)
    allocate(character(length) :: path)
    call get_command_argument(1, path)
  end function folder

  subroutine print_state(time)
    real(real64), intent(in) :: time

    print '(3f10.3, 6x, "(", i0, ", ", i0, ")")', time, sum(temperature) / size(temperature), &
        maxval(temperature), maxloc(temperature)
  end subroutine print_state

  ! The plate is insulated: what the source brought in is what it holds.
  subroutine check_heat(time)
    real(real64), intent(in) :: time
    real(real64) :: expected

    expected = sum(source) * time
    if (abs(sum(temperature) - expected) <= 1e-9_real64 * expected) return
    write(error_unit, '(2(a, g0))') 'the plate holds ', sum(temperature), ', expected ', expected
    error stop 'heat was lost'
  end subroutine check_heat

  subroutine write_temperature(path)
    character(*), intent(in) :: path
    integer :: unit

    open(newunit=unit, file=path, form='unformatted', access='stream', status='replace')
    write(unit) temperature
    close(unit)
  end subroutine write_temperature
end program heat
