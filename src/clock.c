#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "clock.h"

#include <time.h>

double cyxla_clock_seconds(void) {
#if defined(_WIN32)
  return (double)clock() / CLOCKS_PER_SEC;
#else
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}
