/* Attributes that are arrays: array<...>, and dense<...> of a tensor. */
#include <string.h>

#include "attributes_text.h"

enum { RANK_MAXIMUM = 32 };
/* What arrays may take together: a text of few bytes can ask for any number of equal
 * elements, many times. */
enum { ARRAY_BYTES_MAXIMUM = 1 << 26 };

/* An array that is filled from the front. */
typedef struct filling {
  cyxla_attribute_type type;
  unsigned char *data;
  size_t capacity; /* elements */
  size_t count;
  size_t rank;
  size_t sizes[RANK_MAXIMUM];
} filling;

static bool reserve(cyxla_attribute_text *text, filling *array, size_t count) {
  size_t rest = ARRAY_BYTES_MAXIMUM - text->attributes->array_bytes;

  if (count > rest / array->type.bytes) return false;
  text->attributes->array_bytes += count * array->type.bytes;
  array->data = cyxla_attribute_allocate(text, count * array->type.bytes);
  array->capacity = count;
  return array->data != NULL;
}

static bool take_element(cyxla_attribute_text *text, filling *array) {
  cyxla_attribute_number number;
  unsigned char element[CYXLA_ATTRIBUTE_ELEMENT_BYTES];

  if (array->count == array->capacity || !cyxla_attribute_take_number(text, &number) ||
      !cyxla_attribute_store(&number, &array->type, element)) {
    return false;
  }
  memcpy(array->data + array->count++ * array->type.bytes, element, array->type.bytes);
  return true;
}

static bool finish(cyxla_attribute_text *text, const filling *array, void **value) {
  XLA_FFI_Array *made = cyxla_attribute_allocate(text, sizeof(*made));

  if (made == NULL) return false;
  made->dtype = array->type.dtype;
  made->size = array->count;
  made->data = array->data;
  *value = made;
  return true;
}

bool cyxla_attribute_take_array(cyxla_attribute_text *text, void **value) {
  filling array = {0};
  const char *end;
  size_t bound = 1;

  if (!cyxla_attribute_take_type(text, &array.type)) return false;
  for (end = text->at; end < text->end && *end != '>'; end++) bound += *end == ',';
  if (!reserve(text, &array, bound)) return false;
  if (cyxla_attribute_take(text, ":")) {
    do {
      if (!take_element(text, &array)) return false;
    } while (cyxla_attribute_take(text, ","));
  }
  return cyxla_attribute_take(text, ">") && finish(text, &array, value);
}

/* Takes a size and the letter behind it. */
static bool take_size(cyxla_attribute_text *text, size_t *size) {
  const char *begin = text->at;

  for (*size = 0; text->at < text->end && *text->at >= '0' && *text->at <= '9';
       text->at++) {
    *size = *size * 10 + (size_t)(*text->at - '0');
    if (*size > ARRAY_BYTES_MAXIMUM) return false;
  }
  return text->at > begin && text->at < text->end && *text->at++ == 'x';
}

/* Takes the type behind the elements, and reserves memory for them. */
static bool take_tensor(cyxla_attribute_text *text, filling *array) {
  size_t count = 1;

  if (!cyxla_attribute_take(text, ":") || !cyxla_attribute_take(text, "tensor<")) {
    return false;
  }
  while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
    if (array->rank == RANK_MAXIMUM || !take_size(text, &array->sizes[array->rank])) {
      return false;
    }
    if (array->sizes[array->rank] > 0 &&
        count > ARRAY_BYTES_MAXIMUM / array->sizes[array->rank]) {
      return false;
    }
    count *= array->sizes[array->rank++];
  }
  return cyxla_attribute_take_type(text, &array->type) &&
         cyxla_attribute_take(text, ">") && reserve(text, array, count);
}

/* Takes the elements of one dimension, each of which may be such a list. */
static bool take_list(cyxla_attribute_text *text, filling *array, size_t dimension) {
  if (dimension == array->rank) return take_element(text, array);
  if (!cyxla_attribute_take(text, "[")) return false;
  for (size_t i = 0; i < array->sizes[dimension]; i++) {
    if (i > 0 && !cyxla_attribute_take(text, ",")) return false;
    if (!take_list(text, array, dimension + 1)) return false;
  }
  return cyxla_attribute_take(text, "]");
}

/* Bytes as a text in hexadecimal, as of large arrays. */
static bool take_bytes(cyxla_attribute_text *text, filling *array) {
  XLA_FFI_ByteSpan digits;
  size_t bytes = array->capacity * array->type.bytes;

  if (!cyxla_attribute_take_string(text, &digits) || digits.len != 2 + 2 * bytes ||
      memcmp(digits.ptr, "0x", 2) != 0) {
    return false;
  }
  for (size_t i = 0; i < bytes; i++) {
    int high = cyxla_attribute_digit(digits.ptr[2 + 2 * i]);
    int low = cyxla_attribute_digit(digits.ptr[3 + 2 * i]);
    if (high < 0 || low < 0) return false;
    array->data[i] = (unsigned char)(high << 4 | low);
  }
  array->count = array->capacity;
  return true;
}

/* One element that stands for all. */
static bool take_splat(cyxla_attribute_text *text, filling *array) {
  const size_t bytes = array->type.bytes;

  if (!take_element(text, array)) return false;
  for (; array->count < array->capacity; array->count++) {
    memcpy(array->data + array->count * bytes, array->data, bytes);
  }
  return true;
}

/* Where the elements end, from behind the first bracket. No string among them has a
 * bracket. */
static const char *find_end(const cyxla_attribute_text *text) {
  return text->at < text->end ? memchr(text->at, '>', (size_t)(text->end - text->at))
                              : NULL;
}

bool cyxla_attribute_take_dense(cyxla_attribute_text *text, void **value) {
  const char *behind = find_end(text);
  cyxla_attribute_text elements = *text;
  filling array = {0};
  bool is_taken;

  if (behind == NULL) return false;
  elements.end = behind;
  text->at = behind + 1;
  if (!take_tensor(text, &array)) return false;
  switch (cyxla_attribute_peek(&elements)) {
    case '\0': is_taken = array.capacity == 0; break;
    case '[': is_taken = take_list(&elements, &array, 0); break;
    case '"': is_taken = take_bytes(&elements, &array); break;
    default: is_taken = array.capacity > 0 && take_splat(&elements, &array); break;
  }
  text->is_out_of_memory = text->is_out_of_memory || elements.is_out_of_memory;
  return is_taken && array.count == array.capacity &&
         cyxla_attribute_peek(&elements) == '\0' && elements.at == elements.end &&
         finish(text, &array, value);
}
