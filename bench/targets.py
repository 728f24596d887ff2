"""What the measurements have to show, and those that are no comparison of loops."""

import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

import contestants
import cyxla as cx
from measure import Comparison, Quantity


@dataclass(frozen=True)
class Result:
    """A measured target. ``minimum`` decides; ``median`` is None for a single value.

    Without a minimum there was nothing to measure, as ``note`` tells.
    """

    title: str
    limit: float
    is_upper: bool
    minimum: float | None
    median: float | None
    unit: str = ""
    note: str = ""

    @property
    def is_met(self):
        if self.minimum is None:
            return True
        if self.is_upper:
            return self.minimum <= self.limit
        return self.minimum >= self.limit

    def as_json(self):
        return {**asdict(self), "is_met": self.is_met}


# numerator, denominator, at most
RATIOS = [
    (contestants.CALL_RUN, contestants.BARE_PJRT, 1.05),
    (contestants.EXECUTE, contestants.BARE_PJRT, 1.05),
    (contestants.RUN, contestants.JIT, 0.5),
    (contestants.DIRECT_RUN, contestants.JIT, 0.15),
]

# Of direct calls: function, numerator, denominator, at most (True) or at least, limit.
DIRECT_RATIOS = [
    ("sine", contestants.CALL_RUN, contestants.DIRECT, False, 50),
    ("rosenbrock", contestants.CALL_RUN, contestants.DIRECT, False, 50),
    ("rk4", contestants.CALL_RUN, contestants.DIRECT, False, 50),
    ("cond", contestants.CALL_RUN, contestants.DIRECT, False, 50),
    ("rosen_vgh", contestants.CALL_RUN, contestants.DIRECT, False, 50),
    ("nlcons_vgh", contestants.CALL_RUN, contestants.DIRECT, False, 35),
    ("sine", contestants.DIRECT, contestants.CASADI, True, 1.5),
    ("rosenbrock", contestants.DIRECT, contestants.CASADI, True, 2.5),
    ("rosenbrock", contestants.DIRECT, contestants.CASADI_INLINED, True, 2.5),
    ("hessian_10", contestants.DIRECT, contestants.CASADI, True, 5),
    ("hessian_10", contestants.DIRECT, contestants.CASADI_INLINED, True, 5),
]


def ratios(function, times):
    """The targets for the times of the contestants on one function."""
    wanted = [row[1:] for row in DIRECT_RATIOS if row[0] == function.name]
    if contestants.JIT in times:  # all contestants were there
        wanted += [(name, reference, True, limit) for name, reference, limit in RATIOS]
    for name, reference, is_upper, limit in wanted:
        if name not in times or reference not in times:
            continue
        ratio = Comparison.ratio(times[name], times[reference])
        title = f"{name} ÷ {reference}, {function.name}"
        yield Result(title, limit, is_upper, ratio.minimum, ratio.median)


def threads(setting, effort):
    """Two threads against one: how many runs a second they make together.

    Returns the targets, and what the machine itself gives two threads that only
    compute, measured in the same rounds.
    """
    rates = {
        "pjrt": contestants.call_run(setting).loop.runs_per_second,
        "direct": contestants.call_run_directly(setting).loop.runs_per_second,
        "bare": setting.native.bare_runs_per_second,
    }
    times = {(name, number): [] for name in rates for number in (1, 2)}
    for _ in range(effort.rounds):
        for (name, number), own in times.items():
            own.append(1e9 / rates[name](number, effort.batch_seconds * 5))
    ratios = {name: Comparison.ratio(times[name, 1], times[name, 2]) for name in rates}
    results = []
    for tier, limit in [("pjrt", 1.8), ("direct", 1.9)]:
        microseconds = min(times[tier, 1]) / 1e3
        title = f"two threads ÷ one, {tier}, runs a second, {microseconds:.0f} µs a run"
        ratio = ratios[tier]
        results.append(Result(title, limit, False, ratio.minimum, ratio.median))
    bare = ratios["bare"]
    title = "two threads ÷ one, arithmetic without cyxla"
    return results, [Quantity(title, bare.minimum, bare.median)]


def memory(setting, effort):
    """How much memory many runs take that few do not, each in a fresh process."""
    few, many = 1_000, effort.memory_calls
    for name in [contestants.CALL_RUN, contestants.EXECUTE, contestants.RUN]:
        script = Path(__file__).with_name("memory.py")
        process = subprocess.run(
            [
                *[sys.executable, script, name],
                *[setting.native.__file__, setting.folder, str(few), str(many)],
            ],
            stdout=subprocess.PIPE,
            check=True,
        )
        title = f"memory after {many:,} runs, less after {few:,}, {name}"
        yield Result(title, 1.0, True, int(process.stdout) / 1e6, None, "MB")


def cache(setting, effort):
    """What compile_program takes for a program in the disk cache, against compiling."""
    program = cx.lower(setting.function.function, setting.function.arguments)

    def nanoseconds(**options):
        start = perf_counter_ns()
        _, statistics = cx.compile_program(program, tier="pjrt", **options)
        return perf_counter_ns() - start, statistics.from_cache

    hits, compiles = [], []
    with TemporaryDirectory(dir=setting.folder) as directory:
        os.environ["CYXLA_CACHE_DIR"] = directory
        nanoseconds()
        for _ in range(effort.compile_rounds):
            for times, is_hit in [(compiles, False), (hits, True)]:
                time, is_found = nanoseconds(cache=is_hit)
                assert is_found is is_hit
                times.append(time)
        os.environ["CYXLA_CACHE_DIR"] = "none"
    ratio = Comparison.ratio(hits, compiles)
    title = f"cache hit ÷ compile, {min(compiles) / 1e9:.1f} s to compile"
    return Result(title, 0.05, True, ratio.minimum, ratio.median)
