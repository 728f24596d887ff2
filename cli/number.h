/* Numbers as NumPy prints them in arrays: all of one array in one style and width. */
#ifndef CYXLA_CLI_NUMBER_H
#define CYXLA_CLI_NUMBER_H

#include <cyxla.h>

/* Longer than any number: a complex one with two parts of 17 digits, a point, signs and
 * exponents, or with 8 digits before and behind the point. */
enum { NUMBER_SIZE = 128 };

/* How the real numbers of an array, or its real or imaginary parts, are written. */
typedef struct real_style {
  bool shows_plus;
  bool has_exponents;
  bool has_nonfinite;
  bool has_negative_infinity;
  double smallest, largest; /* of the absolute values that are finite and not 0 */
  int left, right;          /* characters before and behind the point, at most */
  int exponent;             /* digits of exponents, with the sign */
} real_style;

typedef struct number_style {
  cyxla_dtype dtype;
  int width; /* of integers and bools */
  real_style real, imaginary;
} number_style;

/* A style is made from all the numbers that are to be printed in it: each is handed to
 * number_style_see for a range of values, then to number_style_fit for the widths. */
number_style number_style_begin(cyxla_dtype dtype);
void number_style_see(number_style *style, const void *number);
void number_style_fit(number_style *style, const void *number);
void number_style_end(number_style *style);

/* Writes a number into text, of NUMBER_SIZE bytes, with the spaces that the style asks
 * for, as in an array. */
void number_write(const number_style *style, const void *number, char *text);

/* Writes a number that stands alone, with all its digits. */
void number_write_alone(cyxla_dtype dtype, const void *number, char *text);

#endif
