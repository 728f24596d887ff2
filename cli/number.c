#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

/* NumPy's defaults: digits behind the point, and from where on there are exponents. */
enum { PRECISION = 8 };
static const double SMALL = 1e-4, RATIO = 1000;

static bool is_complex(cyxla_dtype dtype) {
  return dtype == CYXLA_COMPLEX64 || dtype == CYXLA_COMPLEX128;
}

static bool is_real(cyxla_dtype dtype) {
  return dtype >= CYXLA_FLOAT16 && dtype <= CYXLA_BFLOAT16;
}

static cyxla_dtype part_dtype(cyxla_dtype dtype) {
  if (!is_complex(dtype)) return dtype;
  return dtype == CYXLA_COMPLEX64 ? CYXLA_FLOAT32 : CYXLA_FLOAT64;
}

/* Where NumPy 2.3 and later begin with exponents: where a dtype has no more digits, but
 * for float64 in arrays sooner. */
static double large_number(cyxla_dtype part, bool is_alone) {
  if (part == CYXLA_FLOAT64) return is_alone ? 1e16 : 1e8;
  return part == CYXLA_FLOAT32 ? 1e6 : 1e3;
}

static double real_part(cyxla_dtype dtype, const void *number) {
  return real_value(part_dtype(dtype), number);
}

static double imaginary_part(cyxla_dtype dtype, const void *number) {
  return real_value(part_dtype(dtype),
                    (const char *)number + cyxla_dtype_bytes(part_dtype(dtype)));
}

static uint64_t read_bits(size_t bytes, const void *number) {
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;

  if (bytes == 1) return memcpy(&u8, number, bytes), u8;
  if (bytes == 2) return memcpy(&u16, number, bytes), u16;
  if (bytes == 4) return memcpy(&u32, number, bytes), u32;
  return memcpy(&u64, number, sizeof(u64)), u64;
}

/* A number that is not real or complex. */
static void write_whole(cyxla_dtype dtype, const void *number, char *text) {
  size_t bytes = cyxla_dtype_bytes(dtype);
  uint64_t bits = read_bits(bytes, number), sign = (uint64_t)1 << (8 * bytes - 1);

  if (dtype == CYXLA_BOOL) {
    strcpy(text, bits != 0 ? "True" : "False");
  } else if (dtype >= CYXLA_UINT8 || (bits & sign) == 0) {
    snprintf(text, NUMBER_SIZE, "%llu", (unsigned long long)bits);
  } else {
    /* The absolute value, of the smallest number too, which has no positive one. */
    bits = (~bits & (sign - 1)) + 1;
    snprintf(text, NUMBER_SIZE, "-%llu", (unsigned long long)bits);
  }
}

static int maximum(int a, int b) {
  return a > b ? a : b;
}

static void see_real(real_style *style, cyxla_dtype dtype, double value) {
  double size = fabs(value);

  if (!real_is_finite(value)) {
    style->has_nonfinite = true;
    if (value < 0) style->has_negative_infinity = true;
  } else if (size > 0) {
    if (style->largest == 0 || size < style->smallest) style->smallest = size;
    if (size > style->largest) style->largest = size;
  }
  style->has_exponents =
      style->largest > 0 &&
      (style->largest >= large_number(dtype, false) || style->smallest < SMALL ||
       style->largest / style->smallest > RATIO);
}

/* A finite value in the style, without spaces, and a plus where the style shows it. */
static void write_finite(const real_style *style, cyxla_dtype dtype, double value,
                         char *text) {
  if (style->shows_plus && !signbit(value)) *text++ = '+';
  if (style->has_exponents) {
    real_write_exponent(dtype, value, PRECISION, text);
  } else {
    real_write_point(dtype, value, PRECISION, text);
  }
}

static void fit_real(real_style *style, cyxla_dtype dtype, double value) {
  char text[REAL_SIZE + 1], *point, *exponent;

  if (!real_is_finite(value)) return;
  write_finite(style, dtype, value, text);
  point = strchr(text, '.');
  exponent = strchr(text, 'e');
  style->left = maximum(style->left, (int)(point - text));
  if (exponent != NULL) {
    style->exponent = maximum(style->exponent, (int)strlen(exponent + 1));
    *exponent = '\0';
  }
  style->right = maximum(style->right, (int)strlen(point + 1));
}

/* Characters behind the point, with those of an exponent. */
static int behind_point(const real_style *style) {
  return style->right + (style->has_exponents ? 1 + style->exponent : 0);
}

static void end_real(real_style *style) {
  int behind = behind_point(style) + 1;
  bool has_sign = style->shows_plus || style->has_negative_infinity;

  if (style->has_nonfinite) {
    style->left = maximum(style->left, 3 + (has_sign ? 1 : 0) - behind);
  }
}

static const char *name_nonfinite(const real_style *style, double value) {
  if (value != value) return style->shows_plus ? "+nan" : "nan";
  if (value < 0) return "-inf";
  return style->shows_plus ? "+inf" : "inf";
}

/* Writes spaces, the value, and spaces, or the unit and spaces. */
static void write_real(const real_style *style, cyxla_dtype dtype, double value,
                       const char *unit, char *text) {
  char plain[REAL_SIZE + 1], *point, *exponent;
  int behind = behind_point(style), width = style->left + 1 + behind;

  if (!real_is_finite(value)) {
    sprintf(text, "%*s%s", width, name_nonfinite(style, value), unit);
    return;
  }
  if (style->has_exponents) {
    /* As many digits as the longest, which are those of the value and no zeros. */
    snprintf(plain, sizeof(plain), style->shows_plus ? "%+#.*e" : "%#.*e", style->right,
             value);
    exponent = strchr(plain, 'e');
    *exponent = '\0';
    text += sprintf(text, "%*s%se%c", style->left - (int)(strchr(plain, '.') - plain),
                    "", plain, exponent[1]);
    for (int i = (int)strlen(exponent + 1); i < style->exponent; i++) *text++ = '0';
    sprintf(text, "%s%s", exponent + 2, unit);
    return;
  }
  write_finite(style, dtype, value, plain);
  point = strchr(plain, '.');
  *point = '\0';
  sprintf(text, "%*s.%s%s%*s", style->left, plain, point + 1, unit,
          behind - (int)strlen(point + 1), "");
}

number_style number_style_begin(cyxla_dtype dtype) {
  number_style style;

  memset(&style, 0, sizeof(style));
  style.dtype = dtype;
  style.imaginary.shows_plus = true;
  /* NumPy writes " True" also where there is no False. */
  if (dtype == CYXLA_BOOL) style.width = 5;
  return style;
}

void number_style_see(number_style *style, const void *number) {
  cyxla_dtype part = part_dtype(style->dtype);

  if (is_real(style->dtype) || is_complex(style->dtype)) {
    see_real(&style->real, part, real_part(style->dtype, number));
  }
  if (is_complex(style->dtype)) {
    see_real(&style->imaginary, part, imaginary_part(style->dtype, number));
  }
}

void number_style_fit(number_style *style, const void *number) {
  cyxla_dtype part = part_dtype(style->dtype);
  char text[NUMBER_SIZE];

  if (!is_real(style->dtype) && !is_complex(style->dtype)) {
    write_whole(style->dtype, number, text);
    style->width = maximum(style->width, (int)strlen(text));
    return;
  }
  fit_real(&style->real, part, real_part(style->dtype, number));
  if (is_complex(style->dtype)) {
    fit_real(&style->imaginary, part, imaginary_part(style->dtype, number));
  }
}

void number_style_end(number_style *style) {
  end_real(&style->real);
  end_real(&style->imaginary);
}

void number_write(const number_style *style, const void *number, char *text) {
  cyxla_dtype part = part_dtype(style->dtype);
  char plain[NUMBER_SIZE];

  if (!is_real(style->dtype) && !is_complex(style->dtype)) {
    write_whole(style->dtype, number, plain);
    snprintf(text, NUMBER_SIZE, "%*s", style->width, plain);
    return;
  }
  write_real(&style->real, part, real_part(style->dtype, number), "", text);
  if (is_complex(style->dtype)) {
    write_real(&style->imaginary, part, imaginary_part(style->dtype, number), "j",
               text + strlen(text));
  }
}

/* A real number alone: "1.0", or "1" as a part of a complex one. */
static void write_real_alone(cyxla_dtype dtype, double value, bool is_part,
                             char *text) {
  double size = fabs(value);
  bool has_exponent = size != 0 && (size >= large_number(dtype, true) || size < SMALL);
  char *exponent, tail[8] = "";
  size_t length;

  if (!real_is_finite(value)) {
    strcpy(text, value != value ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  if (has_exponent) {
    real_write_exponent(dtype, value, REAL_SIZE, text);
  } else {
    real_write_point(dtype, value, REAL_SIZE, text);
  }
  exponent = strchr(text, 'e');
  if (exponent != NULL) {
    strcpy(tail, exponent);
    *exponent = '\0';
  }
  length = strlen(text);
  if (text[length - 1] == '.') {
    strcpy(text + length - 1, is_part || exponent != NULL ? "" : ".0");
  }
  strcat(text, tail);
}

void number_write_alone(cyxla_dtype dtype, const void *number, char *text) {
  cyxla_dtype part = part_dtype(dtype);
  char real[REAL_SIZE], imaginary[REAL_SIZE];
  double value;

  if (is_real(dtype)) {
    write_real_alone(dtype, real_part(dtype, number), false, text);
  } else if (is_complex(dtype)) {
    value = real_part(dtype, number);
    write_real_alone(part, value, true, real);
    write_real_alone(part, imaginary_part(dtype, number), true, imaginary);
    if (value == 0 && !signbit(value)) {
      snprintf(text, NUMBER_SIZE, "%sj", imaginary);
    } else {
      snprintf(text, NUMBER_SIZE, "(%s%s%sj)", real, imaginary[0] == '-' ? "" : "+",
               imaginary);
    }
  } else {
    write_whole(dtype, number, text);
  }
}
