/* A small test harness: a list of test functions, assertions that print what they
 * compared, and clean-up that also runs after a failure.
 *
 * After each test the harness makes sure that no allocation of the library is left.
 */
#ifndef TEST_H
#define TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cyxla.h"

typedef struct test_case {
  const char *name;
  void (*run)(void);
} test_case;

#define TEST_CASE(function) {#function, function}
#define TEST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Runs all tests, or those that the arguments name. Returns the exit status. */
int test_main(int argc, char **argv, const test_case *tests, size_t num_tests);

#define TEST_MAIN(...)                                      \
  int main(int argc, char **argv) {                         \
    static const test_case tests[] = {__VA_ARGS__};         \
    return test_main(argc, argv, tests, TEST_COUNT(tests)); \
  }

/* Calls clean_up(argument) when the test is over, in reverse order of the requests. */
void test_defer(void (*clean_up)(void *argument), void *argument);

/* Ends the test as failed, with a message formatted as by printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4), noreturn))
#endif
void test_fail(const char *file, int line, const char *format, ...);

/* Each assertion evaluates its operands once. */
#define EXPECT_TRUE(condition)                                                  \
  do {                                                                          \
    if (!(condition)) test_fail(__FILE__, __LINE__, "%s is false", #condition); \
  } while (0)
#define EXPECT_EQUAL(actual, expected)                                           \
  test_expect_equal(__FILE__, __LINE__, #actual, (long long)(actual), #expected, \
                    (long long)(expected))
#define EXPECT_TEXT(actual, expected) \
  test_expect_text(__FILE__, __LINE__, #actual, actual, expected)
#define EXPECT_CONTAINS(actual, part) \
  test_expect_contains(__FILE__, __LINE__, #actual, actual, part)
#define EXPECT_NULL(pointer) test_expect_null(__FILE__, __LINE__, #pointer, pointer)
#define EXPECT_BYTES(actual, expected, bytes) \
  test_expect_bytes(__FILE__, __LINE__, #actual, actual, #expected, expected, bytes)

/* A status, and on failure the error's text. */
#define EXPECT_OK(call, error) \
  test_expect_status(__FILE__, __LINE__, #call, call, CYXLA_OK, error)
#define EXPECT_STATUS(call, expected, error) \
  test_expect_status(__FILE__, __LINE__, #call, call, expected, error)

/* A call that fails with that status, also in the error, and a message that holds the
 * text. */
#define EXPECT_ERROR(call, expected, error, part)                         \
  do {                                                                    \
    test_clear_error(error);                                              \
    test_expect_status(__FILE__, __LINE__, #call, call, expected, error); \
    test_expect_error(__FILE__, __LINE__, #call, error, expected, part);  \
  } while (0)

void test_expect_equal(const char *file, int line, const char *actual_text,
                       long long actual, const char *expected_text, long long expected);
void test_expect_text(const char *file, int line, const char *actual_text,
                      const char *actual, const char *expected);
void test_expect_contains(const char *file, int line, const char *actual_text,
                          const char *actual, const char *part);
void test_expect_null(const char *file, int line, const char *text,
                      const void *pointer);
void test_expect_bytes(const char *file, int line, const char *actual_text,
                       const void *actual, const char *expected_text,
                       const void *expected, size_t bytes);
void test_expect_status(const char *file, int line, const char *call,
                        cyxla_status actual, cyxla_status expected,
                        const cyxla_error *error);
void test_expect_error(const char *file, int line, const char *call,
                       const cyxla_error *error, cyxla_status status, const char *part);
void test_clear_error(cyxla_error *error);

/* The path of a file in a directory that is empty when the test starts and goes when it
 * ends. The text lives as long as the test. */
const char *test_temporary_path(const char *name);

void test_write_file(const char *path, const void *data, size_t bytes);
/* The content of a file, which lives as long as the test. */
unsigned char *test_read_file(const char *path, size_t *bytes);

/* Sets an environment variable until the test ends; NULL unsets it. */
void test_set_environment(const char *name, const char *value);

#endif
