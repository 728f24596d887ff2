/* Runtimes: a plugin's client and its devices. */
#ifndef CYXLA_RUNTIME_H
#define CYXLA_RUNTIME_H

#include "plugin.h"

struct cyxla_runtime {
  volatile long references;
  const cyxla_plugin *plugin;
  PJRT_Client *client;
  PJRT_Device *device; /* the first, on which everything runs */
  char *platform;      /* in lower case */
  char *platform_version;
  char **device_kinds; /* [num_devices] */
  size_t num_devices;
  bool zero_copy; /* buffers use aligned host memory as it is */
  struct cyxla_runtime *next_default;
};

/* Another reference to a runtime, given back with cyxla_runtime_destroy. */
cyxla_runtime *cyxla_runtime_retain(cyxla_runtime *runtime);

/* The shared runtime of a plugin with default options, made on first use and kept until
 * the process ends. The caller gets a reference. */
cyxla_status cyxla_runtime_get_default(const char *plugin, const char *platform,
                                       cyxla_runtime **runtime, cyxla_error *error);

/* For tests: gives back the references that keep default runtimes alive. */
void cyxla_runtime_forget_defaults(void);

#endif
