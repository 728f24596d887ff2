/* A membrane on a coarse grid, then on finer ones, each of which begins where the one
 * before has ended. The sizes are those that the file holds. */
#include <cyxla.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-7;
enum { RUNS_MAXIMUM = 1000 };

/* A square grid: n points each way, and its heights in row-major order. */
typedef struct grid {
  int64_t n;
  double *height;
} grid;

static void fail(const cyxla_error *error) {
  fprintf(stderr, "refine: %s: %s\n", cyxla_status_name(error->status), error->message);
  exit(1);
}

/* The height at a point between 0 and 1 each way, 0 at the edge, in between by linear
 * interpolation. */
static double height_at(const grid *from, double x, double y) {
  double column = x * (double)(from->n + 1), row = y * (double)(from->n + 1);
  int64_t i = (int64_t)row, k = (int64_t)column;
  double height = 0;

  for (int64_t a = i; a <= i + 1; a++) {
    for (int64_t b = k; b <= k + 1; b++) {
      double weight = (1 - fabs(row - (double)a)) * (1 - fabs(column - (double)b));
      if (a >= 1 && a <= from->n && b >= 1 && b <= from->n) {
        height += weight * from->height[(a - 1) * from->n + b - 1];
      }
    }
  }
  return height;
}

static void interpolate(const grid *from, const grid *to) {
  double spacing = 1 / (double)(to->n + 1);

  for (int64_t i = 0; i < to->n; i++) {
    for (int64_t k = 0; k < to->n; k++) {
      to->height[i * to->n + k] =
          from->n == 0
              ? 0
              : height_at(from, (double)(k + 1) * spacing, (double)(i + 1) * spacing);
    }
  }
}

/* Relaxes a grid until nothing changes any more. Returns the number of runs. */
static int relax(cyxla_executable *executable, const grid *membrane) {
  size_t height = cyxla_executable_find_output(executable, "height");
  size_t change = cyxla_executable_find_output(executable, "change");
  size_t bytes = cyxla_executable_input(executable, 0)->bytes;
  double last = INFINITY;
  int runs = 0;
  cyxla_call *call;
  cyxla_error error;

  if (cyxla_call_create(executable, &call, &error) != CYXLA_OK) fail(&error);
  memcpy(cyxla_call_input(call, 0), membrane->height, bytes);
  while (last > TOLERANCE && runs < RUNS_MAXIMUM) {
    if (cyxla_call_run(call, &error) != CYXLA_OK) fail(&error);
    memcpy(cyxla_call_input(call, 0), cyxla_call_output(call, height), bytes);
    last = *(const double *)cyxla_call_output(call, change);
    runs++;
  }
  memcpy(membrane->height, cyxla_call_input(call, 0), bytes);
  cyxla_call_destroy(call);
  return runs;
}

/* The next size of the file, on the runtime of the first. */
static cyxla_executable *next_size(cyxla_executable *first, int64_t n) {
  const int64_t shape[2] = {n, n};
  const cyxla_array_spec input = {.dtype = CYXLA_FLOAT64, .rank = 2, .shape = shape};
  cyxla_executable *executable;
  cyxla_program *size;
  cyxla_error error;

  if (cyxla_program_pick(cyxla_executable_program(first), &input, 1, &size, &error) !=
          CYXLA_OK ||
      cyxla_executable_create(cyxla_executable_runtime(first), size, &executable,
                              &error) != CYXLA_OK) {
    fail(&error);
  }
  return executable;
}

int main(int argc, char **argv) {
  const char *file = argc > 1 ? argv[1] : "relax.cyxla";
  const int64_t shape[2] = {15, 15};
  const cyxla_array_spec input = {.dtype = CYXLA_FLOAT64, .rank = 2, .shape = shape};
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_executable *first;
  cyxla_error error;
  grid coarse = {0, NULL};

  options.inputs = &input;
  options.num_inputs = 1;
  if (cyxla_open(file, &options, &first, &error) != CYXLA_OK) fail(&error);
  for (int64_t n = 15; n <= 63; n = 2 * n + 1) {
    grid fine = {n, calloc((size_t)(n * n), sizeof(double))};
    cyxla_executable *executable = next_size(first, n);
    int runs;
    if (fine.height == NULL) return 1;
    interpolate(&coarse, &fine);
    runs = relax(executable, &fine);
    printf("%2d x %2d points: %3d runs, %.5f in the middle\n", (int)n, (int)n, runs,
           fine.height[n / 2 * n + n / 2]);
    cyxla_executable_destroy(executable);
    free(coarse.height);
    coarse = fine;
  }
  free(coarse.height);
  cyxla_executable_destroy(first);
  return 0;
}
