/* The clock that all loops in C are timed with. */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

static inline double clock_nanoseconds(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#endif
