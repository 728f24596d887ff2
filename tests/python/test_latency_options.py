"""Which programs optimize_for changes, and where its options go."""

import json
import os
import subprocess

import cyxla as cx
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from caching import files_of, is_from_cache
from comparing import assert_equal_to_rounding, assert_same_bits
from cyxla import latency
from cyxla.cache_executables import without_locations
from cyxla.compile_options import YNN_FUSION_TYPE, fields, holds
from jax import lax
from plugins_for_tests import CPU_PLUGIN

MATRIX = np.arange(64, dtype=np.float32).reshape(8, 8) / 64


def product(a, b):
    return a @ b


def transposed_product(a, b):
    return jnp.einsum("ij,kj->ik", a, b)


def ones(*shape, dtype=np.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def is_changed(function, *arguments):
    """Whether optimize_for gives the program other options."""
    plain = cx.lower(function, arguments)
    changed = cx.lower(function, arguments, optimize_for="latency")
    assert changed.details["optimize_for"] == "latency"
    return changed.compile_options != plain.compile_options


def convolved(images, kernels):
    return lax.conv(images, kernels, (1, 1), "SAME")


@pytest.mark.parametrize(
    ("is_small", "function", "arguments"),
    [
        (True, product, [ones(64, 64), ones(64, 64)]),
        (False, product, [ones(64, 64), ones(64, 65)]),
        (True, product, [ones(2, 64), ones(64, 128)]),
        (False, product, [ones(2, 64), ones(64, 256)]),
        (True, product, [ones(1000, 3), ones(3, 3)]),
        (True, product, [ones(256, 4, 4), ones(256, 4, 4)]),
        (False, product, [ones(16, 32, 32), ones(16, 32, 32)]),
        (True, product, [ones(32, 32, dtype=ml_dtypes.bfloat16)] * 2),
        (False, product, [ones(64, 64, dtype=ml_dtypes.bfloat16)] * 2),
        (True, product, [ones(1000, 1000), ones(1000)]),
        (True, product, [ones(4095), ones(4095)]),
        (False, product, [ones(4096), ones(4096)]),
        (True, jnp.sum, [ones(4095)]),
        (False, jnp.sum, [ones(4096)]),
        (True, jnp.argmax, [ones(100_000)]),
        (True, jnp.sin, [ones(100_000)]),
        (True, convolved, [ones(1, 1, 16, 16), ones(8, 1, 3, 3)]),
        (False, convolved, [ones(1, 3, 16, 16), ones(8, 3, 3, 3)]),
        (False, jnp.fft.rfft, [ones(64)]),
        (False, lambda a: (a @ a, jnp.fft.fft(a)), [ones(8, 8)]),
        (
            False,
            lambda a: lax.fori_loop(0, 3, lambda i, a: a @ a, a),
            [ones(256, 256)],
        ),
    ],
)
def test_programs_with_a_large_part_stay_as_they_are(is_small, function, arguments):
    assert is_changed(function, *arguments) is is_small


# The dimensions that both operands have in common, and those that are summed over.
NUMBERS = [
    (((1,), (0,)), ((), ())),
    (((0,), (0,)), ((), ())),
    (((1,), (1,)), ((), ())),
    (((0,), (1,)), ((), ())),
]
BATCHED_NUMBERS = [
    (((2,), (1,)), ((0,), (0,))),
    (((1,), (2,)), ((0,), (0,))),
    (((0,), (0,)), ((2,), (1,))),
    (((1, 2), (2, 1)), ((), ())),
    (((), ()), ((0, 1, 2), (0, 1, 2))),
]


@pytest.mark.parametrize("order", [None, (1, 0), (0, 2, 1), (2, 1, 0)])
@pytest.mark.parametrize("numbers", NUMBERS + BATCHED_NUMBERS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"precision": (lax.Precision.HIGHEST, lax.Precision.DEFAULT)},
        {"precision": lax.DotAlgorithmPreset.F32_F32_F32},
    ],
)
def test_products_of_all_forms_are_made_plain(numbers, order, options):
    rank = 2 if numbers in NUMBERS else 3
    generator = np.random.default_rng(5)
    a, b = generator.standard_normal((2, *[6] * rank)).astype(np.float32)

    def function(a, b):
        result = lax.dot_general(a, b, numbers, **options)
        is_fitting = order is not None and len(order) == result.ndim
        return jnp.transpose(result, order) if is_fitting else result

    executable = cx.compile(function, a, b, optimize_for="latency", tier="direct")
    assert_equal_to_rounding(executable(a, b), jax.jit(function)(a, b))


def test_a_product_with_other_uses_is_not_exchanged():
    def function(a, b):
        c = lax.dot_general(a, b, (((0,), (0,)), ((), ())))
        return c, c.T

    executable = cx.compile(
        function, MATRIX, MATRIX + 1, optimize_for="latency", tier="direct"
    )
    expected = MATRIX.T @ (MATRIX + 1)
    for found, wanted in zip(
        executable(MATRIX, MATRIX + 1), [expected, expected.T], strict=True
    ):
        assert_equal_to_rounding(found, wanted)


@pytest.mark.parametrize("value", ["speed", "Latency", True, 1, b"latency"])
def test_other_values_are_refused(value):
    message = r"optimize_for is .*, expected 'latency' or None"
    with pytest.raises(ValueError, match=message):
        cx.lower(product, [MATRIX, MATRIX], optimize_for=value)
    program = cx.lower(product, [MATRIX, MATRIX])
    with pytest.raises(ValueError, match=message):
        cx.compile_program(program, optimize_for=value)


def test_it_is_for_the_cpu():
    message = "the program is for cuda; leave it out"
    with pytest.raises(ValueError, match=message):
        cx.lower(product, [MATRIX, MATRIX], platform="cuda", optimize_for="latency")
    program = cx.lower(product, [MATRIX, MATRIX], platform="cuda")
    with pytest.raises(ValueError, match=message):
        cx.compile_program(program, optimize_for="latency")


def test_none_leaves_all_to_xla():
    program = cx.lower(product, [MATRIX, MATRIX], optimize_for=None)
    executable, _ = cx.compile_program(program, optimize_for=None)
    assert executable.program is program
    assert "optimize_for" not in program.details
    assert not executable.program.compile_options.count(b"llvm_ir_gemm")


def test_lowering_and_compiling_give_the_same_program():
    early = cx.lower(transposed_product, [MATRIX, MATRIX], optimize_for="latency")
    plain = cx.lower(transposed_product, [MATRIX, MATRIX])
    late = cx.compile_program(plain, optimize_for="latency")[0].program
    codes = [without_locations(program.code) for program in (plain, early, late)]
    assert codes[0] != codes[1] == codes[2]
    assert early.compile_options == late.compile_options
    assert late.inputs == plain.inputs
    again = cx.compile_program(early, optimize_for="latency")[0].program
    assert again is early


def test_compiler_options_keep_it_and_come_first():
    program = cx.lower(transposed_product, [MATRIX, MATRIX], optimize_for="latency")
    options = {"xla_cpu_enable_fast_math": False}
    executable, _ = cx.compile_program(program, compiler_options=options, tier="direct")
    assert executable.program.details["compiler_options"] == options
    assert executable.program.code == program.code
    options = {"xla_cpu_multi_thread_eigen": True}
    executable, _ = cx.compile_program(program, compiler_options=options, tier="auto")
    assert executable.tier_reason.startswith("it has an operation of the kind dot")


def test_the_libraries_are_removed_from_the_options():
    def debug_options(program):
        (build_options,) = [
            content
            for number, content, _ in fields(program.compile_options)
            if number == 3
        ]
        return next(content for number, content, _ in fields(build_options) if content)

    plain = cx.lower(product, [MATRIX, MATRIX])
    changed = cx.lower(product, [MATRIX, MATRIX], optimize_for="latency")
    assert holds(debug_options(plain), YNN_FUSION_TYPE)
    assert not holds(debug_options(changed), YNN_FUSION_TYPE)
    assert holds(plain.compile_options, 3, 3, YNN_FUSION_TYPE)
    # What is there already is not added again.
    _, options = latency.applied(changed.code, changed.compile_options)
    assert options == changed.compile_options


def test_a_program_without_options_gets_those_of_jax():
    program = cx.lower(product, [MATRIX, MATRIX])
    bare = program.with_parts(compile_options=b"")
    expected = cx.lower(product, [MATRIX, MATRIX], optimize_for="latency")
    executable, _ = cx.compile_program(bare, optimize_for="latency", tier="direct")
    assert executable.program.compile_options == expected.compile_options


@pytest.mark.parametrize(
    "options", [b"\x1a", b"\x1a\x09\x20", b"\x80", b"\x09\x00", b"\x0b", b"\x08\xff"]
)
def test_options_that_are_no_message_are_refused(options):
    program = cx.lower(product, [MATRIX, MATRIX]).with_parts(compile_options=options)
    with pytest.raises(ValueError, match=r"no serialized xla\.CompileOptionsProto"):
        cx.compile_program(program, optimize_for="latency")


def test_fields_of_all_kinds_are_kept():
    kept = b"\x09" + bytes(8) + b"\x15" + bytes(4) + b"\x92\x01\x01x"
    program = cx.lower(product, [MATRIX, MATRIX])
    _, options = latency.applied(program.code, kept + program.compile_options)
    assert options.startswith(kept)


def test_code_that_is_no_stablehlo_is_refused():
    program = cx.lower(product, [MATRIX, MATRIX]).with_parts(code=b"no StableHLO")
    with pytest.raises(ValueError, match="its StableHLO cannot be read"):
        cx.compile_program(program, optimize_for="latency")


def test_all_sizes_are_changed(tmp_path):
    path = tmp_path / "product.cyxla"
    shapes = [[ones(n, n), ones(n, n)] for n in (4, 8)]
    cx.save(path, transposed_product, shapes, optimize_for="latency")
    for size in cx.Program.load(path).sizes:
        assert size.details["optimize_for"] == "latency"
        executable, _ = cx.compile_program(size, tier="direct")
        assert executable.is_deserialized


def test_the_cache_keeps_both(cache):
    program = cx.lower(product, [MATRIX, MATRIX])
    assert not is_from_cache(program)
    for is_found in [False, True]:
        executable, statistics = cx.compile_program(
            program, optimize_for="latency", tier="auto"
        )
        assert (statistics.from_cache, statistics.tier) == (is_found, "direct")
        assert_equal_to_rounding(executable(MATRIX, MATRIX), MATRIX @ MATRIX)
    executable, statistics = cx.compile_program(program, tier="auto")
    assert (statistics.from_cache, statistics.tier) == (True, "pjrt")
    assert len(files_of(cache)) == 2


def test_keys_of_lowered_programs_differ():
    plain = cx.cache_key("product", [MATRIX, MATRIX])
    changed = cx.cache_key("product", [MATRIX, MATRIX], optimize_for="latency")
    assert plain != changed


def test_a_file_never_gives_the_executable_of_the_other(tmp_path):
    path = tmp_path / "product.cyxla"
    plain, _ = cx.compile_program(cx.lower(product, [MATRIX, MATRIX]))
    cx.save(path, plain)
    program = cx.Program.load(path)
    changed, _ = cx.compile_program(program, optimize_for="latency", tier="direct")
    assert not changed.is_deserialized
    cx.save(path, changed)
    loaded = cx.Program.load(path)
    assert len(loaded.executables) == 1
    again, _ = cx.compile_program(loaded, optimize_for="latency", tier="direct")
    assert again.is_deserialized
    assert_same_bits(again(MATRIX, MATRIX), changed(MATRIX, MATRIX))
    cx.save(path, plain)
    assert len(cx.Program.load(path).executables) == 1
    assert cx.load(path).serialize() == plain.serialize()


def test_the_command_line_keeps_it(prefix, tmp_path):
    path = tmp_path / "product.cyxla"
    cx.save(path, cx.lower(product, [MATRIX, MATRIX], optimize_for="latency"))
    cyxla = f"{prefix}/bin/cyxla"
    plugin = ["--plugin", CPU_PLUGIN]
    subprocess.run([cyxla, "compile", path, *plugin], check=True, capture_output=True)
    output = subprocess.run(
        [cyxla, "bench", path, *plugin, "--json", "--seconds", "0.01"],
        env={**os.environ, "CYXLA_TIER": "direct"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = json.loads(output)
    assert (found["tier"], found["is_deserialized"]) == ("direct", True)


def test_callbacks_are_kept():
    def function(a):
        return jax.pure_callback(lambda b: 2 * np.asarray(b), jax.typeof(a), a @ a)

    executable = cx.compile(function, MATRIX, optimize_for="latency")
    assert_equal_to_rounding(executable(MATRIX), 2 * MATRIX @ MATRIX)
