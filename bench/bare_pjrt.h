/* What a program costs with the PJRT C API alone: the reference of the measurements. A
 * run makes the calls that no caller can do without, with arguments that were prepared
 * ahead where that is possible, and checks each for an error. */
#ifndef BARE_PJRT_H
#define BARE_PJRT_H

#include <cyxla.h>

typedef struct bare_pjrt bare_pjrt;

/* Makes a client of the plugin at that path, with the options that cyxla sets, and
 * compiles the program, which has to live as long. */
cyxla_status bare_pjrt_create(const char *plugin, const cyxla_program *program,
                              bare_pjrt **bare, cyxla_error *error);
void bare_pjrt_destroy(bare_pjrt *bare);

/* The array of an input, to be filled in before a run. */
void *bare_pjrt_input(bare_pjrt *bare, size_t index);

/* The array of an output, valid until the next run. */
const void *bare_pjrt_output(const bare_pjrt *bare, size_t index);

/* Runs the program `count` times and tells how long all runs together took. */
cyxla_status bare_pjrt_time(bare_pjrt *bare, long count, double *nanoseconds,
                            cyxla_error *error);

#endif
