/* Comparing direct code with the plugin, before it is trusted. */
#ifndef CYXLA_DIRECT_COMPARE_H
#define CYXLA_DIRECT_COMPARE_H

#include "direct.h"

/* Runs both on inputs that are made up: random, zero, denormal, large and special
 * numbers. CYXLA_INTERNAL where one bit of an output differs, and a run's own error
 * where it fails. No loop of the code may depend on its inputs. */
cyxla_status cyxla_direct_compare(const cyxla_executable *executable,
                                  cyxla_direct *direct, cyxla_error *error);

#endif
