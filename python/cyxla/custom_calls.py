"""Custom calls: the native functions that programs call by name.

A plugin is a build of XLA of its own, which knows none of them. What jaxlib ships, what
other libraries register with JAX and what is registered here goes to the plugin of the
process when it is loaded, or at once if it is.
"""

import importlib
import warnings

from jaxlib import xla_client

from cyxla import _runtime, callbacks, ffi_types, process
from cyxla.errors import Error
from cyxla.registrations import (
    ADDRESS_MAXIMUM,
    check_integer,
    check_name,
    platform_of,
)

STAGES = ("instantiate", "prepare", "initialize", "execute")

# Modules of jaxlib whose registrations() lists handlers by JAX's names of platforms.
JAXLIB_MODULES = [
    "jaxlib.lapack",
    "jaxlib.cpu_sparse",
    "jaxlib.gpu_solver",
    "jaxlib.gpu_sparse",
    "jaxlib.gpu_linalg",
    "jaxlib.gpu_prng",
]

TRAITS_MAXIMUM = 2**32 - 1

# Targets that are jaxlib's own and cannot work outside of it: they look for Python
# objects that only its client knows.
JAXLIB_ONLY = {
    "dce_sink",
    "xla_ffi_python_cpu_callback",
    "xla_ffi_partitioned_python_cpu_callback",
    "xla_buffer_python_cpu_callback",
}

_known = {}  # (platform, name): (stages, traits), in the order of registration
_takes_handlers = True  # whether the plugin of the process does
_excluded = set()  # names of jaxlib's handlers that the user does not want
_original_register = None


def address_of(function, name):
    """The address of a handler, which is a capsule, an integer or a ctypes function."""
    if isinstance(function, int) and not isinstance(function, bool):
        if not 0 < function <= ADDRESS_MAXIMUM:
            raise ValueError(f"the handler {name} is {function}, which is no address")
        return function
    if type(function).__name__ == "PyCapsule":
        return _runtime.address_of_capsule(function)
    raise TypeError(
        f"the handler {name} is {function!r}, expected a PyCapsule (jax.ffi.pycapsule) "
        "or its address, or a dict of those by stage"
    )


def stages_of(name, handler):
    """The address of each stage's function; TypeError for what is no handler."""
    if not isinstance(handler, dict):
        handler = {"execute": handler}
    unknown = sorted(set(handler) - set(STAGES) - {"record"})
    if unknown or "execute" not in handler:
        raise TypeError(
            f"the handler {name} has the stages {sorted(handler)}, expected execute "
            "and any of instantiate, prepare and initialize"
        )
    if "record" in handler:
        warnings.warn(
            f"the stage record of the handler {name} is left out, since no plugin "
            "takes it; the other stages work",
            stacklevel=3,
        )
    return {
        stage: address_of(handler[stage], name) for stage in STAGES if stage in handler
    }


def register_ffi_target(name, handler, platform="cpu", api_version=1, traits=0):
    """Registers a handler of XLA's typed FFI with the plugin, as ``jax.ffi`` does with
    JAX.

    ``name`` is the target of the custom calls. ``handler`` is a PyCapsule or the
    address of the function, or a dict of those for the stages ``"instantiate"``,
    ``"prepare"``, ``"initialize"`` and ``"execute"``. It has to live as long as the
    process. A handler for another platform than the plugin's waits unused.
    ``api_version`` is 1: plugins do not run the older untyped handlers.
    """
    check_name("a handler", name)
    check_name(f"the platform of the handler {name}", platform)
    if api_version != 1:
        raise ValueError(
            f"the handler {name} has api_version={api_version}, and plugins run "
            "handlers of the typed FFI only (api_version=1)"
        )
    check_integer(f"traits of the handler {name}", traits, 0, TRAITS_MAXIMUM)
    _add(name, stages_of(name, handler), platform_of(platform), traits)


def _add(name, stages, platform, traits):
    """Registers a handler if the plugin is loaded, and keeps it for one that is."""
    with process.lock:
        runtime = process.runtime
        if runtime is not None and runtime.info.platform == platform:
            register(runtime, name, stages, traits)
        _known[platform, name] = (stages, traits)


def register(runtime, name, stages, traits):
    """Registers a handler with a plugin, and warns of a state that it cannot keep."""
    runtime.register_handler(name, runtime.info.platform, stages, traits)
    if "instantiate" in stages:
        number = runtime.state_type(stages["instantiate"])
        if number != 0 and not ffi_types.knows(number):
            warnings.warn(
                f"the handler {name} keeps a state, which its stage instantiate makes, "
                f"of the type with the number {number}. cyxla does not know it, and "
                "programs that call the handler cannot be compiled: JAX does not tell "
                "which types it has. Import cyxla before the library registers its "
                f"types, or call cyxla.register_ffi_type with type_id={number}",
                stacklevel=5,
            )


def mirror_jax_registrations():
    """Passes every later registration with JAX on to the plugin as well.

    Importing cyxla does this, unless CYXLA_MIRROR_JAX=0 is set. A second call does
    nothing.
    """
    global _original_register
    with process.lock:
        if _original_register is None:
            _original_register = xla_client.register_custom_call_target
            xla_client.register_custom_call_target = _register_and_mirror
            ffi_types.mirror_jax_registrations()
            # JAX's registry, where its backend puts what waits, leaves a stage out.
            for name, fn, *rest in queued_targets():
                if isinstance(fn, dict) and "instantiate" in fn:
                    mirror(name, fn, *rest)


def _register_and_mirror(name, fn, platform="cpu", api_version=0, traits=0):
    """In the place of jaxlib's function."""
    # JAX's own error comes first, and its own registration stands whatever we do.
    _original_register(name, fn, platform, api_version, traits)
    mirror(name, fn, platform, api_version, traits)


def mirror(name, fn, platform, api_version, traits):
    """Passes one registration of JAX's on; what cannot be is left with a warning."""
    if api_version != 1 or name in JAXLIB_ONLY or name in _excluded:
        return
    # Of a plugin without custom calls one hears when a program has one.
    if not _takes_handlers:
        return
    try:
        _add(name, stages_of(name, fn), platform_of(platform), int(traits))
    except (Error, TypeError, ValueError) as error:
        warnings.warn(f"a handler of JAX's was not mirrored: {error}", stacklevel=3)


def jaxlib_targets():
    """The handlers that jaxlib ships: ``(name, capsule, platform)`` of each."""
    targets = []
    for module in JAXLIB_MODULES:
        registrations = importlib.import_module(module).registrations()
        for platform, handlers in registrations.items():
            targets += [
                (name, handler, platform_of(platform))
                for name, handler, api_version in handlers
                if api_version == 1
            ]
    return targets


def queued_targets():
    """The handlers that wait for JAX's backend:
    ``(name, handler, platform, api_version, traits)`` of each."""
    with xla_client._custom_callback_lock:
        return [
            (name, fn, platform, api_version, traits)
            for platform, queue in xla_client._custom_callback.items()
            for name, fn, api_version, traits in queue
        ]


def jax_targets():
    """The handlers that are registered with JAX by now, in its queue or its registry,
    which leaves out the stage instantiate."""
    targets = queued_targets()
    for platform in ("Host", "CUDA", "ROCM"):
        for name, fn in xla_client.custom_call_targets(platform).items():
            # Untyped handlers are bare capsules there.
            targets.append((name, fn, platform, 1 if isinstance(fn, dict) else 0, 0))
    return targets


def known_names():
    """The names of all handlers that are known, for which lowering needs no word."""
    names = {name for name, _, _ in jaxlib_targets()}
    # Those that JAX knows are passed on at the latest when the program is compiled.
    names |= {name for name, _, _, version, _ in jax_targets() if version == 1}
    names -= JAXLIB_ONLY
    with process.lock:
        return names | {name for _, name in _known}


def attach(runtime, with_jaxlib):
    """Registers everything that is known with a plugin that was just loaded.

    A handler that the plugin does not take is left out with a warning, so that programs
    that do not call it work.
    """
    global _takes_handlers
    with process.lock:
        platform = runtime.info.platform
        known = _runtime.inspect_plugin(runtime.info.plugin)
        _takes_handlers = "FFI" in known["extensions"]
        if not _takes_handlers:
            return
        # First, since a handler is asked for the type of its state.
        ffi_types.attach(runtime)
        for name, capsule, target_platform in jaxlib_targets():
            if not with_jaxlib:
                # JAX registers them itself when it lowers a call of one.
                _excluded.add(name)
            elif (target_platform, name) not in _known:
                _known[target_platform, name] = (stages_of(name, capsule), 0)
        handler = _runtime.callback_handler()
        _known[platform, callbacks.TARGET] = ({"execute": handler}, 0)
        synchronize()
        for (target_platform, name), (stages, traits) in list(_known.items()):
            if target_platform == platform:
                attach_one(runtime, name, stages, traits)


def attach_one(runtime, name, stages, traits):
    """Registers one handler with a plugin, or warns."""
    try:
        register(runtime, name, stages, traits)
    except Error as error:
        del _known[runtime.info.platform, name]
        warnings.warn(f"a handler is left out: {error}", stacklevel=2)


def synchronize():
    """Passes on what was registered with JAX behind our back, as through a reference to
    jaxlib's function that is older than the mirror."""
    with process.lock:
        ffi_types.synchronize()
        for name, fn, platform, api_version, traits in jax_targets():
            if (platform_of(platform), name) not in _known:
                mirror(name, fn, platform, api_version, traits)


def is_mirroring_wanted():
    """Whether importing cyxla installs the mirror."""
    return _runtime.environment_mirror_jax()


def prepare_lapack(code):
    """Loads the LAPACK of SciPy where a program calls it: jaxlib's handlers crash
    without. It takes a second, so programs without linear algebra do not pay for it."""
    if b"lapack_" in code:
        importlib.import_module("jaxlib.lapack")._lapack.initialize()
