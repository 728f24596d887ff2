"""How ``cyxla run`` reads and writes .npy files, damaged ones included."""

import io
import re
import subprocess
import sys

import cyxla as cx
import fake_files
import numpy as np
import pytest
from fake_files import dtype_of
from plugins_for_tests import CPU_PLUGIN

ORDER = "<" if sys.byteorder == "little" else ">"
OTHER_ORDER = ">" if sys.byteorder == "little" else "<"


@pytest.fixture
def path(tmp_path):
    """A program that returns a float32[2,3]."""
    return fake_files.save_copies(tmp_path / "program.cyxla", ("x", "float32", (2, 3)))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "x.npy"


X = np.arange(6, dtype="f4").reshape(2, 3)
DATA = X.tobytes()
PRINTED = "x  float32[2,3]\n[[0. 1. 2.]\n [3. 4. 5.]]\n"


def saved(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def made(header, data=DATA, version=1):
    """A file of a header's text and of data."""
    header = header.encode() if isinstance(header, str) else header
    size = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + data


def assert_refused(on_fake, path, file, content, message):
    file.write_bytes(content)
    done = on_fake("run", path, file)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"cyxla run: {file}, for the input x, {message}\n"


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_the_format_are_read(on_fake, path, file, version):
    file.write_bytes(saved(X, version))
    assert on_fake("run", path, file).stdout == PRINTED


@pytest.mark.parametrize("shape", [(), (1,), (3, 2), (0, 4), (2, 1, 3)])
@pytest.mark.parametrize("dtype", [*fake_files.DTYPES, "bfloat16"])
def test_arrays_of_every_dtype_come_back_as_numpy_writes_them(
    on_fake, tmp_path, file, dtype, shape
):
    fake_files.save_copies(tmp_path / "program.cyxla", ("x", dtype, shape))
    x = np.asarray(np.random.default_rng(0).integers(0, 2, shape)).astype(
        dtype_of(dtype)
    )
    np.save(file, x)
    done = on_fake("run", tmp_path / "program.cyxla", file, "-o", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    written = (tmp_path / "out/x.npy").read_bytes()
    assert written == file.read_bytes()


def test_arrays_of_high_rank_are_read_and_written(on_fake, tmp_path, file):
    shape = (2, 1, 1, 1, 1, 1, 1, 3)
    program = fake_files.save_copies(tmp_path / "p.cyxla", ("x", "int8", shape))
    x = np.arange(6, dtype="i1").reshape(shape)
    np.save(file, x)
    done = on_fake("run", program, file, "-o", tmp_path / "out")
    assert done.returncode == 0
    assert np.array_equal(np.load(tmp_path / "out/x.npy"), x)


# NumPy leaves room for more digits of the first size, for which headers of some ranks
# are 64 bytes longer.
@pytest.mark.parametrize("rank", [14, 15, 21, 22])
def test_headers_have_the_room_that_numpy_leaves(cyxla, tmp_path, file, rank):
    x = np.ones((2, *(rank - 1) * (1,)), "f4")
    np.save(file, x)
    program = tmp_path / "p.cyxla"
    cx.save(program, cx.lower(lambda x: x, [x]))
    done = cyxla(
        "run", program, file, "-o", tmp_path / "out", CYXLA_PLUGIN=str(CPU_PLUGIN)
    )
    assert (done.returncode, done.stderr) == (0, "")
    (written,) = (tmp_path / "out").iterdir()
    assert written.read_bytes() == file.read_bytes()


def test_the_largest_rank_is_read(cyxla, tmp_path, file):
    shape = (2,) + 63 * (1,)
    program = fake_files.save_copies(tmp_path / "p.cyxla", ("x", "int8", shape))
    np.save(file, np.zeros(shape, "i1"))
    done = cyxla("run", program, file, CYXLA_PLUGIN="/nowhere.so")
    assert "nowhere.so" in done.stderr
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': {shape[::-1]}}}"
    file.write_bytes(made(header))
    sizes = [",".join(map(str, order)) for order in (shape[::-1], shape)]
    message = f"holds int8[{sizes[0]}], expected int8[{sizes[1]}]"
    assert message in cyxla("run", program, file).stderr


def test_the_dtype_may_be_a_name_and_keys_may_be_in_any_order(on_fake, path, file):
    for header in [
        "{'descr': 'float32', 'fortran_order': False, 'shape': (2, 3), }",
        '{"shape":(2,3),"fortran_order":False,"descr":"f4"}',
        "{ 'shape' : ( 2 , 3 , ) , 'descr' : '=f4' , 'fortran_order' : False } \t\n",
        f"{{'descr': '{ORDER}f4', 'fortran_order': False, 'shape': (2, 3)}}",
    ]:
        file.write_bytes(made(header))
        assert on_fake("run", path, file).stdout == PRINTED


@pytest.mark.parametrize("descr", [f"{ORDER}V2", "|V2", "bfloat16"])
def test_two_bytes_of_any_kind_are_bfloat16(on_fake, tmp_path, file, descr):
    program = fake_files.save_copies(
        tmp_path / "program.cyxla", ("x", "bfloat16", (2,))
    )
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}"
    data = np.array([1, -2.5]).astype(dtype_of("bfloat16")).tobytes()
    file.write_bytes(made(header, data))
    assert on_fake("run", program, file).stdout == "x  bfloat16[2]\n[ 1.  -2.5]\n"


@pytest.mark.parametrize("shape", [(2, 3), (3, 1, 4, 2), (0, 3)])
def test_fortran_order_becomes_c_order(on_fake, tmp_path, file, shape):
    program = fake_files.save_copies(tmp_path / "p.cyxla", ("x", "int16", shape))
    x = np.arange(np.prod(shape), dtype="i2").reshape(shape)
    np.save(file, np.asfortranarray(x))
    assert b"'fortran_order': True" in file.read_bytes() or x.size == 0
    on_fake("run", program, file, "-o", tmp_path / "out")
    written = np.load(tmp_path / "out/x.npy")
    assert written.flags.c_contiguous
    assert np.array_equal(written, x)


def test_another_dtype_is_refused_with_what_to_do(on_fake, path, file):
    assert_refused(
        on_fake,
        path,
        file,
        saved(X.astype("f8")),
        "holds float64[2,3], expected float32[2,3]; convert it in Python with "
        'array.astype("float32")',
    )


@pytest.mark.parametrize(
    ("shape", "text"), [((3, 2), "3,2"), ((6,), "6"), ((2, 3, 1), "2,3,1")]
)
def test_another_shape_is_refused(on_fake, path, file, shape, text):
    message = f"holds float32[{text}], expected float32[2,3]"
    assert_refused(on_fake, path, file, saved(X.reshape(shape)), message)


def test_the_other_byte_order_is_refused_with_what_to_do(on_fake, path, file):
    assert_refused(
        on_fake,
        path,
        file,
        saved(X.astype(f"{OTHER_ORDER}f4")),
        f"has the dtype '{OTHER_ORDER}f4', in the other byte order than this machine; "
        'convert it in Python with array.astype("float32")',
    )


def test_one_byte_has_no_order(on_fake, tmp_path, file):
    program = fake_files.save_copies(tmp_path / "p.cyxla", ("x", "int8", (2,)))
    for order in "<>=|":
        header = f"{{'descr': '{order}i1', 'fortran_order': False, 'shape': (2,)}}"
        file.write_bytes(made(header, b"\1\2"))
        assert on_fake("run", program, file).stdout == "x  int8[2]\n[1 2]\n"


@pytest.mark.parametrize("descr", ["<U3", "|O", "<M8[s]", "<f16", "V3", "", "<", "f44"])
def test_a_dtype_that_cyxla_does_not_have_is_refused(on_fake, path, file, descr):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (2, 3), }}"
    message = f"has the dtype '{descr}', which cyxla does not have"
    assert_refused(on_fake, path, file, made(header), message)


def test_records_are_refused(on_fake, path, file):
    records = np.zeros((2, 3), [("a", "f4")])
    message = "holds records of several fields, expected an array of numbers"
    assert_refused(on_fake, path, file, saved(records), message)


def test_bools_are_0_or_1(on_fake, tmp_path, file):
    program = fake_files.save_copies(tmp_path / "p.cyxla", ("x", "bool", (2,)))
    header = "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }"
    content = made(header, b"\1\2")
    message = "holds a bool that is 2, expected 0 or 1"
    assert_refused(on_fake, program, file, content, message)


NO_NPY = "is no .npy file; numpy.save writes them, and numpy.load reads .npz"
NO_DICT = "has a header that is no dict"
NO_TUPLE = "has a header whose 'shape' is no tuple"
NO_SIZE = "has a header whose 'shape' holds something that is no size"
KEYS = "{'descr': '<f4', 'fortran_order': False, 'shape': "


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", NO_NPY),
        (b"\x93NUMPY\1", NO_NPY),
        (b"PK\3\4" + bytes(100), NO_NPY),
        (
            b"\x93NUMPY\4\0" + bytes(100),
            "has version 4.0 of the format .npy, expected 1.0, 2.0 or 3.0",
        ),
        (
            b"\x93NUMPY\1\1" + bytes(100),
            "has version 1.1 of the format .npy, expected 1.0, 2.0 or 3.0",
        ),
        (b"\x93NUMPY\1\0\1", "ends after 1 of the 2 bytes of its header's size"),
        (b"\x93NUMPY\2\0\1\0\0", "ends after 3 of the 4 bytes of its header's size"),
        (
            b"\x93NUMPY\2\0\xff\xff\xff\xff",
            "has a header of 4294967295 bytes, expected 65536 at most",
        ),
        (b"\x93NUMPY\1\0\x50\0{'de", "ends after 4 of the 80 bytes of its header"),
        (made(""), NO_DICT),
        (made("[1]"), NO_DICT),
        (made("{"), NO_DICT),
        (made("{1: 2}"), NO_DICT),
        (made("{'descr' '<f4'}"), NO_DICT),
        (made("{'descr': '<f4' 'shape': ()}"), NO_DICT),
        (made(b"{'\xff': '<f4'}"), NO_DICT),
        (made("{'" + 70 * "d" + "': '<f4'}"), NO_DICT),
        (made("{'descr': <f4}"), "has a header whose 'descr' is no text"),
        (made("{'descr': '<f4"), "has a header whose 'descr' is no text"),
        (made("{'descr': '<\\x664'}"), "has a header whose 'descr' is no text"),
        (
            made("{'fortran_order': 1}"),
            "has a header whose 'fortran_order' is neither True nor False",
        ),
        (made("{'order': 1}"), "has a header with the unknown key 'order'"),
        (
            made("{'descr': '<f4', 'descr': '<f4'}"),
            "has a header with the key 'descr' twice",
        ),
        (made(KEYS + "[2, 3]}"), NO_TUPLE),
        (made(KEYS + "(2 3)}"), NO_TUPLE),
        (made(KEYS + "(6)}"), NO_TUPLE),
        (made(KEYS + "(2, 3"), NO_TUPLE),
        (made(KEYS + "(-2, 3)}"), NO_SIZE),
        (made(KEYS + "(2.0, 3)}"), NO_TUPLE),
        (made(KEYS + "(2, x)}"), NO_SIZE),
        (made(KEYS + "(,)}"), NO_SIZE),
        (made(KEYS + "(9223372036854775808,)}"), NO_SIZE),
        (
            made(KEYS + "(9223372036854775807, 3)}"),
            "holds float32[9223372036854775807,3], expected float32[2,3]",
        ),
        (made(KEYS + "(" + 65 * "1," + ")}"), "has more than 64 dimensions"),
        (made(KEYS + "(2, 3)} x"), "has a header with more than a dict"),
        (
            made("{'descr': '<f4', 'shape': (2, 3)}"),
            "has a header without one of the keys 'descr', 'fortran_order' and 'shape'",
        ),
        (saved(X)[:-1], "ends after 23 of the 24 bytes of its array"),
        (saved(X)[:128], "ends after 0 of the 24 bytes of its array"),
        (saved(X.T.copy().T)[:-4], "ends after 20 of the 24 bytes of its array"),
        (saved(X) + b"\0", "has more bytes than the 24 of its array"),
    ],
)
def test_a_damaged_file_is_refused(on_fake, path, file, content, message):
    if ORDER == ">":
        content = content.replace(b"'<f4'", b"'>f4'")
    assert_refused(on_fake, path, file, content, message)


def test_any_damage_is_an_error_or_another_number(prefix, path, tmp_path):
    """Each byte of the header and of what is before it is changed in four ways."""
    content, files = saved(X)[: 128 + X.nbytes], []
    header_end = content.index(b"}") + 2
    for at in range(header_end):
        for value in [0, 0xFF, ord("'"), content[at] ^ 1]:
            file = tmp_path / f"{at}-{value}.npy"
            file.write_bytes(content[:at] + bytes([value]) + content[at + 1 :])
            files.append(file)
    # Without a plugin: what is read without complaint fails after it.
    script = 'for file; do "$0" run "$PROGRAM" "$file"; echo "code $?"; done'
    done = subprocess.run(
        ["sh", "-c", script, f"{prefix}/bin/cyxla", *files],
        capture_output=True,
        text=True,
        errors="replace",
        env={"PROGRAM": str(path), "CYXLA_PLUGIN": "/nowhere.so"},
        timeout=300,
        check=False,
    )
    assert set(done.stdout.split("\n")[:-1]) == {"code 1"}
    lines = done.stderr.splitlines()
    assert len(lines) == len(files)
    accepted = [line for line in lines if "nowhere.so" in line]
    refused = [
        line for line in lines if re.match(r"cyxla run: \S+, for the input", line)
    ]
    assert len(accepted) + len(refused) == len(files)
    assert len(refused) > 4 * len(accepted)
