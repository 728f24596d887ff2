"""The targets of direct calls that are no ratios of contestants."""

import contestants
import cyxla as cx
import measure
from measure import Comparison
from targets import Result

# What a direct call may add to its kernels, in nanoseconds.
CALL = 15
KERNEL = 2

# The functions whose kernels are counted, few to many.
WITH_KERNELS = ["sine", "rk4", "nlcons_vgh"]


def differences(times, num_kernels):
    """What direct calls take more than the same kernels in a bare loop.

    ``times`` are those of each function's contestants, and ``num_kernels`` is how many
    kernels one has.
    """
    found = {}
    for name in WITH_KERNELS:
        if name not in num_kernels:
            continue
        own = times[name]
        found[name] = Comparison.difference(
            own[contestants.DIRECT], own[contestants.KERNELS]
        )
        count = num_kernels[name]
        yield Result(
            f"{contestants.DIRECT} less {contestants.KERNELS}, {count}, {name}",
            CALL + KERNEL * count,
            True,
            found[name].minimum,
            found[name].median,
            "ns",
        )
    if len(found) < 2:
        return
    fewest, *_, most = sorted(found, key=num_kernels.get)
    kernels = num_kernels[most] - num_kernels[fewest]
    yield Result(
        f"the same for each kernel that {most} has more than {fewest}",
        KERNEL,
        True,
        (found[most].minimum - found[fewest].minimum) / kernels,
        (found[most].median - found[fewest].median) / kernels,
        "ns",
    )


def large(settings, effort):
    """Large programs: direct against the plugin, where they do not stay with that."""
    for setting in settings:
        name = setting.function.name
        title = f"{contestants.DIRECT} ÷ {contestants.CALL_RUN}, {name}"
        executable, _ = cx.compile_program(setting.program, tier="auto")
        for _ in range(3):  # which may be compared
            executable.run(list(setting.function.arguments))
        if executable.tier == "pjrt":
            note = f"stays on pjrt, {executable.tier_reason}"
            yield Result(title, 1.0, True, None, None, note=note)
            continue
        times = measure.alternate(
            {
                contestants.DIRECT: contestants.call_run_directly(setting),
                contestants.CALL_RUN: contestants.call_run(setting),
            },
            effort,
        )
        ratio = Comparison.ratio(times[contestants.DIRECT], times[contestants.CALL_RUN])
        yield Result(title, 1.0, True, ratio.minimum, ratio.median)
