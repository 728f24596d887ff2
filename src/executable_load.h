/* How executables come to be: a program is compiled, or what a plugin serialized is
 * loaded. */
#ifndef CYXLA_EXECUTABLE_LOAD_H
#define CYXLA_EXECUTABLE_LOAD_H

#include "executable.h"

/* Whether the plugin can load what it serialized. */
bool cyxla_executable_can_deserialize(const cyxla_runtime *runtime);

#endif
