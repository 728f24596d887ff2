#include "model_npy.h"

#include <string.h>

enum { DTYPE_FIRST = CYXLA_BOOL, NUM_DTYPES = CYXLA_COMPLEX128 - CYXLA_BOOL + 1 };

/* NumPy's codes, and that which it writes for bfloat16. */
static const char *code_of(cyxla_dtype dtype) {
  switch (dtype) {
    case CYXLA_BOOL: return "b1";
    case CYXLA_INT8: return "i1";
    case CYXLA_INT16: return "i2";
    case CYXLA_INT32: return "i4";
    case CYXLA_INT64: return "i8";
    case CYXLA_UINT8: return "u1";
    case CYXLA_UINT16: return "u2";
    case CYXLA_UINT32: return "u4";
    case CYXLA_UINT64: return "u8";
    case CYXLA_FLOAT16: return "f2";
    case CYXLA_FLOAT32: return "f4";
    case CYXLA_FLOAT64: return "f8";
    case CYXLA_BFLOAT16: return "V2";
    case CYXLA_COMPLEX64: return "c8";
    default: return "c16";
  }
}

static void put(cyxla_writer *file, const char *text) {
  cyxla_write_raw(file, text, strlen(text));
}

/* The bytes of the array, in which only one of no elements has a huge size. */
static size_t count_bytes(model_array *array) {
  size_t bytes = cyxla_dtype_bytes(array->spec.dtype);

  for (size_t k = 0; k < array->spec.rank; k++) {
    if (array->shape[k] == 0) return 0;
  }
  for (size_t k = 0; k < array->spec.rank; k++) {
    if (array->shape[k] == INT64_MAX) array->shape[k] = 1;
    bytes *= (size_t)array->shape[k];
  }
  return bytes;
}

void model_take_array(fuzz_input *input, model_array *array) {
  static const int64_t SIZES[] = {2, 3, 1, 4, 0, 5, 2, INT64_MAX};
  size_t dtype, rank;

  memset(array, 0, sizeof(*array));
  dtype = fuzz_take_below(input, NUM_DTYPES);
  rank = fuzz_take_below(input, 6);
  array->spec.dtype = (cyxla_dtype)(DTYPE_FIRST + dtype);
  array->spec.rank = rank < 5 ? rank : CYXLA_RANK_MAXIMUM;
  array->spec.shape = array->shape;
  array->spec.name = "x";
  array->spec.aliased_output = -1;
  for (size_t k = 0; k < array->spec.rank; k++) {
    /* Three of the many dimensions are taken, the last one among them. */
    bool is_taken = rank < 5 || k % 31 == 1;
    array->shape[k] = is_taken ? SIZES[fuzz_take_below(input, 8)] : 1;
  }
  array->spec.bytes = count_bytes(array);
}

void model_write_start(cyxla_writer *file, unsigned version, size_t length) {
  unsigned char rest[6] = {0};

  rest[0] = (unsigned char)version;
  for (int i = 0; i < 4; i++) rest[2 + i] = (unsigned char)(length >> 8 * i);
  put(file, "\x93NUMPY");
  cyxla_write_raw(file, rest, version == 1 ? 4 : 6);
}

void model_write_values(cyxla_writer *file, const model_array *array, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    unsigned char value = (unsigned char)(i * 31 + i / 256);
    if (array->spec.dtype == CYXLA_BOOL) value = i % 3 == 0;
    cyxla_write_raw(file, &value, 1);
  }
}

static char native_order(void) {
  const uint16_t one = 1;

  return *(const char *)&one == 1 ? '<' : '>';
}

/* Writes a dtype in one of the ways to do so. Returns whether it is the array's. */
static bool put_descr(fuzz_input *input, cyxla_writer *file, const model_array *array,
                      const char *quote) {
  static const char *const STRANGE[] = {"<U3", "|O",  "<M8[s]", "<f16", "f",
                                        "<",   "f44", "",       "float"};
  cyxla_dtype dtype = array->spec.dtype;
  size_t form = fuzz_take_below(input, 16);
  char order[2] = {0};
  bool is_read = true;

  if (fuzz_take_byte(input) % 4 == 3) {
    dtype = (cyxla_dtype)(DTYPE_FIRST + fuzz_take_below(input, NUM_DTYPES));
  }
  if (form == 15) {
    put(file, "[('x', '<f4'), ('y', '>i8')]");
    return false;
  }
  put(file, quote);
  if (form == 14) {
    put(file, STRANGE[fuzz_take_below(input, 9)]);
    is_read = false;
  } else if (form == 13) {
    put(file, cyxla_dtype_name(dtype));
  } else {
    order[0] = "<>=|\0<"[form % 6];
    put(file, order);
    put(file, code_of(dtype));
    is_read = (order[0] != '<' && order[0] != '>') || order[0] == native_order() ||
              cyxla_dtype_bytes(dtype) == 1;
  }
  put(file, quote);
  return is_read && dtype == array->spec.dtype;
}

/* Writes a shape. Returns whether it is the array's. */
static bool put_shape(fuzz_input *input, cyxla_writer *file, const model_array *array,
                      const char *space) {
  int64_t shape[CYXLA_RANK_MAXIMUM + 1];
  size_t rank = array->spec.rank, change = fuzz_take_below(input, 16);
  char text[32];

  memcpy(shape, array->shape, sizeof(array->shape));
  if (change == 15) shape[rank++] = 1;
  if (change == 14 && rank > 0) rank--;
  /* One more or less, and so never too large. */
  if (change == 13 && rank > 0) shape[fuzz_take_below(input, rank)] ^= 1;
  put(file, "(");
  for (size_t k = 0; k < rank; k++) {
    snprintf(text, sizeof(text), "%lld", (long long)shape[k]);
    put(file, k > 0 ? "," : "");
    put(file, space);
    put(file, change == 12 ? "9223372036854775808" : text);
  }
  /* One in brackets without a comma is no tuple. */
  if (rank == 1 ? change != 11 : rank > 1 && change == 10) put(file, ",");
  put(file, space);
  put(file, ")");
  if (rank > 0 && (change == 12 || (rank == 1 && change == 11))) return false;
  return rank == array->spec.rank &&
         memcmp(shape, array->shape, rank * sizeof(shape[0])) == 0;
}

/* What may be wrong with a header as a whole. */
enum { NO_FAULT = 11, FAULT_UNKNOWN, FAULT_BEHIND, FAULT_TWICE, FAULT_MISSING };

/* Writes a header with its keys in some order. Returns whether it is the array's. */
static bool put_header(fuzz_input *input, cyxla_writer *file,
                       const model_array *array) {
  static const char *const SPACES[] = {" ", "", "\n", " \t "};
  static const char *const KEYS[] = {"descr", "fortran_order", "shape"};
  const char *quote = fuzz_take_below(input, 2) == 0 ? "'" : "\"";
  const char *space = SPACES[fuzz_take_below(input, 4)];
  size_t first = fuzz_take_below(input, 3), step = 1 + fuzz_take_below(input, 2);
  size_t fault = fuzz_take_below(input, 16);
  size_t count = fault == FAULT_MISSING ? 2 : fault == FAULT_TWICE ? 4 : 3;
  bool is_read = fault <= NO_FAULT;

  put(file, fault == FAULT_UNKNOWN ? "{'dtype': '<f4', " : "{");
  for (size_t i = 0; i < count; i++) {
    size_t key = (first + i * step) % 3;
    put(file, i > 0 ? "," : "");
    put(file, space);
    put(file, quote);
    put(file, KEYS[key]);
    put(file, quote);
    put(file, ":");
    put(file, space);
    if (key == 0 && !put_descr(input, file, array, quote)) is_read = false;
    if (key == 1) put(file, fuzz_take_below(input, 2) == 0 ? "False" : "True");
    if (key == 2 && !put_shape(input, file, array, space)) is_read = false;
  }
  put(file, fuzz_take_below(input, 2) == 0 ? "}" : ",}");
  put(file, space);
  if (fault == FAULT_BEHIND) put(file, "{}");
  return is_read;
}

/* Writes the array's bytes, the first ones from the input, or fewer or more of them.
 * Returns whether they are an array. */
static bool put_values(fuzz_input *input, cyxla_writer *file,
                       const model_array *array) {
  size_t bytes = array->spec.bytes, change = fuzz_take_below(input, 8);
  size_t taken, start = file->size;

  if (change == 7) bytes += 1 + fuzz_take_below(input, 16);
  if (change == 6) bytes -= fuzz_take_byte(input) % (bytes + 1);
  model_write_values(file, array, bytes);
  taken = bytes < input->size ? bytes : input->size;
  if (taken > 0) memcpy(file->data + start, input->data, taken);
  if (bytes != array->spec.bytes) return false;
  for (size_t i = 0; array->spec.dtype == CYXLA_BOOL && i < bytes; i++) {
    if (file->data[start + i] > 1) return false;
  }
  return true;
}

/* Changes a byte of the signature or of the version's second half. */
static void damage_start(fuzz_input *input, cyxla_writer *file) {
  static const unsigned char PLACES[] = {0, 1, 2, 3, 4, 5, 7};
  size_t place = PLACES[fuzz_take_below(input, sizeof(PLACES))];

  file->data[place] ^= (unsigned char)(1 + fuzz_take_below(input, 255));
}

bool model_write_file(fuzz_input *input, cyxla_writer *file, const model_array *array) {
  unsigned version = 1 + (unsigned)fuzz_take_below(input, 4);
  bool is_damaged = fuzz_take_below(input, 16) == 15;
  cyxla_writer header = {0};
  bool is_read = put_header(input, &header, array);

  model_write_start(file, version, header.size);
  if (is_damaged) damage_start(input, file);
  cyxla_write_raw(file, header.data, header.size);
  cyxla_writer_free(&header);
  return put_values(input, file, array) && is_read && version < 4 && !is_damaged;
}

size_t model_fortran_position(const model_array *array, size_t position) {
  size_t found = 0, stride = 1;
  size_t index[CYXLA_RANK_MAXIMUM];

  for (size_t k = array->spec.rank; k-- > 0;) {
    index[k] = position % (size_t)array->shape[k];
    position /= (size_t)array->shape[k];
  }
  for (size_t k = 0; k < array->spec.rank; k++) {
    found += index[k] * stride;
    stride *= (size_t)array->shape[k];
  }
  return found;
}
