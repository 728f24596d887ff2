#include "compile_options.h"

#include "test.h"

/* A text's bytes without its last zero. */
#define CHECK(text, error) cyxla_compile_options_check(text, sizeof(text) - 1, error)

#define MINUS_ONE "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"

static void one_replica_and_one_partition_pass(void) {
  cyxla_error error;

  EXPECT_OK(CHECK("\x1a\x04\x20\x01\x28\x01", &error), &error);
  /* Among fields of all kinds. */
  EXPECT_OK(CHECK("\x0a\x02\x20\x00\x11zzzzzzzz\x1d"
                  "zzzz\x20\x00"
                  "\x1a\x0a\x0a\x02\x20\x00\x20\x01\x08\x07\x28\x01\x38\x80\x01",
                  &error),
            &error);
}

static void the_last_value_counts_and_parts_are_merged(void) {
  cyxla_error error;

  EXPECT_OK(CHECK("\x1a\x02\x20\x00\x1a\x02\x28\x01\x1a\x02\x20\x01", &error), &error);
  EXPECT_ERROR(CHECK("\x1a\x04\x20\x01\x28\x01\x1a\x02\x28\x00", &error),
               CYXLA_INVALID_ARGUMENT, &error, "1 replicas and 0 partitions");
}

static void fewer_are_refused(void) {
  cyxla_error error;

  EXPECT_ERROR(CHECK("\x1a\x04\x20\x00\x28\x01", &error), CYXLA_INVALID_ARGUMENT,
               &error,
               "the program's compile options ask for 0 replicas and 1 partitions, "
               "expected 1 and 1");
  EXPECT_ERROR(CHECK("\x1a\x02\x20\x01", &error), CYXLA_INVALID_ARGUMENT, &error,
               "1 replicas and 0 partitions");
  EXPECT_ERROR(CHECK("", &error), CYXLA_INVALID_ARGUMENT, &error, "0 replicas");
  EXPECT_ERROR(CHECK("\x1a\x00", &error), CYXLA_INVALID_ARGUMENT, &error, "0 replicas");
  EXPECT_ERROR(CHECK("\x1a\x0d\x20" MINUS_ONE "\x28\x01", &error),
               CYXLA_INVALID_ARGUMENT, &error, "-1 replicas and 1 partitions");
  EXPECT_ERROR(CHECK("\x1a\x0d\x20\x01\x28" MINUS_ONE, &error), CYXLA_INVALID_ARGUMENT,
               &error, "1 replicas and -1 partitions");
}

static void more_are_not_implemented(void) {
  cyxla_error error;

  EXPECT_ERROR(CHECK("\x1a\x04\x20\x02\x28\x01", &error), CYXLA_UNIMPLEMENTED, &error,
               "the program's compile options ask for 2 replicas and 1 partitions, and "
               "cyxla runs programs of one device");
  EXPECT_ERROR(CHECK("\x1a\x08\x20\x01\x28\x81\x80\x80\x80\x10", &error),
               CYXLA_UNIMPLEMENTED, &error, "4294967297 partitions");
}

static void what_cannot_be_read_is_left_to_the_plugin(void) {
  static const char whole[] =
      "\x1a\x0a\x0a\x02\x20\x01\x20\x01\x1d"
      "abcd";
  cyxla_error error;

  EXPECT_OK(CHECK("\x1a\x04\x20\x01", &error), &error);
  EXPECT_OK(CHECK("\x1a\x01\x20", &error), &error);
  EXPECT_OK(CHECK("\x1a" MINUS_ONE, &error), &error);
  EXPECT_OK(CHECK("\x20" MINUS_ONE "\x20\xff" MINUS_ONE, &error), &error);
  EXPECT_OK(CHECK("\x1b\x1c", &error), &error);
  EXPECT_OK(CHECK("\x09"
                  "1234567",
                  &error),
            &error);
  for (size_t bytes = 1; bytes < sizeof(whole) - 1; bytes++) {
    EXPECT_OK(cyxla_compile_options_check(whole, bytes, &error), &error);
  }
}

TEST_MAIN(TEST_CASE(one_replica_and_one_partition_pass),
          TEST_CASE(the_last_value_counts_and_parts_are_merged),
          TEST_CASE(fewer_are_refused), TEST_CASE(more_are_not_implemented),
          TEST_CASE(what_cannot_be_read_is_left_to_the_plugin))
