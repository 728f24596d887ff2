/* The product of a sparse matrix, compressed by rows, and a dense one.
 *
 * It is no routine of LAPACK: jaxlib has a handler of its own for it, whose arguments
 * these are. Columns beyond the matrix are padding, as they are in JAX. */
#include <complex.h>

#include "linalg/routines.h"

typedef struct csr_product {
  int64_t rows, inner, columns, num_elements;
  const XLA_FFI_Buffer *elements, *starts, *indices;
  const void *dense;
  void *result;
} csr_product;

static int64_t index_at(const XLA_FFI_Buffer *buffer, int64_t i) {
  return buffer->dtype == XLA_FFI_DataType_S32 ? ((const int32_t *)buffer->data)[i]
                                               : ((const int64_t *)buffer->data)[i];
}

/* Whether the rows' elements follow one another within those that there are. */
static bool are_starts_valid(const csr_product *p) {
  int64_t before = 0;

  for (int64_t i = 0; i <= p->rows; i++) {
    int64_t start = index_at(p->starts, i);
    if (start < before || start > p->num_elements) return false;
    before = start;
  }
  return true;
}

#define DEFINE_MULTIPLY(name, type)                                \
  static void multiply_##name(const csr_product *p) {              \
    const type *elements = p->elements->data, *dense = p->dense;   \
    type *result = p->result;                                      \
                                                                   \
    for (int64_t row = 0; row < p->rows; row++) {                  \
      int64_t end = index_at(p->starts, row + 1);                  \
      type *sums = result + row * p->columns;                      \
      for (int64_t j = 0; j < p->columns; j++) sums[j] = 0;        \
      for (int64_t i = index_at(p->starts, row); i < end; i++) {   \
        int64_t column = index_at(p->indices, i);                  \
        if (column < 0 || column >= p->inner) continue;            \
        for (int64_t j = 0; j < p->columns; j++) {                 \
          sums[j] += elements[i] * dense[column * p->columns + j]; \
        }                                                          \
      }                                                            \
    }                                                              \
  }

/* Signed integers wrap around in JAX, as unsigned ones do in C. */
DEFINE_MULTIPLY(int32, uint32_t)
DEFINE_MULTIPLY(int64, uint64_t)
DEFINE_MULTIPLY(float32, float)
DEFINE_MULTIPLY(float64, double)
DEFINE_MULTIPLY(complex64, float complex)
DEFINE_MULTIPLY(complex128, double complex)

static const struct {
  XLA_FFI_DataType dtype;
  void (*multiply)(const csr_product *product);
} PRODUCTS[] = {
    {XLA_FFI_DataType_S32, multiply_int32},
    {XLA_FFI_DataType_S64, multiply_int64},
    {XLA_FFI_DataType_F32, multiply_float32},
    {XLA_FFI_DataType_F64, multiply_float64},
    {XLA_FFI_DataType_C64, multiply_complex64},
    {XLA_FFI_DataType_C128, multiply_complex128},
};

static const XLA_FFI_Buffer *indices(cyxla_linalg_call *call, int64_t index) {
  const XLA_FFI_Buffer *found =
      cyxla_ffi_argument(call->frame, index, XLA_FFI_DataType_S32);

  if (found == NULL) {
    found = cyxla_ffi_argument(call->frame, index, XLA_FFI_DataType_S64);
  }
  if (found == NULL || found->rank != 1) {
    cyxla_linalg_fail(call, "argument %lld is no vector of int32 or int64",
                      (long long)index);
  }
  return found;
}

/* The arguments and the result, whose dense arrays are vectors or matrices. */
static void read_product(cyxla_linalg_call *call, XLA_FFI_DataType dtype,
                         csr_product *p) {
  const XLA_FFI_Buffer *dense = cyxla_ffi_argument(call->frame, 3, dtype);
  const XLA_FFI_Buffer *result = cyxla_ffi_result(call->frame, 0, dtype);
  bool is_valid;

  p->elements = cyxla_ffi_argument(call->frame, 0, dtype);
  p->starts = indices(call, 1);
  p->indices = indices(call, 2);
  if (call->error != NULL) return;
  is_valid = p->elements != NULL && dense != NULL && result != NULL &&
             p->elements->rank == 1 && dense->rank >= 1 && dense->rank <= 2 &&
             result->rank == dense->rank;
  if (is_valid) {
    p->rows = result->dims[0];
    p->inner = dense->dims[0];
    p->columns = dense->rank == 2 ? dense->dims[1] : 1;
    p->num_elements = p->elements->dims[0];
    p->dense = dense->data;
    p->result = result->data;
    is_valid = (result->rank == 1 || result->dims[1] == p->columns) && p->rows >= 0 &&
               p->starts->dims[0] >= 1 && p->starts->dims[0] - 1 == p->rows &&
               p->indices->dims[0] == p->num_elements &&
               p->starts->dtype == p->indices->dtype;
  }
  if (!is_valid) {
    cyxla_linalg_fail(call,
                      "the arguments are no elements, starts of rows and columns of a "
                      "sparse matrix and a dense array that it can be multiplied with");
  } else if (!are_starts_valid(p)) {
    cyxla_linalg_fail(
        call,
        "the starts of the rows do not follow one another from 0 to %lld, "
        "the number of elements",
        (long long)p->num_elements);
  }
}

void cyxla_linalg_csr_dense(cyxla_linalg_call *call) {
  csr_product product;

  memset(&product, 0, sizeof(product));
  for (size_t i = 0; i < sizeof(PRODUCTS) / sizeof(PRODUCTS[0]); i++) {
    if (cyxla_ffi_argument(call->frame, 0, PRODUCTS[i].dtype) == NULL) continue;
    read_product(call, PRODUCTS[i].dtype, &product);
    if (call->error == NULL) PRODUCTS[i].multiply(&product);
    return;
  }
  cyxla_linalg_fail(call,
                    "argument 0 has a dtype other than int32, int64, float32, float64, "
                    "complex64 and complex128");
}
