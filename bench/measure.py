"""Times that are comparable although the machine is not quiet.

The contestants take turns in many short rounds, so that all of them meet the same
disturbances, and each round begins with another one. The minimum of a contestant's
rounds is what it costs undisturbed; the median tells what was usual.
"""

import gc
from dataclasses import dataclass
from operator import sub, truediv
from statistics import median


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int
    batch_seconds: float  # of one contestant in one round
    memory_calls: int
    starts: int  # of a process, each way
    files: int  # that a process opens
    file_rounds: int  # of such a process, each way
    compile_rounds: int  # of a program that takes a second to compile

    def describe(self):
        return (
            f"{self.rounds} rounds, in each of which every contestant runs for "
            f"{self.batch_seconds * 1e3:g} ms"
        )


THOROUGH = Effort(
    rounds=300,
    batch_seconds=2e-3,
    memory_calls=1_000_000,
    starts=10,
    files=100,
    file_rounds=3,
    compile_rounds=5,
)
QUICK = Effort(
    rounds=3,
    batch_seconds=2e-4,
    memory_calls=2_000,
    starts=1,
    files=2,
    file_rounds=1,
    compile_rounds=1,
)


@dataclass(frozen=True)
class Quantity:
    """What was measured without a target. ``unit`` is empty for a ratio."""

    title: str
    minimum: float
    median: float
    unit: str = ""


@dataclass(frozen=True)
class Comparison:
    """How two contestants compare: by their minima, and the median over the rounds.

    It is made of two lists of times that were measured in the same rounds.
    """

    minimum: float
    median: float

    @classmethod
    def _of(cls, compare, times, reference_times):
        pairs = zip(times, reference_times, strict=True)
        return cls(
            compare(min(times), min(reference_times)),
            median(compare(time, reference) for time, reference in pairs),
        )

    @classmethod
    def ratio(cls, times, reference_times):
        return cls._of(truediv, times, reference_times)

    @classmethod
    def difference(cls, times, reference_times):
        return cls._of(sub, times, reference_times)


def runs_per_batch(loop, seconds):
    """How many runs take so long, by the fastest of a few tries."""
    count = 1
    while True:
        nanoseconds = min(loop.time(count) for _ in range(3))
        if nanoseconds > seconds * 1e9 / 20:
            return max(1, round(count * seconds * 1e9 / nanoseconds))
        count *= 4


def alternate(loops, effort):
    """The nanoseconds of a run in each round, a list for each of the named loops."""
    names = list(loops)
    counts = {
        name: runs_per_batch(loop, effort.batch_seconds) for name, loop in loops.items()
    }
    times = {name: [] for name in names}
    gc.collect()
    gc.disable()
    try:
        for i in range(effort.rounds):
            first = i % len(names)
            for name in names[first:] + names[:first]:
                # Untimed, to fill the caches that others have used since.
                loops[name].time(counts[name] // 10 + 1)
                times[name].append(loops[name].time(counts[name]) / counts[name])
    finally:
        gc.enable()
    return times
