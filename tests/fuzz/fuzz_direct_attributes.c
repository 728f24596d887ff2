/* Fuzz target: attributes of custom calls. The input is the text. */
#include <string.h>

#include "direct/attributes.h"
#include "input.h"
#include "memory.h"

static size_t bytes_of(XLA_FFI_DataType dtype) {
  static const size_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 0, 4, 8};

  FUZZ_CHECK((size_t)dtype < sizeof(bytes) / sizeof(bytes[0]) && bytes[dtype] > 0,
             "a dtype that XLA hands over");
  return bytes[dtype];
}

/* Touches every byte, so that the address sanitizer finds what is not there. */
static size_t sum_of(const void *data, size_t bytes) {
  size_t sum = 0;

  for (size_t i = 0; i < bytes; i++) sum += ((const unsigned char *)data)[i];
  return sum;
}

static int compare(const XLA_FFI_ByteSpan *one, const XLA_FFI_ByteSpan *other) {
  int order =
      memcmp(one->ptr, other->ptr, one->len < other->len ? one->len : other->len);

  return order != 0 ? order : one->len < other->len ? -1 : one->len > other->len;
}

static size_t check(const XLA_FFI_Attrs *list) {
  size_t sum = 0;

  FUZZ_CHECK(list->struct_size == sizeof(*list) && list->size >= 0, "a list");
  for (int64_t i = 0; i < list->size; i++) {
    const XLA_FFI_Scalar *scalar = list->attrs[i];
    const XLA_FFI_Array *array = list->attrs[i];
    const XLA_FFI_ByteSpan *string = list->attrs[i];
    FUZZ_CHECK(list->names[i]->len > 0, "a name");
    FUZZ_CHECK(i == 0 || compare(list->names[i - 1], list->names[i]) < 0, "in order");
    switch (list->types[i]) {
      case XLA_FFI_AttrType_SCALAR:
        sum += sum_of(scalar->value, bytes_of(scalar->dtype));
        FUZZ_CHECK(scalar->dtype != XLA_FFI_DataType_PRED ||
                       *(const unsigned char *)scalar->value <= 1,
                   "a bool");
        break;
      case XLA_FFI_AttrType_ARRAY:
        FUZZ_CHECK(array->dtype != XLA_FFI_DataType_PRED, "numbers");
        sum += sum_of(array->data, array->size * bytes_of(array->dtype));
        break;
      case XLA_FFI_AttrType_STRING: sum += sum_of(string->ptr, string->len); break;
      case XLA_FFI_AttrType_DICTIONARY: sum += check(list->attrs[i]); break;
      default: FUZZ_CHECK(false, "a kind of attribute");
    }
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static volatile size_t sum;
  const long live = cyxla_memory_live();
  cyxla_attributes attributes = {0};
  cyxla_error error = {CYXLA_OK, ""};
  cyxla_status status =
      cyxla_attributes_read((cyxla_wire){data, size}, &attributes, &error);

  if (status == CYXLA_OK) {
    sum += check(&attributes.list);
  } else {
    FUZZ_CHECK(status == CYXLA_UNIMPLEMENTED && error.message[0] != '\0', "a reason");
    FUZZ_CHECK(attributes.memory == NULL, "nothing");
  }
  cyxla_attributes_free(&attributes);
  FUZZ_CHECK(cyxla_memory_live() == live, "all memory is given back");
  return 0;
}
