"""How soon programs in C have their results, and what many files take in a process.

Each start is that of a fresh process, start.c, by turns with a file that holds machine
code and with one that does not, or, without a plugin, with a program that does nothing.
"""

import os
import subprocess
from statistics import median
from time import perf_counter_ns

import cyxla as cx
from measure import Comparison, Quantity
from targets import Result

KINDS = ["loaded", "compiled"]


def process_nanoseconds(command, environment):
    """From before the process is there to after its end."""
    start = perf_counter_ns()
    process = os.posix_spawn(command[0], command, environment)
    _, status = os.waitpid(process, 0)
    nanoseconds = perf_counter_ns() - start
    if status != 0:
        raise RuntimeError(f"{command} failed with status {status}")
    return nanoseconds


class Starter:
    """The program start.c, whose calls go through the plugin of this process."""

    def __init__(self, program):
        self.program = os.fspath(program)
        self.environment = {
            **os.environ,
            "CYXLA_PLUGIN": cx.runtime_info().plugin,
            "CYXLA_TIER": "pjrt",
        }

    def command(self, kind, files):
        return [self.program, kind, *map(os.fspath, files)]

    def time(self, kind, file):
        return process_nanoseconds(self.command(kind, [file]), self.environment)

    def open_files(self, kind, first, files):
        """The nanoseconds that opening files takes where another one is open already,
        and the bytes of memory."""
        process = subprocess.run(
            self.command(kind, [first, *files]),
            env=self.environment,
            stdout=subprocess.PIPE,
            check=True,
        )
        return tuple(map(int, process.stdout.split()))


def save(folder, name, executable):
    """Writes a file with an executable and one with its program alone."""
    files = {kind: folder / f"{name}-{kind}.cyxla" for kind in KINDS}
    cx.save(files["loaded"], executable)
    cx.save(files["compiled"], executable.program)
    return files


def quantities(title, values, unit):
    """What was measured of each kind."""
    for kind in KINDS:
        own = values[kind]
        yield Quantity(f"{title}, {kind}", min(own), median(own), unit)


def start(setting, starter, effort):
    """From nothing to the end of a process that opens a file and runs it once.

    Returns the target and what it is the ratio of.
    """
    name = setting.function.name
    files = save(setting.folder, name, setting.executable)
    times = {kind: [] for kind in KINDS}
    for _ in range(effort.starts):
        for kind in KINDS:
            times[kind].append(starter.time(kind, files[kind]) / 1e6)
    ratio = Comparison.ratio(times["loaded"], times["compiled"])
    title = f"start to first result in C, deserialized ÷ compiled, {name}"
    return (
        Result(title, 1.0, True, ratio.minimum, ratio.median),
        list(quantities(f"start to first result in C, {name}", times, "ms")),
    )


def peak_bytes(command, environment):
    """The most memory that a process had in use, which it prints itself."""
    process = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, check=True
    )
    return int(process.stdout)


def without_plugin(setting, starter, empty, effort):
    """What a process with direct code takes, start to end, more than an empty one.

    No plugin is named that could be loaded.
    """
    names = ["CYXLA_PLUGIN", "CYXLA_TIER"]
    environment = {name: os.environ[name] for name in os.environ if name not in names}
    file = setting.direct_file
    name = setting.function.name
    title = f"start to first result in C, no plugin, less an empty program, {name}"
    direct, nothing = [], []
    for _ in range(effort.starts * 10):
        for times, command in [
            (direct, starter.command("direct", [file])),
            (nothing, [os.fspath(empty)]),
        ]:
            times.append(process_nanoseconds(command, environment) / 1e6)
    time = Comparison.difference(direct, nothing)
    yield Result(title, 10.0, True, time.minimum, time.median, "ms")
    memory = Comparison.difference(
        *[
            [peak_bytes(command, environment) / 1e6 for _ in range(effort.starts)]
            for command in [
                starter.command("peak", [file]),
                [os.fspath(empty), "peak"],
            ]
        ]
    )
    title = f"most memory in use, no plugin, less an empty program, {name}"
    yield Result(title, 10.0, True, memory.minimum, memory.median, "MB")


def save_variants(setting, count):
    """Files of so many programs, each of which adds another number to the result."""
    function, argument = setting.function.function, setting.function.argument
    folder = setting.folder / "many"
    folder.mkdir(exist_ok=True)
    variants = []
    for number in range(count):
        program = cx.lower(lambda x, number=number: function(x) + number, [argument])
        executable, _ = cx.compile_program(program, tier="pjrt")
        variants.append(save(folder, str(number), executable))
    return {kind: [files[kind] for files in variants] for kind in KINDS}


def many_files(setting, starter, effort):
    """What each of many files takes in a process that has the plugin already."""
    count = effort.files
    first = save(setting.folder, setting.function.name, setting.executable)
    files = save_variants(setting, count)
    times, memory = {kind: [] for kind in KINDS}, {kind: [] for kind in KINDS}
    for _ in range(effort.file_rounds):
        for kind in KINDS:
            nanoseconds, size = starter.open_files(kind, first[kind], files[kind])
            times[kind].append(nanoseconds / count / 1e6)
            memory[kind].append(size / count / 1024)
    title = f"{setting.function.name}, a file of {count}"
    ratio = Comparison.ratio(times["loaded"], times["compiled"])
    return [
        *quantities(f"cyxla_open, {title}", times, "ms"),
        Quantity(
            f"cyxla_open, loaded ÷ compiled, {title}", ratio.minimum, ratio.median
        ),
        *quantities(f"memory, {title}", memory, "KiB"),
    ]
