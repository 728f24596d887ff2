/* What the readers of attributes share: the text that is left, and its words. */
#ifndef CYXLA_DIRECT_ATTRIBUTES_TEXT_H
#define CYXLA_DIRECT_ATTRIBUTES_TEXT_H

#include "attributes.h"

typedef struct cyxla_attribute_text {
  const char *at;
  const char *end;
  cyxla_attributes *attributes; /* whose memory grows */
  bool is_out_of_memory;
} cyxla_attribute_text;

typedef struct cyxla_attribute_type {
  XLA_FFI_DataType dtype;
  size_t bytes;
  bool is_float;
  bool is_unsigned;
} cyxla_attribute_type;

enum { CYXLA_ATTRIBUTE_ELEMENT_BYTES = 8 };

/* Zeroed memory that belongs to the attributes; NULL if there is none left. */
void *cyxla_attribute_allocate(cyxla_attribute_text *text, size_t bytes);

/* Skips spaces, and takes a character or word where it comes next. */
bool cyxla_attribute_take(cyxla_attribute_text *text, const char *word);

/* The next character that is no space; 0 at the end. */
char cyxla_attribute_peek(cyxla_attribute_text *text);

/* The value of a hexadecimal digit, -1 for what is none. */
int cyxla_attribute_digit(char character);

/* Takes what stands between quotes, with its escapes resolved. */
bool cyxla_attribute_take_string(cyxla_attribute_text *text, XLA_FFI_ByteSpan *string);

/* Takes the name of a type of numbers, such as ui8 or f64. */
bool cyxla_attribute_take_type(cyxla_attribute_text *text, cyxla_attribute_type *type);

/* A number as it is written, before its type is known. */
typedef struct cyxla_attribute_number {
  bool is_negative;
  bool is_float;   /* it has a point */
  bool is_bits;    /* it is written in hexadecimal */
  uint64_t whole;  /* of an integer, without its sign */
  double floating; /* without its sign */
} cyxla_attribute_number;

bool cyxla_attribute_take_number(cyxla_attribute_text *text,
                                 cyxla_attribute_number *number);

/* Stores a number as an element of a type; false where MLIR does not allow it. */
bool cyxla_attribute_store(const cyxla_attribute_number *number,
                           const cyxla_attribute_type *type, unsigned char *element);

/* Take what follows "array<" and "dense<", as a struct XLA_FFI_Array. */
bool cyxla_attribute_take_array(cyxla_attribute_text *text, void **value);
bool cyxla_attribute_take_dense(cyxla_attribute_text *text, void **value);

#endif
