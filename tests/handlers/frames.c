/* A handler that writes down what it is called with, for tests that compare two callers
 * of it: into its last result, as a text, after the structs of the FFI but for
 * addresses. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#include "cyxla_ffi.h"

typedef struct {
  char *text;
  size_t bytes;
  size_t used;
} record;

static void note(record *to, const char *format, ...) {
  va_list arguments;
  int length;

  va_start(arguments, format);
  length = vsnprintf(to->text + to->used, to->bytes - to->used, format, arguments);
  va_end(arguments);
  to->used += (size_t)length;
  if (to->used >= to->bytes) to->used = to->bytes - 1;
}

static void note_bytes(record *to, const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) note(to, "%02x", ((const unsigned char *)data)[i]);
}

static size_t bytes_of(XLA_FFI_DataType dtype) {
  static const size_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 0, 0, 8, 2};

  return (size_t)dtype < sizeof(bytes) / sizeof(bytes[0]) ? bytes[dtype] : 0;
}

static void note_attributes(record *to, const XLA_FFI_Attrs *list) {
  note(to, "{%zu %d %lld", list->struct_size, list->extension_start != NULL,
       (long long)list->size);
  for (int64_t i = 0; i < list->size; i++) {
    const XLA_FFI_Scalar *scalar = list->attrs[i];
    const XLA_FFI_Array *array = list->attrs[i];
    const XLA_FFI_ByteSpan *string = list->attrs[i];
    note(to, ", ");
    note_bytes(to, list->names[i]->ptr, list->names[i]->len);
    note(to, " %d: ", (int)list->types[i]);
    switch (list->types[i]) {
      case XLA_FFI_AttrType_SCALAR:
        note(to, "%d ", (int)scalar->dtype);
        note_bytes(to, scalar->value, bytes_of(scalar->dtype));
        break;
      case XLA_FFI_AttrType_ARRAY:
        note(to, "%d %zu ", (int)array->dtype, array->size);
        note_bytes(to, array->data, array->size * bytes_of(array->dtype));
        break;
      case XLA_FFI_AttrType_STRING:
        note(to, "%zu ", string->len);
        note_bytes(to, string->ptr, string->len);
        break;
      case XLA_FFI_AttrType_DICTIONARY: note_attributes(to, list->attrs[i]); break;
    }
  }
  note(to, "}");
}

static void note_buffer(record *to, const XLA_FFI_Buffer *buffer, int type,
                        int is_argument) {
  size_t count = 1;

  note(to, "\n%d %zu %d %d [", type, buffer->struct_size,
       buffer->extension_start != NULL, (int)buffer->dtype);
  for (int64_t i = 0; i < buffer->rank; i++) {
    note(to, "%lld ", (long long)buffer->dims[i]);
    count *= (size_t)buffer->dims[i];
  }
  note(to, "] %d ", buffer->dims != NULL);
  if (is_argument) note_bytes(to, buffer->data, count * bytes_of(buffer->dtype));
}

CYXLA_FFI_HANDLER(write_down) {
  record to = {NULL, 0, 0};
  unsigned short x87;

  const XLA_FFI_Buffer *last =
      cyxla_ffi_result(frame, frame->rets.size - 1, XLA_FFI_DataType_U8);
  if (last == NULL || last->rank != 1 || last->dims[0] < 1) {
    return cyxla_ffi_fail(frame, "the last result is no vector of bytes");
  }
  to.text = last->data;
  to.bytes = (size_t)last->dims[0];
  memset(to.text, 0, to.bytes);
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  note(&to, "%zu %d %d %d %x %x %zu %zu", frame->struct_size,
       frame->extension_start != NULL, frame->ctx != NULL, (int)frame->stage,
       _mm_getcsr() & ~0x3Fu, x87, frame->args.struct_size, frame->rets.struct_size);
  note(&to, " %lld %lld", (long long)frame->args.size, (long long)frame->rets.size);
  note(&to, " %d.%d", frame->api->api_version.major_version,
       frame->api->api_version.minor_version);
  for (int64_t i = 0; i < frame->args.size; i++) {
    note_buffer(&to, frame->args.args[i], (int)frame->args.types[i], 1);
  }
  for (int64_t i = 0; i < frame->rets.size; i++) {
    note_buffer(&to, frame->rets.rets[i], (int)frame->rets.types[i], 0);
  }
  note(&to, "\n");
  note_attributes(&to, &frame->attrs);
  for (int64_t i = 0; i + 1 < frame->rets.size; i++) {
    const XLA_FFI_Buffer *buffer = frame->rets.rets[i];
    int64_t count = cyxla_ffi_num_elements(buffer);
    memset(buffer->data, (int)i + 1, (size_t)count * bytes_of(buffer->dtype));
  }
  return NULL;
}
