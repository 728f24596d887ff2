/* What run and bench have in common: a file's program with its inputs, compiled. */
#ifndef CYXLA_CLI_PREPARE_H
#define CYXLA_CLI_PREPARE_H

#include <cyxla.h>

#include "command.h"
#include "inputs.h"
#include "size.h"

typedef struct prepared {
  const char *file;
  cyxla_program *program;
  numbered_size size; /* the one of the program's that is run */
  inputs inputs;
  cyxla_executable *executable;
} prepared;

/* The options that both have. */
typedef struct prepare_options {
  bool has_zeros, has_random, has_plugin, has_size;
  const char *seed;
  const char *plugin; /* path of the library; NULL: the plugin is looked for */
  const char *size;   /* its number; NULL: the arrays that are given pick it */
  fill missing;       /* where neither zeros nor random numbers are asked for */
} prepare_options;

/* Reads the program of the file argv[0] and its inputs from the other arguments, which
 * pick the size unless the options name it.
 * Reports what is wrong and returns the exit code; prepared_free is called in any case.
 */
int prepare_inputs(const command *self, const prepare_options *options, int argc,
                   char **argv, prepared *made);

/* Compiles the program, which may take long: what can be checked before is. */
int prepare_executable(const command *self, const prepare_options *options,
                       prepared *made);

void prepared_free(prepared *made);

#endif
