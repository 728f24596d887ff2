/* Comparing direct code with the plugin, before it is trusted. */
#ifndef CYXLA_DIRECT_COMPARE_H
#define CYXLA_DIRECT_COMPARE_H

#include "direct.h"

/* What came of it. Of the runs of each the shortest is told. */
typedef struct cyxla_direct_comparison {
  bool is_done; /* on all inputs: some are left out where runs take long */
  double plugin_seconds;
  double direct_seconds;
} cyxla_direct_comparison;

/* Runs both on inputs that are made up: random, zero, denormal, large and special
 * numbers. CYXLA_INTERNAL where one bit of an output differs, and a run's own error
 * where it fails. No loop of the code may depend on its inputs. */
cyxla_status cyxla_direct_compare(const cyxla_executable *executable,
                                  const cyxla_direct *direct,
                                  cyxla_direct_comparison *comparison,
                                  cyxla_error *error);

/* The same on the inputs that are given: an array in row-major order each. */
cyxla_status cyxla_direct_compare_on(const cyxla_executable *executable,
                                     const cyxla_direct *direct,
                                     const void *const *inputs, cyxla_error *error);

#endif
