/* A lock that needs no initialization, for the few tables that a process shares. */
#ifndef CYXLA_LOCK_H
#define CYXLA_LOCK_H

#if defined(_WIN32)
#include <windows.h>
typedef SRWLOCK cyxla_lock;
#define CYXLA_LOCK_INIT SRWLOCK_INIT
#define cyxla_lock_acquire AcquireSRWLockExclusive
#define cyxla_lock_release ReleaseSRWLockExclusive
#else
#include <pthread.h>
typedef pthread_mutex_t cyxla_lock;
#define CYXLA_LOCK_INIT PTHREAD_MUTEX_INITIALIZER
#define cyxla_lock_acquire pthread_mutex_lock
#define cyxla_lock_release pthread_mutex_unlock
#endif

#endif
