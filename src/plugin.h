/* Plugins: a loaded library that implements PJRT, its version and what it offers.
 *
 * A plugin is loaded once a process and never unloaded: XLA's libraries start threads
 * and register destructors that do not survive it. */
#ifndef CYXLA_PLUGIN_H
#define CYXLA_PLUGIN_H

#include "abi/pjrt.h"
#include "cyxla.h"
#include "path.h"

/* The oldest minor version of the PJRT API that cyxla's declarations are tested with.
 */
#define CYXLA_PJRT_API_MINOR_MINIMUM 81

/* 16 hexadecimal digits, a hyphen, 20 decimal digits and a zero byte. */
enum { CYXLA_PLUGIN_IDENTITY_BYTES = 38 };

typedef struct cyxla_plugin {
  char *path;
  const PJRT_Api *api;
  int64_t stablehlo_version[3]; /* the latest it reads; 0.0.0 where it does not tell */
  int64_t stablehlo_minimum_version[3];
  bool is_initialized;
  const struct XLA_FFI_Api *ffi_api; /* NULL before a handler is registered */
  struct cyxla_ffi_registration *ffi_registrations; /* the newest first */
  bool has_started;                                 /* a client was made */
  long generation;                                  /* of the process that made it */
  uint64_t xla_flags_hash; /* of XLA_FLAGS when it was loaded, which changes code */
  cyxla_path_state file;   /* the library as it was when it was loaded */
  uint64_t file_hash;      /* of its content, see plugin_identity.h */
  char identity[CYXLA_PLUGIN_IDENTITY_BYTES]; /* "" before it was hashed */
  struct cyxla_plugin *next;
} cyxla_plugin;

/* Loads the plugin at a path, or returns the one that is loaded from there already.
 * Any thread may call it. The plugin belongs to the process. */
cyxla_status cyxla_plugin_load(const char *path, const cyxla_plugin **plugin,
                               cyxla_error *error);

/* Notes that a client of the plugin is going to be made. Fails in a process that was
 * forked after another one was made: the plugin's threads are missing there. */
cyxla_status cyxla_plugin_start(const cyxla_plugin *plugin, cyxla_error *error);

/* The error of a plugin in such a process. */
cyxla_status cyxla_plugin_forked(const cyxla_plugin *plugin, cyxla_error *error);

/* Whether the plugin has a function that cyxla can do without. */
#define CYXLA_PLUGIN_HAS(api, function)                                            \
  ((api)->struct_size >= offsetof(PJRT_Api, function) + sizeof((api)->function) && \
   (api)->function != NULL)

/* For tests: forgets the plugins that are loaded, so that the next load is a first one.
 * No runtime may be alive. */
void cyxla_plugin_forget_all(void);

#endif
