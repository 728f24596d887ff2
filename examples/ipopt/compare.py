"""Solves the problem with cyipopt and jax.jit, beside the C program.

usage: python compare.py PROGRAM FOLDER

Runs PROGRAM, which is solve, on FOLDER, solves the same problem here and exits with 1
unless both take the same iterates.
"""

import re
import subprocess
import sys
import time
from statistics import median

import cyipopt
import jax
import numpy as np
import problem

ROUNDS = 51
TOLERANCE = 1e-9  # relative; Ipopt ends where its own error is below 1e-8


class JittedProblem:
    """The callbacks of cyipopt, each of which calls a jitted function."""

    def __init__(self):
        self.jitted = {
            name: jax.jit(function) for name, (function, _) in problem.FUNCTIONS.items()
        }
        self.iterates = []
        self.num_calls = 0
        self.call_seconds = 0.0

    def call(self, name, *arguments):
        start = time.perf_counter()
        result = np.asarray(self.jitted[name](*arguments))
        self.call_seconds += time.perf_counter() - start
        self.num_calls += 1
        return result

    def objective(self, x):
        return self.call("objective", x)

    def gradient(self, x):
        return self.call("gradient", x)

    def constraints(self, x):
        return self.call("constraints", x)

    def jacobian(self, x):
        return self.call("jacobian", x).ravel()

    def hessian(self, x, multipliers, objective_factor):
        return self.call("hessian", x, objective_factor, multipliers)

    def hessianstructure(self):
        return problem.HESSIAN_ROWS, problem.HESSIAN_COLUMNS

    def intermediate(self, mode, iteration, objective, infeasibility, *_):
        self.iterates.append((objective, infeasibility))
        return True


def solve_once(callbacks):
    """Solves the problem from its start. Returns the solution and the seconds."""
    solver = cyipopt.Problem(
        n=problem.START.size,
        m=problem.CONSTRAINTS_LOWER.size,
        problem_obj=callbacks,
        lb=problem.LOWER,
        ub=problem.UPPER,
        cl=problem.CONSTRAINTS_LOWER,
        cu=problem.CONSTRAINTS_UPPER,
    )
    solver.add_option("print_level", 0)
    solver.add_option("sb", "yes")
    callbacks.iterates.clear()
    start = time.perf_counter()
    solution, details = solver.solve(problem.START)
    seconds = time.perf_counter() - start
    if details["status"] != 0:
        sys.exit(f"cyipopt: {details['status_msg'].decode()}")
    return solution, seconds


def solve_with_jax():
    """Solves repeatedly. Prints solution and times, and returns the iterates."""
    callbacks = JittedProblem()
    solve_once(callbacks)  # compiles
    callbacks.num_calls, callbacks.call_seconds = 0, 0.0
    rounds = [solve_once(callbacks) for _ in range(ROUNDS)]
    print("solution ", " ".join(f"{number:.12f}" for number in rounds[0][0]))
    print(
        f"time a solve {1e3 * median(seconds for _, seconds in rounds):.3f} ms "
        f"(median), {1e3 * callbacks.call_seconds / ROUNDS:.3f} ms of it in "
        f"{callbacks.num_calls // ROUNDS} functions"
    )
    return callbacks.iterates


def solve_in_c(program, folder):
    """Runs the C program and prints what it prints. Returns the iterates."""
    process = subprocess.run([program, folder], stdout=subprocess.PIPE, text=True)
    if process.returncode != 0:
        sys.exit(f"{program} failed")
    print(process.stdout)
    return [
        (float(objective), float(infeasibility))
        for objective, infeasibility in re.findall(
            r"^ *\d+ +(\S+) +(\S+)$", process.stdout, re.MULTILINE
        )
    ]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    jax.config.update("jax_enable_x64", True)  # else JAX computes in float32
    from_c = solve_in_c(*sys.argv[1:])
    version = ".".join(map(str, cyipopt.IPOPT_VERSION))
    print(f"Ipopt {version} with functions from jax.jit, called from Python")
    from_python = solve_with_jax()
    if len(from_c) != len(from_python):
        sys.exit(f"{len(from_c)} iterates from C, {len(from_python)} from Python")
    # Infeasibilities become as small as rounding errors, so they count as absolute.
    differences = np.abs(np.subtract(from_c, from_python))
    difference = np.max(differences / np.maximum(1.0, np.abs(from_python)))
    print(f"\n{len(from_c)} iterates each, which differ by at most {difference:.1e}")
    if not difference <= TOLERANCE:
        sys.exit(f"expected at most {TOLERANCE}")


if __name__ == "__main__":
    main()
