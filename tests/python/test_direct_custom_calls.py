"""Custom calls of programs that are called directly: handlers get what the plugin would
give them.

The handler write_down of tests/handlers/frames.c writes what it is called with into its
last result, which is compared with what it wrote when the plugin called it.
"""

import ctypes
import itertools
import textwrap

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from corpus import PROGRAMS
from jax._src.interpreters import mlir as jax_mlir
from jax.experimental import io_callback, sparse
from jax.extend import mlir
from jaxlib.mlir import ir
from plugins_for_tests import ROOT, build_library
from scripts import output_of

X = np.arange(3, dtype=np.float32)
RECORD_BYTES = 20000


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


@pytest.fixture(scope="module")
def write_down(tmp_path_factory):
    """Registers the handler."""
    path = tmp_path_factory.mktemp("handlers") / "frames.so"
    library = ctypes.CDLL(str(build_library(path, [ROOT / "tests/handlers/frames.c"])))
    address = ctypes.cast(library.write_down, ctypes.c_void_p).value
    cx.register_ffi_target("write_down", address)


def record_of(program, arguments):
    """What the handler wrote in both tiers."""
    plugin, _ = cx.compile_program(program, tier="pjrt")
    direct, _ = cx.compile_program(program, tier="direct")
    for expected, found in zip(
        plugin.run(arguments), direct.run(arguments), strict=True
    ):
        assert_same_bits(found, expected)
    return found.tobytes().rstrip(b"\0").decode()


def recorded(arguments, results=(), **attributes):
    def call(*arguments):
        record = jax.ShapeDtypeStruct((RECORD_BYTES,), np.uint8)
        handler = jax.ffi.ffi_call("write_down", (*results, record))
        return handler(*arguments, **attributes)

    return record_of(cx.lower(call, arguments), arguments)


def recorded_of_text(operation):
    """The same of an operation of StableHLO that calls the handler on %x."""
    code = f"""
    func.func public @main(%x: tensor<3xf32>) -> tensor<{RECORD_BYTES}xui8> {{
      {operation}
      return %record : tensor<{RECORD_BYTES}xui8>
    }}"""
    example = cx.lower(lambda x: jnp.zeros(RECORD_BYTES, np.uint8), [X])
    with jax_mlir.make_ir_context():
        code = mlir.serialize_portable_artifact(ir.Module.parse(code), "1.13.0")
    program = cx.Program.from_parts(
        platform=example.platform,
        code=code,
        compile_options=example.compile_options,
        inputs=example.inputs,
        outputs=example.outputs,
    )
    return record_of(program, [X])


def recorded_of_attributes(attributes):
    return recorded_of_text(f"""
      %record = stablehlo.custom_call @write_down(%x)
          {{api_version = 4 : i32, backend_config = {attributes}}}
          : (tensor<3xf32>) -> tensor<{RECORD_BYTES}xui8>""")


pytestmark = pytest.mark.usefixtures("x64")


@pytest.mark.usefixtures("write_down")
def test_arguments_and_results_are_those_that_the_plugin_gives():
    record = recorded(
        [X, np.ones((2, 3), np.complex64), np.float64(3), np.zeros((0, 2), np.int8)],
        [
            jax.ShapeDtypeStruct((), np.int16),
            jax.ShapeDtypeStruct((2, 2), jnp.bfloat16),
            jax.ShapeDtypeStruct((2,), bool),
        ],
    )
    # The control registers of both units are part of it.
    assert " 9fc0 37f " in record
    assert record.count("\n") == 9


@pytest.mark.usefixtures("write_down")
def test_a_handler_may_take_nothing():
    assert recorded([]).endswith("{48 0 0}")


@pytest.mark.usefixtures("write_down")
def test_scalars_and_strings_are_those_that_the_plugin_gives():
    scalars = {
        "int8": np.int8(-5),
        "uint8": np.uint8(200),
        "int16": np.int16(-300),
        "uint16": np.uint16(60000),
        "int32": np.int32(-70000),
        "uint32": np.uint32(4000000000),
        "int64": np.int64(-(2**63)),
        "uint64": np.uint64(2**63 - 1),
        "yes": True,
        "no": False,
        "whole": 5,
        "single": np.float32(0.1),
        "double": 0.1,
    }
    strings = {"text": 'é\n"\\\0x\x7f\t', "bytes_": b"\xff\x01", "empty": ""}
    assert recorded([X], **scalars, **strings).count(": ") == 16


@pytest.mark.usefixtures("write_down")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_floating_point_numbers_are_those_that_the_plugin_gives(dtype):
    info = np.finfo(dtype)
    numbers = [
        *[info.max, info.tiny, info.smallest_subnormal, -info.smallest_subnormal * 7],
        *[np.inf, -np.inf, np.nan, -0.0, 1 / 3, 1e10, 123456789.123456789],
    ]
    rng = np.random.default_rng(0)
    unsigned = f"u{info.bits // 8}"
    made_up = rng.integers(0, 2**info.bits, 200, np.dtype(unsigned)).view(dtype)
    attributes = {f"n{i}": dtype(x) for i, x in enumerate([*numbers, *made_up])}
    recorded([X], **attributes)
    recorded([X], numbers=np.array([*numbers, *made_up], dtype))
    recorded([X], numbers=np.array(numbers, dtype))


@pytest.mark.usefixtures("write_down")
@pytest.mark.parametrize(
    "dtype",
    [
        *[np.int8, np.int16, np.int32, np.int64],
        *[np.uint8, np.uint16, np.uint32, np.uint64, np.float32, np.float64],
    ],
)
def test_arrays_are_those_that_the_plugin_gives(dtype):
    info = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else np.finfo(dtype)
    recorded(
        [X],
        several=np.array([1, 2, info.max, info.min], dtype),
        matrix=np.arange(6, dtype=dtype).reshape(2, 3),
        equal=np.ones(4, dtype),
        empty=np.zeros(0, dtype),
        empty_matrix=np.zeros((2, 0, 3), dtype),
        large=np.arange(200).astype(dtype),
        large_equal=np.full(200, 3, dtype),
        scalar=np.array(7, dtype),
    )


@pytest.mark.usefixtures("write_down")
@pytest.mark.parametrize(
    "attributes",
    [
        "{}",
        "{a = {b = {c = {}}}, z = 1.0 : f32}",
        '{"with space" = 1 : i8, true = true, i32 = 2 : i32, dense = 5 : i16}',
        "{a = array<i64: 1, -2>}",
        "{a = 18446744073709551615 : ui64, b = 255 : i8, c = 0xFFF : i16}",
        "{a.b = 1, c$ = 2.5, b = true, B = false, ab = 1 : i1}",
        "{a = @symbol}",
    ],
)
def test_attributes_that_jax_does_not_write_are_those_that_the_plugin_gives(attributes):
    recorded_of_attributes(attributes)


@pytest.mark.usefixtures("write_down")
def test_tokens_are_those_that_the_plugin_gives():
    record = recorded_of_text(f"""
      %token = stablehlo.create_token : !stablehlo.token
      %pair:2 = stablehlo.custom_call @write_down(%token, %x)
          {{api_version = 4 : i32, has_side_effect = true, backend_config = {{}}}}
          : (!stablehlo.token, tensor<3xf32>)
          -> (!stablehlo.token, tensor<{RECORD_BYTES}xui8>)
      %record = stablehlo.reshape %pair#1
          : (tensor<{RECORD_BYTES}xui8>) -> tensor<{RECORD_BYTES}xui8>""")
    assert "\n1 48 0 17 [] 1 \n1 48 0 11 [3 ]" in record


@pytest.mark.parametrize(
    "program",
    [program for program in PROGRAMS if program.lapack],
    ids=lambda program: program.name,
)
def test_linear_algebra_is_called_directly(program):
    lowered = cx.lower(program.function, program.arguments)
    direct, _ = cx.compile_program(lowered, tier="auto")
    if direct.tier == "pjrt":
        # What some of them need besides.
        assert "an operation of the kind dot" in direct.tier_reason
        return
    plugin, _ = cx.compile_program(lowered, tier="pjrt")
    arguments = jax.tree.leaves(program.arguments)
    for found, expected in zip(
        direct.run(arguments), plugin.run(arguments), strict=True
    ):
        assert_same_bits(found, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("columns", [(), (3,)])
def test_a_handler_may_return_a_future(dtype, columns):
    """As jaxlib's product of a sparse matrix with a dense one does."""
    random = np.random.default_rng(7)
    dense = random.normal(size=(20, 15)).astype(dtype)
    dense[random.random(dense.shape) < 0.7] = 0
    matrix = sparse.BCSR.fromdense(jnp.asarray(dense))
    arguments = [
        *map(np.asarray, [matrix.data, matrix.indices, matrix.indptr]),
        random.normal(size=(15, *columns)).astype(dtype),
    ]
    program = cx.lower(
        lambda *parts, shape=dense.shape: (
            sparse.BCSR(parts[:3], shape=shape) @ parts[3]
        ),
        arguments,
    )
    assert b"cpu_csr_sparse_dense_ffi" in program.code
    plugin, _ = cx.compile_program(program, tier="pjrt")
    (expected,) = plugin.run(arguments)
    for options in ({"tier": "direct"}, {"compare": arguments}):
        executable, _ = cx.compile_program(program, **options)
        assert (executable.tier, executable.tier_reason) == ("direct", "")
        assert_same_bits(executable.run(arguments)[0], expected)


def test_a_callback_is_called_directly_after_its_first_runs():
    seen = []

    def plus_one(x):
        seen.append(float(x[0]))
        return np.asarray(x) + 1

    def call(x):
        return jax.pure_callback(plus_one, like(x), x) * 2

    executable = cx.compile(call, X, tier="auto")
    # Its function may not take what is made up.
    assert (executable.tier, seen) == ("pjrt", [])
    for turn in range(5):
        assert_same_bits(executable(X + turn), (X + turn + 1) * 2)
    assert (executable.tier, executable.tier_reason) == ("direct", "")
    assert seen == [0, 0, 1, 1, 2, 2, 3, 4]
    executable = cx.compile(call, X, tier="direct")
    assert executable.tier == "direct"
    assert_same_bits(executable(X), (X + 1) * 2)


def test_a_callback_that_gives_other_results_each_time_stays_with_the_plugin():
    numbers = itertools.count(1)

    def count(x):
        return np.full_like(x, next(numbers))

    executable = cx.compile(lambda x: jax.pure_callback(count, like(x), x), X)
    assert_same_bits(executable(X), np.full_like(X, 1))
    assert_same_bits(executable(X), np.full_like(X, 3))
    assert executable.tier == "pjrt"
    assert "a result was not the same as the plugin" in executable.tier_reason


@pytest.mark.filterwarnings("ignore")
def test_an_exception_is_an_error_of_the_run():
    def refuse(x):
        if x[0] > 0:
            raise ValueError("not this öne")
        return x

    def call(x):
        return jax.pure_callback(refuse, like(x), x)

    errors = []
    for tier in ["pjrt", "direct"]:
        executable = cx.compile(call, X, tier=tier)
        for _ in range(2):
            with pytest.raises(cx.Error, match="ValueError in a Python call") as raised:
                executable(X + 1)
            assert_same_bits(executable(X), X)
        assert isinstance(raised.value.__cause__, ValueError)
        errors.append((raised.value.status, str(raised.value)))
    assert errors[0] == (errors[1][0], f"the plugin {errors[1][1]}")


def test_side_effects_happen_once_a_run():
    seen = []

    def note(x):
        seen.append(float(x[0]))
        return np.asarray(x) + 1

    def call(x):
        x = io_callback(note, like(x), x, ordered=True)
        return io_callback(note, like(x), x, ordered=True)

    executable = cx.compile(call, X, tier="auto")
    assert executable.tier == "pjrt"
    assert "a custom call with side effects" in executable.tier_reason
    executable = cx.compile(call, X, tier="direct")
    assert (executable.tier, seen) == ("direct", [])
    for turn in range(3):
        assert_same_bits(executable(X + 2 * turn), X + 2 * turn + 2)
    assert seen == [0, 1, 2, 3, 4, 5]


def test_a_callback_may_run_what_is_called_directly():
    inner = cx.compile(lambda x: jnp.linalg.inv(x), np.eye(3), tier="direct")

    def call(x):
        return jax.pure_callback(lambda x: inner(np.asarray(x)), like(x), x)

    executable = cx.compile(call, np.eye(3), tier="direct")
    matrix = np.diag([1.0, 2.0, 4.0])
    assert_same_bits(executable(matrix), inner(matrix))


def test_handlers_with_other_stages_are_left_to_the_plugin(tmp_path):
    library = build_library(
        tmp_path / "handlers.so", [ROOT / "tests/handlers/handlers.c"]
    )
    source = """
        import ctypes, sys
        import jax
        import numpy as np
        import cyxla as cx
        library = ctypes.CDLL(sys.argv[1])
        def address(name):
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        deleter = address("counter_delete")
        number = cx.register_ffi_type("counter", deleter=deleter)
        ctypes.c_int64.in_dll(library, "counter_type_id").value = number
        stages = ["instantiate", "execute"]
        stages = {stage: address("counter_" + stage) for stage in stages}
        cx.register_ffi_target("counter", stages)
        def count():
            result = jax.ShapeDtypeStruct((), np.float32)
            return jax.ffi.ffi_call("counter", result)()
        executable = cx.compile(count, tier="auto")
        print(executable.tier, executable(), executable(), executable.tier_reason)
        try:
            cx.compile(count, tier="direct")
        except cx.Error as error:
            print(error)
    """
    first, second = output_of(textwrap.dedent(source), library).splitlines()
    reason = "the handler of its custom call counter has other stages than execute"
    assert first == f"pjrt 1.0 2.0 {reason}"
    assert second == f"the program cannot be called directly: {reason}"
