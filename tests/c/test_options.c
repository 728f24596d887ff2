#include "options.h"

#include "error.h"

#include "test.h"

typedef struct sample_options {
  size_t struct_size;
  int64_t old;
  int64_t newer;
} sample_options;

static cyxla_status require(const void *thing, cyxla_error *error) {
  CYXLA_REQUIRE(thing, error);
  return CYXLA_OK;
}

static void no_options_are_the_defaults(void) {
  sample_options known = {sizeof(known), 1, 2};
  cyxla_error error;

  EXPECT_OK(cyxla_options_read(&known, sizeof(known), NULL, "sample", &error), &error);
  EXPECT_EQUAL(known.old, 1);
  EXPECT_EQUAL(known.newer, 2);
}

static void options_are_read(void) {
  sample_options known = {sizeof(known), 1, 2};
  sample_options given = {sizeof(given), 10, 20};
  cyxla_error error;

  EXPECT_OK(cyxla_options_read(&known, sizeof(known), &given, "sample", &error),
            &error);
  EXPECT_EQUAL(known.old, 10);
  EXPECT_EQUAL(known.newer, 20);
}

static void an_older_caller_leaves_the_newer_defaults(void) {
  sample_options known = {sizeof(known), 1, 2};
  sample_options given = {offsetof(sample_options, newer), 10, 20};
  cyxla_error error;

  EXPECT_OK(cyxla_options_read(&known, sizeof(known), &given, "sample", &error),
            &error);
  EXPECT_EQUAL(known.old, 10);
  EXPECT_EQUAL(known.newer, 2);
}

static void sizes_that_cannot_be_are_refused(void) {
  static const size_t sizes[] = {
      0, 1, sizeof(size_t), sizeof(size_t) + 4, sizeof(sample_options) + 1, SIZE_MAX};

  for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
    sample_options known = {sizeof(known), 1, 2};
    sample_options given = {sizes[i], 10, 20};
    cyxla_error error;
    EXPECT_ERROR(cyxla_options_read(&known, sizeof(known), &given, "sample", &error),
                 CYXLA_INVALID_ARGUMENT, &error, "struct_size of sample is ");
    EXPECT_EQUAL(known.old, 1);
    EXPECT_ERROR(cyxla_options_write(&given, &known, sizeof(known), "sample", &error),
                 CYXLA_INVALID_ARGUMENT, &error, "_INIT macro");
    EXPECT_EQUAL(given.old, 10);
  }
}

static void an_older_caller_s_struct_is_not_overrun(void) {
  sample_options known = {sizeof(known), 1, 2};
  sample_options given = {offsetof(sample_options, newer), 10, 20};
  cyxla_error error;

  EXPECT_OK(cyxla_options_write(&given, &known, sizeof(known), "sample", &error),
            &error);
  EXPECT_EQUAL(given.struct_size, offsetof(sample_options, newer));
  EXPECT_EQUAL(given.old, 1);
  EXPECT_EQUAL(given.newer, 20);
}

static void a_required_argument_is_named(void) {
  cyxla_error error;

  EXPECT_OK(require("", &error), &error);
  EXPECT_ERROR(require(NULL, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the argument thing of require is NULL");
}

TEST_MAIN(TEST_CASE(no_options_are_the_defaults), TEST_CASE(options_are_read),
          TEST_CASE(an_older_caller_leaves_the_newer_defaults),
          TEST_CASE(sizes_that_cannot_be_are_refused),
          TEST_CASE(an_older_caller_s_struct_is_not_overrun),
          TEST_CASE(a_required_argument_is_named))
