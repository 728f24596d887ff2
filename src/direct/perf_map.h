/* The file that tells perf the names of code that was loaded. */
#ifndef CYXLA_DIRECT_PERF_MAP_H
#define CYXLA_DIRECT_PERF_MAP_H

#include "object.h"

/* Adds the functions of a set to the process's file, if the environment asks for it.
 * The file serves a profiler alone, so that one that cannot be written is no failure.
 */
void cyxla_perf_map_add(const cyxla_object_set *set);

#endif
