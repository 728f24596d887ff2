"""Custom calls: handlers of JAX's, of other libraries and of ours, in the plugin.

The registries are the process's, so each test has a process of its own. The library of
handlers is tests/handlers/handlers.c, as somebody else would have it.
"""

import textwrap

import cyxla as cx
import pytest
from plugins_for_tests import OLD_CPU_PLUGIN, ROOT, build_library
from scripts import output_of, run_python


@pytest.fixture(scope="module")
def handlers(tmp_path_factory):
    """The library of handlers."""
    path = tmp_path_factory.mktemp("handlers") / "handlers.so"
    build_library(path, [ROOT / "tests/handlers/handlers.c"])
    return path


PREAMBLE = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
import jax, jax.numpy as jnp, numpy as np
{first}
def call(target, *arguments, **attributes):
    result = jax.ShapeDtypeStruct((3,), jnp.float32)
    return jax.ffi.ffi_call(target, result)(*arguments, **attributes)
def scaled(x):
    return call("scale", x, factor=np.float32(3))
x = np.arange(3, dtype=np.float32)
capsule = jax.ffi.pycapsule(library.scale)
def address(name):
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
"""

IMPORT = "import cyxla as cx"


def run(library, source, first=IMPORT, **environment):
    """What a script prints behind the preamble."""
    source = PREAMBLE.format(first=first) + textwrap.dedent(source)
    return output_of(source, library, **environment)


def test_a_handler_that_was_registered_before_the_import_is_found(handlers):
    source = """
        jax.ffi.register_ffi_target("scale", capsule, platform="cpu")
        import cyxla as cx
        print(cx.compile(scaled, x, custom_calls=["scale"])(x))
    """
    assert run(handlers, source, first="").strip() == "[0. 3. 6.]"


def test_a_handler_that_jax_s_backend_holds_already_is_found(handlers):
    source = """
        jax.ffi.register_ffi_target("scale", capsule, platform="cpu")
        print(jax.jit(scaled)(x))
        import cyxla as cx
        print(cx.compile(scaled, x, custom_calls=["scale"])(x))
    """
    assert run(handlers, source, first="").split("\n")[1] == "[0. 3. 6.]"


def test_a_handler_that_is_registered_with_jax_later_is_mirrored(handlers):
    source = """
        cx.initialize()
        jax.ffi.register_ffi_target("scale", capsule, platform="cpu")
        print(cx.compile(scaled, x)(x), jax.jit(scaled)(x))
    """
    assert run(handlers, source).strip() == "[0. 3. 6.] [0. 3. 6.]"


def test_a_registration_behind_the_mirror_is_found_when_compiling(handlers):
    source = """
        cx.initialize()
        jax.ffi.register_ffi_target("scale", capsule, platform="cpu")
        print(cx.compile(scaled, x, custom_calls=["scale"])(x))
    """
    assert run(handlers, source, CYXLA_MIRROR_JAX="0").strip() == "[0. 3. 6.]"


def test_the_mirror_can_be_installed_later_and_once(handlers):
    source = """
        from jaxlib import xla_client
        original = xla_client.register_custom_call_target
        cx.mirror_jax_registrations()
        mirror = xla_client.register_custom_call_target
        cx.mirror_jax_registrations()
        print(mirror is not original, xla_client.register_custom_call_target is mirror)
    """
    found = run(handlers, source, CYXLA_MIRROR_JAX="0")
    assert found.strip() == "True True"
    assert run(handlers, source).strip() == "False True"


@pytest.mark.parametrize(
    "handler", ["capsule", "address('scale')", "{'execute': capsule}"]
)
@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_handler_is_registered_without_jax(handlers, handler, is_loaded):
    source = f"""
        if {is_loaded}:
            cx.initialize()
        cx.register_ffi_target("scale", {handler}, platform="cpu")
        print(cx.compile(scaled, x)(x))
    """
    assert run(handlers, source).strip() == "[0. 3. 6.]"


WEIGHED = """
    cx.register_ffi_target("weigh", address("weigh"))
    def weighed(*arguments, **attributes):
        result = jax.ShapeDtypeStruct((), jnp.float32)
        attributes = {"weights": np.array([1, 10, 100], np.float32), **attributes}
        return jax.ffi.ffi_call("weigh", result)(*arguments, **attributes)
    def show(*arguments, **attributes):
        function = lambda *arguments: weighed(*arguments, **attributes)
        try:
            print(cx.compile(function, *arguments)(*arguments))
        except cx.Error as error:
            print(error)
"""


def test_attributes_of_all_kinds_reach_the_handler(handlers):
    source = """
        show(x, name="four")
        for scale in (np.float32(2), np.float64(2), np.int32(2), np.int64(2), True):
            show(x, name="four", scale=scale)
    """
    found = run(handlers, textwrap.dedent(WEIGHED) + textwrap.dedent(source)).split()
    assert found == ["214.0", "424.0", "424.0", "424.0", "424.0", "214.0"]


def test_attributes_and_arguments_of_the_wrong_kind_are_the_handler_s_error(handlers):
    source = """
        show(x, x, name="four")
        show(x.astype(np.int32), name="four")
        show(x)
        show(x, name=np.int32(4))
        show(x, name="four", weights=np.array([1, 2, 3], np.int32))
        show(x, name="four", scale="two")
    """
    found = run(handlers, textwrap.dedent(WEIGHED) + textwrap.dedent(source))
    lines = found.strip().split("\n")
    assert "weigh takes one float32 array, found 2 arguments" in lines[0]
    assert "weigh takes one float32 array, found 1 arguments" in lines[1]
    for line in lines[2:5]:
        assert "weigh needs an array of weights and a name" in line
    assert lines[5] == "214.0"


def test_the_text_of_a_handler_s_error_reaches_the_caller(handlers):
    source = """
        cx.register_ffi_target("scale", capsule)
        executable = cx.compile(lambda x: call("scale", x), x)
        try:
            executable(x)
        except cx.Error as error:
            print(error.status, error)
    """
    found = run(handlers, source)
    assert found.startswith("INVALID_ARGUMENT")
    assert "scale needs the attribute factor, a float32" in found


def test_a_handler_of_a_newer_version_is_wrapped_or_refused(handlers):
    source = """
        version = ctypes.c_int.in_dll(library, "handlers_minor_version")
        cx.initialize()
        version.value = 5
        cx.register_ffi_target("scale", capsule)
        print(cx.compile(scaled, x)(x))
        version.value = 9
        try:
            cx.register_ffi_target("scale2", address("scale"))
        except cx.Error as error:
            print(error)
    """
    found = run(handlers, source).split("\n")
    assert found[0] == "[0. 3. 6.]"
    assert "scale2 was built with version 0.9 of XLA's FFI" in found[1]
    assert "the plugin has version 0.4" in found[1]


def test_a_handler_of_jax_s_that_cannot_be_mirrored_is_a_warning(handlers):
    source = """
        import warnings
        cx.initialize()
        version = ctypes.c_int.in_dll(library, "handlers_minor_version")
        version.value = 9
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cx.custom_calls.mirror("scale", capsule, "cpu", 1, 0)
        print(caught[0].message)
    """
    found = run(handlers, source)
    assert "a handler of JAX's was not mirrored" in found
    assert "0.9" in found


def test_a_handler_of_another_platform_waits(handlers):
    source = """
        cx.register_ffi_target("scale", capsule, platform="CUDA")
        try:
            cx.compile(scaled, x)
        except cx.Error as error:
            print(error)
    """
    found = run(handlers, source)
    assert "No FFI handler registered for scale on a platform Host" in found
    assert "register a handler of XLA's typed FFI under that name first" in found


def test_an_untyped_call_names_the_target_and_the_interface(handlers):
    source = """
        def untyped(x):
            result = jax.ShapeDtypeStruct((3,), jnp.float32)
            return jax.ffi.ffi_call("old", result, custom_call_api_version=2)(x)
        try:
            cx.compile(untyped, x, custom_calls=["old"])
        except cx.Error as error:
            print(error)
    """
    found = run(handlers, source)
    assert "untyped custom call to old" in found
    assert "api_version" in found


def test_lower_names_a_target_that_it_does_not_know(handlers):
    source = """
        try:
            cx.lower(scaled, [x])
        except ValueError as error:
            print(error)
    """
    assert "scale" in run(handlers, source)


def test_the_stage_record_is_left_out_with_a_warning():
    with pytest.warns(UserWarning, match="the stage record of the handler tape"):
        stages = cx.custom_calls.stages_of("tape", {"execute": 8, "record": 16})
    assert stages == {"execute": 8}


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        ({"instantiate": 8}, "has the stages .'instantiate'., expected execute"),
        ({"execute": 8, "finish": 8}, "'finish'"),
        ("scale", "the handler bad is 'scale', expected a PyCapsule"),
        ({"execute": None}, "the handler bad is None"),
    ],
)
def test_what_is_no_handler_is_refused(handler, message):
    with pytest.raises(TypeError, match=message):
        cx.register_ffi_target("bad", handler)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("n\0", 8), ValueError, "a handler is called 'n\\\\x00'"),
        (("", 8), ValueError, "a handler is called ''"),
        ((3, 8), TypeError, "a handler is called 3, expected a str"),
        (("n", True), TypeError, "the handler n is True, expected a PyCapsule"),
        (("n", -1), ValueError, "the handler n is -1, which is no address"),
        (("n", 0), ValueError, "the handler n is 0, which is no address"),
        (("n", 2**80), ValueError, "which is no address"),
        (("n", 8, 3), TypeError, "the platform of the handler n is called 3"),
        (("n", 8, "cpu", 1, -1), ValueError, "traits of the handler n is -1"),
        (("n", 8, "cpu", 1, 2**70), ValueError, "traits of the handler n is 1180"),
        (("n", 8, "cpu", 1, 1.5), TypeError, "traits of the handler n is 1.5"),
    ],
)
def test_a_registration_that_c_cannot_hold_is_refused(arguments, kind, message):
    with pytest.raises(kind, match=message):
        cx.register_ffi_target(*arguments)


def test_an_untyped_handler_is_refused():
    with pytest.raises(ValueError, match="bad has api_version=0"):
        cx.register_ffi_target("bad", 8, api_version=0)


def test_without_jaxlib_s_targets_linear_algebra_is_missing():
    source = """
        import cyxla as cx, jax.numpy as jnp, numpy as np
        cx.initialize(jax_targets=False)
        try:
            cx.compile(jnp.linalg.cholesky, np.eye(2, dtype=np.float32))
        except cx.Error as error:
            print(error)
    """
    assert "No FFI handler registered for lapack_spotrf_ffi" in output_of(source)


def test_a_program_of_a_file_finds_lapack_without_lowering(tmp_path):
    path = tmp_path / "cholesky.cyxla"
    source = f"""
        import cyxla as cx, jax.numpy as jnp, numpy as np
        program = cx.lower(jnp.linalg.cholesky, [np.eye(2, dtype=np.float32)])
        cx.save({str(path)!r}, program)
    """
    output_of(source)
    source = f"""
        import cyxla as cx
        (factor,) = cx.load({str(path)!r}).run([[[4, 2], [2, 5]]])
        print(factor.tolist())
    """
    assert output_of(source).strip() == "[[2.0, 0.0], [1.0, 2.0]]"


def test_a_plugin_of_an_old_ffi_is_no_obstacle():
    source = f"""
        import cyxla as cx, jax.numpy as jnp, numpy as np
        cx.initialize({str(OLD_CPU_PLUGIN)!r}, platform="cpu")
        print(cx.compile(jnp.sin, np.float32(0))(0))
    """
    process = run_python("-c", textwrap.dedent(source))
    assert process.returncode == 0
    assert process.stdout.strip() == "0.0"


def test_a_handler_that_the_plugin_does_not_take_is_left_out(handlers):
    source = """
        import warnings
        version = ctypes.c_int.in_dll(library, "handlers_minor_version")
        version.value = 9
        cx.register_ffi_target("scale", capsule)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            print(cx.compile(lambda x: x + 1, x)(x))
        print([str(warning.message) for warning in caught])
        version.value = 4
        cx.register_ffi_target("scale", capsule)
        print(cx.compile(scaled, x)(x))
    """
    found = run(handlers, source).splitlines()
    assert found[0] == "[1. 2. 3.]"
    assert "a handler is left out: the handler scale was built with" in found[1]
    assert found[2] == "[0. 3. 6.]"
