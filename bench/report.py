"""The results as a table for people and as JSON."""

import json
import os
import platform
import subprocess
from dataclasses import asdict
from importlib import metadata
from statistics import median

import contestants
import cyxla as cx
from measure import Comparison

PACKAGES = (
    "jax jaxlib numpy lammps-jax-pjrt-cpu pypjrt onnxruntime onnx casadi cython"
).split()


def cpu_model():
    """The processor's name, as the kernel tells it."""
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def version_of(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def surroundings(compiler):
    """The machine and the versions of all that takes part."""
    first_line = subprocess.run(
        [*compiler, "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    info = cx.runtime_info()
    return {
        "cyxla": cx.__version__,
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
        "compiler": first_line,
        "pjrt_api": ".".join(map(str, info.pjrt_api_version)),
        "packages": {package: version_of(package) for package in PACKAGES},
    }


def print_surroundings(machine, effort):
    packages = ", ".join(
        f"{name} {version}" if version else f"{name} not installed"
        for name, version in machine["packages"].items()
    )
    print(f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}")
    print(f"Python {machine['python']}, {machine['compiler']}")
    print(f"cyxla {machine['cyxla']} with PJRT API {machine['pjrt_api']}, {packages}")
    print(f"{effort.describe()}; load average {machine['load_average']:.1f}")


def print_times(function, times, absent):
    """What a run of each contestant takes, and how it compares with the bare loop."""
    reference = times[contestants.BARE_PJRT]
    named = {**times, **absent}
    heading = f"{function.title}, {function.dtype}"
    print(f"\n{heading:<56} {'minimum':>11} {'median':>11}   ÷ bare PJRT loop")
    for contestant in contestants.CONTESTANTS:
        if contestant.name not in named:
            continue
        label = f"  {contestant.name} ({contestant.language})"
        if contestant.name in absent:
            print(f"{label:<56} {absent[contestant.name]}")
            continue
        own = times[contestant.name]
        ratio = Comparison.ratio(own, reference)
        print(
            f"{label:<56} {min(own) / 1e3:>8.3f} µs {median(own) / 1e3:>8.3f} µs"
            f"   {ratio.minimum:>7.3f} {ratio.median:>8.3f}"
        )


def print_quantities(quantities):
    """What has no target."""
    print(f"\n{'Starts, files and threads':<66} {'minimum':>9} {'median':>9}")
    for quantity in quantities:
        print(
            f"  {quantity.title:<64} {quantity.minimum:>9.3f} {quantity.median:>9.3f}"
            f" {quantity.unit}".rstrip()
        )


def print_targets(results):
    print(f"\n{'Targets':<74} {'wanted':>9} {'minimum':>9} {'median':>8}")
    for result in results:
        wanted = f"{'≤' if result.is_upper else '≥'} {result.limit:g} {result.unit}"
        if result.minimum is None:
            print(f"  {result.title:<72} {wanted:>9}   {result.note}   met")
            continue
        middle = "" if result.median is None else f"{result.median:.3f}"
        verdict = "met" if result.is_met else "NOT MET"
        print(
            f"  {result.title:<72} {wanted:>9} {result.minimum:>9.3f} {middle:>8}"
            f"   {verdict}"
        )


def write_json(path, machine, effort, times, results, quantities):
    """Everything that was measured, with the nanoseconds of each round."""
    content = {
        "machine": machine,
        "effort": effort.__dict__,
        "targets": [result.as_json() for result in results],
        "quantities": [asdict(quantity) for quantity in quantities],
        "nanoseconds": times,
    }
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
