/* What the Fortran tests need of C: programs for the fake plugin, its controls, and the
 * sizes of the structs in cyxla.h. */
#ifndef SUPPORT_H
#define SUPPORT_H

/* Where the fake plugin lies. */
const char *support_plugin(void);

/* Write a program for the fake plugin; they return a cyxla_status.
 *   copy     x dtype[2, 3, 1, 2, ...] of that rank -> y, a copy of it
 *   sum      left float64[2, 3], right float64[2, 3] -> sum, left
 *   advance  time float64[], state.velocity float64[4], donated -> velocity, negated
 *   empty    x float64[2, 0] -> y, a copy of it
 *   sizes    step float64[], x float64[n, 3] -> y, x negated, for n of 2, 3 and 4 */
int support_save_copy(const char *path, int dtype, int rank);
int support_save_sum(const char *path);
int support_save_advance(const char *path);
int support_save_empty(const char *path);
int support_save_sizes(const char *path);

/* Controls of the fake plugin: executables and buffers that are alive, all runs fail
 * from now on or do not, every call of the plugin divides by zero or does not. */
long support_num_alive(void);
void support_fail_runs(int fail);
void support_divide_by_zero(int divide);

/* sizeof of the struct of that name, 0 for another name. */
long support_sizeof(const char *name);

#endif
