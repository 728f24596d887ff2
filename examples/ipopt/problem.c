#define _POSIX_C_SOURCE 200112L /* clock_gettime */

#include "problem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const NAMES[NUM_FUNCTIONS] = {"objective", "gradient", "constraints",
                                                 "jacobian", "hessian"};

double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Makes a call of FOLDER/NAME.cyxla, which has so many inputs and outputs. */
static cyxla_status open_call(const char *folder, const char *name, size_t num_inputs,
                              size_t num_outputs, cyxla_call **call,
                              cyxla_error *error) {
  char path[2048];
  cyxla_executable *executable;
  cyxla_status status;

  if (snprintf(path, sizeof(path), "%s/%s.cyxla", folder, name) >= (int)sizeof(path)) {
    snprintf(error->message, sizeof(error->message), "%s: the path is too long",
             folder);
    return error->status = CYXLA_INVALID_ARGUMENT;
  }
  status = cyxla_open(path, NULL, &executable, error);
  if (status != CYXLA_OK) return status;
  if (cyxla_executable_num_inputs(executable) != num_inputs ||
      cyxla_executable_num_outputs(executable) != num_outputs) {
    snprintf(error->message, sizeof(error->message),
             "%s has %zu inputs and %zu outputs, expected %zu and %zu", path,
             cyxla_executable_num_inputs(executable),
             cyxla_executable_num_outputs(executable), num_inputs, num_outputs);
    status = error->status = CYXLA_SIGNATURE_MISMATCH;
  } else {
    status = cyxla_call_create(executable, call, error);
  }
  cyxla_executable_destroy(executable); /* the call keeps it */
  return status;
}

/* Arrays are read and written through pointers, so their types are checked before. */
static cyxla_status check_array(const cyxla_array_spec *array, const char *name,
                                size_t count, cyxla_error *error) {
  if (array->dtype == CYXLA_FLOAT64 && array->bytes == count * sizeof(double)) {
    return CYXLA_OK;
  }
  snprintf(error->message, sizeof(error->message),
           "%s: %s is %s in %zu bytes, expected float64 in %zu", name, array->name,
           cyxla_dtype_name(array->dtype), array->bytes, count * sizeof(double));
  return error->status = CYXLA_SIGNATURE_MISMATCH;
}

/* Runs the function without inputs that returns where to start and the bounds. Its call
 * is kept, and with it the arrays that it has returned. */
static cyxla_status read_bounds(problem *opened, const char *folder,
                                cyxla_error *error) {
  struct {
    const char *name;
    const double **array;
    size_t *count;
  } bounds[] = {
      {"start", &opened->start, &opened->num_variables},
      {"lower", &opened->lower, &opened->num_variables},
      {"upper", &opened->upper, &opened->num_variables},
      {"constraints_lower", &opened->constraints_lower, &opened->num_constraints},
      {"constraints_upper", &opened->constraints_upper, &opened->num_constraints},
  };
  const size_t num_bounds = sizeof(bounds) / sizeof(bounds[0]);
  cyxla_status status =
      open_call(folder, "bounds", 0, num_bounds, &opened->bounds, error);

  if (status == CYXLA_OK) status = cyxla_call_run(opened->bounds, error);
  for (size_t i = 0; i < num_bounds && status == CYXLA_OK; i++) {
    const cyxla_executable *executable = cyxla_call_executable(opened->bounds);
    size_t index = cyxla_executable_find_output(executable, bounds[i].name);
    const cyxla_array_spec *array = cyxla_executable_output(executable, index);

    if (array == NULL) {
      snprintf(error->message, sizeof(error->message), "bounds has no output %s",
               bounds[i].name);
      return error->status = CYXLA_SIGNATURE_MISMATCH;
    }
    /* The first array of a kind says how many there are. */
    if (*bounds[i].count == 0) *bounds[i].count = array->bytes / sizeof(double);
    status = check_array(array, "bounds", *bounds[i].count, error);
    *bounds[i].array = cyxla_call_output(opened->bounds, index);
  }
  return status;
}

/* Opens a function and lets it read x where all others read it. */
static cyxla_status open_function(problem *opened, const char *folder, int function,
                                  cyxla_error *error) {
  const size_t input_sizes[3] = {opened->num_variables, 1, opened->num_constraints};
  const size_t num_inputs = function == HESSIAN ? 3 : 1;
  const char *name = NAMES[function];
  const cyxla_executable *executable;
  cyxla_status status =
      open_call(folder, name, num_inputs, 1, &opened->calls[function], error);

  if (status != CYXLA_OK) return status;
  executable = cyxla_call_executable(opened->calls[function]);
  status = check_array(cyxla_executable_output(executable, 0), name,
                       opened->sizes[function], error);
  for (size_t i = 0; i < num_inputs && status == CYXLA_OK; i++) {
    status =
        check_array(cyxla_executable_input(executable, i), name, input_sizes[i], error);
  }
  if (status != CYXLA_OK) return status;
  return cyxla_call_bind_input(opened->calls[function], 0, opened->x, error);
}

cyxla_status problem_open(problem *opened, const char *folder, cyxla_error *error) {
  cyxla_status status;
  size_t n, m;

  memset(opened, 0, sizeof(*opened));
  status = read_bounds(opened, folder, error);
  if (status != CYXLA_OK) return status;
  n = opened->num_variables;
  m = opened->num_constraints;
  opened->sizes[OBJECTIVE] = 1;
  opened->sizes[GRADIENT] = n;
  opened->sizes[CONSTRAINTS] = m;
  opened->sizes[JACOBIAN] = m * n;
  opened->sizes[HESSIAN] = n * (n + 1) / 2;
  opened->x = cyxla_aligned_alloc(n * sizeof(double));
  if (opened->x == NULL) {
    snprintf(error->message, sizeof(error->message), "no memory for %zu numbers", n);
    return error->status = CYXLA_OUT_OF_MEMORY;
  }
  for (int function = 0; function < NUM_FUNCTIONS; function++) {
    status = open_function(opened, folder, function, error);
    if (status != CYXLA_OK) return status;
  }
  opened->objective_factor = cyxla_call_input(opened->calls[HESSIAN], 1);
  opened->multipliers = cyxla_call_input(opened->calls[HESSIAN], 2);
  return CYXLA_OK;
}

void problem_close(problem *opened) {
  for (int function = 0; function < NUM_FUNCTIONS; function++) {
    cyxla_call_destroy(opened->calls[function]);
  }
  cyxla_call_destroy(opened->bounds);
  cyxla_aligned_free(opened->x);
  memset(opened, 0, sizeof(*opened));
}

const double *problem_run(problem *opened, int function, cyxla_error *error) {
  double start = now_seconds();
  cyxla_status status = cyxla_call_run(opened->calls[function], error);

  opened->run_seconds += now_seconds() - start;
  opened->num_runs++;
  return status == CYXLA_OK ? cyxla_call_output(opened->calls[function], 0) : NULL;
}
