/* The whole way of a program, from its code to its results, once through memory and
 * once through a file, in steps that may fail. */
#ifndef TEST_SCENARIO_H
#define TEST_SCENARIO_H

#include "cyxla.h"

typedef struct test_scenario {
  const char *plugin;
  const cyxla_program_options *program; /* of the sum, see test_sum_options */
  const char *path;                     /* of the file that is written */
  const char *failed_step;              /* out: what failed, NULL if nothing did */
  bool is_deserialized; /* out: the file was opened without compiling again */
} test_scenario;

/* Creates a runtime and a program, compiles, runs twice, saves, loads, opens and runs
 * again, and destroys all of it. Returns the status of the step that failed, after
 * making sure that its handle is NULL, its error is set and there is no result. */
cyxla_status test_scenario_run(test_scenario *scenario, cyxla_error *error);

#endif
