/* Which build of a plugin is loaded: the size and the hash of its library. Nothing that
 * a plugin says about itself tells two builds apart. */
#ifndef CYXLA_PLUGIN_IDENTITY_H
#define CYXLA_PLUGIN_IDENTITY_H

#include "plugin.h"

/* Notes what the file is that is going to be loaded, so that another one that takes its
 * place later is not taken for it, and the XLA_FLAGS that it will find. */
void cyxla_plugin_note_file(cyxla_plugin *plugin);

/* The clock of a file system may tick slowly: a file that was written to this lately
 * may be written to again without a trace. */
enum { CYXLA_SETTLED_SECONDS = 3 };

/* Sets the hash of the library that was loaded. Under the lock of the plugins. */
void cyxla_plugin_set_identity(cyxla_plugin *plugin, uint64_t hash);

/* Both as one text, see cyxla_runtime_plugin_identity. */
void cyxla_plugin_format_identity(uint64_t bytes, uint64_t hash,
                                  char identity[CYXLA_PLUGIN_IDENTITY_BYTES]);

/* Size and hash of a library's file. The last result is kept, since a library that is
 * looked for is also loaded, and has hundreds of megabytes. Any thread may call it. */
cyxla_status cyxla_plugin_hash_file(const char *path, uint64_t *bytes, uint64_t *hash,
                                    cyxla_error *error);

/* For tests: forgets that result, under the lock of the plugins. */
void cyxla_plugin_forget_hash(void);

/* The size and the hash of the library's file, which is read once. Fails with
 * CYXLA_FAILED_PRECONDITION where the file is no longer the one that was loaded. Any
 * thread may call it. */
cyxla_status cyxla_plugin_identify(const cyxla_plugin *plugin, uint64_t *bytes,
                                   uint64_t *hash, cyxla_error *error);

#endif
