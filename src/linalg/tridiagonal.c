/* Tridiagonal systems that may be singular, as in inverse iteration.
 *
 * The method is that of LAPACK's xLAGTF and xLAGTS for several right-hand sides:
 * Gauss's elimination with row swaps, and pivots that are too small to divide by are
 * moved by a few units in the last place of the largest number. jaxlib has a handler of
 * its own for it, which this follows; it needs no LAPACK. */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "linalg/routines.h"

typedef struct tridiagonal_batch {
  int64_t count, n, num_columns;
  const void *lower, *diagonal, *upper, *b;
  void *x;
} tridiagonal_batch;

#define VALUE float
#define REAL float
#define NAME(x) x##_float
#define ABSOLUTE fabsf
#define PART(x) (x)
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#include "linalg/tridiagonal_dtype.h"

#define VALUE double
#define REAL double
#define NAME(x) x##_double
#define ABSOLUTE fabs
#define PART(x) (x)
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#include "linalg/tridiagonal_dtype.h"

#define VALUE float complex
#define REAL float
#define NAME(x) x##_complex_float
#define ABSOLUTE cabsf
#define PART crealf
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#include "linalg/tridiagonal_dtype.h"

#define VALUE double complex
#define REAL double
#define NAME(x) x##_complex_double
#define ABSOLUTE cabs
#define PART creal
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#include "linalg/tridiagonal_dtype.h"

void cyxla_linalg_tridiagonal_perturbed(cyxla_linalg_call *call) {
  cyxla_linalg_matrix b = cyxla_linalg_read_matrix(call, 3);
  XLA_FFI_DataType dtype = call->dtype->value;
  tridiagonal_batch batch = {0, b.rows, b.columns, NULL, NULL, NULL, b.data, NULL};
  void *memory;

  batch.lower = cyxla_linalg_argument(call, 0, dtype, 1, b.rows, 0);
  batch.diagonal = cyxla_linalg_argument(call, 1, dtype, 1, b.rows, 0);
  batch.upper = cyxla_linalg_argument(call, 2, dtype, 1, b.rows, 0);
  batch.x = cyxla_linalg_result(call, 0, dtype, 2, b.rows, b.columns);
  batch.count = call->batch;
  memory = cyxla_linalg_allocate(call, 3 * b.rows + b.columns, call->dtype->bytes);
  if (call->error != NULL || b.rows == 0) return;
  switch (dtype) {
    case XLA_FFI_DataType_F32: solve_batch_float(&batch, memory); break;
    case XLA_FFI_DataType_F64: solve_batch_double(&batch, memory); break;
    case XLA_FFI_DataType_C64: solve_batch_complex_float(&batch, memory); break;
    default: solve_batch_complex_double(&batch, memory); break;
  }
}
