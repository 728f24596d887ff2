/* Which size of a file's program a command is about. Sizes are numbered from 0, in the
 * order in which they were saved, as cyxla info prints them. */
#ifndef CYXLA_CLI_SIZE_H
#define CYXLA_CLI_SIZE_H

#include <cyxla.h>

#include "command.h"
#include "inputs.h"

/* The size of a number, which is the value of the option --size. Reports what is wrong
 * and returns the exit code. *size is borrowed from the program. */
int size_by_number(const command *self, const char *number,
                   const cyxla_program *program, cyxla_program **size);

/* The size of that number unless it is NULL, the only one, or else the one whose inputs
 * have the shapes of the files that are given, whose headers are read for it. Reports
 * what is wrong and returns the exit code. *size is borrowed from the program. */
int size_pick(const command *self, const char *number, const cyxla_program *program,
              const inputs *given, cyxla_program **size);

size_t size_number(const cyxla_program *size);

/* Opens a file at the size that was found in it, with a plugin, or the one that is
 * looked for if that is NULL. False where that fails, or where the file holds another
 * program by now; the message says so. */
bool size_open(const char *file, const char *plugin, const cyxla_program *size,
               cyxla_executable **executable, cyxla_error *error);

#endif
