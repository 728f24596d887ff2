#include "conversions.h"

#include <stdint.h>
#include <string.h>

enum {
  FLOAT_INFINITY = 0x7F800000,
  FLOAT_MAGNITUDE = 0x7FFFFFFF,
  HALF_INFINITY = 0x7C00,
  HALF_NAN = 0x7E00,
  HALF_LEAST_NORMAL = 0x38800000, /* as a float: 2 to the power of -14 */
  HALF_OVERFLOW = 0x477FF000,     /* the least float that is infinity as a half */
  HALF_BIAS = (127 - 15) << 23,
  BFLOAT16_NAN = 0x7FC0,
  BFLOAT16_QUIET = 0x40,
  SIGN = 0x8000
};

static uint32_t bits_of(float x) {
  uint32_t bits;

  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

/* Numbers of 16 bits are returned in the lower half of a float's register. */
static float with_bits(uint32_t bits) {
  float x;

  memcpy(&x, &bits, sizeof(x));
  return x;
}

/* Shifts bits out, and rounds to the nearest number, of two to the even one. */
static uint32_t shift_rounded(uint32_t bits, unsigned count) {
  const uint32_t half = (uint32_t)1 << (count - 1);

  return (bits + half - 1 + (bits >> count & 1)) >> count;
}

static uint32_t bfloat16_of(uint32_t bits) {
  if ((bits & FLOAT_MAGNITUDE) > FLOAT_INFINITY) return bits >> 16 | BFLOAT16_QUIET;
  return shift_rounded(bits, 16);
}

static uint32_t half_of(uint32_t bits) {
  const uint32_t sign = bits >> 16 & SIGN, magnitude = bits & FLOAT_MAGNITUDE;
  unsigned shift;

  if (magnitude > FLOAT_INFINITY) return sign | HALF_NAN;
  if (magnitude >= HALF_OVERFLOW) return sign | HALF_INFINITY;
  if (magnitude >= HALF_LEAST_NORMAL) {
    return sign | shift_rounded(magnitude - HALF_BIAS, 13);
  }
  /* A denormal half counts steps of 2 to the power of -24. */
  shift = 126 - (magnitude >> 23);
  if (shift > 24) return sign;
  return sign | shift_rounded((magnitude & 0x7FFFFF) | 0x800000, shift);
}

float cyxla_truncate_float_to_bfloat16(float x) {
  return with_bits(bfloat16_of(bits_of(x)));
}

/* XLA has one NaN of each sign here, and keeps more of one above. */
float cyxla_truncate_double_to_bfloat16(double x) {
  const uint32_t bits = bits_of((float)x);

  if ((bits & FLOAT_MAGNITUDE) <= FLOAT_INFINITY) return with_bits(bfloat16_of(bits));
  return with_bits((bits >> 16 & SIGN) | BFLOAT16_NAN);
}

float cyxla_truncate_double_to_half(double x) {
  return with_bits(half_of(bits_of((float)x)));
}
