"""The documentation tells the truth: its code is compiled and run, and it names what is
there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cyxla as cx
import jax.numpy as jnp
import numpy as np
import pytest
import xxhash
from cyxla import _runtime

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [*ROOT.glob("*.md"), *DOCS.glob("*.md")]
INCLUDES = [f"-I{ROOT}/include", f"-I{ROOT}/src"]  # abi/ is in src/
C_FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", *INCLUDES]


def blocks(page, language):
    """The fenced blocks of one language in a page."""
    pattern = rf"^```{language}\n(.*?)^```$"
    return re.findall(pattern, page.read_text(), re.MULTILINE | re.DOTALL)


def pages_with(language):
    return [
        pytest.param(page, id=page.stem) for page in PAGES if blocks(page, language)
    ]


def run(*command, cwd=None):
    """Runs a command and returns its output; an error holds all that it printed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run_python(page, folder):
    script = folder / f"{page.stem}.py"
    script.write_text("\n".join(blocks(page, "python")))
    return run(sys.executable, str(script), cwd=folder)


@pytest.fixture(scope="module")
def c_compiler():
    compiler = os.environ.get("CC", "cc").split()
    assert shutil.which(compiler[0]), f"there is no C compiler {compiler[0]}"
    return compiler


@pytest.fixture(scope="module")
def library(c_compiler, tmp_path_factory):
    """The C library, for programs to be linked with."""
    path = tmp_path_factory.mktemp("library") / "libcyxla.so"
    sources = [str(source) for source in (ROOT / "src").rglob("*.c")]
    flags = ["-shared", "-fPIC", "-fvisibility=hidden", "-DCYXLA_BUILD"]
    run(
        *c_compiler, "-std=c99", *flags, *INCLUDES, *sources,
        "-o", str(path), "-ldl", "-pthread", "-lm",
    )  # fmt: skip
    return path


@pytest.mark.parametrize("page", pages_with("python"))
def test_the_python_of_a_page_runs(page, tmp_path):
    run_python(page, tmp_path)


@pytest.mark.parametrize("page", pages_with("c"))
def test_the_c_of_a_page_compiles(page, c_compiler, tmp_path):
    for i, code in enumerate(blocks(page, "c")):
        source = tmp_path / f"{page.stem}{i}.c"
        source.write_text(code)
        run(*c_compiler, *C_FLAGS, "-fsyntax-only", str(source))


@pytest.mark.parametrize("page", pages_with("cython"))
def test_the_cython_of_a_page_compiles(page, tmp_path):
    for i, code in enumerate(blocks(page, "cython")):
        source = tmp_path / f"module{i}.pyx"
        source.write_text(code)
        _, cython_include = cx.get_include()
        run(
            sys.executable,
            "-m",
            "cython",
            "-3",
            "-Werror",
            "-I",
            cython_include,
            str(source),
        )


@pytest.mark.parametrize(
    ("page", "output"),
    [
        ("README.md", "99.5544\n"),
        ("docs/guide-c.md", "0.596309 0.275647\n"),
        ("docs/sizes.md", "12 of 100 particles: energy 572\n"),
    ],
)
def test_the_c_program_of_a_page_runs_on_the_file_of_its_python(
    page, output, c_compiler, library, tmp_path
):
    page = ROOT / page
    run_python(page, tmp_path)
    (code,) = [code for code in blocks(page, "c") if "int main" in code]
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(code)
    run(
        *c_compiler, *C_FLAGS, str(source), str(library),
        f"-Wl,-rpath,{library.parent}", "-o", str(program),
    )  # fmt: skip
    assert run(str(program), cwd=tmp_path) == output


def test_the_static_library_needs_what_the_guide_says(prefix, c_compiler, tmp_path):
    text = " ".join((DOCS / "guide-c.md").read_text().split())
    (flags,) = re.findall(r"links it from elsewhere .*? needs `([^`]*)`", text)
    run(
        *c_compiler, *C_FLAGS, "-DCYXLA_STATIC", str(ROOT / "examples/step/step.c"),
        f"{prefix}/lib/libcyxla.a", *flags.split(), "-o", str(tmp_path / "step"),
    )  # fmt: skip


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="no gfortran")
def test_the_fortran_of_the_guide_compiles_and_runs(prefix, tmp_path):
    page = DOCS / "guide-fortran.md"
    run_python(page, tmp_path)
    paths = {**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    options = ["--cflags", "--libs", "cyxla-fortran"]
    flags = subprocess.check_output(["pkg-config", *options], env=paths, text=True)
    for i, code in enumerate(blocks(page, "fortran")):
        source, program = tmp_path / f"unit{i}.f90", tmp_path / f"unit{i}"
        source.write_text(code)
        run(
            "gfortran", "-std=f2018", "-Wall", "-Wextra", "-Werror", "-pedantic",
            "-fcheck=all", "-ffpe-trap=invalid,zero,overflow", "-fopenmp",
            str(source), *flags.split(), f"-Wl,-rpath,{prefix}/lib",
            *([] if code.startswith("program") else ["-c"]), "-o", str(program),
        )  # fmt: skip
    assert (
        run(str(tmp_path / "unit0"), cwd=tmp_path) == "  2.144366  0.841484  0.000000\n"
    )


def test_the_c_program_of_the_readme_is_the_one_in_the_examples():
    (code,) = blocks(ROOT / "README.md", "c")
    assert code == (ROOT / "examples/step/step.c").read_text()


@pytest.fixture(scope="module")
def reader():
    """The names that the reader in the page on the file format defines."""
    names = {}
    exec(blocks(DOCS / "file-format.md", "python")[0], names)
    return names


PROGRAMS = {
    "names": (lambda state: {"out": state["x"] * 2}, [{"x": np.ones((2, 3), "i2")}]),
    "scalars": (lambda x: (x, x + 1j), [np.float32(1)]),
    "empty": (lambda x, y: x, [np.ones((0, 4), "c8"), np.ones(1, "?")]),
    "bfloat16": (lambda x: x, [jnp.ones(3, jnp.bfloat16)]),
    "none": (lambda: (), []),
}


def described(specs):
    return [
        (spec.name, spec.dtype.name, spec.shape, spec.aliased_output) for spec in specs
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_reader_of_the_file_format_reads_what_was_saved(name, reader, tmp_path):
    program = cx.lower(*PROGRAMS[name])
    cx.save(tmp_path / "program.cyxla", program)

    sections = reader["read_sections"](tmp_path / "program.cyxla")
    platform, inputs, outputs = reader["read_signature"](sections[1][0])

    assert sorted(sections) == [1, 2, 3, 4]
    assert platform == program.platform
    assert inputs == described(program.inputs)
    assert outputs == described(program.outputs)
    assert sections[2][0] == program.code
    assert sections[3][0] == program.compile_options
    assert sections[4][0].decode() == program.metadata


def test_the_reader_of_the_file_format_reads_donated_inputs(reader, tmp_path):
    arrays = [np.ones(3, "f4"), np.ones(3, "f4")]
    cx.save(
        tmp_path / "donated.cyxla",
        cx.lower(lambda x, y: (x * 2, x + y), arrays, donate_argnums=1),
    )

    sections = reader["read_sections"](tmp_path / "donated.cyxla")
    _, inputs, _ = reader["read_signature"](sections[1][0])

    assert [spec[3] for spec in inputs] == [-1, 0]


def test_the_plugin_section_is_as_the_file_format_says(reader, tmp_path):
    cx.save(tmp_path / "program.cyxla", cx.compile(lambda x: x, 1.0))
    plugin = Path(cx.runtime_info().plugin)

    (section,) = reader["read_sections"](tmp_path / "program.cyxla")[5]

    path, content, state = str(plugin).encode(), plugin.read_bytes(), plugin.stat()
    ends = content[: 1 << 14] + content[-1 << 14 :]
    numbers = [
        *[len(content), xxhash.xxh64_intdigest(content), state.st_ino],
        *divmod(state.st_mtime_ns, 10**9),
        *divmod(state.st_ctime_ns, 10**9),
        xxhash.xxh64_intdigest(ends),
    ]
    words = [n.to_bytes(8, "little") for n in [len(path), *numbers]]
    assert section == words[0] + path + b"".join(words[1:])


def test_the_executable_section_is_as_the_file_format_says(reader, tmp_path):
    executable = cx.compile(lambda x: x, 1.0)
    cx.save(tmp_path / "program.cyxla", executable)
    plugin = Path(cx.runtime_info().plugin).read_bytes()

    sections = reader["read_sections"](tmp_path / "program.cyxla")
    (section,) = sections[6]
    numbers, texts, code = reader["read_executable"](section)
    (info,) = cx.Program.load(tmp_path / "program.cyxla").executables

    hashed = [sections[2][0], sections[3][0], b""]
    assert numbers == (
        len(plugin),
        xxhash.xxh64_intdigest(plugin),
        *cx.runtime_info().pjrt_api_version,
        *map(xxhash.xxh64_intdigest, hashed),
    )
    assert texts == [info.platform, info.device_kind, info.cpu_features]
    assert code == executable.serialize()


def test_the_features_of_processors_are_listed_in_the_source_that_the_page_names():
    page = (DOCS / "file-format.md").read_text()
    assert "`src/machine.c`" in page
    names = re.findall(r'\{"([a-z0-9.-]+)", LEAF', (ROOT / "src/machine.c").read_text())
    assert set(_runtime.cpu_features().split()[1:]) <= set(names)


def test_every_status_is_described_with_its_value():
    header = (ROOT / "include/cyxla.h").read_text()
    (enumeration,) = re.findall(r"typedef enum cyxla_status \{(.*?)\}", header, re.S)
    statuses = re.findall(r"CYXLA_(\w+) = (\d+)", enumeration)
    rows = re.findall(
        r"^\| `(\w+)` \| (\d+) \|", (DOCS / "errors.md").read_text(), re.M
    )

    assert sorted(rows) == sorted(statuses)


def test_every_environment_variable_is_described():
    source = (ROOT / "src/environment.c").read_text()
    variables = set(re.findall(r'"([A-Z][A-Z_]{3,})"', source))
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "environment.md").read_text(), re.M)

    assert set(rows) == variables


def test_every_make_target_that_a_page_names_exists():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = {
        target
        for page in PAGES
        for target in re.findall(r"(?:`|^)make ([a-z][a-z-]*)", page.read_text(), re.M)
    }

    assert named
    assert named <= targets


def test_the_changelog_has_a_section_for_the_version():
    assert f"\n## {cx.__version__} " in (ROOT / "CHANGELOG.md").read_text()


# What builds the documentation.


@pytest.fixture
def docs_modules(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    import links
    import reference_c
    import reference_python

    return {"links": links, "c": reference_c, "python": reference_python}


def test_the_documentation_is_complete(tmp_path):
    assert "pages are in" in run(sys.executable, str(DOCS / "build.py"), str(tmp_path))
    pages = {page.name for page in tmp_path.iterdir()}
    assert pages >= {"index.md", "reference-c.md", "reference-python.md"}
    assert "### `cyxla_open`" in (tmp_path / "reference-c.md").read_text()
    assert "### `lower`" in (tmp_path / "reference-python.md").read_text()


HEADER = """/* A library.
 *
 * Nouns:
 *   thing    what it is.
 */
#define CYXLA_H

/* ---- Things ---- */

typedef struct cyxla_thing cyxla_thing;

/* Makes a thing, see cyxla_thing_size. */
CYXLA_API int cyxla_thing_create(cyxla_thing **thing);
CYXLA_API void cyxla_thing_destroy(cyxla_thing *thing);

CYXLA_API int cyxla_thing_size(const cyxla_thing *thing);
"""


def test_a_c_function_without_a_comment_is_reported(docs_modules):
    text, problems = docs_modules["c"].make_reference(HEADER)

    assert problems == ["cyxla_thing_size has no comment"]
    assert "see [`cyxla_thing_size`](#cyxla_thing_size)" in text


def test_a_c_name_outside_of_all_paragraphs_is_reported(docs_modules):
    hidden = "\n#if 1\n/* It is hidden. */\nCYXLA_API int cyxla_hidden(void);\n#endif\n"

    _, problems = docs_modules["c"].make_reference(HEADER + hidden)

    assert "cyxla_hidden was not understood" in problems


def test_a_python_name_without_a_docstring_is_reported(docs_modules):
    class Package:
        """A package."""

        __all__ = ("undocumented",)

        def undocumented():
            pass

    _, problems = docs_modules["python"].make_reference(Package)

    assert problems == ["undocumented has no docstring"]


def test_links_to_what_does_not_exist_are_reported(docs_modules, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A title\n[good](#a-title) [other](other.md) [bad](#nothing)\n"
        "```text\n[code](nowhere.md)\n```\n[site](https://example.org)\n"
    )

    assert docs_modules["links"].find_broken_links(page) == [
        "page.md links to other.md, which does not exist",
        "page.md links to #nothing, which has no such heading",
    ]
