/* That a direct run makes no system call, allocates nothing and takes no lock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "test_conformance_support.h"
#include "test_direct_programs.h"

enum { NUM_RUNS = 1000 };

/* From now on the kernel kills this process at its first system call, but for the one
 * that ends it. */
static bool forbid_system_calls(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
  };
  struct sock_fprog filter = {TEST_COUNT(code), code};

  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* How a child ends that must not make system calls. */
enum { SILENT = 0, CANNOT_FORBID = 1, WRONG = 2, FAILED = 3 };

/* The status of a child that does the work without system calls, as of waitpid. */
static int watch(int (*work)(void *argument), void *argument) {
  int status = 0;
  pid_t child;

  fflush(NULL);
  child = fork();
  EXPECT_TRUE(child >= 0);
  if (child == 0) {
    alarm(60);
    syscall(SYS_exit, forbid_system_calls() ? work(argument) : CANNOT_FORBID);
  }
  EXPECT_EQUAL(waitpid(child, &status, 0), child);
  return status;
}

static int ask_for_the_parent(void *unused) {
  (void)unused;
  return getppid() > 0 ? SILENT : FAILED;
}

static int do_nothing(void *unused) {
  (void)unused;
  return SILENT;
}

static bool can_forbid(void) {
  int status = watch(do_nothing, NULL);

  return WIFEXITED(status) && WEXITSTATUS(status) == SILENT;
}

static void a_system_call_would_be_noticed(void) {
  int status = watch(ask_for_the_parent, NULL);

  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQUAL(WTERMSIG(status), SIGSYS);
}

typedef struct seat {
  cyxla_call *call;
  uint64_t digest; /* of the parent's results */
} seat;

/* Also that a child can call, with other inputs too. */
static int run_often(void *argument) {
  const seat *own = argument;

  for (int i = 0; i < NUM_RUNS; i++) {
    direct_program_fill(own->call, NUM_RUNS - 1 - i);
    if (cyxla_call_run(own->call, NULL) != CYXLA_OK) return FAILED;
  }
  return direct_program_digest(own->call) == own->digest ? SILENT : WRONG;
}

static void runs_make_no_system_call(void) {
  for (size_t i = 0; i < DIRECT_NUM_PROGRAMS; i++) {
    seat own = {direct_program_call(i, direct_program_compile(i), 0), 0};
    cyxla_error error;
    int status;
    EXPECT_OK(cyxla_call_run(own.call, &error), &error);
    own.digest = direct_program_digest(own.call);
    status = watch(run_often, &own);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != SILENT) {
      test_fail(__FILE__, __LINE__, "%s: the child's status is 0x%x",
                direct_program_name(i), (unsigned)status);
    }
  }
}

/* The sanitizers have allocators and locks of their own. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_COUNT

/* Those of this program are called wherever a library calls the C library's. Only this
 * thread's count, since the plugin has some of its own. */
static __thread long num_allocations, num_locks;

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

void *malloc(size_t bytes) {
  num_allocations++;
  return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  num_allocations++;
  return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
  num_allocations++;
  return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  num_allocations++;
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  num_allocations++;
  *memory = __libc_memalign(alignment, bytes);
  return *memory != NULL ? 0 : 12; /* ENOMEM */
}

void free(void *memory) {
  num_allocations++;
  __libc_free(memory);
}

typedef int lock_function(pthread_mutex_t *mutex);

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static lock_function *real;

  num_locks++;
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  return real(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  static lock_function *real;

  num_locks++;
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
  return real(mutex);
}

static void allocations_and_locks_would_be_counted(void) {
  long allocations = num_allocations, locks = num_locks;
  cyxla_executable *executable = direct_program_compile(0);
  cyxla_call *call;
  cyxla_error error;

  EXPECT_TRUE(num_allocations > allocations);
  EXPECT_TRUE(num_locks > locks);
  allocations = num_allocations;
  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  EXPECT_TRUE(num_allocations > allocations);
  cyxla_call_destroy(call);
}

static void runs_allocate_nothing_and_take_no_lock(void) {
  for (size_t i = 0; i < DIRECT_NUM_PROGRAMS; i++) {
    cyxla_call *call = direct_program_call(i, direct_program_compile(i), 0);
    long allocations = num_allocations, locks = num_locks;
    cyxla_error error;
    for (int run = 0; run < NUM_RUNS; run++) {
      direct_program_fill(call, run);
      EXPECT_OK(cyxla_call_run(call, &error), &error);
    }
    EXPECT_EQUAL(num_allocations, allocations);
    EXPECT_EQUAL(num_locks, locks);
  }
}
#endif

int main(int argc, char **argv) {
  static const test_case tests[] = {
      TEST_CASE(a_system_call_would_be_noticed),
      TEST_CASE(runs_make_no_system_call),
#if defined(CAN_COUNT)
      TEST_CASE(allocations_and_locks_would_be_counted),
      TEST_CASE(runs_allocate_nothing_and_take_no_lock),
#endif
  };

  if (!can_forbid()) {
    fprintf(stderr, "this system does not let a process forbid itself system calls\n");
    return 77; /* what the build takes for skipped */
  }
  return conformance_main(argc, argv, tests, TEST_COUNT(tests));
}
