#define _XOPEN_SOURCE 700
#include "test_child.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static bool is_child;

/* Asked by the leak sanitizer when a process ends. What a plugin has in a child cannot
 * be given back, since the plugin must not be called there. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void) {
  return is_child;
}

/* Asked by the thread sanitizer when a process begins. The parent's threads are not the
 * child's to wait for. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);

const char *__tsan_default_options(void) {
  return "report_thread_leaks=0";
}

void test_expect_in_child(int (*check)(void *argument), void *argument) {
  int status = 0;
  pid_t child;

  fflush(NULL);
  child = fork();
  EXPECT_TRUE(child >= 0);
  if (child == 0) {
    is_child = true;
    alarm(60);
    exit(check(argument));
  }
  EXPECT_EQUAL(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQUAL(WEXITSTATUS(status), 0);
}
