/* Comparing direct code with the plugin, before it is trusted. */
#ifndef CYXLA_DIRECT_COMPARE_H
#define CYXLA_DIRECT_COMPARE_H

#include "direct.h"

/* Runs both on inputs that are made up: random, zero, denormal, large and special
 * numbers. CYXLA_INTERNAL where one bit of an output differs, and a run's own error
 * where it fails. No loop of the code may depend on its inputs. Where runs take long,
 * some inputs are left out, which *is_done tells. */
cyxla_status cyxla_direct_compare(const cyxla_executable *executable,
                                  const cyxla_direct *direct, bool *is_done,
                                  cyxla_error *error);

/* The same on the inputs that are given: an array in row-major order each. */
cyxla_status cyxla_direct_compare_on(const cyxla_executable *executable,
                                     const cyxla_direct *direct,
                                     const void *const *inputs, cyxla_error *error);

#endif
