/* Sizes: one function at several shapes of its inputs, as a list of programs. */
#ifndef CYXLA_PROGRAM_SIZES_H
#define CYXLA_PROGRAM_SIZES_H

#include "program.h"

/* Whether a program can join a list, as another size of the same function: for the same
 * platform, with arrays of the same names and dtypes, and with input shapes that no
 * other of the list has. */
cyxla_status cyxla_program_check_size(const cyxla_program *first,
                                      const cyxla_program *program, cyxla_error *error);

/* Whether two arrays have the same rank and sizes. */
bool cyxla_program_has_shape(const cyxla_array_spec *a, const cyxla_array_spec *b);

#endif
