/* cyxla_ffi.h: handlers of custom calls in a few lines of C.
 *
 * A handler is a C function that a program calls by name. It is registered with
 * cyxla_ffi_register in C, cyxla.register_ffi_target or jax.ffi.register_ffi_target in
 * Python; the same function serves all of them. This header needs no library, only
 * abi/ffi.h, which declares XLA's typed FFI; both are found in the same directory. It
 * is C99 and valid C++.
 *
 *   CYXLA_FFI_HANDLER(scale) {
 *     const XLA_FFI_Buffer *x = cyxla_ffi_argument(frame, 0, XLA_FFI_DataType_F32);
 *     const XLA_FFI_Buffer *y = cyxla_ffi_result(frame, 0, XLA_FFI_DataType_F32);
 *     double factor;
 *     if (x == NULL || y == NULL || !cyxla_ffi_number(frame, "factor", &factor)) {
 *       return cyxla_ffi_fail(frame, "scale takes a float32 array and a factor");
 *     }
 *     if (cyxla_ffi_num_elements(x) != cyxla_ffi_num_elements(y)) {
 *       return cyxla_ffi_fail(frame, "scale gives an array of the same size");
 *     }
 *     for (int64_t i = 0; i < cyxla_ffi_num_elements(x); i++) {
 *       ((float *)y->data)[i] = (float)factor * ((const float *)x->data)[i];
 *     }
 *     return NULL;
 *   }
 *
 * Arrays are dense and row-major unless the program asks for another layout. Those of
 * the arguments must not be written. They live until the handler returns, as do the
 * attributes. A handler may be called by several threads at once, and not only by those
 * that run the program. It returns NULL or an error, and must not call longjmp or
 * throw.
 *
 * XLA makes the frame. Its pointers are valid, its structs as large as in the oldest
 * version, and each array has the memory that its dtype and dimensions call for; a
 * handler cannot check that and need not. But a program may call it with any number
 * of arguments, results and attributes, of any dtypes, shapes and lengths that do not
 * fit each other, which the handler has to check. Arrays and strings without elements
 * may have NULL for their data.
 */
#ifndef CYXLA_FFI_PUBLIC_H
#define CYXLA_FFI_PUBLIC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "abi/ffi.h"

#if defined(_WIN32)
#define CYXLA_FFI_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define CYXLA_FFI_EXPORT __attribute__((visibility("default")))
#else
#define CYXLA_FFI_EXPORT
#endif

#if defined(__cplusplus)
#define CYXLA_FFI_LINKAGE extern "C"
#else
#define CYXLA_FFI_LINKAGE
#endif

/* Begins a handler of that name, an exported function; `frame` is what it is called
 * with. Asked what it is, it answers that it was built with the oldest version of the
 * FFI that this header needs, so that every plugin takes it. */
#define CYXLA_FFI_HANDLER(name)                                                      \
  static XLA_FFI_Error *name##_body(XLA_FFI_CallFrame *frame);                       \
  CYXLA_FFI_LINKAGE CYXLA_FFI_EXPORT XLA_FFI_Error *name(XLA_FFI_CallFrame *frame);  \
  CYXLA_FFI_LINKAGE CYXLA_FFI_EXPORT XLA_FFI_Error *name(XLA_FFI_CallFrame *frame) { \
    return cyxla_ffi_describe(frame) ? NULL : name##_body(frame);                    \
  }                                                                                  \
  static XLA_FFI_Error *name##_body(XLA_FFI_CallFrame *frame)

enum { CYXLA_FFI_MINOR_NEEDED = 1, CYXLA_FFI_MESSAGE_SIZE = 1024 };

/* Whether the handler is only asked what it is; answers if so. */
static inline bool cyxla_ffi_describe(XLA_FFI_CallFrame *frame) {
  XLA_FFI_InternalExtension *extension = frame->extension_start;

  for (; extension != NULL; extension = extension->next) {
    if (extension->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)extension)->metadata;
      metadata->api_version.major_version = XLA_FFI_API_MAJOR;
      metadata->api_version.minor_version = CYXLA_FFI_MINOR_NEEDED;
      metadata->traits = 0;
      return true;
    }
  }
  return false;
}

/* An error with a message that is formatted as by printf, to be returned. Its text
 * reaches the caller of the program, cut after CYXLA_FFI_MESSAGE_SIZE - 1 bytes; it is
 * the format itself where that cannot be formatted. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline XLA_FFI_Error *cyxla_ffi_fail(XLA_FFI_CallFrame *frame,
                                            const char *format, ...) {
  char message[CYXLA_FFI_MESSAGE_SIZE];
  XLA_FFI_Error_Create_Args args;
  va_list arguments;
  int length;

  va_start(arguments, format);
  length = vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  if (length < 0) snprintf(message, sizeof(message), "%s", format);
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.message = message;
  args.errc = XLA_FFI_Error_Code_INVALID_ARGUMENT;
  return frame->api->XLA_FFI_Error_Create(&args);
}

/* The argument or result of an index, NULL if there is none or its dtype is another. */
static inline const XLA_FFI_Buffer *cyxla_ffi_argument(const XLA_FFI_CallFrame *frame,
                                                       int64_t index,
                                                       XLA_FFI_DataType dtype) {
  const XLA_FFI_Buffer *buffer;

  if (index < 0 || index >= frame->args.size ||
      frame->args.types[index] != XLA_FFI_ArgType_BUFFER) {
    return NULL;
  }
  buffer = (const XLA_FFI_Buffer *)frame->args.args[index];
  return buffer->dtype == dtype ? buffer : NULL;
}

static inline const XLA_FFI_Buffer *cyxla_ffi_result(const XLA_FFI_CallFrame *frame,
                                                     int64_t index,
                                                     XLA_FFI_DataType dtype) {
  const XLA_FFI_Buffer *buffer;

  if (index < 0 || index >= frame->rets.size ||
      frame->rets.types[index] != XLA_FFI_RetType_BUFFER) {
    return NULL;
  }
  buffer = (const XLA_FFI_Buffer *)frame->rets.rets[index];
  return buffer->dtype == dtype ? buffer : NULL;
}

/* How many elements a buffer has: the product of its dimensions. -1 where one is
 * negative or the product cannot be counted, which XLA gives to no array. */
static inline int64_t cyxla_ffi_num_elements(const XLA_FFI_Buffer *buffer) {
  int64_t count = 1;
  bool is_countable = buffer->rank >= 0, is_empty = false;

  for (int64_t i = 0; i < buffer->rank; i++) {
    const int64_t size = buffer->dims[i];
    if (size < 0) return -1;
    if (size == 0) {
      is_empty = true;
    } else if (count > INT64_MAX / size) {
      is_countable = false;
    } else {
      count *= size;
    }
  }
  if (is_empty) return 0;
  return is_countable ? count : -1;
}

/* The attribute of a name and type, NULL if there is none. It is an XLA_FFI_Scalar, an
 * XLA_FFI_Array or an XLA_FFI_ByteSpan, as the type says. The first counts, though XLA
 * gives no name twice. */
static inline const void *cyxla_ffi_attribute(const XLA_FFI_CallFrame *frame,
                                              const char *name, XLA_FFI_AttrType type) {
  const size_t length = strlen(name);

  for (int64_t i = 0; i < frame->attrs.size; i++) {
    const XLA_FFI_ByteSpan *span = frame->attrs.names[i];
    /* memcmp must not be given NULL, which an empty name may be. */
    if (frame->attrs.types[i] == type && span->len == length &&
        (length == 0 || memcmp(span->ptr, name, length) == 0)) {
      return frame->attrs.attrs[i];
    }
  }
  return NULL;
}

/* A scalar attribute, an integer or a floating-point number of 32 or 64 bits or a bool,
 * as a double. False if there is none of that name or it is of another dtype. Integers
 * beyond 2^53 are rounded. */
static inline bool cyxla_ffi_number(const XLA_FFI_CallFrame *frame, const char *name,
                                    double *number) {
  const XLA_FFI_Scalar *scalar =
      (const XLA_FFI_Scalar *)cyxla_ffi_attribute(frame, name, XLA_FFI_AttrType_SCALAR);
  unsigned char truth; /* not bool, which holds nothing but 0 and 1 */
  int32_t s32;
  int64_t s64;
  float f32;

  if (scalar == NULL) return false;
  /* Copied, since nothing says that the value is aligned. */
  switch (scalar->dtype) {
    case XLA_FFI_DataType_PRED:
      memcpy(&truth, scalar->value, sizeof(truth));
      *number = truth != 0;
      return true;
    case XLA_FFI_DataType_S32:
      memcpy(&s32, scalar->value, sizeof(s32));
      *number = s32;
      return true;
    case XLA_FFI_DataType_S64:
      memcpy(&s64, scalar->value, sizeof(s64));
      *number = (double)s64;
      return true;
    case XLA_FFI_DataType_F32:
      memcpy(&f32, scalar->value, sizeof(f32));
      *number = (double)f32;
      return true;
    case XLA_FFI_DataType_F64:
      memcpy(number, scalar->value, sizeof(*number));
      return true;
    default: return false;
  }
}

/* A string attribute, which does not end with a zero byte but may hold some, and its
 * length. NULL if there is none of that name. */
static inline const char *cyxla_ffi_string(const XLA_FFI_CallFrame *frame,
                                           const char *name, size_t *length) {
  const XLA_FFI_ByteSpan *span = (const XLA_FFI_ByteSpan *)cyxla_ffi_attribute(
      frame, name, XLA_FFI_AttrType_STRING);

  if (span == NULL) return NULL;
  *length = span->len;
  return span->ptr != NULL ? span->ptr : "";
}

/* An array attribute of a dtype. NULL if there is none of that name, or its dtype is
 * another. */
static inline const XLA_FFI_Array *cyxla_ffi_array(const XLA_FFI_CallFrame *frame,
                                                   const char *name,
                                                   XLA_FFI_DataType dtype) {
  const XLA_FFI_Array *array =
      (const XLA_FFI_Array *)cyxla_ffi_attribute(frame, name, XLA_FFI_AttrType_ARRAY);

  return array != NULL && array->dtype == dtype ? array : NULL;
}

#endif /* CYXLA_FFI_PUBLIC_H */
