"""lower takes what jax.jit takes, and says what it cannot take."""

import functools
import warnings

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from jax._src import core, effects
from jax.interpreters import mlir
from scripts import output_of

VECTOR = np.array([1.0, 2.0, 3.0], np.float32)
SHAPE = jax.ShapeDtypeStruct((3,), np.float32)


def double(x):
    return x * 2


def power_sum(x, exponent, *, factor=1):
    return factor * jnp.sum(x**exponent)


def run(program, *arguments):
    executable, _ = cx.compile_program(program)
    return executable.run(arguments)


class Scaling:
    """A callable object that has an attribute of the name of a jitted function's."""

    factor = 2.0
    trace = None

    def __call__(self, x):
        return self.factor * x

    def apply(self, x):
        return self.factor * x


@pytest.mark.parametrize(
    "function",
    [
        double,
        lambda x: x * 2,
        jax.jit(double),
        jax.jit(jax.jit(double)),
        functools.partial(jnp.multiply, 2),
        functools.partial(jax.jit(jnp.multiply), 2),
        jax.vmap(double),
        jax.grad(lambda x: jnp.sum(x**2)),
        jax.checkpoint(double),
        Scaling(),
        Scaling().apply,
    ],
    ids=[
        "function",
        "lambda",
        "jitted",
        "jitted twice",
        "partial",
        "partial of jitted",
        "vmap",
        "grad",
        "checkpoint",
        "callable",
        "method",
    ],
)
def test_every_kind_of_function_is_taken(function):
    (result,) = run(cx.lower(function, [SHAPE]), VECTOR)
    assert_same_bits(result, 2 * VECTOR)


@pytest.mark.parametrize(
    "example",
    [VECTOR, jnp.asarray(VECTOR), SHAPE],
    ids=["numpy", "jax", "shape"],
)
def test_examples_are_arrays_or_shapes(example):
    program = cx.lower(double, [example])
    assert program.inputs == [cx.ArraySpec("x", (3,), np.dtype(np.float32), -1)]


@pytest.mark.parametrize(
    ("number", "dtype"),
    [(True, "bool"), (1, "int32"), (1.0, "float32"), (1j, "complex64")],
)
def test_examples_are_numbers_of_the_types_of_jax(number, dtype):
    program = cx.lower(lambda x: x, [number])
    assert program.inputs == [cx.ArraySpec("x", (), np.dtype(dtype), -1)]


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(("number", "dtype"), [(1, "int64"), (1.0, "float64")])
def test_numbers_are_wide_where_64_bit_types_are_on(number, dtype):
    program = cx.lower(lambda x: x, [number])
    assert program.inputs[0].dtype == np.dtype(dtype)


def test_wide_examples_are_narrowed_where_64_bit_types_are_off():
    with pytest.warns(UserWarning, match="for float64 set jax_enable_x64"):
        program = cx.lower(lambda x: x, [np.ones(3)])
    assert program.inputs[0].dtype == np.dtype(np.float32)


def test_a_weak_type_is_kept_inside_of_the_function():
    program = cx.lower(lambda x, y: x * y, [2.0, np.ones(3, np.float16)])
    assert program.inputs[0].dtype == np.float32
    assert program.outputs[0].dtype == np.float16


def test_static_arguments_are_part_of_the_program():
    program = cx.lower(
        power_sum,
        [VECTOR, 3],
        {"factor": 2},
        static_argnums=1,
        static_argnames="factor",
    )
    assert [spec.name for spec in program.inputs] == ["x"]
    (result,) = run(program, VECTOR)
    assert result == 72


def test_static_arguments_of_a_jitted_function_are_its_own():
    jitted = jax.jit(power_sum, static_argnums=1, static_argnames="factor")
    (result,) = run(cx.lower(jitted, [VECTOR, 3], {"factor": 2}), VECTOR)
    assert result == 72


def test_keyword_arguments_follow_the_positional_ones():
    program = cx.lower(power_sum, [VECTOR, 2], {"factor": 1.0})
    assert [spec.name for spec in program.inputs] == ["x", "exponent", "factor"]
    assert run(program, VECTOR, 3, 2.0)[0] == 72


def test_default_values_are_part_of_the_program():
    program = cx.lower(power_sum, [VECTOR, 2])
    assert [spec.name for spec in program.inputs] == ["x", "exponent"]


def test_unused_arguments_are_inputs():
    program = cx.lower(lambda x, unused: x, [VECTOR, {"a": 1, "b": VECTOR}])
    assert [spec.name for spec in program.inputs] == ["x", "unused.a", "unused.b"]


def test_a_function_without_arguments_is_a_program():
    program = cx.lower(lambda: jnp.arange(3))
    assert program.inputs == []
    assert run(program)[0].tolist() == [0, 1, 2]


def test_a_function_of_nothing_to_nothing_is_a_program():
    assert run(cx.lower(lambda: None)) == []


def test_a_function_without_results_is_a_program():
    program = cx.lower(lambda x: None, [VECTOR])
    assert program.outputs == []
    assert run(program, VECTOR) == []


def test_large_constants_are_part_of_the_program():
    table = jnp.asarray(np.random.default_rng(0).standard_normal((512, 512)), "float32")
    program = cx.lower(lambda i: table[i], [0])
    assert len(program.code) > 512 * 512 * 4
    assert_same_bits(run(program, 17)[0], table[17])


def test_details_tell_where_the_program_comes_from():
    program = cx.lower(double, [VECTOR], compiler_options={"xla_cpu_foo": True})
    details = {key: value for key, value in program.details.items() if key != "trees"}
    assert details == {
        "function": "double",
        "jax": jax.__version__,
        "cyxla": cx.__version__,
        "compiler_options": {"xla_cpu_foo": True},
    }


def test_donated_arguments_name_the_output_that_takes_their_memory():
    def swap(a, state, b):
        return {"sum": a + b.sum(), "state": (state[1] + 1, state[0])}

    state = (np.ones(4, np.float32), np.ones(4, np.float32))
    program = cx.lower(swap, [VECTOR, state, VECTOR], donate_argnums=(0, 1))
    names = [spec.name for spec in program.outputs]
    aliases = {
        spec.name: names[spec.aliased_output]
        for spec in program.inputs
        if spec.aliased_output >= 0
    }
    assert set(aliases) == {"a", "state.0", "state.1"}
    assert aliases["a"] == "sum"
    assert {aliases["state.0"], aliases["state.1"]} == {"state.0", "state.1"}


@pytest.mark.parametrize(
    "lower",
    [
        lambda: cx.lower(jnp.add, [VECTOR, VECTOR], donate_argnums=1),
        lambda: cx.lower(jax.jit(jnp.add, donate_argnums=1), [VECTOR, VECTOR]),
        lambda: cx.lower(lambda x, y: x + y, [VECTOR, VECTOR], donate_argnames="y"),
    ],
    ids=["number", "jitted", "name"],
)
def test_donation_is_that_of_jit(lower):
    assert [spec.aliased_output for spec in lower().inputs] == [-1, 0]


def test_a_donated_argument_that_nothing_can_use_is_warned_of_as_by_jit():
    with pytest.warns(UserWarning, match="donated buffers were not usable"):
        program = cx.lower(jnp.sum, [VECTOR], donate_argnums=0)
    assert program.inputs[0].aliased_output == -1


def test_run_leaves_donated_arguments_as_they_were():
    executable = cx.compile(lambda x: x.at[0].add(1), VECTOR, donate_argnums=0)
    array = VECTOR.copy()
    for _ in range(3):
        assert executable.run([array])[0].tolist() == [2, 2, 3]
    assert_same_bits(array, VECTOR)


def test_a_platform_can_be_asked_for():
    assert cx.lower(double, [VECTOR], platform="cuda").platform == "cuda"
    assert cx.lower(double, [VECTOR]).platform == "cpu"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((double, VECTOR), {}, "args is a ndarray, expected a list"),
        ((double, "x"), {}, "args is a str, expected a list"),
        (
            (jax.jit(double), [VECTOR]),
            {"static_argnums": 0, "donate_argnames": "x"},
            "static_argnums, donate_argnames cannot be given for a function that is "
            "jitted already; pass them to jax.jit",
        ),
        ((3, [VECTOR]), {}, "Expected a callable value, got 3"),
        ((double, [object()]), {}, "not a valid JAX type|as an abstract array"),
        ((double, [np.array(["a"])]), {}, "not a valid JAX type|as an abstract array"),
    ],
)
def test_wrong_arguments_are_refused(arguments, options, message):
    with pytest.raises(TypeError, match=message):
        cx.lower(*arguments, **options)


def test_an_error_of_the_function_is_passed_on():
    with pytest.raises(ZeroDivisionError):
        cx.lower(lambda x: 1 / 0, [VECTOR])


def test_sizes_that_are_not_numbers_are_refused():
    (size,) = jax.export.symbolic_shape("size")
    with pytest.raises(
        ValueError, match=r"argument x has shape \(size,\), expected si"
    ):
        cx.lower(double, [jax.ShapeDtypeStruct((size,), np.float32)])


def test_custom_calls_have_to_be_named():
    def call(x):
        return jax.ffi.ffi_call("some_target", SHAPE)(x)

    with pytest.raises(ValueError, match="some_target"):
        cx.lower(call, [VECTOR])
    program = cx.lower(call, [VECTOR], custom_calls=["some_target"])
    with pytest.raises(cx.Error, match="No FFI handler registered for some_target"):
        cx.compile_program(program)


def test_ordered_effects_are_refused():
    class Ordered(effects.Effect):
        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return hash(type(self))

        def __str__(self):
            return "Ordered"

        __repr__ = __str__

    def lower_to_nothing(context, x):
        context.set_tokens_out(context.tokens_in)
        return [x]

    effects.ordered_effects.add_type(Ordered)
    effects.lowerable_effects.add_type(Ordered)
    primitive = core.Primitive("ordered")
    primitive.def_effectful_abstract_eval(lambda x: (x, {Ordered()}))
    mlir.register_lowering(primitive, lower_to_nothing)
    with pytest.raises(NotImplementedError, match=r"ordered effects \(Ordered\), and"):
        cx.lower(primitive.bind, [VECTOR])


def test_functions_for_several_devices_are_refused():
    output = output_of(
        """
        import jax
        import numpy as np
        from jax.sharding import AxisType, NamedSharding, PartitionSpec

        import cyxla as cx

        mesh = jax.make_mesh((2,), ("i",), axis_types=(AxisType.Auto,))
        halves = PartitionSpec("i")
        sharding = NamedSharding(mesh, halves)
        functions = [
            jax.jit(lambda x: x, in_shardings=sharding),
            jax.jit(lambda x: x, out_shardings=sharding),
            lambda x: jax.lax.with_sharding_constraint(x, sharding),
            jax.shard_map(
                lambda x: jax.lax.psum(x, "i"),
                mesh=mesh,
                in_specs=halves,
                out_specs=PartitionSpec(),
            ),
        ]
        for function in functions:
            try:
                cx.lower(function, [np.ones(4, np.float32)])
            except ValueError as error:
                print(error)
        """,
        XLA_FLAGS="--xla_force_host_platform_device_count=2",
    )
    expected = "the function is for 2 devices, and cyxla runs programs of one device"
    assert output.splitlines() == [expected] * 4


def test_keyword_arguments_are_a_dict():
    with pytest.raises(TypeError, match="kwargs is a list, expected a dict"):
        cx.lower(jnp.sin, [1.0], [3])


@pytest.mark.parametrize("value", [None, [1], b"bytes"])
def test_compiler_options_of_another_type_are_refused(value):
    options = {"xla_cpu_enable_fast_math": value}
    with pytest.raises(TypeError, match=r"options are .*, expected a dict of"):
        cx.lower(jnp.sin, [1.0], compiler_options=options)
    program = cx.lower(jnp.sin, [1.0])
    with pytest.raises(TypeError, match=r"options are .*, expected a dict of"):
        cx.compile_program(program, compiler_options=options)


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.complex128])
def test_arguments_that_jax_narrows_are_warned_of(dtype):
    argument = np.ones(3, dtype)
    name = np.dtype(dtype).name
    with pytest.warns(UserWarning, match=rf"argument x is given as {name} and lowered"):
        cx.lower(lambda x: x + 1, [argument])
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        cx.lower(lambda x: x + 1, [argument])


def test_numbers_and_static_arguments_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cx.lower(lambda x, y: x + y, [1.5, 2])
        cx.lower(lambda x, n: x * n, [np.float32(1), np.int64(3)], static_argnums=1)
