#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "process.h"

cyxla_lock cyxla_process_runtimes_lock = CYXLA_LOCK_INIT;
cyxla_lock cyxla_process_plugins_lock = CYXLA_LOCK_INIT;
cyxla_lock cyxla_process_debug_lock = CYXLA_LOCK_INIT;
volatile long cyxla_process_forks;

#if defined(_WIN32)

void cyxla_process_watch(void) {}

#else

static void before_fork(void) {
  cyxla_lock_acquire(&cyxla_process_runtimes_lock);
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  cyxla_lock_acquire(&cyxla_process_debug_lock);
}

static void after_fork(void) {
  cyxla_lock_release(&cyxla_process_debug_lock);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  cyxla_lock_release(&cyxla_process_runtimes_lock);
}

static void after_fork_in_child(void) {
  cyxla_atomic_add(&cyxla_process_forks, 1);
  after_fork();
}

static void watch(void) {
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void cyxla_process_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once(&once, watch);
}

#endif
