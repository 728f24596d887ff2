/* Shared libraries: opening them and finding their symbols. */
#ifndef CYXLA_LIBRARY_H
#define CYXLA_LIBRARY_H

#include "cyxla.h"

typedef struct cyxla_library cyxla_library;

/* Opens the library at a path, all symbols resolved and none of them made visible to
 * others. CYXLA_PLUGIN_UNLOADABLE with the loader's own text where it cannot; `what`
 * says there what the library was expected to be, as in "the plugin <path>". */
cyxla_status cyxla_library_open(const char *what, const char *path,
                                cyxla_library **library, cyxla_error *error);

void cyxla_library_close(cyxla_library *library);

/* A function of the library, to be converted to its type; NULL if it has none of that
 * name. */
typedef void cyxla_library_function(void);
cyxla_library_function *cyxla_library_find(cyxla_library *library, const char *name);

/* The path of the file that holds cyxla itself, NULL if it cannot be found out; to be
 * freed with cyxla_release. */
char *cyxla_library_own_path(void);

#endif
