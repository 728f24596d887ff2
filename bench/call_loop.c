#define _POSIX_C_SOURCE 200809L

#include "call_loop.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

struct call_loop {
  cyxla_executable *executable;
  cyxla_call *call;
};

cyxla_status call_loop_create(const char *file, const char *plugin, cyxla_tier tier,
                              call_loop **result, cyxla_error *error) {
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  call_loop *loop = calloc(1, sizeof(*loop));
  cyxla_status status;

  *result = NULL;
  if (loop == NULL) {
    snprintf(error->message, sizeof(error->message), "no memory is left");
    return error->status = CYXLA_OUT_OF_MEMORY;
  }
  options.plugin = plugin;
  options.tier = tier;
  status = cyxla_open(file, &options, &loop->executable, error);
  if (status == CYXLA_OK) {
    status = cyxla_call_create(loop->executable, &loop->call, error);
  }
  if (status != CYXLA_OK) {
    call_loop_destroy(loop);
    return status;
  }
  *result = loop;
  return CYXLA_OK;
}

void call_loop_destroy(call_loop *loop) {
  if (loop == NULL) return;
  cyxla_call_destroy(loop->call);
  cyxla_executable_destroy(loop->executable);
  free(loop);
}

const cyxla_program *call_loop_program(const call_loop *loop) {
  return cyxla_executable_program(loop->executable);
}

void *call_loop_input(call_loop *loop, size_t index) {
  return cyxla_call_input(loop->call, index);
}

const void *call_loop_output(const call_loop *loop, size_t index) {
  return cyxla_call_output(loop->call, index);
}

cyxla_status call_loop_time(call_loop *loop, long count, double *nanoseconds,
                            cyxla_error *error) {
  cyxla_status status = CYXLA_OK;
  double start = clock_nanoseconds();

  for (long i = 0; status == CYXLA_OK && i < count; i++) {
    status = cyxla_call_run(loop->call, error);
  }
  *nanoseconds = clock_nanoseconds() - start;
  return status;
}

/* One thread of several. */
typedef struct runner {
  pthread_t thread;
  cyxla_call *call; /* NULL: only computes */
  pthread_barrier_t *ready;
  double nanoseconds; /* how long to run */
  double runs_per_second;
  cyxla_status status;
  cyxla_error error;
} runner;

enum { NUM_COMPUTED = 64, NUM_STEPS = 9000 };

/* Some 35 microseconds of arithmetic on vectors, as XLA's code for the program has it.
 */
static cyxla_status compute(void) {
  float x[NUM_COMPUTED];
  float sum = 0;

  for (int i = 0; i < NUM_COMPUTED; i++) x[i] = (float)i / NUM_COMPUTED;
  for (int step = 0; step < NUM_STEPS; step++) {
    for (int i = 0; i < NUM_COMPUTED; i++) x[i] = x[i] * 0.5f + 0.25f;
  }
  for (int i = 0; i < NUM_COMPUTED; i++) sum += x[i];
  return sum > 0 ? CYXLA_OK : CYXLA_INTERNAL; /* so that nothing is left out */
}

static void *run_until_the_end(void *argument) {
  runner *self = argument;
  double start, now;
  long runs = 0;

  pthread_barrier_wait(self->ready);
  start = clock_nanoseconds();
  do {
    self->status =
        self->call == NULL ? compute() : cyxla_call_run(self->call, &self->error);
    now = clock_nanoseconds();
    runs++;
  } while (self->status == CYXLA_OK && now - start < self->nanoseconds);
  self->runs_per_second = (double)runs / (now - start) * 1e9;
  return NULL;
}

/* Makes the call of a runner, with the inputs of the loop, if there is one. */
static cyxla_status prepare(runner *self, const call_loop *loop, cyxla_error *error) {
  size_t num_inputs;
  cyxla_status status;

  if (loop == NULL) return CYXLA_OK;
  num_inputs = cyxla_executable_num_inputs(loop->executable);
  status = cyxla_call_create(loop->executable, &self->call, error);
  for (size_t i = 0; status == CYXLA_OK && i < num_inputs; i++) {
    memcpy(cyxla_call_input(self->call, i), cyxla_call_input(loop->call, i),
           cyxla_executable_input(loop->executable, i)->bytes);
  }
  return status;
}

/* Starts all runners and waits for them. A runner that cannot be started would leave
 * the others waiting at the barrier, so that ends the process. */
static void run_all(runner *runners, size_t num_threads) {
  for (size_t i = 0; i < num_threads; i++) {
    if (pthread_create(&runners[i].thread, NULL, run_until_the_end, &runners[i]) != 0) {
      fprintf(stderr, "cannot start a thread\n");
      abort();
    }
  }
  for (size_t i = 0; i < num_threads; i++) pthread_join(runners[i].thread, NULL);
}

static cyxla_status run_threads(const call_loop *loop, size_t num_threads,
                                double seconds, double *runs_per_second,
                                cyxla_error *error) {
  runner *runners = calloc(num_threads, sizeof(*runners));
  pthread_barrier_t ready;
  cyxla_status status = CYXLA_OK;

  *runs_per_second = 0;
  if (runners == NULL || pthread_barrier_init(&ready, NULL, (unsigned)num_threads)) {
    free(runners);
    snprintf(error->message, sizeof(error->message), "no memory is left");
    return error->status = CYXLA_OUT_OF_MEMORY;
  }
  for (size_t i = 0; status == CYXLA_OK && i < num_threads; i++) {
    runners[i].ready = &ready;
    runners[i].nanoseconds = seconds * 1e9;
    status = prepare(&runners[i], loop, error);
  }
  if (status == CYXLA_OK) run_all(runners, num_threads);
  for (size_t i = 0; i < num_threads; i++) {
    *runs_per_second += runners[i].runs_per_second;
    if (status == CYXLA_OK && runners[i].status != CYXLA_OK) {
      *error = runners[i].error;
      status = error->status;
    }
    cyxla_call_destroy(runners[i].call);
  }
  pthread_barrier_destroy(&ready);
  free(runners);
  return status;
}

cyxla_status call_loop_threads(call_loop *loop, size_t num_threads, double seconds,
                               double *runs_per_second, cyxla_error *error) {
  return run_threads(loop, num_threads, seconds, runs_per_second, error);
}

cyxla_status call_loop_bare_threads(size_t num_threads, double seconds,
                                    double *runs_per_second, cyxla_error *error) {
  return run_threads(NULL, num_threads, seconds, runs_per_second, error);
}
