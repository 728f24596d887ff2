#include "samples.h"

#include <stdlib.h>

void samples_add(samples *self, double seconds) {
  if (self->stride == 0) {
    self->stride = 1;
    self->minimum = seconds;
  }
  if (seconds < self->minimum) self->minimum = seconds;
  if (self->num_runs++ % self->stride != 0) return;
  self->seconds[self->count++] = (float)seconds;
  if (self->count < SAMPLES_MAXIMUM) return;
  self->count /= 2;
  self->stride *= 2;
  for (size_t i = 0; i < self->count; i++) self->seconds[i] = self->seconds[2 * i];
}

static int compare(const void *a, const void *b) {
  float first = *(const float *)a, second = *(const float *)b;

  return first < second ? -1 : first > second;
}

double samples_quantile(const samples *threads, size_t num_threads, float *sorted,
                        double part) {
  size_t count = 0, stride = 1, index;

  for (size_t i = 0; i < num_threads; i++) {
    if (threads[i].stride > stride) stride = threads[i].stride;
  }
  /* Of each thread one of as many runs, so that all count alike. */
  for (size_t i = 0; i < num_threads; i++) {
    size_t step = stride / threads[i].stride;
    for (size_t k = 0; k < threads[i].count; k += step) {
      sorted[count++] = threads[i].seconds[k];
    }
  }
  qsort(sorted, count, sizeof(*sorted), compare);
  index = (size_t)(part * (double)count);
  return sorted[index < count ? index : count - 1];
}
