"""A constraint handler of SCIP for one convex constraint g(x) <= 0."""

import time

from pyscipopt import SCIP_RESULT, Conshdlr

TOLERANCE = 1e-6  # of the constraint, as SCIP's own numerics/feastol


class ConvexConstraint(Conshdlr):
    """Keeps solutions to g(x) <= 0 by cuts along the gradient.

    ``evaluate`` takes the values of ``variables`` and returns g and its gradient. Being
    convex, g lies above its tangents. So where g(y) > 0, the inequality
    g(y) + gradient(y) (x - y) <= 0 holds for all feasible x, and cuts off y.
    """

    def __init__(self, model, variables, evaluate):
        self.variables = variables
        self.evaluate = evaluate
        self.error = None
        self.num_calls = 0
        self.num_cuts = 0
        self.call_seconds = 0.0
        model.includeConshdlr(
            self,
            "convex",
            "g(x) <= 0 by gradient cuts",
            enfopriority=-1,  # after the integers
            chckpriority=-1,
            sepafreq=1,
            propfreq=-1,
            eagerfreq=-1,
            maxprerounds=0,
            needscons=False,
        )

    def check(self):
        """Raises the error of ``evaluate`` that ended the search, if there was one."""
        if self.error is not None:
            raise self.error

    def call(self, solution):
        """The values of the variables, g there and its gradient.

        PySCIPOpt prints exceptions of callbacks and goes on, with a search that is
        wrong. So an error is kept, the search ends, and g counts as violated.
        """
        values = [self.model.getSolVal(solution, x) for x in self.variables]
        start = time.perf_counter()
        try:
            g, gradient = self.evaluate(values)
        except Exception as error:
            self.error = error
            self.model.interruptSolve()
            return values, float("inf"), None
        self.call_seconds += time.perf_counter() - start
        self.num_calls += 1
        return values, float(g), gradient

    def cut_off(self, solution):
        """Adds a cut where the solution violates the constraint."""
        values, g, gradient = self.call(solution)
        if self.error is not None:
            return SCIP_RESULT.INFEASIBLE
        if g <= TOLERANCE:
            return SCIP_RESULT.FEASIBLE
        row = self.model.createEmptyRowUnspec(
            "gradient cut", lhs=None, rhs=gradient @ values - g
        )
        self.model.cacheRowExtensions(row)
        for x, slope in zip(self.variables, gradient, strict=True):
            self.model.addVarToRow(row, x, slope)
        self.model.flushRowExtensions(row)
        is_infeasible = self.model.addCut(row, forcecut=True)
        self.model.releaseRow(row)
        self.num_cuts += 1
        return SCIP_RESULT.CUTOFF if is_infeasible else SCIP_RESULT.SEPARATED

    def is_feasible(self, solution):
        _, g, _ = self.call(solution)
        return SCIP_RESULT.FEASIBLE if g <= TOLERANCE else SCIP_RESULT.INFEASIBLE

    # What SCIP calls. The solution None is that of the current LP.

    def conssepalp(self, constraints, nusefulconss):
        result = self.cut_off(None)
        found = result in (SCIP_RESULT.CUTOFF, SCIP_RESULT.SEPARATED)
        return {"result": result if found else SCIP_RESULT.DIDNOTFIND}

    def consenfolp(self, constraints, nusefulconss, solinfeasible):
        return {"result": self.cut_off(None)}

    def consenfops(self, constraints, nusefulconss, solinfeasible, objinfeasible):
        return {"result": self.is_feasible(None)}

    def conscheck(self, constraints, solution, *_):
        return {"result": self.is_feasible(solution)}

    def conslock(self, constraint, locktype, nlockspos, nlocksneg):
        """Tells that a change of any variable, up or down, may break the constraint."""
        locks = nlockspos + nlocksneg
        for x in self.variables:
            self.model.addVarLocksType(x, locktype, locks, locks)
