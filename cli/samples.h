/* The times of runs, of which there may be any number. */
#ifndef CYXLA_CLI_SAMPLES_H
#define CYXLA_CLI_SAMPLES_H

#include <stddef.h>

/* Of how many runs a thread keeps the times. */
enum { SAMPLES_MAXIMUM = 1 << 18 };

/* Starts as {0}, with memory for SAMPLES_MAXIMUM numbers. Where there are more runs,
 * the times of every second, fourth, and so on are kept, which are spread over all of
 * the measurement; the number of runs and the shortest time are those of all. */
typedef struct samples {
  float *seconds; /* [count] */
  size_t count;
  size_t stride; /* one of so many runs is kept; 0 before the first */
  size_t num_runs;
  double minimum;
} samples;

void samples_add(samples *self, double seconds);

/* The time that a part of the runs of all threads, 0 to 1, does not exceed. Sorts the
 * times into memory for all of them. */
double samples_quantile(const samples *threads, size_t num_threads, float *sorted,
                        double part);

#endif
