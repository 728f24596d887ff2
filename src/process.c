#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#endif

#include "process.h"

volatile long cyxla_process_forks;

#if defined(_WIN32)

void cyxla_process_watch(void) {}

#else

static void count_fork(void) {
  cyxla_atomic_add(&cyxla_process_forks, 1);
}

static void watch(void) {
  pthread_atfork(NULL, NULL, count_fork);
}

void cyxla_process_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once(&once, watch);
}

#endif
