"""One function at several sizes, saved in one file."""

import dataclasses
import gc

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from comparing import assert_same_bits
from cyxla import _runtime, artifacts, runtime
from jax import export


def whiten(x, weights):
    """A function that a symbolic size makes hard: linear algebra, sorting, indices."""
    matrix = jnp.linalg.cholesky(x.T @ x + jnp.eye(x.shape[1], dtype=x.dtype))
    return {
        "sorted": jnp.sort(x, axis=0) * weights.sum(),
        "factor": matrix,
        "top": jnp.argsort(x[:, 0])[:2],
    }


def array(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def spec(*shape):
    return jax.ShapeDtypeStruct(shape, np.float32)


def assert_as_jitted(executable, *arguments):
    found = executable(*arguments)
    expected = jax.jit(whiten)(*arguments)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert_same_bits(found[name], value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "whiten.cyxla"


@pytest.fixture(scope="module")
def program():
    """The function at three sizes."""
    return cx.Program.join(
        [cx.lower(whiten, [spec(n, 3), spec(m)]) for n, m in [(4, 9), (5, 9), (5, 11)]]
    )


def test_each_size_is_compiled_saved_and_picked(path):
    cx.save(path, whiten, shapes=[[spec(4, 3), spec(9)], (array(5, 3), array(9))])
    program = cx.Program.load(path)
    assert [[spec.shape for spec in size.inputs] for size in program.sizes] == [
        [(4, 3), (9,)],
        [(5, 3), (9,)],
    ]
    assert [len(size.executables) for size in program.sizes] == [1, 1]
    for n in [4, 5]:
        executable = cx.load(path, [(n, 3)])
        assert executable.is_deserialized
        assert_as_jitted(executable, array(n, 3), array(9))


@pytest.mark.parametrize("kind", ["function", "exported"])
def test_symbolic_dimensions_get_the_sizes_that_are_wanted(path, kind):
    (n,) = export.symbolic_shape("n", constraints=["n>=3"])
    arguments = [spec(n, 3), spec(2 * n + 1)]
    sizes = [{"n": 3}, {"n": np.int64(10)}]
    if kind == "function":
        cx.save(path, whiten, shapes=sizes, args=arguments)
    else:
        cx.save(path, export.export(jax.jit(whiten))(*arguments), shapes=sizes)
    for n in [3, 10]:
        assert_as_jitted(
            cx.load(path, [(n, 3), array(2 * n + 1)]), array(n, 3), array(2 * n + 1)
        )


def test_what_jax_exported_is_lowered_under_its_own_name():
    exported = export.export(jax.jit(whiten))(spec(4, 3), spec(9))
    program = cx.lower(exported, [spec(4, 3), spec(9)])
    assert program.details["function"] == "whiten"
    assert [spec.name for spec in program.inputs] == ["args.0", "args.1"]
    executable, _ = cx.compile_program(program)
    assert_as_jitted(executable, array(4, 3), array(9))
    with pytest.raises(ValueError, match="args"):
        cx.lower(exported, [spec(5, 3), spec(9)])


@pytest.mark.parametrize(
    ("shapes", "error", "message"),
    [
        ([{"n": 2}], ValueError, r"shapes\[0\] is .* constraint .* is n>=3"),
        ([{"m": 4}], ValueError, "has sizes for m, and the symbolic dimensions are n"),
        ([{}], ValueError, "has sizes for nothing"),
        ([{"n": -1}], ValueError, "has -1 for n, expected a number of 0 or more"),
        ([{"n": 4.0}], ValueError, "has 4.0 for n"),
        ([{"n": True}], ValueError, "has True for n"),
        ([{"n": 2**63}], ValueError, "has 9223372036854775808 for n"),
        ([{"n": 2**62}], ValueError, r"2\*n is too large then"),
        ([{"n": 4}, {"n": 4}], cx.Error, "two sizes of the program have the same"),
        ([[spec(4, 3)]], TypeError, r"shapes\[0\] is a list, expected a dict"),
        ([3], TypeError, r"shapes\[0\] is 3, expected a list"),
        ([], TypeError, "shapes is "),
        ({"n": 4}, TypeError, "shapes is .*, expected a list"),
    ],
)
def test_sizes_that_are_none_are_refused(path, shapes, error, message):
    (n,) = export.symbolic_shape("n", constraints=["n>=3"])
    with pytest.raises(error, match=message):
        cx.save(path, whiten, shapes=shapes, args=[spec(n, 3), spec(2 * n)])
    assert not path.exists()


def test_constraints_and_differences_of_sizes_are_checked(path):
    n, m = export.symbolic_shape("n, m", constraints=["m >= n"])

    def save(size):
        cx.save(
            path, lambda x: x + 1, shapes=[size], args=[spec(m, n), spec(m - n)][:1]
        )

    save({"n": 2, "m": 2})
    with pytest.raises(ValueError, match="a constraint of the symbolic dimensions"):
        save({"n": 3, "m": 2})
    (k,) = export.symbolic_shape("k")
    with pytest.raises(ValueError, match=r"makes the shape \(k - 3,\) .* \(-1,\)"):
        cx.save(path, lambda x: x + 1, shapes=[{"k": 2}], args=[spec(k - 3)])


def test_what_a_dimension_divides_by_is_not_0(path):
    n, m = export.symbolic_shape("n, m")
    with pytest.raises(ValueError, match="divides by 0 then"):
        cx.save(path, jnp.sum, shapes=[{"n": 4, "m": 0}], args=[spec(n // m)])


def test_arguments_without_symbols_stay_as_they_are(path):
    (n,) = export.symbolic_shape("n")
    cx.save(path, lambda x, y: x + y, shapes=[{"n": 3}], args=[spec(n), 2.0])
    assert [spec.shape for spec in cx.load(path).inputs] == [(3,), ()]


def test_lists_are_options_of_a_client():
    with pytest.raises(cx.Error, match="sizes"):
        _runtime.Runtime(runtime.runtime_for("cpu").info.plugin, "cpu", {"sizes": [1]})


def test_weak_types_of_symbolic_arguments_are_kept(path):
    (n,) = export.symbolic_shape("n")
    arguments = [
        jax.ShapeDtypeStruct((n,), np.float32, weak_type=True),
        jax.ShapeDtypeStruct((n,), np.float16),
    ]
    cx.save(path, lambda x, y: x * y, shapes=[{"n": 3}], args=arguments)
    assert cx.Program.load(path).outputs[0].dtype == np.float16


def test_arguments_are_a_list(path):
    with pytest.raises(TypeError, match="args is a ShapeDtypeStruct, expected a list"):
        cx.save(path, jnp.sum, shapes=[{"n": 3}], args=spec(3))


def test_functions_that_call_what_jax_exported_are_lowered():
    (n,) = export.symbolic_shape("n", constraints=["n>=3"])
    exported = export.export(jax.jit(whiten))(spec(n, 3), spec(9))
    executable = cx.compile(exported.call, array(4, 3), array(9))
    assert_as_jitted(executable, array(4, 3), array(9))
    gradient = cx.compile(
        jax.grad(lambda x: exported.call(x, array(9))["factor"].sum()), array(4, 3)
    )
    assert np.isfinite(gradient(array(4, 3))).all()


def test_what_was_exported_for_several_platforms_is_for_the_plugin_s():
    exported = export.export(jax.jit(jnp.sin), platforms=["cuda", "cpu"])(spec(3))
    assert cx.lower(exported, [spec(3)]).platform == "cpu"


def test_code_whose_symbols_cannot_be_settled_is_refused():
    (n,) = export.symbolic_shape("n", constraints=["n>=3"])
    exported = export.export(jax.jit(jnp.sin))(spec(n))
    with pytest.raises(ValueError, match="n>=3"):
        cx.lower(exported, [spec(2)])
    with pytest.raises(
        ValueError, match="dimensions of the function cannot be settled"
    ):
        artifacts.refined(exported.mlir_module_serialized[:60])


def test_a_constraint_on_a_dimension_that_no_argument_has_is_passed_over(path):
    n, _ = export.symbolic_shape("n, m", constraints=["m >= n"])
    cx.save(path, lambda x: x + 1, shapes=[{"n": 2}], args=[spec(n)])
    assert cx.load(path).inputs[0].shape == (2,)


def test_keyword_arguments_are_those_of_all_sizes(path):
    def scale(x, *, by):
        return x * by

    cx.save(path, scale, shapes=[[spec(2)], [spec(3)]], kwargs={"by": np.float32(2)})
    executable = cx.load(path, {"x": (3,)})
    assert_same_bits(executable(array(3), by=np.float32(5)), array(3) * np.float32(5))


def test_options_of_lowering_are_passed_on(path):
    cx.save(path, whiten, shapes=[[spec(4, 3), spec(9)]], donate_argnums=0)
    assert cx.load(path).inputs[0].aliased_output >= 0
    with pytest.raises(TypeError, match="no_option"):
        cx.save(path, whiten, shapes=[[spec(4, 3), spec(9)]], no_option=1)


def test_dicts_of_sizes_need_arguments_with_symbols(path):
    with pytest.raises(TypeError, match="give args with symbolic dimensions"):
        cx.save(path, whiten, shapes=[{"n": 4}])
    with pytest.raises(ValueError, match="the symbolic dimensions are none"):
        cx.save(path, whiten, shapes=[{"n": 4}], args=[spec(4, 3), spec(9)])
    exported = export.export(jax.jit(whiten))(spec(4, 3), spec(9))
    cx.save(path, exported, shapes=[[spec(4, 3), spec(9)]])
    assert cx.load(path).inputs[0].shape == (4, 3)
    with pytest.raises(TypeError, match="args and kwargs cannot be given"):
        cx.save(path, exported, shapes=[{}], args=[spec(4, 3), spec(9)])


def test_what_is_lowered_already_has_its_shapes(path, program):
    with pytest.raises(TypeError, match="shapes, static_argnums cannot be given"):
        cx.save(path, program, shapes=[[spec(3)]], static_argnums=0)
    with pytest.raises(TypeError, match="to save, expected a Program"):
        cx.save(path, 3)


def test_a_joined_program_is_saved_and_loaded_with_all_sizes(path, program):
    cx.save(path, program.sizes[1])
    loaded = cx.Program.load(path)
    assert [size.inputs for size in loaded.sizes] == [
        size.inputs for size in program.sizes
    ]
    assert [size.code for size in loaded.sizes] == [size.code for size in program.sizes]
    # A size outlives the program that it was asked of.
    last = loaded.sizes[-1]
    assert last.sizes[-1] is last
    del loaded
    executable, _ = cx.compile_program(last)
    assert_as_jitted(executable, array(5, 3), array(11))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([], "saved at 3 sizes, and none was asked for"),
        ([(5, 3)], r"2 sizes of the program have the inputs x\[5,3\]"),
        ({"x": (6, 3)}, r"has no size for x\[6,3\]; .* it has: x\[4,3\] weigh"),
        ({"y": (6, 3)}, "the program has no input y; its first is x"),
    ],
)
def test_a_size_that_is_not_there_is_named(program, shapes, message):
    with pytest.raises(cx.Error, match=message):
        program.pick(shapes)


def test_sizes_are_picked_by_place_or_name(program):
    sizes = program.sizes
    assert program.pick([None, (11,)]).inputs == sizes[2].inputs
    assert program.pick({"x": (5, 3), "weights": array(9)}).inputs == sizes[1].inputs
    with pytest.raises(ValueError, match="3 shapes are given, and the program has 2"):
        program.pick([(4, 3), (9,), (1,)])
    for shape in [5, (5.0, 3), (-5, 3), (2**63, 3), "53"]:
        with pytest.raises(TypeError, match="the shape of input x is"):
            program.pick([shape])


def test_sizes_of_one_function_are_alike(program):
    other = cx.lower(whiten, [spec(4, 3), np.ones(9, np.float16)])
    with pytest.raises(cx.Error, match="differ in shapes only"):
        cx.Program.join([program, other])
    with pytest.raises(cx.Error, match="the same shapes of all inputs"):
        cx.Program.join([program, cx.lower(whiten, [spec(4, 3), spec(9)])])
    with pytest.raises(TypeError, match="found 3 to join"):
        cx.Program.join([program, 3])
    with pytest.raises(cx.Error, match="0 programs"):
        cx.Program.join([])


def test_a_size_lives_as_long_as_what_refers_to_it(program):
    class Holder:
        pass

    holder = Holder()
    holder.myself, holder.size = holder, program.sizes[1]
    del holder
    gc.collect()
    assert len(program.sizes) == 3


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    """A pytree of a type that a file cannot hold."""

    x: object


def test_joined_programs_keep_their_pytrees():
    def double(state):
        return State(2 * state.x)

    joined = cx.Program.join([cx.lower(double, [State(array(n))]) for n in (2, 3)])
    for size in [*joined.sizes, joined.pick([(3,)]), joined.for_stablehlo("1.13.3")]:
        executable, _ = cx.compile_program(size)
        n = executable.inputs[0].shape[0]
        assert_same_bits(executable(State(array(n))).x, 2 * array(n))


def test_what_is_done_to_a_program_is_done_to_all_its_sizes(path, program, tmp_path):
    options = {"xla_cpu_enable_fast_min_max": True}
    executable, _ = cx.compile_program(program.sizes[2], compiler_options=options)
    cx.save(path, executable)
    loaded = cx.Program.load(path)
    assert [size.inputs for size in loaded.sizes] == [
        size.inputs for size in program.sizes
    ]
    assert {size.compile_options for size in loaded.sizes} == {
        executable.program.compile_options
    }
    assert executable.inputs == program.sizes[2].inputs


def test_all_sizes_are_kept_in_the_cache(program, tmp_path, monkeypatch):
    monkeypatch.setenv("CYXLA_CACHE_DIR", str(tmp_path / "cache"))
    key = cx.cache_key("whiten", [array(3)])
    assert cx.store_lowered(key, program)
    assert len(cx.load_lowered(key).sizes) == 3


def test_names_of_inputs_are_texts(program):
    for sizes in [{3: 3}, {"n": 3, None: 4}]:
        with pytest.raises(
            TypeError, match="expected the names of symbolic dimensions"
        ):
            cx.save("x", whiten, shapes=[sizes], args=[spec(4, 3), spec(9)])
    for name in [1, None]:
        with pytest.raises(TypeError, match=f"found {name} as the name of an input"):
            program.pick({name: (3,)})


def test_programs_that_call_python_are_not_joined():
    program = cx.lower(lambda x: jax.debug.print("{}", x), [array(3)])
    with pytest.raises(ValueError, match="calls the Python function"):
        cx.Program.join([program])
