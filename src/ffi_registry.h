/* The handlers that a plugin was given, for direct code: it calls what the plugin
 * would.
 *
 * XLA keeps the first handler of a name, and so does this. */
#ifndef CYXLA_FFI_REGISTRY_H
#define CYXLA_FFI_REGISTRY_H

#include "abi/ffi.h"
#include "plugin.h"

/* A handler as the caller gave it. It never changes. */
typedef struct cyxla_ffi_registration {
  char *name;
  bool is_host;  /* it is for the CPU */
  bool is_plain; /* it has no stages but execute, and so no state */
  XLA_FFI_Handler *execute;
  struct cyxla_ffi_registration *next;
} cyxla_ffi_registration;

/* Remembers a handler that the plugin took, unless it has one of the name. */
cyxla_status cyxla_ffi_registry_add(const cyxla_plugin *plugin, const char *platform,
                                    const cyxla_ffi_handler *handler,
                                    cyxla_error *error);

/* Forgets those of a plugin. */
void cyxla_ffi_registry_free(cyxla_plugin *plugin);

/* The handler on the CPU of a name that need not end with a zero byte. Without a plugin
 * they are the library's own, of linear algebra. CYXLA_UNIMPLEMENTED where there is
 * none or it cannot be called without the plugin, with the reason. */
cyxla_status cyxla_ffi_find(const cyxla_plugin *plugin, const char *name, size_t bytes,
                            XLA_FFI_Handler **handler, cyxla_error *error);

#endif
