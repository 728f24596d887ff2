"""Types of the states that handlers keep: JAX's and ours, in the plugin.

The registries are the process's, so each test has a process of its own. The library of
handlers is tests/handlers/handlers.c, as somebody else would have it.
"""

import textwrap

import cyxla as cx
import pytest
from plugins_for_tests import CPU_PLUGIN, OLD_CPU_PLUGIN, ROOT, build_library
from scripts import output_of, run_python


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """The library of handlers, twice: each has a type of its own."""
    folder = tmp_path_factory.mktemp("handlers")
    source = ROOT / "tests/handlers/handlers.c"
    return [build_library(folder / f"{name}.so", [source]) for name in ("one", "two")]


PREAMBLE = """
import ctypes, sys, warnings
import jax, jax.numpy as jnp, numpy as np
from jaxlib import xla_client

warnings.simplefilter("always")
warnings.showwarning = lambda message, *_: print("warning:", message)

class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        # That of the oldest jaxlib which is supported.
        ctypes.c_int.in_dll(self.library, "handlers_minor_version").value = 3

    def address(self, name):
        return ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value

    def capsule(self, name):
        return jax.ffi.pycapsule(self.address(name))

    def variable(self, name):
        return ctypes.c_int64.in_dll(self.library, name)

    def stages(self):
        return {"instantiate": self.capsule("counter_instantiate"),
                "execute": self.capsule("counter_execute")}

    def registration(self):
        return {"type_id": self.capsule("counter_type_id"),
                "type_info": self.capsule("counter_type_info")}

    def register_type(self, name="counter", platform="cpu"):
        jax.ffi.register_ffi_type(name, self.registration(), platform=platform)

    def register_target(self, name="counter"):
        jax.ffi.register_ffi_target(name, self.stages())

one, two = map(Library, sys.argv[1:])

def start_backend():
    jax.devices("cpu")

def import_cyxla():
    global cx
    import cyxla as cx

def load_plugin():
    cx.initialize()

def count(name="counter"):
    result = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.ffi.ffi_call(name, result, has_side_effect=True)()

def show_counts(name="counter"):
    function = lambda: count(name)
    try:
        executable = cx.compile(function, custom_calls=[name])
        print([float(executable()) for _ in range(3)])
    except cx.Error as error:
        print("error:", error)

def attempt(function, *arguments):
    try:
        print(function(*arguments))
    except ValueError as error:
        print("error:", error)
"""


def run(libraries, source, **environment):
    """The lines that a script prints behind the preamble."""
    source = PREAMBLE + textwrap.dedent(source)
    return output_of(source, *libraries, **environment).splitlines()


COUNTS = ["[1.0, 2.0, 3.0]"]
IMPORT, TYPE, TARGET = "import_cyxla()", "one.register_type()", "one.register_target()"
BACKEND, PLUGIN = "start_backend()", "load_plugin()"


@pytest.mark.parametrize(
    "steps",
    [
        (IMPORT, PLUGIN, TYPE, TARGET),
        (IMPORT, TYPE, TARGET, BACKEND, PLUGIN),
        (IMPORT, BACKEND, TYPE, PLUGIN, TARGET),
        (IMPORT, TYPE, PLUGIN, BACKEND, TARGET),
        (TYPE, TARGET, IMPORT, PLUGIN, BACKEND),
        (TYPE, TARGET, IMPORT, BACKEND, PLUGIN),
        (TYPE, IMPORT, BACKEND, PLUGIN, TARGET),
        (BACKEND, IMPORT, TYPE, TARGET, PLUGIN),
    ],
    ids=lambda steps: " ".join(step.split("(")[0].split("_")[-1] for step in steps),
)
def test_a_handler_with_state_that_jax_was_told_of_works(libraries, steps):
    source = "\n".join([*steps, "show_counts()", "print(float(jax.jit(count)()))"])
    assert run(libraries, source) == [*COUNTS, "1.0"]


def test_without_the_mirror_types_that_wait_for_jax_s_backend_are_found(libraries):
    source = "\n".join([IMPORT, TYPE, TARGET, PLUGIN, BACKEND, "show_counts()"])
    assert run(libraries, source, CYXLA_MIRROR_JAX="0") == COUNTS


def test_a_type_behind_the_mirror_is_found_when_compiling(libraries):
    source = """
        register = xla_client.register_custom_type
        import_cyxla()
        load_plugin()
        register("counter", one.registration())
        cx.compile(lambda x: x, 1.0)
        one.register_target()
        show_counts()
    """
    found = run(libraries, source)
    # The first compilation started the backend, and JAX forgot the type.
    assert "the handler counter keeps a state" in found[0]
    source = source.replace("cx.compile(", "cx.custom_calls.synchronize() #")
    assert run(libraries, source) == COUNTS


@pytest.mark.parametrize("steps", [(PLUGIN, TARGET), (TARGET, PLUGIN)])
def test_a_type_that_jax_forgot_is_a_warning_that_says_what_to_do(libraries, steps):
    source = "\n".join([BACKEND, TYPE, IMPORT, *steps, "show_counts()"])
    warning, error = run(libraries, source)
    assert warning == (
        "warning: the handler counter keeps a state, which its stage instantiate "
        "makes, of the type with the number 1. cyxla does not know it, and programs "
        "that call the handler cannot be compiled: JAX does not tell which types it "
        "has. Import cyxla before the library registers its types, or call "
        "cyxla.register_ffi_type with type_id=1"
    )
    assert "Type id 1 is not registered" in error
    source += """
cx.register_ffi_type("counter", type_id=1, deleter=one.address("counter_delete"))
show_counts()
"""
    assert run(libraries, source)[2:] == COUNTS


def test_a_bundle_that_jax_forgot_is_an_error_of_the_run(libraries):
    source = "\n".join([BACKEND, TYPE, TARGET, IMPORT, "show_counts()"])
    (error,) = run(libraries, source)
    assert error == "error: the plugin cannot run the program: State is not set"


def test_a_bundle_that_jax_forgot_can_be_registered_before_the_plugin(libraries):
    source = """
        start_backend()
        one.register_type()
        one.register_target()
        import_cyxla()
        type_id = one.variable("counter_type_id").value
        cx.register_ffi_type("counter", type_id, one.address("counter_delete"))
        cx.register_ffi_target("counter", one.stages())
        show_counts()
    """
    assert run(libraries, source) == COUNTS


def test_states_are_freed_by_the_deleter_of_their_type(libraries):
    source = """
        import gc
        import_cyxla()
        one.register_type("one")
        two.register_type("two")
        one.register_target("one")
        two.register_target("two")
        names = ("one", "two", "two")
        executables = [cx.compile(lambda: count(name)) for name in names]
        print([float(executable()) for executable in executables])
        del executables
        gc.collect()
        print(*[library.variable("num_deleted").value for library in (one, two)])
    """
    assert run(libraries, source) == ["[1.0, 1.0, 1.0]", "1 2"]


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_type_and_a_handler_are_registered_without_jax(libraries, is_loaded):
    source = f"""
        import_cyxla()
        if {is_loaded}:
            load_plugin()
        number = cx.register_ffi_type("counter", deleter=one.address("counter_delete"))
        print(number == cx.register_ffi_type("counter"))
        one.variable("counter_type_id").value = number
        cx.register_ffi_target("counter", one.stages())
        show_counts()
    """
    assert run(libraries, source) == ["True", *COUNTS]


def test_numbers_of_ours_are_none_of_jax_s(libraries):
    source = """
        import_cyxla()
        load_plugin()
        ours = [cx.register_ffi_type(name) for name in ("a", "b")]
        one.register_type("c")
        two.register_type("d")
        jax_s = [library.variable("counter_type_id").value for library in (one, two)]
        print(jax_s, min(ours) > 1000, len({*ours, *jax_s}))
    """
    assert run(libraries, source) == ["[1, 2] True 4"]


def test_a_type_may_be_registered_with_jax_and_with_cyxla(libraries):
    source = """
        import_cyxla()
        delete = one.address("counter_delete")
        one.register_type()
        load_plugin()
        print(cx.register_ffi_type("counter", deleter=delete))
        two.variable("counter_type_id").value = cx.register_ffi_type(
            "other", deleter=two.address("counter_delete")
        )
        two.register_type("other")
        two.register_target("other")
        show_counts("other")
    """
    assert run(libraries, source) == ["1", *COUNTS]


def test_numbers_that_would_make_types_alike_are_refused(libraries):
    source = """
        import_cyxla()
        attempt(cx.register_ffi_type, "a", 7, 64)
        attempt(cx.register_ffi_type, "b", 7)
        attempt(cx.register_ffi_type, "a", 8, 64)
        attempt(cx.register_ffi_type, "a", 7, 72)
        one.variable("counter_type_id").value = 7
        load_plugin()
        one.register_type("c")
    """
    alike = "which the type a has already, and numbers tell types apart"
    known = "error: the type a is registered with the number 7 and the deleter 0x40"
    assert run(libraries, source) == [
        "7",
        f"error: the type b has the number 7, {alike}",
        f"{known} already, found 8 and 0x40",
        f"{known} already, found 7 and 0x48",
        "warning: the type c of JAX's was not mirrored: the type c has the number 7, "
        + alike,
    ]


def test_a_type_without_its_information_is_passed_on(libraries):
    source = """
        import_cyxla()
        load_plugin()
        jax.ffi.register_ffi_type("bare", {"type_id": one.capsule("counter_type_id")})
        print(cx.register_ffi_type("bare"), one.variable("counter_type_id").value)
    """
    assert run(libraries, source) == ["1 1"]


def test_a_type_of_another_platform_waits(libraries):
    source = """
        import_cyxla()
        load_plugin()
        one.register_type("counter", "gpu")
        print(one.variable("counter_type_id").value)
        print(cx.register_ffi_type("counter", 5))
    """
    assert run(libraries, source) == ["0", "5"]


def test_a_handler_whose_type_has_no_number_is_not_mirrored(libraries):
    source = """
        import_cyxla()
        load_plugin()
        one.register_target()
    """
    (warning,) = run(libraries, source)
    assert "a handler of JAX's was not mirrored" in warning
    assert "the type of the state has no number" in warning


def test_a_registration_that_jax_s_queue_takes_unseen_is_a_warning(libraries):
    source = """
        import_cyxla()
        load_plugin()
        jax.ffi.register_ffi_type("broken", {"type_info": one.capsule("scale")})
    """
    assert run(libraries, source) == [
        "warning: the type broken of JAX's was not mirrored: 'type_id'"
    ]


def test_an_error_of_jax_s_comes_first(libraries):
    source = """
        import_cyxla()
        load_plugin()
        start_backend()
        one.register_type()
        try:
            two.register_type()
        except jax.errors.JaxRuntimeError as error:
            print(error)
    """
    (error,) = run(libraries, source)
    assert "already registered" in error


def test_a_type_that_the_plugin_does_not_take_is_left_out(libraries):
    source = """
        import_cyxla()
        runtime = cx._runtime.Runtime(sys.argv[3], "cpu", {})
        runtime.register_type("counter", 5, 0)
        cx.register_ffi_type("counter", 6)
        load_plugin()
        print(cx.register_ffi_type("other", 6))
    """
    source = source.replace("sys.argv[3]", repr(str(CPU_PLUGIN)))
    warning, number = run(libraries, source)
    assert "a type is left out: cannot register the type counter" in warning
    assert "already registered with type id 5" in warning
    assert number == "6"


def test_a_plugin_of_an_old_ffi_is_no_obstacle(libraries):
    source = PREAMBLE + textwrap.dedent(
        f"""
        import_cyxla()
        one.register_type()
        cx.initialize({str(OLD_CPU_PLUGIN)!r}, platform="cpu")
        two.register_type("two")
        print(cx.compile(lambda x: x + 1, np.float32(0))(0))
        """
    )
    process = run_python("-c", source, *libraries)
    assert (process.returncode, process.stdout) == (0, "1.0\n")


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("",), ValueError, "a type is called ''"),
        (("t", 2**70), ValueError, "type_id of t is 1180"),
        (("t", "5"), TypeError, "type_id of t is '5', expected an int"),
        (("t", 0, -1), ValueError, "deleter of t is -1"),
    ],
)
def test_a_type_that_c_cannot_hold_is_refused(arguments, kind, message):
    with pytest.raises(kind, match=message):
        cx.register_ffi_type(*arguments)
