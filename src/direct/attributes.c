#include "attributes.h"

#include <stdlib.h>
#include <string.h>

#include "attributes_text.h"
#include "error.h"
#include "fpenv.h"

/* Dictionaries inside of one another, and attributes of one that a handler may have. */
enum { DEPTH_MAXIMUM = 16, ATTRIBUTES_MAXIMUM = 4096 };

/* An attribute while its dictionary is read. */
typedef struct entry {
  XLA_FFI_ByteSpan name;
  XLA_FFI_AttrType type;
  void *value;
  struct entry *next;
} entry;

static bool take_dictionary(cyxla_attribute_text *text, XLA_FFI_Attrs *list, int depth);

/* A value of a type in memory of its own. */
static bool make_scalar(cyxla_attribute_text *text, XLA_FFI_DataType dtype,
                        const unsigned char *element, entry *made) {
  XLA_FFI_Scalar *scalar = cyxla_attribute_allocate(text, sizeof(*scalar));
  void *value = cyxla_attribute_allocate(text, CYXLA_ATTRIBUTE_ELEMENT_BYTES);

  if (scalar == NULL || value == NULL) return false;
  memcpy(value, element, CYXLA_ATTRIBUTE_ELEMENT_BYTES);
  scalar->dtype = dtype;
  scalar->value = value;
  made->type = XLA_FFI_AttrType_SCALAR;
  made->value = scalar;
  return true;
}

static bool take_bool(cyxla_attribute_text *text, bool value, entry *made) {
  const unsigned char element[CYXLA_ATTRIBUTE_ELEMENT_BYTES] = {value};

  return make_scalar(text, XLA_FFI_DataType_PRED, element, made);
}

/* A number without a type is an int64 or a float64. */
static bool take_scalar(cyxla_attribute_text *text, entry *made) {
  unsigned char element[CYXLA_ATTRIBUTE_ELEMENT_BYTES] = {0};
  cyxla_attribute_number number;
  cyxla_attribute_type type = {XLA_FFI_DataType_S64, 8, false, false};

  if (!cyxla_attribute_take_number(text, &number)) return false;
  if (number.is_float) {
    type.dtype = XLA_FFI_DataType_F64;
    type.is_float = true;
  }
  if (cyxla_attribute_take(text, ":") && !cyxla_attribute_take_type(text, &type)) {
    return false;
  }
  return cyxla_attribute_store(&number, &type, element) &&
         make_scalar(text, type.dtype, element, made);
}

static bool take_text(cyxla_attribute_text *text, entry *made) {
  XLA_FFI_ByteSpan *string = cyxla_attribute_allocate(text, sizeof(*string));

  made->type = XLA_FFI_AttrType_STRING;
  made->value = string;
  return string != NULL && cyxla_attribute_take_string(text, string);
}

static bool take_inner(cyxla_attribute_text *text, entry *made, int depth) {
  XLA_FFI_Attrs *inner = cyxla_attribute_allocate(text, sizeof(*inner));

  made->type = XLA_FFI_AttrType_DICTIONARY;
  made->value = inner;
  return inner != NULL && take_dictionary(text, inner, depth + 1);
}

static bool take_value(cyxla_attribute_text *text, entry *made, int depth) {
  switch (cyxla_attribute_peek(text)) {
    case '"': return take_text(text, made);
    case '{': return take_inner(text, made, depth);
    case 't': return cyxla_attribute_take(text, "true") && take_bool(text, true, made);
    case 'f':
      return cyxla_attribute_take(text, "false") && take_bool(text, false, made);
    case 'a':
      made->type = XLA_FFI_AttrType_ARRAY;
      return cyxla_attribute_take(text, "array<") &&
             cyxla_attribute_take_array(text, &made->value);
    case 'd':
      made->type = XLA_FFI_AttrType_ARRAY;
      return cyxla_attribute_take(text, "dense<") &&
             cyxla_attribute_take_dense(text, &made->value);
    default: return take_scalar(text, made);
  }
}

static bool is_of_a_name(char character, bool is_first) {
  return (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z') || character == '_' ||
         (!is_first && ((character >= '0' && character <= '9') || character == '.' ||
                        character == '$'));
}

static bool take_name(cyxla_attribute_text *text, XLA_FFI_ByteSpan *name) {
  if (cyxla_attribute_peek(text) == '"') {
    return cyxla_attribute_take_string(text, name) && name->len > 0;
  }
  /* It points into the text, which is copied ahead. */
  name->ptr = text->at;
  while (text->at < text->end && is_of_a_name(*text->at, text->at == name->ptr)) {
    text->at++;
  }
  name->len = (size_t)(text->at - name->ptr);
  return name->len > 0;
}

static bool take_entry(cyxla_attribute_text *text, entry **made, int depth) {
  *made = cyxla_attribute_allocate(text, sizeof(**made));
  return *made != NULL && take_name(text, &(*made)->name) &&
         cyxla_attribute_take(text, "=") && take_value(text, *made, depth);
}

static int compare_names(const void *a, const void *b) {
  const XLA_FFI_ByteSpan *one = &(*(const entry *const *)a)->name;
  const XLA_FFI_ByteSpan *other = &(*(const entry *const *)b)->name;
  size_t common = one->len < other->len ? one->len : other->len;
  int order = memcmp(one->ptr, other->ptr, common);

  if (order != 0) return order;
  return one->len < other->len ? -1 : one->len > other->len;
}

/* Lists entries in the order of their names; false where two have the same. */
static bool make_list(cyxla_attribute_text *text, entry *first, size_t count,
                      XLA_FFI_Attrs *list) {
  entry **order = cyxla_attribute_allocate(text, count * sizeof(*order));

  list->struct_size = sizeof(*list);
  list->size = (int64_t)count;
  list->types = cyxla_attribute_allocate(text, count * sizeof(*list->types));
  list->names = cyxla_attribute_allocate(text, count * sizeof(*list->names));
  list->attrs = cyxla_attribute_allocate(text, count * sizeof(*list->attrs));
  if (text->is_out_of_memory) return false;
  for (size_t i = 0; i < count; i++, first = first->next) order[i] = first;
  qsort(order, count, sizeof(*order), compare_names);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && compare_names(&order[i - 1], &order[i]) == 0) return false;
    list->types[i] = order[i]->type;
    list->names[i] = &order[i]->name;
    list->attrs[i] = order[i]->value;
  }
  return true;
}

static bool take_dictionary(cyxla_attribute_text *text, XLA_FFI_Attrs *list,
                            int depth) {
  entry *first = NULL, *made;
  size_t count = 0;

  if (depth >= DEPTH_MAXIMUM || !cyxla_attribute_take(text, "{")) return false;
  while (cyxla_attribute_peek(text) != '}') {
    if (count > 0 && !cyxla_attribute_take(text, ",")) return false;
    if (count == ATTRIBUTES_MAXIMUM || !take_entry(text, &made, depth)) return false;
    made->next = first;
    first = made;
    count++;
  }
  return cyxla_attribute_take(text, "}") && make_list(text, first, count, list);
}

/* No text is a dictionary without attributes. */
static bool take_all(cyxla_attribute_text *text, cyxla_wire source) {
  char *copy = cyxla_attribute_allocate(text, source.bytes);

  if (copy == NULL) return false;
  if (source.bytes > 0) memcpy(copy, source.data, source.bytes);
  text->at = copy;
  text->end = copy + source.bytes;
  if (source.bytes == 0) return make_list(text, NULL, 0, &text->attributes->list);
  return take_dictionary(text, &text->attributes->list, 0) &&
         cyxla_attribute_peek(text) == '\0' && text->at == text->end;
}

cyxla_status cyxla_attributes_read(cyxla_wire source, cyxla_attributes *attributes,
                                   cyxla_error *error) {
  cyxla_attribute_text text = {NULL, NULL, attributes, false};
  cyxla_fpenv caller;
  bool is_taken;

  memset(attributes, 0, sizeof(*attributes));
  /* The caller's rounding is none of the numbers'. */
  cyxla_fpenv_enter(&caller);
  is_taken = take_all(&text, source);
  cyxla_fpenv_leave(&caller);
  if (is_taken) return CYXLA_OK;
  if (text.is_out_of_memory) {
    cyxla_attributes_free(attributes);
    return cyxla_error_out_of_memory(error, "attributes");
  }
  cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                  "attributes that are not known, from \"%.*s\" on",
                  text.end - text.at < 64 ? (int)(text.end - text.at) : 64,
                  text.at != NULL ? text.at : "");
  cyxla_attributes_free(attributes);
  return CYXLA_UNIMPLEMENTED;
}
