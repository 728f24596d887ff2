#include "test_scenario.h"

#include <stdio.h>
#include <string.h>

#include "test.h"
#include "test_fake.h"

/* Keeps what failed and checks what every failure has to leave. */
static cyxla_status check(test_scenario *scenario, const char *step,
                          cyxla_status status, const void *handle,
                          const cyxla_error *error) {
  if (status == CYXLA_OK) {
    if (handle == NULL) test_fail(__FILE__, __LINE__, "%s gave no handle", step);
    return status;
  }
  scenario->failed_step = step;
  if (handle != NULL) {
    test_fail(__FILE__, __LINE__, "%s failed and left a handle", step);
  }
  if (error->status != status || error->message[0] == '\0') {
    test_fail(__FILE__, __LINE__, "%s returned %s, and its error says %s \"%s\"", step,
              cyxla_status_name(status), cyxla_status_name(error->status),
              error->message);
  }
  return status;
}

/* What a handle is before it is given, so that one that stays is found out. */
static void *const garbage = (void *)&garbage;

static cyxla_status run_once(test_scenario *scenario, cyxla_call *call, float scale,
                             cyxla_error *error) {
  cyxla_status status;

  test_sum_fill(call, scale);
  status = cyxla_call_run(call, error);
  if (status == CYXLA_OK) test_sum_expect(call, scale);
  return check(scenario, "cyxla_call_run", status, cyxla_call_output(call, 0), error);
}

static cyxla_status run_twice(test_scenario *scenario, cyxla_executable *executable,
                              cyxla_error *error) {
  cyxla_call *call = garbage;
  cyxla_status status = cyxla_call_create(executable, &call, error);
  status = check(scenario, "cyxla_call_create", status, call, error);

  if (status != CYXLA_OK) return status;
  status = run_once(scenario, call, 1, error);
  if (status == CYXLA_OK) status = run_once(scenario, call, 2, error);
  if (status != CYXLA_OK) {
    /* The next run may well work. */
    cyxla_error again;
    test_sum_fill(call, 3);
    if (cyxla_call_run(call, &again) == CYXLA_OK) test_sum_expect(call, 3);
  }
  cyxla_call_destroy(call);
  return status;
}

static cyxla_status compile_and_save(test_scenario *scenario, cyxla_runtime *runtime,
                                     cyxla_error *error) {
  cyxla_program *program = garbage;
  cyxla_executable *executable = garbage;
  cyxla_status status;

  status = cyxla_program_create(scenario->program, &program, error);
  status = check(scenario, "cyxla_program_create", status, program, error);
  if (status != CYXLA_OK) return status;
  status = cyxla_executable_compile(runtime, program, &executable, error);
  status = check(scenario, "cyxla_executable_compile", status, executable, error);
  if (status == CYXLA_OK) {
    status = run_twice(scenario, executable, error);
    if (status == CYXLA_OK) {
      status = cyxla_executable_save(executable, scenario->path, error);
      check(scenario, "cyxla_executable_save", status,
            status == CYXLA_OK ? program : NULL, error);
    }
    cyxla_executable_destroy(executable);
  }
  cyxla_program_destroy(program);
  return status;
}

static cyxla_status load_and_open(test_scenario *scenario, cyxla_error *error) {
  cyxla_program *program = garbage;
  cyxla_executable *executable = garbage;
  cyxla_status status;

  status = cyxla_program_load(scenario->path, &program, error);
  status = check(scenario, "cyxla_program_load", status, program, error);
  if (status != CYXLA_OK) return status;
  EXPECT_EQUAL(cyxla_program_num_inputs(program), 2);
  cyxla_program_destroy(program);
  status = cyxla_open(scenario->path, NULL, &executable, error);
  status = check(scenario, "cyxla_open", status, executable, error);
  if (status != CYXLA_OK) return status;
  scenario->is_deserialized = cyxla_executable_is_deserialized(executable);
  status = run_twice(scenario, executable, error);
  cyxla_executable_destroy(executable);
  return status;
}

cyxla_status test_scenario_run(test_scenario *scenario, cyxla_error *error) {
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_runtime *runtime = garbage;
  cyxla_status status;

  scenario->failed_step = NULL;
  scenario->is_deserialized = false;
  /* Saving keeps the executables of a file that is there. */
  remove(scenario->path);
  memset(error, 0, sizeof(*error));
  options.plugin = scenario->plugin;
  options.platform = "cpu";
  status = cyxla_runtime_create(&options, &runtime, error);
  status = check(scenario, "cyxla_runtime_create", status, runtime, error);
  if (status != CYXLA_OK) return status;
  status = compile_and_save(scenario, runtime, error);
  if (status == CYXLA_OK) status = load_and_open(scenario, error);
  cyxla_runtime_destroy(runtime);
  return status;
}
