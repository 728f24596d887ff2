#define _XOPEN_SOURCE 700
#include "test.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "plugin.h"
#include "runtime.h"

enum { NUM_DEFERRED_MAXIMUM = 256 };

static struct {
  jmp_buf failure;
  bool is_cleaning_up;
  bool failed;
  struct {
    void (*clean_up)(void *argument);
    void *argument;
  } deferred[NUM_DEFERRED_MAXIMUM];
  size_t num_deferred;
  char *directory;
} current;

void test_fail(const char *file, int line, const char *format, ...) {
  va_list arguments;

  fprintf(stderr, "  %s:%d: ", file, line);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  current.failed = true;
  longjmp(current.failure, 1);
}

void test_defer(void (*clean_up)(void *argument), void *argument) {
  if (current.num_deferred == NUM_DEFERRED_MAXIMUM) {
    test_fail(__FILE__, __LINE__, "more than %d requests to clean up",
              NUM_DEFERRED_MAXIMUM);
  }
  current.deferred[current.num_deferred].clean_up = clean_up;
  current.deferred[current.num_deferred++].argument = argument;
}

/* A clean-up may fail too, which must not keep the others from running. */
static void clean_up(void) {
  while (current.num_deferred > 0) {
    current.num_deferred--;
    if (setjmp(current.failure) == 0) {
      current.deferred[current.num_deferred].clean_up(
          current.deferred[current.num_deferred].argument);
    }
  }
}

static void expect_no_allocations(long live) {
  cyxla_memory_fail_after(-1);
  /* After a failure runtimes may be alive, which need their plugins. */
  if (current.failed) return;
  if (setjmp(current.failure) == 0) {
    cyxla_runtime_forget_defaults();
    cyxla_plugin_forget_all();
    if (cyxla_memory_live() > live) {
      test_fail(__FILE__, __LINE__, "%ld allocations are left",
                cyxla_memory_live() - live);
    }
  }
}

static bool run(const test_case *test) {
  long live = cyxla_memory_live();

  current.failed = false;
  current.num_deferred = 0;
  current.directory = NULL;
  if (setjmp(current.failure) == 0) test->run();
  clean_up();
  expect_no_allocations(live);
  printf("%s %s\n", current.failed ? "FAILED" : "passed", test->name);
  fflush(stdout);
  return !current.failed;
}

static bool is_wanted(int argc, char **argv, const char *name) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], name) == 0) return true;
  }
  return argc < 2;
}

int test_main(int argc, char **argv, const test_case *tests, size_t num_tests) {
  int passed = 0, failed = 0;

  for (size_t i = 0; i < num_tests; i++) {
    if (!is_wanted(argc, argv, tests[i].name)) continue;
    if (run(&tests[i])) {
      passed++;
    } else {
      failed++;
    }
  }
  if (passed + failed == 0) fprintf(stderr, "no test has such a name\n");
  printf("%d passed, %d failed\n", passed, failed);
  return passed > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void test_expect_equal(const char *file, int line, const char *actual_text,
                       long long actual, const char *expected_text,
                       long long expected) {
  if (actual == expected) return;
  test_fail(file, line, "%s is %lld, expected %s, which is %lld", actual_text, actual,
            expected_text, expected);
}

void test_expect_text(const char *file, int line, const char *actual_text,
                      const char *actual, const char *expected) {
  if (actual != NULL && strcmp(actual, expected) == 0) return;
  test_fail(file, line, "%s is \"%s\", expected \"%s\"", actual_text,
            actual != NULL ? actual : "(NULL)", expected);
}

void test_expect_contains(const char *file, int line, const char *actual_text,
                          const char *actual, const char *part) {
  if (actual != NULL && strstr(actual, part) != NULL) return;
  test_fail(file, line, "%s is \"%s\", expected \"%s\" in it", actual_text,
            actual != NULL ? actual : "(NULL)", part);
}

void test_expect_null(const char *file, int line, const char *text,
                      const void *pointer) {
  if (pointer != NULL) test_fail(file, line, "%s is %p, expected NULL", text, pointer);
}

void test_expect_bytes(const char *file, int line, const char *actual_text,
                       const void *actual, const char *expected_text,
                       const void *expected, size_t bytes) {
  const unsigned char *left = actual, *right = expected;

  for (size_t i = 0; i < bytes; i++) {
    if (left[i] != right[i]) {
      test_fail(file, line, "byte %zu of %s is 0x%02x, expected that of %s, 0x%02x", i,
                actual_text, left[i], expected_text, right[i]);
    }
  }
}

void test_expect_status(const char *file, int line, const char *call,
                        cyxla_status actual, cyxla_status expected,
                        const cyxla_error *error) {
  if (actual == expected) return;
  test_fail(file, line, "%s returned %s, expected %s: %s", call,
            cyxla_status_name(actual), cyxla_status_name(expected),
            actual != CYXLA_OK && error != NULL ? error->message : "");
}

void test_expect_error(const char *file, int line, const char *call,
                       const cyxla_error *error, cyxla_status status,
                       const char *part) {
  if (error->status != status) {
    test_fail(file, line, "%s left %s in the error, expected %s", call,
              cyxla_status_name(error->status), cyxla_status_name(status));
  }
  if (strstr(error->message, part) == NULL) {
    test_fail(file, line, "%s left the message \"%s\", expected \"%s\" in it", call,
              error->message, part);
  }
}

void test_clear_error(cyxla_error *error) {
  memset(error, 0, sizeof(*error));
}

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);

  if (memory == NULL) abort();
  test_defer(free, memory);
  return memory;
}

static int remove_entry(const char *path, const struct stat *information, int type,
                        struct FTW *state) {
  (void)information, (void)type, (void)state;
  return remove(path);
}

static void remove_directory(void *directory) {
  nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *test_temporary_path(const char *name) {
  if (current.directory == NULL) {
    const char *parent = getenv("TMPDIR");
    char *directory = allocate(4096);
    snprintf(directory, 4096, "%s/cyxla-test-XXXXXX", parent != NULL ? parent : "/tmp");
    EXPECT_TRUE(mkdtemp(directory) != NULL);
    current.directory = directory;
    test_defer(remove_directory, directory);
  }
  size_t bytes = strlen(current.directory) + strlen(name) + 2;
  char *path = allocate(bytes);
  snprintf(path, bytes, "%s/%s", current.directory, name);
  return path;
}

void test_write_file(const char *path, const void *data, size_t bytes) {
  FILE *file = fopen(path, "wb");

  EXPECT_TRUE(file != NULL);
  size_t written = fwrite(data, 1, bytes, file);
  EXPECT_EQUAL(fclose(file), 0);
  EXPECT_EQUAL(written, bytes);
}

unsigned char *test_read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");

  EXPECT_TRUE(file != NULL);
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  unsigned char *data = allocate(*bytes + 1);
  size_t read = fread(data, 1, *bytes, file);
  fclose(file);
  EXPECT_EQUAL(read, *bytes);
  return data;
}

/* "NAME" where the variable was not set, else "NAME=value". */
static void restore_environment(void *setting) {
  char *value = strchr(setting, '=');

  if (value == NULL) {
    unsetenv(setting);
  } else {
    *value = '\0';
    setenv(setting, value + 1, 1);
  }
}

void test_set_environment(const char *name, const char *value) {
  const char *before = getenv(name);
  size_t bytes = strlen(name) + (before != NULL ? strlen(before) : 0) + 2;
  char *setting = allocate(bytes);

  snprintf(setting, bytes, before != NULL ? "%s=%s" : "%s", name, before);
  test_defer(restore_environment, setting);
  if (value == NULL) {
    unsetenv(name);
  } else {
    setenv(name, value, 1);
  }
}
