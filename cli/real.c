#include "real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that tell any two numbers of double precision apart. */
enum { DIGITS_MAXIMUM = 17 };

static double value_of_float16(uint16_t bits) {
  int exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
  double value;

  if (exponent == 0x1f) {
    value = mantissa == 0 ? HUGE_VAL : (double)NAN;
  } else if (exponent == 0) {
    value = ldexp(mantissa, -24);
  } else {
    value = ldexp(mantissa + 0x400, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

double real_value(cyxla_dtype dtype, const void *number) {
  uint16_t half;
  uint32_t bits;
  float single;
  double value;

  if (dtype == CYXLA_FLOAT64) {
    memcpy(&value, number, sizeof(value));
    return value;
  }
  if (dtype == CYXLA_FLOAT32) {
    memcpy(&single, number, sizeof(single));
    return single;
  }
  memcpy(&half, number, sizeof(half));
  if (dtype == CYXLA_FLOAT16) return value_of_float16(half);
  bits = (uint32_t)half << 16; /* a bfloat16 is the upper half of a float32 */
  memcpy(&single, &bits, sizeof(single));
  return single;
}

bool real_is_finite(double value) {
  return value - value == 0;
}

/* The number of the dtype that is nearest to a value. */
static double round_to(cyxla_dtype dtype, double value) {
  int significant = dtype == CYXLA_FLOAT16 ? 11 : 8;
  int smallest = dtype == CYXLA_FLOAT16 ? -24 : -133;
  int exponent;

  if (dtype == CYXLA_FLOAT64) return value;
  if (dtype == CYXLA_FLOAT32) return (float)value;
  frexp(value, &exponent);
  exponent -= significant;
  if (exponent < smallest) exponent = smallest;
  return ldexp(rint(ldexp(value, -exponent)), exponent);
}

/* A finite value with the fewest digits: "d.ddde+xx", as printf writes it. Returns the
 * number of digits. */
static int write_shortest(cyxla_dtype dtype, double value, char *text) {
  int digits = 0;

  do {
    snprintf(text, REAL_SIZE, "%.*e", digits, value);
    digits++;
  } while (digits < DIGITS_MAXIMUM && round_to(dtype, strtod(text, NULL)) != value);
  return digits;
}

/* Takes the zeros at the end of the digits behind a point away. */
static void trim_zeros(char *text) {
  size_t length = strlen(text);

  while (length > 0 && text[length - 1] == '0') length--;
  text[length] = '\0';
}

void real_write_point(cyxla_dtype dtype, double value, int digits, char *text) {
  char shortest[REAL_SIZE];
  int count = write_shortest(dtype, value, shortest);
  int behind = count - 1 - atoi(strchr(shortest, 'e') + 1);

  if (behind > digits) behind = digits;
  if (behind > 0) {
    snprintf(text, REAL_SIZE, "%.*f", behind, value);
    trim_zeros(text);
  } else {
    /* All digits are before the point; those after the shortest ones are zeros. */
    snprintf(text, REAL_SIZE, "%.0f.", strtod(shortest, NULL));
  }
}

void real_write_exponent(cyxla_dtype dtype, double value, int digits, char *text) {
  char shortest[REAL_SIZE], *exponent;
  int count = write_shortest(dtype, value, shortest);

  if (count - 1 > digits) snprintf(shortest, sizeof(shortest), "%.*e", digits, value);
  exponent = strchr(shortest, 'e');
  *exponent = '\0';
  if (strchr(shortest, '.') != NULL) trim_zeros(shortest);
  /* At most a sign, a digit, a point and 16 digits, and "-324". */
  snprintf(text, REAL_SIZE, "%.20s%se%.6s", shortest,
           strchr(shortest, '.') == NULL ? "." : "", exponent + 1);
}
