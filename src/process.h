/* Processes: noticing a fork. Plugins have threads, and a forked child has none of
 * them: it would wait for them for ever. */
#ifndef CYXLA_PROCESS_H
#define CYXLA_PROCESS_H

#include "atomic.h"
#include "lock.h"

/* The locks of the tables that a process shares. A fork waits until they are free,
 * since nobody would release them in the child. Where several are taken, it is in this
 * order. */
extern cyxla_lock cyxla_process_runtimes_lock;
extern cyxla_lock cyxla_process_plugins_lock;
extern cyxla_lock cyxla_process_debug_lock;

/* How many forks lie between this process and the one that loaded the library, as far
 * as they happened after cyxla_process_watch. */
extern volatile long cyxla_process_forks;

/* Begins to count. A handler is used, since asking for the process's number costs a
 * system call each time. */
void cyxla_process_watch(void);

static inline long cyxla_process_generation(void) {
  return cyxla_atomic_load(&cyxla_process_forks);
}

#endif
