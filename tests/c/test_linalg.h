/* The targets of linear algebra, called with a real LAPACK, in all dtypes.
 *
 * Matrices are double complex and by columns here, two of them a batch, and are
 * converted to a dtype and back around a call. */
#ifndef TEST_LINALG_H
#define TEST_LINALG_H

#include <complex.h>

#include "linalg/call.h"
#include "test_frame.h"

enum { TEST_LINALG_BATCH = 2, TEST_LINALG_ARRAYS = 9, TEST_LINALG_ELEMENTS = 64 };

typedef double complex test_number;

typedef struct test_linalg {
  test_frame frame;
  const cyxla_linalg_dtype *dtype;
  int num_arrays;
  double memory[TEST_LINALG_ARRAYS][2 * TEST_LINALG_ELEMENTS];
} test_linalg;

/* Registers all targets with the fake plugin, for the LAPACK at a path, which a test
 * uses until it ends. */
void test_linalg_use(const char *lapack);

/* Runs a check for each dtype with LAPACKs of both widths. */
void test_linalg_for_all(void (*check)(const cyxla_linalg_dtype *dtype));

/* A matrix without structure, of the dtype: real where that is. */
void test_linalg_fill(const cyxla_linalg_dtype *dtype, test_number *numbers, int count,
                      int seed);

/* A new call for a dtype. */
void test_linalg_begin(test_linalg *call, const cyxla_linalg_dtype *dtype);

/* Adds a batch of arrays of `rank` dimensions: an argument with numbers, or a result,
 * whose index among all arrays it returns. `kind` is 'v' for the dtype, 'r' for its
 * real numbers, 'c' for complex ones and 'i' for int32. */
void test_linalg_argument(test_linalg *call, char kind, const test_number *numbers,
                          int rank, int rows, int columns);
int test_linalg_result(test_linalg *call, char kind, int rank, int rows, int columns);

/* Runs lapack_<letter><routine>_ffi, which has to succeed. */
void test_linalg_run(test_linalg *call, const char *real_name,
                     const char *complex_name);

/* The numbers of an array. */
void test_linalg_load(const test_linalg *call, int array, char kind, int count,
                      test_number *numbers);

/* c = op(a) op(b), where a is m by k after op, which is 'N', or 'C' for the adjoint. */
void test_linalg_multiply(char op_of_a, const test_number *a, char op_of_b,
                          const test_number *b, int m, int n, int k, test_number *c);

/* Whether numbers are equal to rounding. */
void test_linalg_expect(const cyxla_linalg_dtype *dtype, const test_number *found,
                        const test_number *expected, int count);

/* The integers of a result that has one for each matrix. */
void test_linalg_expect_infos(const test_linalg *call, int array, int expected);

#endif
