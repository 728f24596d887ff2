"""The examples, built against the installed C library and run as a user runs them."""

import math
import re
import runpy
import shutil

import pytest
from example_projects import ROOT, copy_example, make, run

FLAGS = "-Wall -Wextra -Wconversion -Wpedantic -Werror"


def assert_needs_the_c_library_only(program):
    needed = run("ldd", program, folder=program.parent).stdout
    assert "libcyxla.so" in needed
    assert not re.search(r"libpython|libstdc\+\+|libc\+\+|not found", needed), needed


@pytest.fixture(scope="module")
def digits(prefix, tmp_path_factory):
    """A copy of examples/digits with what its first run printed."""
    folder = copy_example("digits", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix)


@pytest.fixture(scope="module")
def classify(digits):
    """Runs the program of examples/digits in its build folder."""
    folder, first = digits
    assert first.returncode == 0, first.stderr

    def run_classify(*arguments, **environment):
        program = folder / "build/classify"
        return run(program, *arguments, folder=program.parent, **environment)

    return run_classify


@pytest.fixture(scope="module")
def step(prefix, tmp_path_factory):
    """A copy of examples/step with what its run printed."""
    folder = copy_example("step", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix)


def test_digits_reads_the_images_that_were_held_out(digits):
    _, result = digits
    assert result.returncode == 0, result.stderr
    assert "trained on 1437 images, 360 held out" in result.stdout
    accuracy = re.search(r"accuracy +([\d.]+) \((\d+) of 360 held-out", result.stdout)
    assert float(accuracy[1]) >= 0.95
    assert int(accuracy[2]) / 360 == pytest.approx(float(accuracy[1]), abs=1e-4)
    assert re.search(r"microseconds \(median\), [\d.]+ \(minimum\)", result.stdout)


def test_digits_draws_images_with_their_labels(digits):
    _, result = digits
    assert "@@" in result.stdout
    captions = re.findall(r"(\d) read as (\d), +(\d+) %", result.stdout)
    assert len(captions) > 4
    assert all(label == read for label, read, _ in captions[:4])
    assert all(label != read for label, read, _ in captions[4:])


def test_digits_prints_nothing_on_standard_error(classify):
    result = classify("digits.cyxla", "held-out.bin")
    assert result.returncode == 0
    assert result.stderr == ""


def test_digits_has_neither_python_nor_a_plugin_in_its_process(digits, classify):
    folder, _ = digits
    assert_needs_the_c_library_only(folder / "build/classify")
    result = classify("digits.cyxla", "held-out.bin", LD_DEBUG="libs")
    assert "libcyxla" in result.stderr
    assert "cpu_plugin.so" not in result.stderr
    assert "libpython" not in result.stderr


def test_digits_trains_again_only_where_it_has_to(digits, prefix):
    folder, _ = digits
    again = make(folder, prefix)
    assert again.returncode == 0, again.stderr
    assert "trained on" not in again.stdout
    (folder / "train.py").touch()
    changed = make(folder, prefix)
    assert "trained on" in changed.stdout
    accuracies = [
        re.search(r"accuracy.*", result.stdout)[0] for result in (again, changed)
    ]
    assert accuracies[0] == accuracies[1]


def test_classify_explains_how_it_is_called(classify):
    result = classify()
    assert result.returncode == 2
    assert "classify digits.cyxla held-out.bin" in result.stderr


def test_classify_refuses_files_that_are_missing(classify):
    result = classify("no.cyxla", "held-out.bin")
    assert result.returncode == 1
    assert "no.cyxla cannot be read: No such file or directory" in result.stderr
    result = classify("digits.cyxla", "no.bin")
    assert result.returncode == 1
    assert "no.bin: No such file or directory" in result.stderr


def test_classify_refuses_a_program_with_another_signature(classify, step):
    step_folder, _ = step
    result = classify(step_folder / "build/step.cyxla", "held-out.bin")
    assert result.returncode == 1
    assert "found state float64[] -> result float64[]\n" in result.stderr
    assert "expected image uint8[8 x 8] -> digit int32[], prob" in result.stderr


def test_classify_refuses_files_that_hold_no_images(classify, digits, tmp_path):
    records = (digits[0] / "build/held-out.bin").read_bytes()
    for content, message in [
        (b"", "has 0 bytes, expected a multiple of 65"),
        (records[:-1], "has 23399 bytes, expected a multiple of 65"),
        (records[:65] + b"\x0a" + records[66:], "image 1 has the label 10, expected 0"),
    ]:
        (tmp_path / "images.bin").write_bytes(content)
        result = classify("digits.cyxla", tmp_path / "images.bin")
        assert result.returncode == 1
        assert message in result.stderr


def test_classify_fails_where_it_misreads_too_many(classify, digits, tmp_path):
    records = bytearray((digits[0] / "build/held-out.bin").read_bytes())
    for start in range(0, 20 * 65, 65):
        records[start] = (records[start] + 1) % 10
    (tmp_path / "images.bin").write_bytes(records)
    result = classify("digits.cyxla", tmp_path / "images.bin")
    assert result.returncode == 1
    assert "an accuracy of at least 0.95 was expected" in result.stderr


def test_digits_says_what_it_is_missing(prefix, tmp_path):
    folder = copy_example("digits", tmp_path)
    result = make(folder, tmp_path / "nowhere")
    assert result.returncode != 0
    assert f"PREFIX is {tmp_path}/nowhere, expected where cyxla is" in result.stderr
    result = make(folder, prefix, "PYTHON=false")
    assert result.returncode != 0
    assert "PYTHON is false, expected a Python that has cyxla" in result.stderr


def test_digits_is_built_where_paths_have_spaces(prefix, tmp_path):
    moved = shutil.copytree(prefix, tmp_path / "a prefix", symlinks=True)
    folder = copy_example("digits", tmp_path)
    result = run(
        "make", "build/classify", f"PREFIX={moved}", f"CFLAGS={FLAGS}", folder=folder
    )
    assert result.returncode == 0, result.stderr
    assert_needs_the_c_library_only(folder / "build/classify")


def test_step_is_the_program_of_the_readme():
    program = (ROOT / "examples/step/step.c").read_text()
    assert f"```c\n{program}```" in (ROOT / "README.md").read_text()


def test_step_prints_the_state_that_its_readme_and_the_other_one_show(step):
    folder, result = step
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("./step\n99.5544\n")
    assert_needs_the_c_library_only(folder / "build/step")
    for page in ["README.md", "examples/step/README.md"]:
        assert "\n```text\n99.5544\n```\n" in (ROOT / page).read_text()


def test_step_computes_what_jax_was_told_to(step):
    folder, _ = step
    advance = runpy.run_path(str(folder / "make_step.py"))["step"]
    state = 1.0
    for _ in range(1000):
        state = advance(state)
    assert f"{state:g}" == "99.5544"
    # Of the differential equation, up to the error of Euler's method.
    assert state == pytest.approx(100 / (1 + 99 * math.exp(-10)), rel=1e-3)


def test_step_warns_of_nothing(step, prefix, tmp_path):
    folder = copy_example("step", tmp_path)
    assert make(folder, prefix, f"CFLAGS={FLAGS}").returncode == 0


def test_step_says_that_its_file_is_missing(step, tmp_path):
    folder, _ = step
    result = run(folder / "build/step", folder=tmp_path)
    assert result.returncode == 1
    assert "step.cyxla cannot be read: No such file or directory" in result.stderr
