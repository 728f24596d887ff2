#include "direct/conversions.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "test.h"

static unsigned low_bits(float returned) {
  uint32_t bits;

  memcpy(&bits, &returned, sizeof(bits));
  return bits & 0xFFFF;
}

static float float_of(uint32_t bits) {
  float x;

  memcpy(&x, &bits, sizeof(x));
  return x;
}

static void numbers_are_rounded_to_the_nearest_half(void) {
  static const struct {
    double x;
    unsigned half;
  } cases[] = {
      {0, 0},
      {1, 0x3C00},
      {65504, 0x7BFF},
      {65519.99, 0x7BFF}, /* which float32 has as 65520, the least infinity */
      {65519, 0x7BFF},
      {65520, 0x7C00},
      {1e300, 0x7C00},
      {0x1p-14, 0x0400},
      {0x1p-24, 0x0001},
      {0x1p-25, 0}, /* to the even one */
      {0x1.8p-25, 0x0001},
      {0x1p-26, 0},
      {0x1.ff8p-15, 0x03FF},
      {0x1.ffcp-15, 0x0400}, /* to the even one, the least normal */
      {1 + 0x1p-11, 0x3C00},
      {1 + 0x3p-11, 0x3C02},
      {1 + 0x1p-11 + 0x1p-40, 0x3C00}, /* by way of float32 */
      {1 + 0x1p-11 + 0x1p-23, 0x3C01},
  };

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    EXPECT_EQUAL(low_bits(cyxla_truncate_double_to_half(cases[i].x)), cases[i].half);
    EXPECT_EQUAL(low_bits(cyxla_truncate_double_to_half(-cases[i].x)),
                 cases[i].half | 0x8000);
  }
  EXPECT_EQUAL(low_bits(cyxla_truncate_double_to_half((double)NAN)) & 0x7FFF, 0x7E00);
}

static void numbers_are_rounded_to_the_nearest_bfloat16(void) {
  static const struct {
    uint32_t bits; /* of a float */
    unsigned bfloat16, of_a_double;
  } cases[] = {
      {0x00000000, 0x0000, 0x0000}, {0x3F800000, 0x3F80, 0x3F80},
      {0x3F808000, 0x3F80, 0x3F80}, /* to the even one */
      {0x3F808001, 0x3F81, 0x3F81}, {0x3F818000, 0x3F82, 0x3F82},
      {0x7F7F7FFF, 0x7F7F, 0x7F7F}, {0x7F7F8000, 0x7F80, 0x7F80},
      {0x7F800000, 0x7F80, 0x7F80}, {0x00000001, 0x0000, 0x0000},
      {0x00008001, 0x0001, 0x0001}, {0x7FC00000, 0x7FC0, 0x7FC0},
      {0x7FD20000, 0x7FD2, 0x7FC0}, {0x7FC00001, 0x7FC0, 0x7FC0},
  };

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    for (uint32_t sign = 0; sign < 2; sign++) {
      const float x = float_of(cases[i].bits | sign << 31);
      EXPECT_EQUAL(low_bits(cyxla_truncate_float_to_bfloat16(x)),
                   cases[i].bfloat16 | sign << 15);
      EXPECT_EQUAL(low_bits(cyxla_truncate_double_to_bfloat16((double)x)),
                   cases[i].of_a_double | sign << 15);
    }
  }
  EXPECT_EQUAL(low_bits(cyxla_truncate_double_to_bfloat16(1 + 0x1p-8 + 0x1p-40)),
               0x3F80);
}

TEST_MAIN(TEST_CASE(numbers_are_rounded_to_the_nearest_half),
          TEST_CASE(numbers_are_rounded_to_the_nearest_bfloat16))
