/* Locks: of the few tables that a process shares, without initialization, and with a
 * condition to wait for, of what is made and destroyed. */
#ifndef CYXLA_LOCK_H
#define CYXLA_LOCK_H

#if defined(_WIN32)
#include <windows.h>
typedef SRWLOCK cyxla_lock;
#define CYXLA_LOCK_INIT SRWLOCK_INIT
#define cyxla_lock_acquire AcquireSRWLockExclusive
#define cyxla_lock_release ReleaseSRWLockExclusive
#define cyxla_lock_create InitializeSRWLock
#define cyxla_lock_destroy(lock) (void)(lock)
typedef CONDITION_VARIABLE cyxla_condition;
#define cyxla_condition_create InitializeConditionVariable
#define cyxla_condition_destroy(condition) (void)(condition)
#define cyxla_condition_wake WakeConditionVariable
#define cyxla_condition_wait(condition, lock) \
  SleepConditionVariableSRW(condition, lock, INFINITE, 0)
#else
#include <pthread.h>
typedef pthread_mutex_t cyxla_lock;
#define CYXLA_LOCK_INIT PTHREAD_MUTEX_INITIALIZER
#define cyxla_lock_acquire pthread_mutex_lock
#define cyxla_lock_release pthread_mutex_unlock
#define cyxla_lock_create(lock) pthread_mutex_init(lock, NULL)
#define cyxla_lock_destroy pthread_mutex_destroy
typedef pthread_cond_t cyxla_condition;
#define cyxla_condition_create(condition) pthread_cond_init(condition, NULL)
#define cyxla_condition_destroy pthread_cond_destroy
#define cyxla_condition_wake pthread_cond_signal
#define cyxla_condition_wait pthread_cond_wait
#endif

#endif
