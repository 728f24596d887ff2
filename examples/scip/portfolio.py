"""Buys whole lots of assets for the highest return whose risk is below a limit.

usage: python portfolio.py

The risk is convex and written in JAX. SCIP solves the problem twice: with the function
compiled by cyxla, and with jax.jit. Exits with 1 unless both find the same portfolio.
"""

import sys
import time
from typing import NamedTuple

import cyxla as cx
import jax
import jax.numpy as jnp
import numpy as np
from convex import ConvexConstraint
from pyscipopt import Model, quicksum

AVERSION = 0.05  # to risk
ROUNDS = 5  # of both searches, of which the fastest are shown


class Market(NamedTuple):
    """What can be bought, and the returns of a lot of each asset in some scenarios."""

    prices: np.ndarray  # [assets]
    returns: np.ndarray  # [scenarios, assets]
    budget: float
    most_lots: int  # of one asset
    risk_limit: float


def make_market(num_assets, num_scenarios, seed=7):
    """A market in which assets of high return fluctuate most, and all together."""
    random = np.random.default_rng(seed)
    prices = random.integers(20, 80, num_assets).astype(float)
    volatility = random.uniform(0.05, 0.35, num_assets)
    common = random.standard_normal((num_scenarios, 1))
    own = random.standard_normal((num_scenarios, num_assets))
    rates = 0.02 + 0.35 * volatility + volatility * (0.6 * common + 0.8 * own)
    return Market(
        prices=prices,
        returns=prices * rates,
        budget=40.0 * num_assets,
        most_lots=5,
        risk_limit=30.0,
    )


def excess_risk(market):
    """The JAX function g(x): the entropic risk of the lots x, less the limit."""
    returns = jnp.asarray(market.returns)

    def excess(lots):
        losses = -AVERSION * (returns @ lots)
        mean = jax.nn.logsumexp(losses) - jnp.log(len(returns))
        return mean / AVERSION - market.risk_limit

    return excess


class Result(NamedTuple):
    lots: tuple
    value: float  # the mean return
    num_nodes: int
    seconds: float
    constraint: ConvexConstraint


def solve(market, evaluate):
    """Solves the problem; ``evaluate`` returns the excess risk and its gradient."""
    model = Model()
    model.hideOutput()
    lots = [
        model.addVar(f"lots{i}", vtype="I", lb=0, ub=market.most_lots)
        for i in range(len(market.prices))
    ]
    spent = quicksum(p * x for p, x in zip(market.prices, lots, strict=True))
    model.addCons(spent <= market.budget)
    mean_returns = market.returns.mean(axis=0)
    gained = quicksum(r * x for r, x in zip(mean_returns, lots, strict=True))
    model.setObjective(gained, "maximize")
    constraint = ConvexConstraint(model, lots, evaluate)
    start = time.perf_counter()
    model.optimize()
    seconds = time.perf_counter() - start
    constraint.check()
    if model.getStatus() != "optimal":
        raise RuntimeError(f"SCIP ended with {model.getStatus()}, expected optimal")
    return Result(
        lots=tuple(round(model.getVal(x)) for x in lots),
        value=model.getObjVal(),
        num_nodes=model.getNTotalNodes(),
        seconds=seconds,
        constraint=constraint,
    )


def with_cyxla(function, size):
    """The function and its gradient at a list of numbers, compiled by cyxla."""
    array = jax.ShapeDtypeStruct((size,), float)
    executable = cx.compile(jax.value_and_grad(function), array)
    return lambda values: executable.run([np.array(values)])


def with_jax(function, size):
    """The same, compiled by jax.jit."""
    jitted = jax.jit(jax.value_and_grad(function))

    def evaluate(values):
        value, gradient = jitted(np.array(values))
        return np.asarray(value), np.asarray(gradient)

    evaluate(np.zeros(size))  # compiles
    return evaluate


def print_result(name, result):
    constraint = result.constraint
    microseconds = 1e6 * constraint.call_seconds / constraint.num_calls
    print(
        f"{name:8}{result.value:15.9f}{result.num_nodes:7d}{constraint.num_cuts:7d}"
        f"{constraint.num_calls:8d}{microseconds:13.2f} us{result.seconds:9.2f} s"
    )


def main():
    jax.config.update("jax_enable_x64", True)  # else JAX computes in float32
    market = make_market(num_assets=20, num_scenarios=100)
    function = excess_risk(market)
    size = len(market.prices)
    functions = {
        "cyxla": with_cyxla(function, size),
        "jax.jit": with_jax(function, size),
    }
    rounds = [
        {name: solve(market, evaluate) for name, evaluate in functions.items()}
        for _ in range(ROUNDS)
    ]
    results = {
        name: min((round[name] for round in rounds), key=lambda result: result.seconds)
        for name in functions
    }
    print("        mean return  nodes   cuts   calls   time a call    in all")
    for name, result in results.items():
        print_result(name, result)
    ours, theirs = results.values()
    print("lots    ", *ours.lots)
    if ours.lots != theirs.lots:
        sys.exit(f"jax.jit led to another portfolio: {theirs.lots}")


if __name__ == "__main__":
    main()
