#include "direct/symbols.h"

#include <string.h>

#include "test.h"

static void functions_of_the_c_library_are_found(void) {
  double (*rest)(double, double);
  void *address = cyxla_direct_symbol("fmod");

  EXPECT_TRUE(address != NULL);
  memcpy(&rest, &address, sizeof(rest));
  EXPECT_TRUE(rest(7.0, 4.0) == 3.0);
  EXPECT_TRUE(cyxla_direct_symbol("memcpy") != NULL);
  EXPECT_TRUE(cyxla_direct_symbol("tanf") != NULL);
}

/* The plugins are linked with the first of glibc's two. */
static void of_two_versions_it_is_the_one_of_the_plugins(void) {
  double (*logarithm)(double);
  void *address = cyxla_direct_symbol("log");
  double result;
  uint64_t bits;

  EXPECT_TRUE(address != NULL);
  memcpy(&logarithm, &address, sizeof(logarithm));
  result = logarithm(-1.0);
  memcpy(&bits, &result, sizeof(bits));
  EXPECT_TRUE(bits == 0x7ff8000000000000u);
}

static void others_are_not(void) {
  EXPECT_NULL(cyxla_direct_symbol("system"));
  EXPECT_NULL(cyxla_direct_symbol("malloc"));
  EXPECT_NULL(cyxla_direct_symbol("si"));
  EXPECT_NULL(cyxla_direct_symbol("sinx"));
  EXPECT_NULL(cyxla_direct_symbol(""));
}

TEST_MAIN(TEST_CASE(functions_of_the_c_library_are_found),
          TEST_CASE(of_two_versions_it_is_the_one_of_the_plugins),
          TEST_CASE(others_are_not))
