/* Times a function that CasADi generated. It is compiled once for each function, with
 * -DFUNCTION=name and -DREAL=float or double. */
#define _POSIX_C_SOURCE 200809L

#include "clock.h"

int FUNCTION(const REAL **arguments, REAL **results, long long *integers, REAL *reals,
             int memory);

/* Runs the function `count` times and returns the nanoseconds of all runs together, or
 * -1 if one failed. All arrays are the caller's. */
double casadi_loop_time(const REAL **arguments, REAL **results, long long *integers,
                        REAL *reals, long count);

double casadi_loop_time(const REAL **arguments, REAL **results, long long *integers,
                        REAL *reals, long count) {
  double start = clock_nanoseconds();

  for (long i = 0; i < count; i++) {
    if (FUNCTION(arguments, results, integers, reals, 0) != 0) return -1;
  }
  return clock_nanoseconds() - start;
}
