/* Loops that are known to end, and soon, of those that a module may have. */
#include "direct/loops.h"

#include <string.h>

#include "test_comparators_support.h"

enum { ENTRY = 1, BODY = 2, INNER = 3 };

/* A loop that calls a computation and has a configuration, NULL for none. */
static void put_loop(test_message *computation, int64_t id, int64_t called,
                     const char *configuration) {
  test_message loop = {0};

  test_put_text(&loop, 2, "while");
  test_put_number(&loop, 35, (uint64_t)id);
  test_put_list(&loop, 38, &called, 1);
  if (configuration != NULL) test_put_text(&loop, 43, configuration);
  test_put_message(computation, 2, &loop);
}

/* A loop in another, or alone where that has no configuration. */
static bool ends_soon(const char *outer, const char *inner) {
  test_message module = {0}, entry = {0}, body = {0}, innermost = {0};

  put_loop(&entry, 10, BODY, outer);
  if (inner != NULL) put_loop(&body, 20, INNER, inner);
  test_put_computation(&module, "entry", ENTRY, 10, &entry);
  test_put_computation(&module, "body", BODY, 20, &body);
  test_put_computation(&module, "inner", INNER, 30, &innermost);
  return cyxla_loops_end_soon(test_read_module(&module));
}

static void a_loop_ends_if_its_configuration_says_when(void) {
  EXPECT_TRUE(ends_soon("{\"known_trip_count\":{\"n\":\"5\"}}", NULL));
  EXPECT_TRUE(ends_soon("{\"known_trip_count\":{\"n\":\"0\"},\"more\":[]}", NULL));
  EXPECT_TRUE(!ends_soon(NULL, NULL));
  EXPECT_TRUE(!ends_soon("{\"known_induction_variable\":{}}", NULL));
  EXPECT_TRUE(!ends_soon("{\"known_trip_count\":{\"n\":\"", NULL));
  EXPECT_TRUE(!ends_soon("{\"known_trip_count\":{\"n\":\"\"}}", NULL));
  EXPECT_TRUE(!ends_soon("{\"known_trip_count\":{\"n\":\"5", NULL));
  EXPECT_TRUE(!ends_soon("{\"known_trip_count\":{\"n\":\"-1\"}}", NULL));
}

static void a_loop_that_goes_around_often_does_not_end_soon(void) {
  static const char small[] = "{\"known_trip_count\":{\"n\":\"1024\"}}";
  static const char large[] = "{\"known_trip_count\":{\"n\":\"1025\"}}";

  EXPECT_TRUE(ends_soon("{\"known_trip_count\":{\"n\":\"1048576\"}}", NULL));
  EXPECT_TRUE(!ends_soon("{\"known_trip_count\":{\"n\":\"1048577\"}}", NULL));
  EXPECT_TRUE(
      !ends_soon("{\"known_trip_count\":{\"n\":\"18446744073709551617\"}}", NULL));
  EXPECT_TRUE(ends_soon(small, small));
  EXPECT_TRUE(!ends_soon(small, large));
  EXPECT_TRUE(!ends_soon(small, "{}"));
}

/* How often it is gone around there, nothing tells. */
static void a_loop_in_what_is_called_twice_may_not_end_soon(void) {
  static const char few[] = "{\"known_trip_count\":{\"n\":\"2\"}}";
  test_message module = {0}, entry = {0}, body = {0};

  put_loop(&entry, 10, BODY, few);
  put_loop(&entry, 11, BODY, few);
  put_loop(&body, 20, INNER, few);
  test_put_computation(&module, "entry", ENTRY, 10, &entry);
  test_put_computation(&module, "body", BODY, 20, &body);
  EXPECT_TRUE(!cyxla_loops_end_soon(test_read_module(&module)));
}

/* As in a file that is made to harm. */
static void computations_that_call_each_other_have_no_end(void) {
  static const char once[] = "{\"known_trip_count\":{\"n\":\"1\"}}";
  test_message module = {0}, body = {0};

  put_loop(&body, 20, BODY, once);
  test_put_computation(&module, "body", BODY, 20, &body);
  EXPECT_TRUE(!cyxla_loops_end_soon(test_read_module(&module)));
}

TEST_MAIN(TEST_CASE(a_loop_ends_if_its_configuration_says_when),
          TEST_CASE(a_loop_that_goes_around_often_does_not_end_soon),
          TEST_CASE(a_loop_in_what_is_called_twice_may_not_end_soon),
          TEST_CASE(computations_that_call_each_other_have_no_end))
