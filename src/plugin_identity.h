/* Which build of a plugin is loaded: the size and the hash of its library. Nothing that
 * a plugin says about itself tells two builds apart. */
#ifndef CYXLA_PLUGIN_IDENTITY_H
#define CYXLA_PLUGIN_IDENTITY_H

#include "plugin.h"

/* Notes what the file is that is going to be loaded, so that another one that takes its
 * place later is not taken for it. */
void cyxla_plugin_note_file(cyxla_plugin *plugin);

/* The size and the hash of the library's file, which is read once. Fails with
 * CYXLA_FAILED_PRECONDITION where the file is no longer the one that was loaded. Any
 * thread may call it. */
cyxla_status cyxla_plugin_identify(const cyxla_plugin *plugin, uint64_t *bytes,
                                   uint64_t *hash, cyxla_error *error);

#endif
