"""The Fortran module declares what cyxla.h declares, and works with XLA."""

import re
import shutil
import signal

import cyxla as cx
import numpy as np
import pytest
from c_declarations import read_declarations, without_comments
from example_projects import ROOT, run

HEADER = without_comments((ROOT / "include/cyxla.h").read_text())
# Continued lines as one.
BINDINGS = re.sub(r"&\s*\n\s*", "", (ROOT / "fortran/cyxla_bindings.f90").read_text())
CONSTANTS = (ROOT / "fortran/cyxla_constants.f90").read_text()
MODULE = (ROOT / "fortran/cyxla.f90").read_text()

ENUMERATIONS = ["cyxla_status", "cyxla_dtype", "cyxla_tier"]
STRUCTS = [
    "error",
    "array_spec",
    "runtime_options",
    "runtime_info",
    "executable_options",
    "open_options",
]


def numbers(enumeration):
    """The members of an enumeration of the header with their values."""
    (body,) = re.findall(rf"typedef enum {enumeration} \{{(.*?)\}}", HEADER, re.S)
    return {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", body)}


def parameters():
    found = re.findall(r"integer, parameter :: (CYXLA_\w+) = (\d+)", CONSTANTS)
    return {name: int(value) for name, value in found}


def c_arguments():
    """The names of the arguments of each function of the header."""
    text = re.sub(r"^#.*", "", HEADER, flags=re.M)
    found = re.findall(r"CYXLA_API [^;(]*?(\w+)\(([^;]*)\);", text)
    return {
        name: re.findall(r"(\w+)(?:,|$)", arguments.replace("void", ""))
        for name, arguments in found
        if "(*" not in arguments
    }


def fortran_arguments():
    """The names of the arguments of each function that Fortran binds, by its C name."""
    found = re.findall(
        r"(?:function|subroutine) (\w+)\(([\w, ]*)\)[^\n]*bind\(c(?:, name='(\w+)')?\)",
        BINDINGS,
    )
    return {
        name or own: re.findall(r"\w+", arguments) for own, arguments, name in found
    }


@pytest.mark.parametrize("enumeration", ENUMERATIONS)
def test_the_numbers_are_those_of_c_and_are_public(enumeration):
    expected = numbers(enumeration)
    assert expected
    assert expected.items() <= parameters().items()
    assert set(expected) <= set(re.findall(r"\w+", MODULE))


def test_the_other_constants_are_those_of_c():
    defined = dict(re.findall(r"#define (CYXLA_\w+) (\d+)", HEADER))
    members = [numbers(enumeration) for enumeration in ENUMERATIONS]
    others = parameters().keys() - set().union(*members)
    assert others == {
        "CYXLA_ALIGNMENT",
        "CYXLA_ERROR_MESSAGE_SIZE",
        "CYXLA_RANK_MAXIMUM",
    }
    for name in others:
        assert parameters()[name] == int(defined[name])


@pytest.mark.parametrize("name", STRUCTS)
def test_the_structs_have_the_fields_of_c(name):
    fields = read_declarations(HEADER).structs[f"cyxla_{name}"]
    (body,) = re.findall(rf"type, bind\(c\) :: c_{name}\n(.*?)end type", BINDINGS, re.S)
    assert re.findall(r":: (\w+)", body) == fields


def test_the_functions_have_the_arguments_of_c():
    declared, bound = c_arguments(), fortran_arguments()
    assert len(bound) > 25
    for name in bound.keys() - {"strlen"}:
        assert bound[name] == declared[name], name


needs_gfortran = pytest.mark.skipif(
    shutil.which("gfortran") is None, reason="no gfortran"
)


def build(prefix, folder, name, source):
    """Compiles a program to ``folder / name``."""
    (folder / f"{name}.f90").write_text(source)
    built = run(
        "gfortran", "-ffpe-trap=invalid,zero,overflow", "-fcheck=all", f"{name}.f90",
        f"-I{prefix}/include/cyxla/fortran", f"-L{prefix}/lib", "-lcyxla_fortran",
        "-lcyxla", f"-Wl,-rpath,{prefix}/lib", "-o", name, folder=folder,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr


# Large enough that XLA's pool of threads takes part.
TRAPS = """
program traps
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use, intrinsic :: iso_fortran_env, only: real64
  use cyxla, only: cyxla_call, cyxla_executable
  implicit none
  type(cyxla_executable) :: executable
  type(cyxla_call) :: divider
  real(real64), pointer :: x(:, :), inverse(:, :), ratio(:, :)
  integer :: i

  call executable%open('traps.cyxla')
  call divider%create(executable)
  call divider%input('x', x)
  do i = 1, 20
    call divider%run()
  end do
  call divider%output('inverse', inverse)
  call divider%output('ratio', ratio)
  print '(i0)', size(x), count(ieee_is_nan(ratio)), count(.not. ieee_is_nan(inverse))
  if (command_argument_count() > 0) print '(f4.1)', 1 / x(1, 1)
end program traps
"""


@needs_gfortran
def test_traps_stay_on_in_fortran_and_off_in_xla(prefix, x64, tmp_path):
    def divide(x):
        return {"inverse": 1 / x, "ratio": x / x}

    cx.save(tmp_path / "traps.cyxla", cx.compile(divide, np.zeros((1000, 1000))))
    build(prefix, tmp_path, "traps", TRAPS)

    result = run("./traps", folder=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split() == ["1000000"] * 3

    result = run("./traps", "divide", folder=tmp_path)
    assert result.returncode == -signal.SIGFPE


SIZES = """
program sizes
  use, intrinsic :: iso_fortran_env, only: real64
  use cyxla
  implicit none
  type(cyxla_executable) :: executable
  type(cyxla_call) :: call
  real(real64), pointer :: position(:, :), center(:)
  integer :: n

  call executable%open('sizes.cyxla', shapes=[cyxla_shape([3, 4], name='position')])
  do n = 4, 6
    if (n > 4) call executable%create(executable%runtime(), &
        executable%pick([cyxla_shape([3, n], name='position')]))
    call call%create(executable)
    call call%input('position', position, shape=[3, n])
    position = 0
    position(2, n) = n
    call call%run()
    call call%output('center', center)
    print '(l1, 3f4.1)', executable%is_deserialized(), center
  end do
end program sizes
"""


@needs_gfortran
def test_the_size_is_changed_at_run_time(prefix, x64, tmp_path):
    def find_center(position):
        return {"center": position.mean(axis=0)}

    shapes = [[np.zeros((n, 3))] for n in (4, 5)]
    cx.save(tmp_path / "sizes.cyxla", find_center, shapes=shapes)
    build(prefix, tmp_path, "sizes", SIZES)
    result = run("./sizes", folder=tmp_path)
    assert result.stdout == "T 0.0 1.0 0.0\n" * 2
    assert result.returncode == 1
    message = (
        "cyxla SIZE_NOT_FOUND: the program has no size for position[6,3]; pad the "
        "arrays to one that it has, or save it for this one too; it has: "
        "position[4,3]; position[5,3] (shapes in the order of JAX; in Fortran they are "
        "the other way round)"
    )
    assert message in result.stderr
