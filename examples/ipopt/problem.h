/* A constrained problem whose functions are compiled JAX functions.
 *
 * minimize objective(x) subject to lower <= x <= upper and
 * constraints_lower <= constraints(x) <= constraints_upper */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <cyxla.h>

/* What a solver asks for, in files of the same name that save.py writes. */
enum {
  OBJECTIVE,   /* x -> 1 number */
  GRADIENT,    /* x -> [num_variables] */
  CONSTRAINTS, /* x -> [num_constraints] */
  JACOBIAN,    /* x -> [num_constraints x num_variables] */
  HESSIAN,     /* x, objective factor, multipliers -> lower triangle, row by row */
  NUM_FUNCTIONS
};

typedef struct problem {
  size_t num_variables;
  size_t num_constraints;
  const double *start; /* [num_variables] */
  const double *lower;
  const double *upper;
  const double *constraints_lower; /* [num_constraints] */
  const double *constraints_upper;
  double *x;                /* the first input of all functions */
  double *objective_factor; /* the others of HESSIAN */
  double *multipliers;
  cyxla_call *bounds;
  cyxla_call *calls[NUM_FUNCTIONS];
  size_t sizes[NUM_FUNCTIONS]; /* how many numbers a function returns */
  long num_runs;               /* of all functions, and how long they took */
  double run_seconds;
} problem;

/* Opens the functions in a folder. problem_close is needed after a failure, too. */
cyxla_status problem_open(problem *opened, const char *folder, cyxla_error *error);
void problem_close(problem *opened);

/* Runs a function on the inputs as they are now. Its result is read where it lies and
 * is valid until it runs again; NULL, with the error filled in, if the run fails. */
const double *problem_run(problem *opened, int function, cyxla_error *error);

double now_seconds(void);

#endif
