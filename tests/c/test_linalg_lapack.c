/* How LAPACK is found and what it is. The libraries are made from tests/fake_lapack. */
#include "linalg/lapack.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "test.h"

static const char *const nowhere[] = {"libcyxla_no_such_lapack.so"};

static void forget(void *unused) {
  (void)unused;
  cyxla_lapack_forget(NULL, 0);
}

static const char *fake(const char *name, char *path) {
  snprintf(path, 1024, "%s/fake_lapack_%s.so", FAKE_LAPACK_DIRECTORY, name);
  return path;
}

/* The library that CYXLA_LAPACK names. */
static cyxla_status get_given(const char *name, const cyxla_lapack **lapack,
                              cyxla_error *error) {
  char path[1024];

  test_defer(forget, NULL);
  cyxla_lapack_forget(NULL, 0);
  test_set_environment("CYXLA_LAPACK", fake(name, path));
  return cyxla_lapack_get(lapack, error);
}

/* The first of the names that can be used, without CYXLA_LAPACK. */
static cyxla_status get_usual(const char *const *names, size_t num_names,
                              const cyxla_lapack **lapack, cyxla_error *error) {
  test_defer(forget, NULL);
  cyxla_lapack_forget(names, num_names);
  test_set_environment("CYXLA_LAPACK", NULL);
  return cyxla_lapack_get(lapack, error);
}

static void the_width_of_integers_is_measured_whatever_the_names(void) {
  static const struct {
    const char *name;
    size_t bytes;
  } cases[] = {{"lp64", 4}, {"ilp64", 8}, {"ilp64_plain", 8}, {"scipy", 4}};
  const cyxla_lapack *lapack;
  cyxla_error error;

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    EXPECT_OK(get_given(cases[i].name, &lapack, &error), &error);
    EXPECT_EQUAL(lapack->integer_bytes, cases[i].bytes);
    EXPECT_CONTAINS(lapack->name, cases[i].name);
    EXPECT_TRUE(cyxla_lapack_find(lapack, "dpotrf") != NULL);
    EXPECT_TRUE(cyxla_lapack_find(lapack, "dgesdd") == NULL);
  }
}

static void a_library_is_loaded_once(void) {
  const cyxla_lapack *first, *second;
  cyxla_error error;

  EXPECT_OK(get_given("lp64", &first, &error), &error);
  test_set_environment("CYXLA_LAPACK", "/nowhere/lapack.so");
  EXPECT_OK(cyxla_lapack_get(&second, &error), &error);
  EXPECT_TRUE(first == second);
}

static void a_library_whose_integers_are_not_of_one_width_is_refused(void) {
  const cyxla_lapack *lapack;
  cyxla_error error;

  EXPECT_ERROR(get_given("mixed", &lapack, &error), CYXLA_NOT_FOUND, &error,
               "its LAPACK seems to have 4 bytes, its BLAS 8, expected 4 or 8 for "
               "both");
  EXPECT_NULL(lapack);
  EXPECT_ERROR(get_given("odd", &lapack, &error), CYXLA_NOT_FOUND, &error,
               "its LAPACK seems to have 0 bytes");
}

static void a_library_without_lapack_is_refused(void) {
  const cyxla_lapack *lapack;
  cyxla_error error;

  EXPECT_ERROR(get_given("blas", &lapack, &error), CYXLA_NOT_FOUND, &error,
               "has no functions dpotrf and idamax");
  EXPECT_CONTAINS(error.message, "CYXLA_LAPACK is ");
  EXPECT_CONTAINS(error.message, "fake_lapack_blas.so, which cannot be used");
}

static void a_library_that_cannot_be_loaded_is_named_with_the_variable(void) {
  const cyxla_lapack *lapack;
  cyxla_error error;

  EXPECT_ERROR(get_given("missing", &lapack, &error), CYXLA_NOT_FOUND, &error,
               "cannot open shared object file");
  EXPECT_CONTAINS(error.message, "CYXLA_LAPACK is ");
  EXPECT_CONTAINS(error.message, "or unset it to use the machine's");
}

static void without_any_the_error_says_what_to_install(void) {
  const cyxla_lapack *lapack;
  cyxla_error error;

  EXPECT_ERROR(get_usual(nowhere, 1, &lapack, &error), CYXLA_NOT_FOUND, &error,
               "no LAPACK was found (the loader knows neither liblapack nor "
               "libopenblas nor libmkl_rt); install LAPACK");
  EXPECT_CONTAINS(error.message, "set CYXLA_LAPACK to the path");
  EXPECT_NULL(lapack);
}

static void a_later_call_finds_what_was_installed_meanwhile(void) {
  const cyxla_lapack *lapack;
  cyxla_error error;

  get_usual(nowhere, 1, &lapack, &error);
  EXPECT_OK(get_given("lp64", &lapack, &error), &error);
}

static void the_first_usable_library_is_taken_and_others_are_told_of(void) {
  char blas[1024], scipy[1024];
  const char *const names[] = {nowhere[0], fake("blas", blas), fake("scipy", scipy)};
  const cyxla_lapack *lapack;
  cyxla_error error;

  EXPECT_OK(get_usual(names, 3, &lapack, &error), &error);
  EXPECT_TEXT(lapack->name, scipy);
  EXPECT_ERROR(get_usual(names, 2, &lapack, &error), CYXLA_NOT_FOUND, &error,
               "fake_lapack_blas.so has no functions dpotrf and idamax");
}

static void a_complete_library_goes_before_one_that_is_not(void) {
  char partial[1024], scipy[1024], complete[1024];
  const char *const names[] = {fake("lp64", partial), fake("scipy", scipy),
                               fake("complete", complete)};
  const cyxla_lapack *lapack;
  cyxla_error error;

  EXPECT_OK(get_usual(names, 3, &lapack, &error), &error);
  EXPECT_TEXT(lapack->name, complete);
  EXPECT_OK(get_usual(names, 2, &lapack, &error), &error);
  EXPECT_TEXT(lapack->name, partial);
}

static void the_end_of_memory_is_an_error(void) {
  char path[1024];
  const char *const names[] = {fake("lp64", path)};
  const cyxla_lapack *lapack;
  cyxla_error error;

  test_set_environment("CYXLA_LAPACK", path);
  for (int is_given = 1; is_given >= 0; is_given--) {
    test_defer(forget, NULL);
    cyxla_lapack_forget(names, 1);
    cyxla_memory_fail_after(0);
    EXPECT_STATUS(cyxla_lapack_get(&lapack, &error), CYXLA_OUT_OF_MEMORY, &error);
    EXPECT_OK(cyxla_lapack_get(&lapack, &error), &error);
    test_set_environment("CYXLA_LAPACK", NULL);
  }
}

TEST_MAIN(TEST_CASE(the_width_of_integers_is_measured_whatever_the_names),
          TEST_CASE(a_library_is_loaded_once),
          TEST_CASE(a_library_whose_integers_are_not_of_one_width_is_refused),
          TEST_CASE(a_library_without_lapack_is_refused),
          TEST_CASE(a_library_that_cannot_be_loaded_is_named_with_the_variable),
          TEST_CASE(without_any_the_error_says_what_to_install),
          TEST_CASE(a_later_call_finds_what_was_installed_meanwhile),
          TEST_CASE(the_first_usable_library_is_taken_and_others_are_told_of),
          TEST_CASE(a_complete_library_goes_before_one_that_is_not),
          TEST_CASE(the_end_of_memory_is_an_error))
