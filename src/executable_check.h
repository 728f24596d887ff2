/* Whether what a plugin compiled is what the program's signature says. A file may claim
 * any signature, and memory is handed to the plugin by it. */
#ifndef CYXLA_EXECUTABLE_CHECK_H
#define CYXLA_EXECUTABLE_CHECK_H

#include "executable.h"

/* Checks number, dtypes and shapes of the outputs and that one device is enough, and
 * fills in the executable's code_bytes. */
cyxla_status cyxla_executable_check(cyxla_executable *executable, cyxla_error *error);

#endif
