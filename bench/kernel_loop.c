/* Reaches what the library hides: built from its sources' headers and linked with the
 * static library. */
#define _POSIX_C_SOURCE 200809L

#include "kernel_loop.h"

#include <call.h>
#include <fpenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <xmmintrin.h>

#include "clock.h"

struct kernel_loop {
  cyxla_executable *executable;
  cyxla_call *call;
  const cyxla_direct_step *steps; /* [num_steps] of the call */
  size_t num_steps;
};

/* Finds the frames of the program's kernels. False where other steps are among them. */
static bool find_steps(kernel_loop *loop) {
  const cyxla_direct_call *direct = loop->call->direct;
  const cyxla_sequence *sequence = &direct->direct->thunks.sequences[0];

  loop->steps = direct->steps + sequence->first;
  loop->num_steps = sequence->count;
  for (size_t i = 0; i < loop->num_steps; i++) {
    if (loop->steps[i].kernel == NULL) return false;
  }
  return true;
}

kernel_loop *kernel_loop_create(const char *file) {
  kernel_loop *loop = calloc(1, sizeof(*loop));
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_error error;
  cyxla_status status;

  if (loop == NULL) return NULL;
  options.tier = CYXLA_TIER_DIRECT;
  status = cyxla_open(file, &options, &loop->executable, &error);
  if (status == CYXLA_OK)
    status = cyxla_call_create(loop->executable, &loop->call, &error);
  if (status != CYXLA_OK) fprintf(stderr, "kernel_loop: %s\n", error.message);
  if (status != CYXLA_OK || !find_steps(loop)) {
    kernel_loop_destroy(loop);
    return NULL;
  }
  return loop;
}

void kernel_loop_destroy(kernel_loop *loop) {
  if (loop == NULL) return;
  cyxla_call_destroy(loop->call);
  cyxla_executable_destroy(loop->executable);
  free(loop);
}

size_t kernel_loop_num_kernels(const kernel_loop *loop) {
  return loop->num_steps;
}

void *kernel_loop_input(kernel_loop *loop, size_t index) {
  return cyxla_call_input(loop->call, index);
}

/* Where the kernels write: kernels alone do not tell the caller so. */
const void *kernel_loop_output(const kernel_loop *loop, size_t index) {
  return loop->call->outputs[index].copy;
}

double kernel_loop_time(kernel_loop *loop, long count) {
  const cyxla_direct_step *steps = loop->steps;
  const size_t num_steps = loop->num_steps;
  const unsigned int caller = _mm_getcsr();
  double nanoseconds;
  int has_failed = 0;

  _mm_setcsr(CYXLA_FPENV_KERNELS | (caller & CYXLA_FPENV_FLAGS));
  nanoseconds = -clock_nanoseconds();
  for (long i = 0; i < count; i++) {
    for (size_t k = 0; k < num_steps; k++) {
      has_failed |= steps[k].kernel(&steps[k].frame) != NULL;
    }
  }
  nanoseconds += clock_nanoseconds();
  _mm_setcsr(caller);
  return has_failed ? -1 : nanoseconds;
}
