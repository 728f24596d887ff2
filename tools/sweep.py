"""Compares every function of the sweep with ``jax.jit``, for all dtypes, batched and
differentiated, and writes the table into a page of the documentation.

usage: sweep.py PAGE [PART_OF_A_NAME...]

With parts of names only those functions are compared and nothing is written. It fails
where results are not equal to rounding, or not exactly equal though no matrices are
multiplied.
"""

import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import jax

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python"))

import cyxla as cx
import numpy as np
import sweep
from comparing import IS_EXACT, assert_equal_to_rounding, largest_difference, leaves_of

MARK = "<!-- What follows is written by `make sweep`. -->\n"
PACKAGES = ["jax", "jaxlib", "lammps-jax-pjrt-cpu", "numpy", "scipy"]


def compare(case):
    """The largest difference for each mode and dtype that JAX does."""
    differences = {}
    for dtype in sweep.DTYPES:
        pairs = [pair for pair in sweep.pairs_of(case) if pair[1] == dtype]
        if not pairs:
            continue
        function, arguments = sweep.together(case, pairs)
        found = cx.compile(function, arguments)(arguments)
        expected = jax.tree.map(np.asarray, jax.jit(function)(arguments))
        for (mode, _), name in zip(pairs, arguments, strict=True):
            for one, other in leaves_of(found[name], expected[name]):
                assert_equal_to_rounding(one, other)
            difference = largest_difference(found[name], expected[name])
            if difference and IS_EXACT:
                assert sweep.has_products(case, mode, dtype), f"{name} is not exact"
            differences[mode, dtype] = difference
    return differences


def row(name, differences):
    """A line of the table: what is the largest difference, and in which mode."""
    cells = []
    for dtype in sweep.DTYPES:
        of_dtype = {
            mode: difference
            for (mode, other), difference in differences.items()
            if other == dtype
        }
        apart = [f"{value:.0e} {mode}" for mode, value in of_dtype.items() if value]
        cells.append(", ".join(apart) or ("0" if of_dtype else "-"))
    modes = [mode for mode in sweep.MODES[1:] if any(mode == m for m, _ in differences)]
    return f"| {name} | {' '.join(modes)} | {' | '.join(cells)} |"


def main(page, *parts):
    jax.config.update("jax_enable_x64", True)
    warnings.simplefilter("ignore")  # about sums that JAX does not write efficiently
    lines = [
        f"| Function | besides | {' | '.join(sweep.DTYPES)} |",
        "| --- " * (2 + len(sweep.DTYPES)) + "|",
    ]
    failed = []
    for name, case in sweep.CASES.items():
        if parts and not any(part in name for part in parts):
            continue
        try:
            lines.append(row(name, compare(case)))
            print(lines[-1], flush=True)
        except (AssertionError, cx.Error, TypeError, ValueError) as error:
            failed.append(name)
            print(f"{name} failed: {error}", flush=True)
    if failed:
        sys.exit(f"{len(failed)} failed: {', '.join(failed)}")
    if not parts:
        page = Path(page)
        prose, _, _ = page.read_text().partition(MARK)
        made_with = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
        table = "\n".join(lines)
        page.write_text(f"{prose}{MARK}\nMade with {made_with}.\n\n{table}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
