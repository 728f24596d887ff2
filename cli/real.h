/* Real numbers in decimal, with the fewest digits that tell them from their
 * neighbours of the same dtype. */
#ifndef CYXLA_CLI_REAL_H
#define CYXLA_CLI_REAL_H

#include <cyxla.h>

/* For any text that these functions write. */
enum { REAL_SIZE = 48 };

/* The value of a float16, bfloat16, float32 or float64, or of the part of a complex
 * number, whose dtype is then that of the part. */
double real_value(cyxla_dtype dtype, const void *number);

/* Whether a value is neither infinite nor NaN. */
bool real_is_finite(double value);

/* Writes a finite value, such as "-12.5", "3." or "0.001", with this many digits behind
 * the point at most. The value has fewer than 17 digits before it. */
void real_write_point(cyxla_dtype dtype, double value, int digits, char *text);

/* Writes a finite value with an exponent, such as "1.25e+10" or "1.e-05". */
void real_write_exponent(cyxla_dtype dtype, double value, int digits, char *text);

#endif
