"""What the C library needs of the machine it runs on.

tools/check_symbols.py is run on the installed library, and on libraries that break its
rules, which it has to find.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from plugins_for_tests import ROOT, compiler

HEADER = "#define CYXLA_API\nCYXLA_API int cyxla_planted(void);\n"
SOUND = "int cyxla_planted(void) { return 0; }\n"


def check(*paths):
    """Whether the check passes, and what it prints."""
    command = [sys.executable, ROOT / "tools" / "check_symbols.py", *paths]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.stderr == ""
    return process.returncode == 0, process.stdout


def check_source(folder, source):
    """Checks a library of one function, whose source is given."""
    paths = [folder / name for name in ["planted.h", "planted.so", "planted.a"]]
    header, shared, static = paths
    header.write_text(HEADER)
    (folder / "planted.c").write_text(source)
    flags = ["-std=gnu99", "-D_GNU_SOURCE", "-fPIC"]
    build = [*compiler(), *flags, folder / "planted.c", "-o"]
    subprocess.run([*build, shared, "-shared"], check=True)
    subprocess.run([*build, folder / "planted.o", "-c"], check=True)
    subprocess.run(["ar", "rc", static, folder / "planted.o"], check=True)
    passes, printed = check(*paths)
    return passes, printed.replace(str(folder), "").strip()


def test_the_library_exports_what_it_should_is_small_and_runs_on_glibc_2_17():
    prefix = os.environ.get("CYXLA_TEST_PREFIX")
    if not prefix:
        pytest.fail("CYXLA_TEST_PREFIX is not set, expected where the C library is")
    libraries = [Path(prefix, "lib", f"libcyxla.{kind}") for kind in ["so", "a"]]
    passes, printed = check(ROOT / "include" / "cyxla.h", *libraries)
    assert passes, printed


def test_a_sound_library_passes(tmp_path):
    assert check_source(tmp_path, SOUND) == (True, "")


@pytest.mark.parametrize(
    ("symbol", "call"),
    [
        ("memfd_create@GLIBC_2.27", '#include <sys/mman.h>\n{} memfd_create("", 0)'),
        ("getrandom@GLIBC_2.25", "#include <sys/random.h>\n{} getrandom(0, 0, 0)"),
        ("nowhere", "int nowhere(void);\n{} nowhere()"),
    ],
)
def test_a_function_that_glibc_2_17_lacks_is_found(symbol, call, tmp_path):
    source = call.format("int cyxla_planted(void) { return (int)") + "; }\n"
    assert check_source(tmp_path, source) == (
        False,
        f"/planted.so needs {symbol}, which glibc 2.17 does not have; do without, or "
        "name it in MOVED if 2.17 has it under an older version",
    )


def test_functions_that_moved_into_libc_are_in_glibc_2_17(tmp_path):
    """As are those whose version is exactly 2.17."""
    source = (
        "#include <dlfcn.h>\n#include <sys/stat.h>\n#include <time.h>\n"
        "int cyxla_planted(void) {\n"
        "  struct stat status;\n  struct timespec now;\n"
        '  return stat("/", &status) + clock_gettime(0, &now) + (dlopen(0, 0) != 0);\n'
        "}\n"
    )
    assert check_source(tmp_path, source) == (True, "")


def test_a_large_library_is_found(tmp_path):
    source = f"const char cyxla_table[{400 * 1024}] = {{1}};\n{SOUND}"
    source = '__attribute__((visibility("hidden"))) ' + source
    passes, printed = check_source(tmp_path, source)
    assert not passes
    assert printed.startswith("/planted.so has 41")
    assert printed.endswith(" KiB without its symbol table; fewer than 400 are allowed")
