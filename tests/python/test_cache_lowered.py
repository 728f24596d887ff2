"""Lowered programs are kept under keys that change with what they depend on."""

import errno
import os

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from caching import VECTOR, files_of, use_of
from comparing import assert_same_bits
from cyxla import _runtime, cache_directory, cache_lowered
from distributions import write_distribution
from scripts import output_of


def sine(x):
    return jnp.sin(x) * 2


@pytest.fixture(scope="module")
def program():
    return cx.lower(lambda state: {"y": jnp.sin(state["x"])}, [{"x": VECTOR}])


def test_a_program_is_found_under_its_key(program, cache):
    key = cx.cache_key("sine", [VECTOR])
    assert cx.load_lowered(key) is None
    assert cx.store_lowered(key, program)
    found = cx.load_lowered(key)
    assert isinstance(found, cx.Program)
    for part in ["platform", "code", "compile_options", "inputs", "outputs", "trees"]:
        assert getattr(found, part) == getattr(program, part)
    assert found.details == {**program.details, "cache_key": key}
    assert "cache_key" not in program.details
    results = [cx.compile_program(one)[0]({"x": VECTOR}) for one in (program, found)]
    assert_same_bits(results[1]["y"], results[0]["y"])


def test_a_program_of_another_key_is_not_found(program, cache):
    cx.store_lowered(cx.cache_key("one"), program)
    assert cx.load_lowered(cx.cache_key("two")) is None


def test_another_process_has_the_same_key(program, cache):
    key = cx.cache_key("sine", [VECTOR], distributions=["numpy"])
    cx.store_lowered(key, program)
    script = """
        import cyxla as cx, numpy as np
        arguments = [np.ones(3, np.float32)]
        key = cx.cache_key("sine", arguments, distributions=["numpy"])
        print(key, cx.load_lowered(key) is not None)
    """
    assert output_of(script) == f"{key} True\n"


def test_keys_change_with_what_a_program_depends_on(monkeypatch):
    keys = [
        cx.cache_key(sine, [VECTOR]),
        cx.cache_key(jax.jit(sine), [VECTOR]),
        cx.cache_key(jax.jit(sine, donate_argnums=0), [VECTOR]),
        cx.cache_key(jnp.sin, [VECTOR]),
        cx.cache_key("sine", [VECTOR]),
        cx.cache_key("sine", [VECTOR[:2]]),
        cx.cache_key("sine", [VECTOR.astype(int)]),
        cx.cache_key("sine", [jnp.asarray(1.0)]),
        cx.cache_key("sine", [jax.ShapeDtypeStruct((), np.float32)]),
        cx.cache_key("sine", [1.0]),
        cx.cache_key("sine", [2.0]),
        cx.cache_key("sine", [np.float32(2.0)]),
        cx.cache_key("sine", [{"x": VECTOR}]),
        cx.cache_key("sine", [], {"x": VECTOR}),
        cx.cache_key("sine", [VECTOR], platform="cuda"),
        cx.cache_key("sine", [VECTOR], donate_argnums=0),
        cx.cache_key("sine", [VECTOR], version=2),
        cx.cache_key("sine", [VECTOR], distributions=["numpy"]),
        cx.cache_key("sine", [VECTOR], distributions=["numpy", "scipy"]),
    ]
    with jax.enable_x64(True):
        keys.append(cx.cache_key("sine", [VECTOR]))
    with jax.default_matmul_precision("highest"):
        keys.append(cx.cache_key("sine", [VECTOR]))
    for module, name, value in [
        (jax, "__version__", "0.1"),
        (cache_lowered.jaxlib, "__version__", "0.1"),
        (_runtime, "version", lambda: "0.0.1"),
        (cache_lowered, "FORMAT", "0"),
        (cache_lowered.lowering, "compile_options", lambda options: b""),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            keys.append(cx.cache_key("sine", [VECTOR]))
    assert len(set(keys)) == len(keys)


def test_keys_stay_where_a_program_does():
    key = cx.cache_key("sine", [VECTOR])
    assert key == cx.cache_key("sine", (2 * VECTOR,))
    assert key == cx.cache_key("sine", [jnp.asarray(VECTOR)])
    assert key == cx.cache_key("sine", [jax.ShapeDtypeStruct((3,), np.float32)])
    assert key == cx.cache_key("sine", [VECTOR], platform="cpu")


def test_the_version_of_a_named_distribution_counts(tmp_path, monkeypatch):
    write_distribution(tmp_path, "a-solver", {})
    (metadata,) = tmp_path.glob("*.dist-info/METADATA")
    monkeypatch.syspath_prepend(tmp_path)
    first = cx.cache_key("name", distributions=["a-solver"])
    text = metadata.read_text()
    metadata.write_text(text.replace("Version: ", "Version: 9."))
    assert metadata.read_text() != text
    assert cx.cache_key("name", distributions=["a-solver"]) != first


def test_a_distribution_that_is_not_installed_is_an_error():
    with pytest.raises(ImportError, match="no-such-distribution"):
        cx.cache_key("name", distributions=["no-such-distribution"])
    with pytest.raises(TypeError, match="expected a list of packages' names"):
        cx.cache_key("name", distributions="numpy")


def test_a_value_that_has_no_key_is_named():
    with pytest.raises(TypeError, match=r"cannot be made of <object object at"):
        cx.cache_key("name", [object()])


@pytest.mark.parametrize("key", ["", "../" * 20 + "abcd", "G" * 64, None, b"a" * 64])
def test_only_keys_of_cache_key_are_taken(key, program, cache):
    message = r"expected what cyxla\.cache_key returns"
    with pytest.raises(ValueError, match=message):
        cx.store_lowered(key, program)
    with pytest.raises(ValueError, match=message):
        cx.load_lowered(key)
    assert not cache.exists()


def test_only_programs_are_stored(cache):
    with pytest.raises(TypeError, match=r"expected what cyxla\.lower returns"):
        cx.store_lowered(cx.cache_key("name"), "program")


def test_a_program_with_callbacks_is_not_stored(cache):
    def function(x):
        jax.debug.print("{}", x)
        return x

    key = cx.cache_key("name")
    assert not cx.store_lowered(key, cx.lower(function, [VECTOR]))
    assert cx.load_lowered(key) is None


def test_a_damaged_program_is_not_found(program, cache):
    key = cx.cache_key("name")
    cx.store_lowered(key, program)
    (path,) = files_of(cache, "cyxla")
    data = path.read_bytes()
    middle = len(data) // 2
    flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    for content in (b"", b"garbage", data[:-1], data[:100], flipped):
        path.write_bytes(content)
        assert cx.load_lowered(key) is None
    assert cx.store_lowered(key, program)
    assert cx.load_lowered(key) is not None


def test_the_program_of_another_key_in_its_place_is_not_found(program, cache):
    one, two = cx.cache_key("one"), cx.cache_key("two")
    cx.store_lowered(one, program)
    os.rename(cache / f"{one}.cyxla", cache / f"{two}.cyxla")
    assert cx.load_lowered(two) is None
    # So is one that was saved by hand.
    cx.save(cache / f"{one}.cyxla", program)
    assert cx.load_lowered(one) is None


def test_programs_are_removed_as_executables_are(program, cache):
    keys = [cx.cache_key("name", [i]) for i in range(3)]
    for i in range(3):
        cx.store_lowered(keys[i], program)
        use_of(cache / f"{keys[i]}.cyxla", 1000 + i)
    assert cx.load_lowered(keys[0]) is not None
    size = (cache / f"{keys[0]}.cyxla").stat().st_size
    cache_directory.set_limit(cache, 2 * size)
    found = [cx.load_lowered(key) is not None for key in keys]
    assert found == [True, False, True]


def test_a_program_that_is_larger_than_the_cache_is_not_stored(program, cache):
    cache_directory.set_limit(cache_directory.opened(is_made=True), 100)
    key = cx.cache_key("name")
    assert not cx.store_lowered(key, program)
    assert cx.load_lowered(key) is None


def test_without_a_cache_nothing_is_kept(program, cache, monkeypatch):
    monkeypatch.setenv("CYXLA_CACHE_DIR", "none")
    key = cx.cache_key("name")
    assert cx.store_lowered(key, program) is False
    assert cx.load_lowered(key) is None


def test_a_cache_that_cannot_be_used_is_told_once(program, cache, monkeypatch):
    key = cx.cache_key("name")
    cache.mkdir()
    cache.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="the disk cache cannot be used: others"):
        assert cx.load_lowered(key) is None
    assert not cx.store_lowered(key, program)
    assert cx.load_lowered(key) is None


def test_a_full_disk_is_told(program, cache, monkeypatch):
    def fail(program, path):
        raise cx.FileError(os.strerror(errno.ENOSPC), "FILE_UNWRITABLE")

    monkeypatch.setattr(cx.Program, "save", fail)
    with pytest.warns(RuntimeWarning, match="cannot be used: No space left on device"):
        assert not cx.store_lowered(cx.cache_key("name"), program)
