/* The options of a plugin's client: those given and those that cyxla adds. */
#ifndef CYXLA_CLIENT_OPTIONS_H
#define CYXLA_CLIENT_OPTIONS_H

#include "abi/pjrt.h"
#include "cyxla.h"

typedef struct cyxla_client_options {
  PJRT_NamedValue *values;
  size_t num_values;
} cyxla_client_options;

/* The names and lists are borrowed from options. */
cyxla_status cyxla_client_options_create(const cyxla_runtime_options *options,
                                         cyxla_client_options *client_options,
                                         cyxla_error *error);

void cyxla_client_options_destroy(cyxla_client_options *client_options);

#endif
