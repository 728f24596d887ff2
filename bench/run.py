"""Measures cyxla beside its alternatives and prints tables. See README.md."""

import argparse
import os
from dataclasses import replace
from pathlib import Path

# JAX reads these when it is imported: one precision for all, and no search for a GPU.
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "cpu"

# What is measured is compiled here and now, and the user's own cache is left alone.
os.environ["CYXLA_CACHE_DIR"] = "none"

import contestants
import direct_calls
import functions
import kernel_loop
import measure
import native_build
import numpy as np
import report
import sizes
import starts
import targets


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--prefix", required=True, type=Path, help="where the C library is installed"
    )
    parser.add_argument(
        "--output", required=True, type=Path, help="folder for what is built and found"
    )
    parser.add_argument(
        "--quick", action="store_true", help="hardly measure, only try everything"
    )
    parser.add_argument("--rounds", type=int, help="of each comparison")
    return parser.parse_args()


def check_outputs(contestant, loop, function):
    """Raises AssertionError unless a contestant computes what JAX does."""
    for found, expected in zip(loop.outputs(), function.outputs, strict=True):
        np.testing.assert_allclose(
            found, expected, rtol=1e-5, atol=1e-6, err_msg=contestant.name
        )


def prepare(setting, candidates):
    """The loops of the contestants, and why others are absent."""
    loops, absent = {}, {}
    for contestant in candidates:
        if contestant.functions and setting.function.name not in contestant.functions:
            continue
        try:
            loop = contestant.prepare(setting)
        except ModuleNotFoundError as error:
            absent[contestant.name] = f"{error.name} is not installed"
            continue
        except contestants.Absent as reason:
            absent[contestant.name] = str(reason)
            continue
        check_outputs(contestant, loop, setting.function)
        loops[contestant.name] = loop
    return loops, absent


def measure_functions(settings, small_settings, effort):
    """All contestants on some functions and those in C on more: times and targets."""
    times, results, kernels = {}, [], {}
    for setting in settings + small_settings:
        candidates = (
            contestants.CONTESTANTS if setting in settings else contestants.IN_C
        )
        function = setting.function
        loops, absent = prepare(setting, candidates)
        found = times[function.name] = measure.alternate(loops, effort)
        report.print_times(function, found, absent)
        results += targets.ratios(function, found)
        if contestants.KERNELS in loops:
            kernels[function.name] = loops[contestants.KERNELS].num_kernels
    return times, results + list(direct_calls.differences(times, kernels))


def measure_starts(settings, prefix, folder, effort):
    """The targets of fresh processes and of the library, and what has no target."""
    starter = starts.Starter(
        native_build.build_program(prefix, "start.c", folder / "start")
    )
    empty = native_build.build_program(prefix, "empty.c", folder / "empty")
    results, quantities = [], []
    for setting in settings:
        result, both = starts.start(setting, starter, effort)
        results.append(result)
        quantities += both
        results += starts.without_plugin(setting, starter, empty, effort)
    quantities += starts.many_files(settings[-1], starter, effort)
    results.append(sizes.library(prefix / "lib" / "libcyxla.so"))
    return results, quantities


def main():
    arguments = parse_arguments()
    effort = measure.QUICK if arguments.quick else measure.THOROUGH
    if arguments.rounds:
        effort = replace(effort, rounds=arguments.rounds)
    folder = arguments.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    compiler = native_build.compiler()
    prefix = arguments.prefix.resolve()
    native = native_build.load(native_build.build(prefix, folder))
    native_build.build_kernel_loop(prefix, folder / kernel_loop.LIBRARY)

    def setting_for(function):
        return contestants.Setting(function, native, folder, compiler)

    machine = report.surroundings(compiler)
    report.print_surroundings(machine, effort)
    settings = [setting_for(function) for function in functions.functions()]
    small_settings = [setting_for(function) for function in functions.small_functions()]
    times, results = measure_functions(settings, small_settings, effort)
    of_threads, quantities = targets.threads(
        setting_for(functions.for_threads()), effort
    )
    results += of_threads
    results += direct_calls.large(map(setting_for, functions.large_functions()), effort)
    results += targets.memory(settings[0], effort)
    results.append(targets.cache(setting_for(functions.for_cache()), effort))
    found, more_quantities = measure_starts(settings, prefix, folder, effort)
    results += found
    quantities += more_quantities
    report.print_quantities(quantities)
    report.print_targets(results)
    report.write_json(
        folder / "results.json", machine, effort, times, results, quantities
    )


if __name__ == "__main__":
    main()
