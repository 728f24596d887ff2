#include "linalg/call.h"

#include <math.h>

#include "linalg/routines.h"
#include "memory.h"

const cyxla_linalg_dtype cyxla_linalg_dtypes[CYXLA_LINALG_NUM_DTYPES] = {
    {"float32", 's', XLA_FFI_DataType_F32, XLA_FFI_DataType_F32, XLA_FFI_DataType_C64,
     4, 4, false},
    {"float64", 'd', XLA_FFI_DataType_F64, XLA_FFI_DataType_F64, XLA_FFI_DataType_C128,
     8, 8, false},
    {"complex64", 'c', XLA_FFI_DataType_C64, XLA_FFI_DataType_F32, XLA_FFI_DataType_C64,
     8, 4, true},
    {"complex128", 'z', XLA_FFI_DataType_C128, XLA_FFI_DataType_F64,
     XLA_FFI_DataType_C128, 16, 8, true},
};

enum { MESSAGE_BYTES = 512, SHAPE_BYTES = 128 };

void cyxla_linalg_fail(cyxla_linalg_call *call, const char *format, ...) {
  char message[MESSAGE_BYTES];
  va_list arguments;

  if (call->error != NULL) return;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  call->error = cyxla_ffi_fail(call->frame, "%s: %s", call->target, message);
}

static void format_shape(const int64_t *dims, int64_t rank, char *text) {
  size_t used = 1;

  strcpy(text, "[");
  for (int64_t i = 0; i < rank && used < SHAPE_BYTES - 24; i++) {
    int written = snprintf(text + used, SHAPE_BYTES - used, "%s%lld", i > 0 ? "," : "",
                           (long long)dims[i]);
    used += (size_t)written;
  }
  snprintf(text + used, SHAPE_BYTES - used, "]");
}

/* Multiplies numbers that are not negative; false where the product is too large for
 * an array. */
static bool multiply(int64_t *product, int64_t factor) {
  if (factor < 0 || (factor > 0 && *product > INT64_MAX / 64 / factor)) return false;
  *product *= factor;
  return true;
}

static const char *name_of(XLA_FFI_DataType dtype) {
  for (int i = 0; i < CYXLA_LINALG_NUM_DTYPES; i++) {
    if (cyxla_linalg_dtypes[i].value == dtype) return cyxla_linalg_dtypes[i].name;
  }
  return "int32"; /* the only other one that LAPACK works with */
}

static const XLA_FFI_Buffer *find_buffer(cyxla_linalg_call *call, bool is_result,
                                         int64_t index, XLA_FFI_DataType dtype) {
  const XLA_FFI_Buffer *buffer = is_result
                                     ? cyxla_ffi_result(call->frame, index, dtype)
                                     : cyxla_ffi_argument(call->frame, index, dtype);

  if (buffer == NULL) {
    cyxla_linalg_fail(call, "%s %lld is missing or of another dtype than %s",
                      is_result ? "result" : "argument", (long long)index,
                      name_of(dtype));
  }
  return buffer;
}

/* Whether a dimension fits LAPACK's integers, with room for sums of a few. */
static bool fits(const cyxla_linalg_call *call, int64_t size) {
  int64_t limit =
      call->integer_bytes == sizeof(int32_t) ? INT32_MAX / 16 : INT64_MAX / 4096;

  return size >= 0 && size < limit;
}

cyxla_linalg_matrix cyxla_linalg_read_matrix(cyxla_linalg_call *call, int64_t index) {
  cyxla_linalg_matrix matrix = {NULL, 0, 0, 1, 0};
  const XLA_FFI_Buffer *buffer = find_buffer(call, false, index, call->dtype->value);
  int64_t batch = 1, elements;
  char shape[SHAPE_BYTES];
  bool is_valid;

  if (buffer == NULL) return matrix;
  is_valid = buffer->rank >= 2;
  for (int64_t i = 0; is_valid && i < buffer->rank - 2; i++) {
    is_valid = multiply(&batch, buffer->dims[i]);
  }
  if (is_valid) {
    matrix.rows = buffer->dims[buffer->rank - 2];
    matrix.columns = buffer->dims[buffer->rank - 1];
    elements = 1;
    is_valid = multiply(&elements, matrix.rows) && multiply(&elements, matrix.columns);
    matrix.bytes = is_valid ? (size_t)elements * call->dtype->bytes : 0;
    is_valid = is_valid && multiply(&elements, batch) && fits(call, matrix.rows) &&
               fits(call, matrix.columns) && (call->batch < 0 || batch == call->batch);
  }
  if (!is_valid) {
    format_shape(buffer->dims, buffer->rank, shape);
    cyxla_linalg_fail(call,
                      "argument %lld has the shape %s, expected matrices that its "
                      "LAPACK, with integers of %zu bytes, can work on, as many as in "
                      "the other arguments",
                      (long long)index, shape, call->integer_bytes);
    return (cyxla_linalg_matrix){NULL, 0, 0, 1, 0};
  }
  call->batch = batch;
  matrix.data = buffer->data;
  matrix.leading = matrix.rows > 0 ? matrix.rows : 1;
  return matrix;
}

cyxla_linalg_matrix cyxla_linalg_read_square(cyxla_linalg_call *call, int64_t index) {
  cyxla_linalg_matrix matrix = cyxla_linalg_read_matrix(call, index);

  if (matrix.rows != matrix.columns) {
    cyxla_linalg_fail(
        call,
        "argument %lld has matrices of %lld rows and %lld columns, expected "
        "square ones",
        (long long)index, (long long)matrix.rows, (long long)matrix.columns);
  }
  return matrix;
}

static void *find_data(cyxla_linalg_call *call, bool is_result, int64_t index,
                       XLA_FFI_DataType dtype, int rank, int64_t rows,
                       int64_t columns) {
  const XLA_FFI_Buffer *buffer = find_buffer(call, is_result, index, dtype);
  const int64_t expected[2] = {rows, columns};
  int64_t batch = 1;
  char found[SHAPE_BYTES], wanted[SHAPE_BYTES];
  bool is_valid;

  if (buffer == NULL || call->error != NULL) return NULL;
  is_valid = buffer->rank >= rank;
  for (int64_t i = 0; is_valid && i < buffer->rank; i++) {
    int64_t trailing = i - (buffer->rank - rank);
    is_valid = trailing >= 0 ? buffer->dims[i] == expected[trailing]
                             : multiply(&batch, buffer->dims[i]);
  }
  if (is_valid && batch == call->batch) return buffer->data;
  format_shape(buffer->dims, buffer->rank, found);
  format_shape(expected, rank, wanted);
  cyxla_linalg_fail(call, "%s %lld has the shape %s, expected %lld arrays of %s",
                    is_result ? "result" : "argument", (long long)index, found,
                    (long long)call->batch, wanted);
  return NULL;
}

const void *cyxla_linalg_argument(cyxla_linalg_call *call, int64_t index,
                                  XLA_FFI_DataType dtype, int rank, int64_t rows,
                                  int64_t columns) {
  return find_data(call, false, index, dtype, rank, rows, columns);
}

void *cyxla_linalg_result(cyxla_linalg_call *call, int64_t index,
                          XLA_FFI_DataType dtype, int rank, int64_t rows,
                          int64_t columns) {
  return find_data(call, true, index, dtype, rank, rows, columns);
}

char *cyxla_linalg_result_of(cyxla_linalg_call *call, int64_t index,
                             const cyxla_linalg_matrix *matrix) {
  char *result = cyxla_linalg_result(call, index, call->dtype->value, 2, matrix->rows,
                                     matrix->columns);

  if (result != NULL) {
    cyxla_linalg_copy(result, matrix->data, matrix->bytes * (size_t)call->batch);
  }
  return result;
}

int32_t *cyxla_linalg_info(cyxla_linalg_call *call, int64_t index) {
  return cyxla_linalg_result(call, index, XLA_FFI_DataType_S32, 0, 0, 0);
}

/* JAX hands an option over as the code of a character. */
char cyxla_linalg_option(cyxla_linalg_call *call, const char *name,
                         const char *choices) {
  const XLA_FFI_Scalar *scalar =
      cyxla_ffi_attribute(call->frame, name, XLA_FFI_AttrType_SCALAR);
  bool is_character = scalar != NULL && (scalar->dtype == XLA_FFI_DataType_U8 ||
                                         scalar->dtype == XLA_FFI_DataType_S8);
  char option = is_character ? *(const char *)scalar->value : '\0';

  if (option != '\0' && strchr(choices, option) != NULL) return option;
  cyxla_linalg_fail(call, "the attribute %s is %s, expected the code of one of %s",
                    name, is_character ? "another character" : "no character", choices);
  return choices[0];
}

bool cyxla_linalg_flag(cyxla_linalg_call *call, const char *name) {
  const XLA_FFI_Scalar *scalar =
      cyxla_ffi_attribute(call->frame, name, XLA_FFI_AttrType_SCALAR);

  if (scalar != NULL && scalar->dtype == XLA_FFI_DataType_PRED) {
    return *(const unsigned char *)scalar->value != 0;
  }
  cyxla_linalg_fail(call, "the attribute %s is not there as a bool", name);
  return false;
}

int64_t cyxla_linalg_number(cyxla_linalg_call *call, const char *name) {
  const XLA_FFI_Scalar *scalar =
      cyxla_ffi_attribute(call->frame, name, XLA_FFI_AttrType_SCALAR);

  int32_t number;

  if (scalar != NULL && scalar->dtype == XLA_FFI_DataType_S32) {
    memcpy(&number, scalar->value, sizeof(number));
    return number;
  }
  cyxla_linalg_fail(call, "the attribute %s is not there as an int32", name);
  return 0;
}

int64_t cyxla_linalg_length(cyxla_linalg_call *call, int64_t index) {
  const XLA_FFI_Buffer *buffer = find_buffer(call, false, index, call->dtype->value);

  if (buffer == NULL) return 0;
  if (buffer->rank > 0 && fits(call, buffer->dims[buffer->rank - 1])) {
    return buffer->dims[buffer->rank - 1];
  }
  cyxla_linalg_fail(call, "argument %lld is no vector, or too long for LAPACK",
                    (long long)index);
  return 0;
}

int64_t cyxla_linalg_integer(const cyxla_linalg_call *call, const int64_t *integer) {
  return call->integer_bytes == sizeof(int32_t) ? (int32_t)*integer : *integer;
}

void cyxla_linalg_widen(const cyxla_linalg_call *call, void *integers,
                        const int32_t *source, int64_t count) {
  int64_t *wide = integers;

  if (call->integer_bytes == sizeof(int32_t)) {
    cyxla_linalg_copy(integers, source, (size_t)count * sizeof(int32_t));
    return;
  }
  for (int64_t i = 0; i < count; i++) wide[i] = source[i];
}

void cyxla_linalg_narrow(const cyxla_linalg_call *call, int32_t *target,
                         const void *integers, int64_t count) {
  const int64_t *wide = integers;

  if (call->integer_bytes == sizeof(int32_t)) {
    cyxla_linalg_copy(target, integers, (size_t)count * sizeof(int32_t));
    return;
  }
  for (int64_t i = 0; i < count; i++) target[i] = (int32_t)wide[i];
}

void cyxla_linalg_check_work(cyxla_linalg_call *call, int64_t most) {
  if (call->integer_bytes != sizeof(int32_t) || most <= INT32_MAX) return;
  cyxla_linalg_fail(call,
                    "LAPACK may want %lld elements to work in, which its integers of 4 "
                    "bytes cannot count; use a LAPACK with integers of 8 bytes, or "
                    "smaller matrices",
                    (long long)most);
}

int64_t cyxla_linalg_work_size(cyxla_linalg_call *call, const void *work,
                               const int64_t *info, int64_t least) {
  double limit =
      call->integer_bytes == sizeof(int32_t) ? INT32_MAX : (double)(INT64_MAX / 64);
  double size;
  float narrow;

  if (call->dtype->real_bytes == sizeof(float)) {
    memcpy(&narrow, work, sizeof(narrow));
    /* A float has no room for all digits of a large size, and may have lost the last.
     */
    size = (double)narrow + ceil((double)narrow * 0x1p-22);
  } else {
    memcpy(&size, work, sizeof(size));
  }
  if (cyxla_linalg_integer(call, info) != 0 || !(size >= 0) || size >= limit) {
    cyxla_linalg_fail(
        call,
        "LAPACK asks for %.0f elements to work in (info %lld), expected a "
        "number that its integers of %zu bytes can count",
        size, (long long)cyxla_linalg_integer(call, info), call->integer_bytes);
    return 1;
  }
  return cyxla_linalg_maximum(cyxla_linalg_maximum(least, 1), (int64_t)size);
}

void *cyxla_linalg_allocate(cyxla_linalg_call *call, int64_t count, size_t bytes) {
  void *block = NULL;

  if (call->error != NULL) return NULL;
  if (count < 1) count = 1;
  if (call->num_blocks < CYXLA_LINALG_NUM_BLOCKS) {
    block = cyxla_allocate_array((size_t)count, bytes);
  }
  if (block == NULL) {
    cyxla_linalg_fail(call, "there is no memory left for %lld elements to work in",
                      (long long)count);
    return NULL;
  }
  call->blocks[call->num_blocks++] = block;
  return block;
}

void cyxla_linalg_copy(void *target, const void *source, size_t bytes) {
  if (target != source && bytes > 0) memcpy(target, source, bytes);
}

bool cyxla_linalg_is_finite(const cyxla_linalg_call *call, const void *data,
                            size_t bytes) {
  const float *floats = data;
  const double *doubles = data;

  if (call->dtype->real_bytes == sizeof(float)) {
    for (size_t i = 0; i < bytes / sizeof(float); i++) {
      if (!isfinite(floats[i])) return false;
    }
    return true;
  }
  for (size_t i = 0; i < bytes / sizeof(double); i++) {
    if (!isfinite(doubles[i])) return false;
  }
  return true;
}
