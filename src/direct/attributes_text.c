#include "attributes_text.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Digits of a number; doubles that are written in full have up to 767. */
enum { DIGITS_MAXIMUM = 1100, EXPONENT_MAXIMUM = 100000 };

/* A block of memory, in front of what is used of it. */
typedef union block {
  union block *next;
  uint64_t alignment[2];
} block;

void *cyxla_attribute_allocate(cyxla_attribute_text *text, size_t bytes) {
  block *made =
      bytes <= SIZE_MAX - sizeof(block) ? cyxla_allocate(sizeof(block) + bytes) : NULL;

  if (made == NULL) {
    text->is_out_of_memory = true;
    return NULL;
  }
  made->next = text->attributes->memory;
  text->attributes->memory = made;
  return made + 1;
}

void cyxla_attributes_free(cyxla_attributes *attributes) {
  while (attributes->memory != NULL) {
    block *used = attributes->memory;
    attributes->memory = used->next;
    cyxla_release(used);
  }
  memset(attributes, 0, sizeof(*attributes));
}

char cyxla_attribute_peek(cyxla_attribute_text *text) {
  while (text->at < text->end && (*text->at == ' ' || *text->at == '\n')) text->at++;
  return text->at < text->end ? *text->at : '\0';
}

bool cyxla_attribute_take(cyxla_attribute_text *text, const char *word) {
  size_t bytes = strlen(word);

  cyxla_attribute_peek(text);
  if ((size_t)(text->end - text->at) < bytes || memcmp(text->at, word, bytes) != 0) {
    return false;
  }
  text->at += bytes;
  return true;
}

int cyxla_attribute_digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

/* Takes the rest of an escape, whose backslash is taken. */
static bool take_escape(cyxla_attribute_text *text, char *character) {
  static const char plain[] = "\\\"nt", meant[] = "\\\"\n\t";
  const char *found;
  int high, low;

  if (text->at == text->end) return false;
  found = *text->at != '\0' ? strchr(plain, *text->at) : NULL;
  if (found != NULL) {
    *character = meant[found - plain];
    text->at++;
    return true;
  }
  if (text->end - text->at < 2) return false;
  high = cyxla_attribute_digit(text->at[0]);
  low = cyxla_attribute_digit(text->at[1]);
  if (high < 0 || low < 0) return false;
  *character = (char)(unsigned char)(high << 4 | low);
  text->at += 2;
  return true;
}

bool cyxla_attribute_take_string(cyxla_attribute_text *text, XLA_FFI_ByteSpan *string) {
  const char *quote;
  char *bytes;

  string->len = 0;
  if (!cyxla_attribute_take(text, "\"")) return false;
  for (quote = text->at; quote < text->end && *quote != '"'; quote++) {
    if (*quote == '\\' && quote + 1 < text->end) quote++;
  }
  if (quote >= text->end) return false;
  bytes = cyxla_attribute_allocate(text, (size_t)(quote - text->at) + 1);
  if (bytes == NULL) return false;
  string->ptr = bytes;
  while (text->at < quote) {
    char character = *text->at++;
    /* MLIR's lines end before its strings do. */
    if (character == '\n' || character == '\v' || character == '\f') return false;
    if (character == '\\' && !take_escape(text, &character)) return false;
    bytes[string->len++] = character;
  }
  return cyxla_attribute_take(text, "\"");
}

bool cyxla_attribute_take_type(cyxla_attribute_text *text, cyxla_attribute_type *type) {
  static const struct {
    const char *name;
    cyxla_attribute_type type;
  } types[] = {
      {"i8", {XLA_FFI_DataType_S8, 1, false, false}},
      {"i16", {XLA_FFI_DataType_S16, 2, false, false}},
      {"i32", {XLA_FFI_DataType_S32, 4, false, false}},
      {"i64", {XLA_FFI_DataType_S64, 8, false, false}},
      {"si8", {XLA_FFI_DataType_S8, 1, false, false}},
      {"si16", {XLA_FFI_DataType_S16, 2, false, false}},
      {"si32", {XLA_FFI_DataType_S32, 4, false, false}},
      {"si64", {XLA_FFI_DataType_S64, 8, false, false}},
      {"ui8", {XLA_FFI_DataType_U8, 1, false, true}},
      {"ui16", {XLA_FFI_DataType_U16, 2, false, true}},
      {"ui32", {XLA_FFI_DataType_U32, 4, false, true}},
      {"ui64", {XLA_FFI_DataType_U64, 8, false, true}},
      {"f32", {XLA_FFI_DataType_F32, 4, true, false}},
      {"f64", {XLA_FFI_DataType_F64, 8, true, false}},
  };

  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
    if (!cyxla_attribute_take(text, types[i].name)) continue;
    *type = types[i].type;
    /* No more digits, as of i128. */
    return text->at == text->end || cyxla_attribute_digit(*text->at) < 0;
  }
  return false;
}

static bool is_decimal(const cyxla_attribute_text *text) {
  return text->at < text->end && *text->at >= '0' && *text->at <= '9';
}

/* The digits behind 0x. */
static bool take_bits(cyxla_attribute_text *text, uint64_t *bits) {
  size_t count = 0;

  *bits = 0;
  for (; text->at < text->end && cyxla_attribute_digit(*text->at) >= 0;
       text->at++, count++) {
    if (*bits >> 60 != 0) return false;
    *bits = *bits << 4 | (uint64_t)cyxla_attribute_digit(*text->at);
  }
  return count > 0;
}

/* Digits, as they are and as a number; false where there are too many to keep. */
static bool take_digits(cyxla_attribute_text *text, char *digits, size_t *count) {
  while (is_decimal(text)) {
    if (*count == DIGITS_MAXIMUM) return false;
    digits[(*count)++] = *text->at++;
  }
  return true;
}

static bool take_exponent(cyxla_attribute_text *text, int *exponent) {
  int sign = 1, value = 0;

  if (text->at == text->end || (*text->at != 'e' && *text->at != 'E')) return true;
  text->at++;
  if (text->at < text->end && (*text->at == '+' || *text->at == '-')) {
    sign = *text->at++ == '-' ? -1 : 1;
  }
  if (!is_decimal(text)) return false;
  while (is_decimal(text)) {
    value = value * 10 + (*text->at++ - '0');
    if (value > EXPONENT_MAXIMUM) return false;
  }
  *exponent += sign * value;
  return true;
}

static bool take_whole(const char *digits, size_t count, uint64_t *whole) {
  *whole = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t digit = (uint64_t)(digits[i] - '0');
    if (*whole > (UINT64_MAX - digit) / 10) return false;
    *whole = *whole * 10 + digit;
  }
  return true;
}

bool cyxla_attribute_take_number(cyxla_attribute_text *text,
                                 cyxla_attribute_number *number) {
  char digits[DIGITS_MAXIMUM + 16];
  size_t count = 0, before;
  int exponent = 0;

  memset(number, 0, sizeof(*number));
  number->is_negative = cyxla_attribute_take(text, "-");
  if (text->end - text->at > 2 && text->at[0] == '0' && text->at[1] == 'x') {
    text->at += 2;
    number->is_bits = true;
    return take_bits(text, &number->whole);
  }
  if (!take_digits(text, digits, &count) || count == 0) return false;
  if (text->at == text->end || *text->at != '.') {
    return take_whole(digits, count, &number->whole);
  }
  text->at++;
  number->is_float = true;
  before = count;
  if (!take_digits(text, digits, &count)) return false;
  exponent = -(int)(count - before);
  if (!take_exponent(text, &exponent)) return false;
  /* Without a point, which the process may have as another character. */
  digits[count++] = 'e';
  if (exponent < 0) digits[count++] = '-';
  for (int scale = 100000, rest = abs(exponent); scale > 0; scale /= 10) {
    digits[count++] = (char)('0' + rest / scale % 10);
  }
  digits[count] = '\0';
  number->floating = strtod(digits, NULL);
  return true;
}

/* An integer of a width, as MLIR takes it: where there is a sign it has to fit the
 * signed type, else the unsigned one. */
static bool store_integer(const cyxla_attribute_number *number,
                          const cyxla_attribute_type *type, unsigned char *element) {
  const int width = (int)(8 * type->bytes);
  uint64_t value = number->is_negative ? ~number->whole + 1 : number->whole;

  if (number->is_float || (width < 64 && number->whole >> width != 0)) return false;
  if (number->is_negative && (type->is_unsigned || (value >> (width - 1) & 1) == 0)) {
    return false;
  }
  for (size_t i = 0; i < type->bytes; i++) element[i] = (unsigned char)(value >> 8 * i);
  return true;
}

bool cyxla_attribute_store(const cyxla_attribute_number *number,
                           const cyxla_attribute_type *type, unsigned char *element) {
  double value = number->is_negative ? -number->floating : number->floating;
  /* By way of a double, as MLIR does. */
  float narrow = (float)value;

  if (!type->is_float) return store_integer(number, type, element);
  if (number->is_bits)
    return !number->is_negative && store_integer(number, type, element);
  if (!number->is_float) return false;
  if (type->bytes == sizeof(narrow)) {
    memcpy(element, &narrow, sizeof(narrow));
  } else {
    memcpy(element, &value, sizeof(value));
  }
  return true;
}
