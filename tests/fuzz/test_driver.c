#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mutate.h"
#include "test.h"

static char output[1 << 16];

/* Runs the target with planted mistakes in an empty folder, whose corpus is the folder
 * corpus. What it prints is left in `output`; returns its exit status. */
static int run(const char *arguments) {
  const char *corpus = test_temporary_path("corpus");
  char command[8192];
  FILE *stream;
  size_t bytes;
  int status;

  test_set_environment("ASAN_OPTIONS", "detect_leaks=1");
  test_set_environment("UBSAN_OPTIONS", "halt_on_error=1");
  snprintf(command, sizeof(command), "cd '%s/..' && '%s' %s 2>&1", corpus, PLANTED_PATH,
           arguments);
  stream = popen(command, "r");
  EXPECT_TRUE(stream != NULL);
  bytes = fread(output, 1, sizeof(output) - 1, stream);
  output[bytes] = '\0';
  status = pclose(stream);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void make_corpus(const char *text) {
  EXPECT_EQUAL(mkdir(test_temporary_path("corpus"), 0700), 0);
  test_write_file(test_temporary_path("corpus/seed"), text, strlen(text));
  test_write_file(test_temporary_path("corpus/more"), "some more", 9);
}

/* The content of the file that the output names. */
static unsigned char *read_left(size_t *bytes) {
  static const char before[] = " is left in ";
  const char *name = strstr(output, before);
  char path[256];

  EXPECT_TRUE(name != NULL);
  EXPECT_EQUAL(sscanf(name + strlen(before), "%255s", path), 1);
  return test_read_file(test_temporary_path(path), bytes);
}

/* The input of that text fails, is said to and is left, and fails again as a file. */
static void expect_left(const char *text, const char *message) {
  unsigned char *left;
  size_t bytes;

  make_corpus(text);
  EXPECT_EQUAL(run("-timeout=2 corpus"), 1);
  EXPECT_CONTAINS(output, message);
  left = read_left(&bytes);
  EXPECT_EQUAL(bytes, strlen(text));
  EXPECT_BYTES(left, text, bytes);
  EXPECT_EQUAL(run("-timeout=2 corpus/seed"), 1);
}

static void every_file_is_run_and_nothing_is_left_of_good_ones(void) {
  make_corpus("good");
  EXPECT_EQUAL(run("corpus"), 0);
  EXPECT_CONTAINS(output, "2 files, 2 runs, ");
  EXPECT_EQUAL(run("corpus corpus/seed"), 0);
  EXPECT_CONTAINS(output, "3 files, 3 runs, ");
  EXPECT_EQUAL(run("-runs=100"), 0);
  EXPECT_CONTAINS(output, "0 files, 100 runs, ");
  /* Only an empty folder can be removed. */
  EXPECT_EQUAL(remove(test_temporary_path("corpus/seed")), 0);
  EXPECT_EQUAL(remove(test_temporary_path("corpus/more")), 0);
  EXPECT_EQUAL(remove(test_temporary_path("corpus")), 0);
  EXPECT_EQUAL(remove(test_temporary_path("")), 0);
}

static void changes_find_a_crash_whose_input_is_left(void) {
  unsigned char *first, *second;
  size_t bytes, again;

  make_corpus("good");
  EXPECT_EQUAL(run("-runs=100000 -seed=1 corpus"), 1);
  EXPECT_CONTAINS(output, " ended the process; the input of ");
  first = read_left(&bytes);
  EXPECT_TRUE(bytes >= 2 && first[0] == 0xff && first[1] == 0xff);
  EXPECT_EQUAL(run("-runs=100000 -seed=1 -artifact_prefix=again- corpus"), 1);
  EXPECT_CONTAINS(output, " is left in again-crash-");
  second = read_left(&again);
  EXPECT_EQUAL(again, bytes);
  EXPECT_BYTES(second, first, bytes);
}

static void a_read_behind_the_input_is_found(void) {
  expect_left("read", "heap-buffer-overflow");
}

static void undefined_behaviour_is_found(void) {
  expect_left("overflow", "signed integer overflow");
}

static void a_check_of_the_target_is_found(void) {
  expect_left("check", "a promise: ");
}

static void a_target_that_ends_the_process_is_found(void) {
  expect_left("exit", "run 2 ended the process");
}

static void a_target_that_refuses_is_found(void) {
  expect_left("refuse", "run 2 ended the process");
}

static void a_run_without_an_end_is_found(void) {
  expect_left("hang", "run 2 took longer than 2 s");
}

static void a_leak_fails(void) {
  make_corpus("leak");
  EXPECT_EQUAL(run("corpus"), 1);
  EXPECT_CONTAINS(output, "failed between runs, as of a leak");
}

static void wrong_arguments_are_errors(void) {
  make_corpus("good");
  EXPECT_EQUAL(run("-run=3 corpus"), 2);
  EXPECT_CONTAINS(output, "unknown argument -run=3");
  EXPECT_EQUAL(run("-runs=many corpus"), 2);
  EXPECT_CONTAINS(output, "no number in -runs=many");
  EXPECT_EQUAL(run("nowhere"), 2);
  EXPECT_CONTAINS(output, "cannot find nowhere");
}

static void changes_follow_from_the_seed_and_stay_in_bounds(void) {
  uint8_t left[FUZZ_BYTES_MAXIMUM] = {0}, right[FUZZ_BYTES_MAXIMUM] = {0};
  uint8_t text[] = "another input";
  fuzz_entry other = {text, sizeof(text)};
  size_t left_size = 0, right_size = 0, largest = 0;
  uint64_t left_state = 7, right_state = 7;

  for (int i = 0; i < 20000; i++) {
    left_size = fuzz_mutate(&left_state, left, left_size, &other);
    right_size = fuzz_mutate(&right_state, right, right_size, &other);
    EXPECT_TRUE(left_size <= sizeof(left));
    EXPECT_EQUAL(left_size, right_size);
    EXPECT_BYTES(left, right, left_size);
    if (left_size > largest) largest = left_size;
  }
  EXPECT_EQUAL(largest, FUZZ_BYTES_MAXIMUM);
}

TEST_MAIN(TEST_CASE(every_file_is_run_and_nothing_is_left_of_good_ones),
          TEST_CASE(changes_find_a_crash_whose_input_is_left),
          TEST_CASE(a_read_behind_the_input_is_found),
          TEST_CASE(undefined_behaviour_is_found),
          TEST_CASE(a_check_of_the_target_is_found),
          TEST_CASE(a_target_that_ends_the_process_is_found),
          TEST_CASE(a_target_that_refuses_is_found),
          TEST_CASE(a_run_without_an_end_is_found), TEST_CASE(a_leak_fails),
          TEST_CASE(wrong_arguments_are_errors),
          TEST_CASE(changes_follow_from_the_seed_and_stay_in_bounds))
