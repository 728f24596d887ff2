/* What a program costs through the C library: cyxla_call_run in a loop, in one thread
 * and in several. */
#ifndef CALL_LOOP_H
#define CALL_LOOP_H

#include <cyxla.h>

typedef struct call_loop call_loop;

/* Opens a .cyxla file, with the plugin at that path if it is not NULL. */
cyxla_status call_loop_create(const char *file, const char *plugin, cyxla_tier tier,
                              call_loop **loop, cyxla_error *error);
void call_loop_destroy(call_loop *loop);

/* The program, borrowed. */
const cyxla_program *call_loop_program(const call_loop *loop);

/* The array of an input, to be filled in before a run. */
void *call_loop_input(call_loop *loop, size_t index);

/* The array of an output, valid until the next run. */
const void *call_loop_output(const call_loop *loop, size_t index);

/* Runs the program `count` times and tells how long all runs together took. */
cyxla_status call_loop_time(call_loop *loop, long count, double *nanoseconds,
                            cyxla_error *error);

/* Lets threads with a call each, whose inputs are those of the loop, run the program
 * for so many seconds, and tells how many runs a second they made together. */
cyxla_status call_loop_threads(call_loop *loop, size_t num_threads, double seconds,
                               double *runs_per_second, cyxla_error *error);

/* The same of threads that only compute, without cyxla, for about as long in a run:
 * what the machine has to give. */
cyxla_status call_loop_bare_threads(size_t num_threads, double seconds,
                                    double *runs_per_second, cyxla_error *error);

#endif
