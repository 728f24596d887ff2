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
import functions
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


def prepare(setting):
    """The loops of the contestants, and why the others are absent."""
    loops, absent = {}, {}
    for contestant in contestants.CONTESTANTS:
        try:
            loop = contestant.prepare(setting)
        except ModuleNotFoundError as error:
            absent[contestant.name] = f"{error.name} is not installed"
            continue
        check_outputs(contestant, loop, setting.function)
        loops[contestant.name] = loop
    return loops, absent


def measure_starts(settings, prefix, folder, effort):
    """The targets of fresh processes and of the library, and what has no target."""
    starter = starts.Starter(
        native_build.build_program(prefix, "start.c", folder / "start")
    )
    results, quantities = [], []
    for setting in settings:
        result, both = starts.start(setting, starter, effort)
        results.append(result)
        quantities += both
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

    def setting_for(function):
        return contestants.Setting(function, native, folder, compiler)

    machine = report.surroundings(compiler)
    report.print_surroundings(machine, effort)
    times, results = {}, []
    settings = [setting_for(function) for function in functions.functions()]
    for setting in settings:
        function = setting.function
        loops, absent = prepare(setting)
        times[function.name] = measure.alternate(loops, effort)
        report.print_times(function, times[function.name], absent)
        results += targets.ratios(function, times[function.name])
    results.append(targets.threads(setting_for(functions.for_threads()), effort))
    results += targets.memory(settings[0], effort)
    results.append(targets.cache(setting_for(functions.for_cache()), effort))
    found, quantities = measure_starts(settings, prefix, folder, effort)
    results += found
    report.print_quantities(quantities)
    report.print_targets(results)
    report.write_json(
        folder / "results.json", machine, effort, times, results, quantities
    )


if __name__ == "__main__":
    main()
