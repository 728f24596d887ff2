/* Runtimes: a plugin's client and its devices. */
#ifndef CYXLA_RUNTIME_H
#define CYXLA_RUNTIME_H

#include "plugin.h"
#include "process.h"

struct cyxla_runtime {
  volatile long references;
  const cyxla_plugin *plugin;
  PJRT_Client *client;
  PJRT_Device *device; /* the first, on which everything runs */
  char *platform;      /* in lower case */
  char *platform_version;
  char **device_kinds; /* [num_devices] */
  size_t num_devices;
  bool zero_copy;      /* buffers use aligned host memory as it is */
  bool without_lapack; /* programs that need a handler of LAPACK get none from cyxla */
  long generation;     /* of the process that made the client */
  struct cyxla_runtime *next_default;
};

/* False in a child that was forked after the client was made: the plugin's threads are
 * missing there, and calling it would hang. NULL is the runtime of an executable that
 * needs none. */
static inline bool cyxla_runtime_is_usable(const cyxla_runtime *runtime) {
  return runtime != NULL && runtime->generation == cyxla_process_generation();
}

/* The same as an error. */
cyxla_status cyxla_runtime_check_process(const cyxla_runtime *runtime,
                                         cyxla_error *error);

/* Another reference to a runtime, given back with cyxla_runtime_destroy. */
cyxla_runtime *cyxla_runtime_retain(cyxla_runtime *runtime);

/* The shared runtime of a plugin with default options, made on first use and kept until
 * the process ends. The caller gets a reference. */
cyxla_status cyxla_runtime_get_default(const char *plugin, const char *platform,
                                       cyxla_runtime **runtime, cyxla_error *error);

/* For tests: gives back the references that keep default runtimes alive. */
void cyxla_runtime_forget_defaults(void);

#endif
