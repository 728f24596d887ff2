/* Solves a problem with Ipopt whose functions are JAX's, without Python.
 *
 * usage: solve FOLDER
 *
 * FOLDER holds what save.py wrote. Prints the iterates, the solution and times. Exits
 * with 0 if the problem is solved, with 1 if not or if something fails, and with 2 if
 * it is called wrongly. */
#include <IpStdCInterface.h>
#include <IpoptConfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

enum { ROUNDS = 101, ITERATIONS_MAXIMUM = 200 };

typedef struct iterate {
  double objective;
  double infeasibility;
} iterate;

/* What Ipopt hands to the callbacks as user_data. */
typedef struct solver {
  problem problem;
  iterate iterates[ITERATIONS_MAXIMUM + 1];
  int num_iterates;
  bool failed; /* a function could not be run, and error says why */
  cyxla_error error;
} solver;

/* Runs a function at x and copies its result to where Ipopt wants it. Ipopt says with
 * new_x whether x is another one than that of the callback before. */
static Bool run(solver *self, int function, const Number *x, Bool new_x,
                Number *result) {
  problem *opened = &self->problem;
  const double *output;

  if (new_x) memcpy(opened->x, x, opened->num_variables * sizeof(double));
  output = problem_run(opened, function, &self->error);
  if (output == NULL) {
    self->failed = true;
    return FALSE;
  }
  memcpy(result, output, opened->sizes[function] * sizeof(double));
  return TRUE;
}

static Bool evaluate_objective(Index n, Number *x, Bool new_x, Number *objective,
                               UserDataPtr self) {
  (void)n;
  return run(self, OBJECTIVE, x, new_x, objective);
}

static Bool evaluate_gradient(Index n, Number *x, Bool new_x, Number *gradient,
                              UserDataPtr self) {
  (void)n;
  return run(self, GRADIENT, x, new_x, gradient);
}

static Bool evaluate_constraints(Index n, Number *x, Bool new_x, Index m,
                                 Number *constraints, UserDataPtr self) {
  (void)n;
  (void)m;
  return run(self, CONSTRAINTS, x, new_x, constraints);
}

/* Ipopt asks for the places of a matrix's entries once, with values NULL. */
static Bool evaluate_jacobian(Index n, Number *x, Bool new_x, Index m, Index num_values,
                              Index *rows, Index *columns, Number *values,
                              UserDataPtr self) {
  (void)m;
  if (values != NULL) return run(self, JACOBIAN, x, new_x, values);
  for (Index i = 0; i < num_values; i++) {
    rows[i] = i / n;
    columns[i] = i % n;
  }
  return TRUE;
}

static Bool evaluate_hessian(Index n, Number *x, Bool new_x, Number objective_factor,
                             Index m, Number *multipliers, Bool new_multipliers,
                             Index num_values, Index *rows, Index *columns,
                             Number *values, UserDataPtr user_data) {
  solver *self = user_data;
  Index i = 0;

  (void)num_values;
  (void)new_multipliers;
  if (values != NULL) {
    *self->problem.objective_factor = objective_factor;
    memcpy(self->problem.multipliers, multipliers, (size_t)m * sizeof(double));
    return run(self, HESSIAN, x, new_x, values);
  }
  for (Index row = 0; row < n; row++) {
    for (Index column = 0; column <= row; column++, i++) {
      rows[i] = row;
      columns[i] = column;
    }
  }
  return TRUE;
}

/* Called once an iteration. Where a callback fails Ipopt tries a shorter step; a run
 * that failed would fail again, so that it is stopped here. */
static Bool keep_iterate(Index mode, Index iteration, Number objective,
                         Number infeasibility, Number dual_infeasibility, Number mu,
                         Number step, Number regularization, Number dual_step_size,
                         Number step_size, Index trials, UserDataPtr user_data) {
  solver *self = user_data;

  (void)mode, (void)dual_infeasibility, (void)mu, (void)step, (void)regularization;
  (void)dual_step_size, (void)step_size, (void)trials;
  if (iteration <= ITERATIONS_MAXIMUM) {
    self->iterates[iteration].objective = objective;
    self->iterates[iteration].infeasibility = infeasibility;
    self->num_iterates = iteration + 1;
  }
  return self->failed ? FALSE : TRUE;
}

static IpoptProblem create_ipopt_problem(problem *opened) {
  IpoptProblem ipopt = CreateIpoptProblem(
      (Index)opened->num_variables, (Number *)opened->lower, (Number *)opened->upper,
      (Index)opened->num_constraints, (Number *)opened->constraints_lower,
      (Number *)opened->constraints_upper, (Index)opened->sizes[JACOBIAN],
      (Index)opened->sizes[HESSIAN], 0, evaluate_objective, evaluate_constraints,
      evaluate_gradient, evaluate_jacobian, evaluate_hessian);

  if (ipopt == NULL) {
    fprintf(stderr, "Ipopt refused the problem\n");
    return NULL;
  }
  if (!AddIpoptIntOption(ipopt, "print_level", 0) ||
      !AddIpoptIntOption(ipopt, "max_iter", ITERATIONS_MAXIMUM) ||
      !AddIpoptStrOption(ipopt, "sb", "yes") || /* prints no banner */
      !SetIntermediateCallback(ipopt, keep_iterate)) {
    fprintf(stderr, "Ipopt refused an option\n");
    FreeIpoptProblem(ipopt);
    return NULL;
  }
  return ipopt;
}

/* Solves the problem from its start. Returns whether Ipopt found a solution, which goes
 * to x; if it did not, what is wrong has been printed. */
static bool solve_once(solver *self, double *x, double *seconds) {
  enum ApplicationReturnStatus status;
  double start;
  IpoptProblem ipopt = create_ipopt_problem(&self->problem);

  if (ipopt == NULL) return false;
  memcpy(x, self->problem.start, self->problem.num_variables * sizeof(double));
  start = now_seconds();
  status = IpoptSolve(ipopt, x, NULL, NULL, NULL, NULL, NULL, self);
  *seconds = now_seconds() - start;
  FreeIpoptProblem(ipopt);
  if (self->failed) {
    fprintf(stderr, "%s\n", self->error.message);
  } else if (status != Solve_Succeeded) {
    fprintf(stderr, "Ipopt ended with the status %d, expected 0, solved\n",
            (int)status);
  }
  return !self->failed && status == Solve_Succeeded;
}

static int compare_numbers(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void print_result(const solver *self, const double *x) {
  printf("%9s %23s %23s\n", "iteration", "objective", "infeasibility");
  for (int i = 0; i < self->num_iterates; i++) {
    printf("%9d %23.16e %23.16e\n", i, self->iterates[i].objective,
           self->iterates[i].infeasibility);
  }
  printf("solution ");
  for (size_t i = 0; i < self->problem.num_variables; i++) printf(" %.12f", x[i]);
  printf("\n");
}

/* Solves the problem repeatedly, for the times. */
static bool solve(solver *self, double *x) {
  double seconds[ROUNDS];

  for (int round = 0; round < ROUNDS; round++) {
    if (!solve_once(self, x, &seconds[round])) return false;
  }
  print_result(self, x);
  qsort(seconds, ROUNDS, sizeof(seconds[0]), compare_numbers);
  printf("time a solve %.3f ms (median), %.3f ms of it in %ld functions\n",
         1e3 * seconds[ROUNDS / 2], 1e3 * self->problem.run_seconds / ROUNDS,
         self->problem.num_runs / ROUNDS);
  return true;
}

int main(int argc, char **argv) {
  static solver self; /* zeros; too large for a stack */
  double *x;
  bool solved = false;

  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\nFOLDER holds what save.py wrote.\n", argv[0]);
    return 2;
  }
  if (problem_open(&self.problem, argv[1], &self.error) != CYXLA_OK) {
    fprintf(stderr, "%s\n", self.error.message);
  } else if ((x = malloc(self.problem.num_variables * sizeof(double))) == NULL) {
    fprintf(stderr, "no memory for %zu numbers\n", self.problem.num_variables);
  } else {
    printf("Ipopt %s with functions from %s\n", IPOPT_VERSION, argv[1]);
    solved = solve(&self, x);
    free(x);
  }
  problem_close(&self.problem);
  return solved ? EXIT_SUCCESS : EXIT_FAILURE;
}
