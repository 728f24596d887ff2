"""examples/scip, run as a user does, and its constraint handler on small problems."""

import re

import pytest
from example_projects import copy_example, make, script_runner

BEGIN = """
import itertools

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np
import portfolio
"""


@pytest.fixture(scope="module")
def scip(prefix, tmp_path_factory):
    """A copy of examples/scip with what its run printed."""
    folder = copy_example("scip", tmp_path_factory.mktemp("examples"))
    return folder, make(folder, prefix)


@pytest.fixture
def output_of(scip):
    """What a script prints that uses the modules of examples/scip."""
    folder, _ = scip
    return script_runner(folder, folder, BEGIN)


def test_scip_finds_the_same_portfolio_with_cyxla_and_jax(scip):
    _, result = scip
    assert result.returncode == 0, result.stderr
    rows = dict(re.findall(r"^(cyxla|jax\.jit) +([\d.]+) ", result.stdout, re.M))
    assert float(rows["cyxla"]) == pytest.approx(float(rows["jax.jit"]), rel=1e-9)
    lots = re.search(r"^lots +([\d ]+)$", result.stdout, re.MULTILINE)
    assert sum(map(int, lots[1].split())) > 0


def test_scip_prints_the_times_side_by_side(scip):
    _, result = scip
    rows = re.findall(
        r"^(\S+) +[\d.]+ +\d+ +(\d+) +(\d+) +[\d.]+ us +[\d.]+ s$", result.stdout, re.M
    )
    assert [name for name, _, _ in rows] == ["cyxla", "jax.jit"]
    assert all(int(cuts) > 0 and int(calls) > 100 for _, cuts, calls in rows)


def test_the_handler_finds_the_best_of_all_portfolios(output_of):
    output = output_of("""
        for seed in range(4):
            market = portfolio.make_market(4, 50, seed)
            market = market._replace(risk_limit=3.0 + seed, budget=100.0)
            function = portfolio.excess_risk(market)
            found = portfolio.solve(market, portfolio.with_cyxla(function, 4))

            def is_allowed(lots):
                factors = np.exp(-portfolio.AVERSION * (market.returns @ lots))
                risk = np.log(np.mean(factors)) / portfolio.AVERSION
                return market.prices @ lots <= 100.0 and risk <= market.risk_limit

            counts = range(market.most_lots + 1)
            best = max(
                market.returns.mean(axis=0) @ lots
                for lots in itertools.product(counts, repeat=4)
                if is_allowed(np.array(lots))
            )
            print(f"{best:.9f} {found.value:.9f} {found.constraint.num_cuts}")
    """)
    lines = [line.split() for line in output.splitlines()]
    assert [best for best, _, _ in lines] == [found for _, found, _ in lines]
    assert any(int(num_cuts) > 0 for _, _, num_cuts in lines)


def test_an_error_of_the_function_ends_the_search(output_of):
    output = output_of("""
        def evaluate(values):
            raise ValueError("no value")

        try:
            portfolio.solve(portfolio.make_market(4, 50), evaluate)
        except ValueError as error:
            print("raised:", error)
    """)
    assert output == "raised: no value\n"


def test_scip_says_what_it_is_missing(prefix, tmp_path):
    folder = copy_example("scip", tmp_path)
    result = make(folder, prefix, "PYTHON=false")
    assert result.returncode != 0
    assert "PYTHON is false, expected a Python that has cyxla and PySC" in result.stderr
