#include <string.h>

#include "linalg/lapack.h"
#include "linalg/targets.h"
#include "test.h"
#include "test_fake.h"
#include "test_linalg.h"

static void forget(void *unused) {
  (void)unused;
  cyxla_lapack_forget(NULL, 0);
}

void test_linalg_use(const char *lapack) {
  cyxla_runtime *runtime = test_fake_runtime();
  char code[4096] = "";
  char name[64];
  cyxla_error error;

  for (size_t i = 0; i < cyxla_linalg_num_targets(); i++) {
    strcat(strcat(code, " "), cyxla_linalg_target_name(i, name, sizeof(name)));
  }
  cyxla_lapack_forget(NULL, 0);
  test_defer(forget, NULL);
  test_set_environment("CYXLA_LAPACK", lapack);
  EXPECT_OK(cyxla_linalg_prepare(runtime, code, strlen(code), &error), &error);
  cyxla_runtime_destroy(runtime);
}

void test_linalg_for_all(void (*check)(const cyxla_linalg_dtype *dtype)) {
  static const char *const lapacks[] = {LP64_LAPACK_PATH, ILP64_LAPACK_PATH};

  for (size_t i = 0; i < TEST_COUNT(lapacks); i++) {
    test_fake_start();
    test_linalg_use(lapacks[i]);
    for (int k = 0; k < CYXLA_LINALG_NUM_DTYPES; k++) check(&cyxla_linalg_dtypes[k]);
  }
}

void test_linalg_fill(const cyxla_linalg_dtype *dtype, test_number *numbers, int count,
                      int seed) {
  unsigned state = (unsigned)seed * 7919u + 17u;

  for (int i = 0; i < count; i++) {
    double parts[2];
    for (int k = 0; k < 2; k++) {
      state = state * 1664525u + 1013904223u;
      /* Of 16 bits, so that every dtype has the number itself. */
      parts[k] = (double)(state >> 16) / 32768.0 - 1.0;
    }
    numbers[i] = dtype->is_complex ? parts[0] + parts[1] * I : parts[0];
  }
}

void test_linalg_begin(test_linalg *call, const cyxla_linalg_dtype *dtype) {
  memset(call, 0, sizeof(*call));
  test_frame_begin(&call->frame);
  call->dtype = dtype;
}

static XLA_FFI_DataType dtype_of(const test_linalg *call, char kind) {
  switch (kind) {
    case 'v': return call->dtype->value;
    case 'r': return call->dtype->real;
    case 'c': return call->dtype->complex_value;
    default: return XLA_FFI_DataType_S32;
  }
}

static int count_of(int rank, int rows, int columns) {
  return TEST_LINALG_BATCH * (rank > 0 ? rows : 1) * (rank > 1 ? columns : 1);
}

void test_linalg_argument(test_linalg *call, char kind, const test_number *numbers,
                          int rank, int rows, int columns) {
  const int64_t dims[3] = {TEST_LINALG_BATCH, rows, columns};
  void *memory = call->memory[call->num_arrays++];

  for (int i = 0; i < count_of(rank, rows, columns); i++) {
    switch (dtype_of(call, kind)) {
      case XLA_FFI_DataType_F32: ((float *)memory)[i] = (float)creal(numbers[i]); break;
      case XLA_FFI_DataType_F64: ((double *)memory)[i] = creal(numbers[i]); break;
      case XLA_FFI_DataType_C64:
        ((float complex *)memory)[i] = (float complex)numbers[i];
        break;
      case XLA_FFI_DataType_C128: ((double complex *)memory)[i] = numbers[i]; break;
      default: ((int32_t *)memory)[i] = (int32_t)creal(numbers[i]); break;
    }
  }
  test_frame_argument(&call->frame, dtype_of(call, kind), memory, rank + 1, dims);
}

int test_linalg_result(test_linalg *call, char kind, int rank, int rows, int columns) {
  const int64_t dims[3] = {TEST_LINALG_BATCH, rows, columns};
  int array = call->num_arrays++;

  test_frame_result(&call->frame, dtype_of(call, kind), call->memory[array], rank + 1,
                    dims);
  return array;
}

void test_linalg_run(test_linalg *call, const char *real_name,
                     const char *complex_name) {
  const char *name = call->dtype->is_complex ? complex_name : real_name;
  const char *failure;
  char target[64];

  snprintf(target, sizeof(target), "lapack_%c%s_ffi", call->dtype->letter, name);
  failure = test_frame_run(&call->frame, target);
  if (failure != NULL) test_fail(__FILE__, __LINE__, "%s", failure);
}

void test_linalg_load(const test_linalg *call, int array, char kind, int count,
                      test_number *numbers) {
  const void *memory = call->memory[array];

  for (int i = 0; i < count; i++) {
    switch (dtype_of(call, kind)) {
      case XLA_FFI_DataType_F32: numbers[i] = ((const float *)memory)[i]; break;
      case XLA_FFI_DataType_F64: numbers[i] = ((const double *)memory)[i]; break;
      case XLA_FFI_DataType_C64: numbers[i] = ((const float complex *)memory)[i]; break;
      case XLA_FFI_DataType_C128:
        numbers[i] = ((const double complex *)memory)[i];
        break;
      default: numbers[i] = ((const int32_t *)memory)[i]; break;
    }
  }
}

static test_number element(char op, const test_number *matrix, int leading, int row,
                           int column) {
  return op == 'N' ? matrix[column * leading + row]
                   : conj(matrix[row * leading + column]);
}

void test_linalg_multiply(char op_of_a, const test_number *a, char op_of_b,
                          const test_number *b, int m, int n, int k, test_number *c) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      test_number sum = 0;
      for (int l = 0; l < k; l++) {
        sum += element(op_of_a, a, op_of_a == 'N' ? m : k, i, l) *
               element(op_of_b, b, op_of_b == 'N' ? k : n, l, j);
      }
      c[j * m + i] = sum;
    }
  }
}

void test_linalg_expect(const cyxla_linalg_dtype *dtype, const test_number *found,
                        const test_number *expected, int count) {
  double tolerance = dtype->real_bytes == sizeof(float) ? 2e-5 : 2e-13;

  for (int i = 0; i < count; i++) {
    if (!(cabs(found[i] - expected[i]) <= tolerance)) {
      test_fail(__FILE__, __LINE__, "%c: number %d is %g%+gi, expected %g%+gi",
                dtype->letter, i, creal(found[i]), cimag(found[i]), creal(expected[i]),
                cimag(expected[i]));
    }
  }
}

void test_linalg_expect_infos(const test_linalg *call, int array, int expected) {
  test_number infos[TEST_LINALG_BATCH];

  test_linalg_load(call, array, 'i', TEST_LINALG_BATCH, infos);
  for (int i = 0; i < TEST_LINALG_BATCH; i++) EXPECT_EQUAL(creal(infos[i]), expected);
}
