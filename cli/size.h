/* Which size of a file's program a command is about. Sizes are numbered from 0, in the
 * order in which they were saved, as cyxla info prints them. */
#ifndef CYXLA_CLI_SIZE_H
#define CYXLA_CLI_SIZE_H

#include <cyxla.h>

#include "command.h"
#include "inputs.h"

/* A size of a program, with its number: to find that from the program alone means to
 * go through the list of all, each from its begin. */
typedef struct numbered_size {
  cyxla_program *program; /* borrowed from the one that has all sizes */
  size_t number;
} numbered_size;

/* The size of a number, which is the value of the option --size. Reports what is wrong
 * and returns the exit code. */
int size_by_number(const command *self, const char *number,
                   const cyxla_program *program, numbered_size *size);

/* The size of that number unless it is NULL, the only one, or else the one whose inputs
 * have the shapes of the files that are given, whose headers are read for it. Reports
 * what is wrong and returns the exit code. */
int size_pick(const command *self, const char *number, const cyxla_program *program,
              const inputs *given, numbered_size *size);

/* Opens a file at the size that was found in it, with a plugin, or the one that is
 * looked for if that is NULL; without one where the file's code is called directly,
 * unless it has to be `with_plugin`. False where that fails, or where the file holds
 * another program by now; the message says so. */
bool size_open(const char *file, const char *plugin, bool with_plugin,
               const numbered_size *size, cyxla_executable **executable,
               cyxla_error *error);

#endif
