"""Programs that are written for an older StableHLO, and plugins that need it."""

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from cyxla import _runtime, artifacts, files
from plugins_for_tests import OLD_CPU_PLUGIN
from scripts import output_of


def whiten(x, weights):
    return jnp.linalg.cholesky(x.T @ x + jnp.eye(x.shape[1])), jnp.sort(x) * weights[0]


def array(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def spec(*shape):
    return jax.ShapeDtypeStruct(shape, np.float32)


def assert_as_jitted(executable, *arguments):
    for found, expected in zip(
        executable(*arguments), jax.jit(whiten)(*arguments), strict=True
    ):
        assert_same_bits(found, expected)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "whiten.cyxla"


@pytest.fixture(scope="module")
def program():
    """The function at two sizes."""
    return cx.Program.join([cx.lower(whiten, [spec(n, 3), spec(9)]) for n in (4, 5)])


def test_an_older_plugin_that_cannot_serialize_compiles_all_the_same(path, monkeypatch):
    """The plugin refuses the first that it sees, and serializes nothing."""
    program = cx.lower(lambda x: x + 1, [array(3)])
    compile_really = _runtime.Executable.create.__func__
    refused = []

    def create(cls, loaded, given, *arguments, **how):
        if given is program and not refused:
            refused.append(given)
            raise cx.Error("too new", "UNKNOWN")
        return compile_really(cls, loaded, given, *arguments, **how)

    def serialize(self):
        raise cx.Error("cannot serialize", "UNIMPLEMENTED")

    monkeypatch.setattr(cx.Executable, "create", classmethod(create))
    monkeypatch.setattr(cx.Executable, "serialize", serialize)
    monkeypatch.setattr(
        "cyxla.executable.readable", lambda _, given: given.for_stablehlo("1.0.0")
    )
    executable, _ = cx.compile_program(program)
    assert b"StableHLO_v1.0.0" in executable.program.code[:30]
    assert_same_bits(executable(array(3)), array(3) + 1)
    refused.clear()
    files.save_compiled(path, program)
    assert cx.Program.load(path).code == program.code
    assert cx.Program.load(path).executables == []


def test_code_that_cannot_be_read_is_refused_by_the_plugin():
    program = cx.lower(lambda x: x + 1, [array(3)])
    version = artifacts.stablehlo_version(program.code).encode()
    code = program.code[:60].replace(version, b"9" + version[1:]) + b"nonsense"
    with pytest.raises(
        cx.Error, match=r"(?s)cannot compile .* is written for StableHLO 9"
    ):
        cx.compile_program(program.with_parts(code=code))


def test_a_program_is_written_for_an_older_stablehlo(path, program):
    for target in ["1.13.3", (1, 0, 0)]:
        cx.save(path, program, stablehlo_target=target)
        numbers = target if isinstance(target, tuple) else target.split(".")
        version = ".".join(map(str, numbers)).encode()
        for size in cx.Program.load(path).sizes:
            assert b"StableHLO_v" + version in size.code[:30]
    older = cx.Program.load(path).pick([(4, 3)])
    assert older.for_stablehlo("1.13.3") is older
    executable, _ = cx.compile_program(older)
    assert_as_jitted(executable, array(4, 3), array(9))


def test_an_executable_for_an_older_stablehlo_is_compiled_again(path, monkeypatch):
    executable = cx.compile(whiten, array(4, 3), array(9))
    cx.save(path, executable, stablehlo_target="1.13.3")
    loaded = cx.load(path)
    assert loaded.is_deserialized
    assert b"StableHLO_v1.13.3" in loaded.program.code[:30]
    assert_as_jitted(loaded, array(4, 3), array(9))
    # What has nothing to be written anew is saved as it is.
    monkeypatch.setattr(files, "compile_program", None)
    cx.save(path, executable, stablehlo_target="99.0.0")
    monkeypatch.undo()
    assert cx.load(path).program.code == executable.program.code


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("0.9.0", "written for StableHLO .* for 0.9.0: .*'vhlo.composite_v2'$"),
        ("0.1.0", "for 0.1.0: target version 0.1.0 is less than minimum supported"),
        ("newest", "is 'newest', expected three numbers"),
        ("1.2", "expected three numbers"),
        ((1, -2, 3), "expected three numbers"),
        (3, "is 3, expected three numbers"),
        (" 1.13.3", "expected three numbers"),
        ("1_0.0.0", "expected three numbers"),
        ((1.5, 13, 3), "expected three numbers"),
    ],
)
def test_a_version_that_a_program_cannot_be_written_for_is_refused(
    path, target, message
):
    program = cx.lower(lambda x: jax.lax.top_k(x, 2), [array(3)])
    with pytest.raises(ValueError, match=message):
        cx.save(path, program, stablehlo_target=target)
    assert not path.exists()


def test_a_plugin_that_is_too_old_compiles_all_sizes(path):
    output = output_of(
        """
        import sys

        import jax
        import numpy as np

        import cyxla as cx

        _, plugin, path = sys.argv
        cx.initialize(plugin)
        vectors = [np.arange(n, dtype=np.float32) for n in (3, 5)]
        cx.save(path, lambda x: jax.lax.top_k(x, 2), shapes=[[x] for x in vectors])
        for size in cx.Program.load(path).sizes:
            print(b"StableHLO_v1.13.3" in size.code[:30], len(size.executables))
        print(cx.load(path, [(5,)])(vectors[1])[0])
        """,
        OLD_CPU_PLUGIN,
        path,
        CYXLA_LOG="3",
    )
    assert output.split("\n")[:3] == ["False 1", "False 1", "[4. 3.]"]
