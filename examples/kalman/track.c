/* Follows a moving target with filter.cyxla, a Kalman filter that was written in JAX.
 *
 * usage: track FILE
 *
 * The filter factors and solves, so it calls LAPACK: the one of the machine, with no
 * Python in the process. */
#include <cyxla.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 4, MEASURED = 2, STEPS = 600 };

static const double TIME_STEP = 0.1; /* as in make_filter.py */

/* A call of the filter, and where its arrays are. */
typedef struct filter {
  cyxla_executable *executable;
  cyxla_call *call;
  double *state, *covariance, *measured;
  size_t new_state, new_covariance, log_likelihood;
} filter;

static void check(cyxla_status status, const cyxla_error *error) {
  if (status == CYXLA_OK) return;
  fprintf(stderr, "track: %s\n", error->message);
  exit(1);
}

static double *input(const filter *self, const char *name, size_t count) {
  size_t index = cyxla_executable_find_input(self->executable, name);
  const cyxla_array_spec *spec = cyxla_executable_input(self->executable, index);

  if (spec == NULL || spec->dtype != CYXLA_FLOAT64 ||
      spec->bytes != count * sizeof(double)) {
    fprintf(stderr, "track: the program takes no %zu numbers called %s\n", count, name);
    exit(1);
  }
  return cyxla_call_input(self->call, index);
}

static filter open_filter(const char *path) {
  filter self;
  cyxla_error error;

  check(cyxla_open(path, NULL, &self.executable, &error), &error);
  check(cyxla_call_create(self.executable, &self.call, &error), &error);
  self.state = input(&self, "state", STATES);
  self.covariance = input(&self, "covariance", STATES * STATES);
  self.measured = input(&self, "measured", MEASURED);
  self.new_state = cyxla_executable_find_output(self.executable, "state");
  self.new_covariance = cyxla_executable_find_output(self.executable, "covariance");
  self.log_likelihood = cyxla_executable_find_output(self.executable, "log_likelihood");
  return self;
}

static void reset(filter *self) {
  memset(self->state, 0, STATES * sizeof(double));
  memset(self->covariance, 0, STATES * STATES * sizeof(double));
  for (int i = 0; i < STATES; i++) self->covariance[i * STATES + i] = 10.0;
}

/* Takes a measurement in and returns the logarithm of its likelihood. */
static double advance(filter *self, double x, double y) {
  cyxla_error error;

  self->measured[0] = x;
  self->measured[1] = y;
  check(cyxla_call_run(self->call, &error), &error);
  memcpy(self->state, cyxla_call_output(self->call, self->new_state),
         STATES * sizeof(double));
  memcpy(self->covariance, cyxla_call_output(self->call, self->new_covariance),
         STATES * STATES * sizeof(double));
  return *(const double *)cyxla_call_output(self->call, self->log_likelihood);
}

/* A normally distributed number, the same ones in each run. */
static double noise(void) {
  double sum = -6.0;

  for (int i = 0; i < 12; i++) sum += (double)rand() / RAND_MAX;
  return sum;
}

/* Follows a target on a circle, and prints how far off it is with and without. */
static void track(filter *self) {
  double of_measured = 0.0, of_filtered = 0.0;

  for (int i = 0; i < STEPS; i++) {
    double angle = 0.1 * TIME_STEP * i;
    double x = 20.0 * cos(angle), y = 20.0 * sin(angle);
    double seen_x = x + 0.5 * noise(), seen_y = y + 0.5 * noise();
    advance(self, seen_x, seen_y);
    of_measured += (seen_x - x) * (seen_x - x) + (seen_y - y) * (seen_y - y);
    of_filtered += (self->state[0] - x) * (self->state[0] - x) +
                   (self->state[1] - y) * (self->state[1] - y);
  }
  printf("measured          %.2f m off\n", sqrt(of_measured / STEPS));
  printf("filtered          %.2f m off\n", sqrt(of_filtered / STEPS));
}

int main(int argc, char **argv) {
  filter self;
  double total;

  if (argc != 2) {
    fprintf(stderr, "usage: track FILE\n");
    return 2;
  }
  self = open_filter(argv[1]);
  reset(&self);
  total = advance(&self, 1.0, 2.0);
  total += advance(&self, 1.5, 2.5);
  printf("two steps in C    %.9f\n", total);
  reset(&self);
  track(&self);
  cyxla_call_destroy(self.call);
  cyxla_executable_destroy(self.executable);
  return 0;
}
