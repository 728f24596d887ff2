/* Atomic counters, which C99 lacks: each supported compiler has its own. */
#ifndef CYXLA_ATOMIC_H
#define CYXLA_ATOMIC_H

#if defined(_MSC_VER)
#include <intrin.h>
static inline long cyxla_atomic_add(volatile long *value, long change) {
  return _InterlockedExchangeAdd(value, change) + change;
}
static inline long cyxla_atomic_load(const volatile long *value) {
  return *value;
}
static inline void cyxla_atomic_store(volatile long *value, long stored) {
  _InterlockedExchange(value, stored);
}
#else
/* Adds change and returns the sum. */
static inline long cyxla_atomic_add(volatile long *value, long change) {
  return __atomic_add_fetch(value, change, __ATOMIC_ACQ_REL);
}
static inline long cyxla_atomic_load(const volatile long *value) {
  return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}
static inline void cyxla_atomic_store(volatile long *value, long stored) {
  __atomic_store_n(value, stored, __ATOMIC_RELEASE);
}
#endif

#endif
