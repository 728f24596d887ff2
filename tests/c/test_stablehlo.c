#include "stablehlo.h"

#include <string.h>

#include "test.h"

static void expect_version(const char *code, size_t bytes, int64_t major, int64_t minor,
                           int64_t patch) {
  int64_t version[3];

  EXPECT_TRUE(cyxla_stablehlo_version(code, bytes, version));
  EXPECT_EQUAL(version[0], major);
  EXPECT_EQUAL(version[1], minor);
  EXPECT_EQUAL(version[2], patch);
}

static void an_artifact_names_its_version(void) {
  static const char one[] = "ML\xefR\x0dStableHLO_v1.18.0\0and more";
  static const char two[] = "ML\xefR\x01\x02StableHLO_v12.0.345";

  expect_version(one, sizeof(one), 1, 18, 0);
  expect_version(two, sizeof(two), 12, 0, 345);
}

static void what_is_no_artifact_has_no_version(void) {
  static const char *const codes[] = {
      "",
      "ML",
      "module { }",
      "MX\xefR\x0dStableHLO_v1.18.0",
      "ML\xefR\x0dMLIR19.0.0git",
      "ML\xefR\x0dStableHLO_v",
      "ML\xefR\x0dStableHLO_v1",
      "ML\xefR\x0dStableHLO_v1.",
      "ML\xefR\x0dStableHLO_v1.2",
      "ML\xefR\x0dStableHLO_v1.2.",
      "ML\xefR\x0dStableHLO_v.2.3",
      "ML\xefR\x0dStableHLO_v1.2.3x",
      "ML\xefR\x0dStableHLO_v1.2.99999999999999999999999",
      "ML\xefR0123456789StableHLO_v1.2.3",
  };
  int64_t version[3];

  for (size_t i = 0; i < TEST_COUNT(codes); i++) {
    EXPECT_TRUE(!cyxla_stablehlo_version(codes[i], strlen(codes[i]) + 1, version));
  }
  /* The end of the code is not passed over. */
  EXPECT_TRUE(!cyxla_stablehlo_version("ML\xefR\x0dStableHLO_v1.2.3", 21, version));
}

static void versions_are_compared_part_by_part(void) {
  static const int64_t a[3] = {1, 9, 5}, b[3] = {1, 10, 0}, c[3] = {2, 0, 0};

  EXPECT_TRUE(cyxla_stablehlo_is_later(b, a));
  EXPECT_TRUE(cyxla_stablehlo_is_later(c, b));
  EXPECT_TRUE(!cyxla_stablehlo_is_later(a, b));
  EXPECT_TRUE(!cyxla_stablehlo_is_later(a, a));
}

TEST_MAIN(TEST_CASE(an_artifact_names_its_version),
          TEST_CASE(what_is_no_artifact_has_no_version),
          TEST_CASE(versions_are_compared_part_by_part))
