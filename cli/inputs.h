/* The inputs of a program, as the arguments of a command give them. */
#ifndef CYXLA_CLI_INPUTS_H
#define CYXLA_CLI_INPUTS_H

#include <cyxla.h>

#include "command.h"

/* What becomes of inputs that are not given. */
typedef enum fill { FILL_NOTHING, FILL_ZEROS, FILL_RANDOM } fill;

typedef struct inputs {
  size_t count;
  const char **paths; /* [count] of the files that are given; NULL for the others */
  void **arrays;      /* [count] aligned, of the sizes that the program wants */
} inputs;

/* Takes arguments "FILE" and "NAME=FILE": the former are the first inputs in order, the
 * latter the input of that name. No file is read yet, and any size of a program serves.
 * Reports what is wrong and returns the exit code; inputs_free is called in any case.
 */
int inputs_place(const command *self, const cyxla_program *program, int argc,
                 char **argv, inputs *placed);

/* Reads the arrays of the files for a size of the same program. The inputs that are not
 * given are filled: FILL_NOTHING makes them an error, FILL_RANDOM takes numbers of the
 * seed. Reports what is wrong and returns the exit code. */
int inputs_read(const command *self, const cyxla_program *program, fill missing,
                unsigned long long seed, inputs *read);

/* Has a call read the arrays, which have to live as long as it; false where that fails,
 * which is reported. Several calls may read the same arrays. */
bool inputs_bind(const command *self, const inputs *read, cyxla_call *call);

void inputs_free(inputs *read);

#endif
