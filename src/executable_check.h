/* Whether what a plugin compiled is what the program's signature says. A file may claim
 * any signature, and memory is handed to the plugin by it. */
#ifndef CYXLA_EXECUTABLE_CHECK_H
#define CYXLA_EXECUTABLE_CHECK_H

#include "executable.h"

/* What the plugin tells of a compiled program, to be given back. */
cyxla_status cyxla_executable_describe(const cyxla_executable *executable,
                                       PJRT_Executable **description,
                                       cyxla_error *error);
void cyxla_executable_description_destroy(const cyxla_executable *executable,
                                          PJRT_Executable *description);

/* Checks number, dtypes and shapes of the outputs and that one device is enough, and
 * fills in the executable's code_bytes. */
cyxla_status cyxla_executable_check(cyxla_executable *executable, cyxla_error *error);

#endif
