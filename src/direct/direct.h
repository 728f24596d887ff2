/* Direct calls: the code that the CPU's plugin compiled, taken out of what it
 * serialized and run without it. */
#ifndef CYXLA_DIRECT_DIRECT_H
#define CYXLA_DIRECT_DIRECT_H

#include "buffers.h"
#include "object.h"
#include "thunks.h"

/* Never changes, and is used by any number of calls. */
typedef struct cyxla_direct {
  cyxla_object_set objects;
  cyxla_allocation_list allocations;
  cyxla_thunks thunks;
  bool has_side_effects; /* of a custom call, on the world outside of the program */
} cyxla_direct;

/* Takes the code out of a serialized executable of a program. The handlers of custom
 * calls are those that the plugin has, without one (NULL) the library's own of linear
 * algebra. CYXLA_UNIMPLEMENTED where something of it is not known, with the reason. */
cyxla_status cyxla_direct_create(const void *serialized, size_t bytes,
                                 const cyxla_program *program,
                                 const cyxla_plugin *plugin, cyxla_direct **direct,
                                 cyxla_error *error);
void cyxla_direct_destroy(cyxla_direct *direct);

#endif
