#include "dtype.h"

#include <string.h>

#include "abi/pjrt.h"

/* The public values are PJRT's own, so that no conversion is needed. */
typedef char first_dtype_is_pjrts[CYXLA_BOOL == (int)PJRT_Buffer_Type_PRED ? 1 : -1];
typedef char
    last_dtype_is_pjrts[CYXLA_COMPLEX128 == (int)PJRT_Buffer_Type_C128 ? 1 : -1];

static const struct {
  const char *name;
  size_t bytes;
} DTYPES[] = {
    [CYXLA_BOOL] = {"bool", 1},
    [CYXLA_INT8] = {"int8", 1},
    [CYXLA_INT16] = {"int16", 2},
    [CYXLA_INT32] = {"int32", 4},
    [CYXLA_INT64] = {"int64", 8},
    [CYXLA_UINT8] = {"uint8", 1},
    [CYXLA_UINT16] = {"uint16", 2},
    [CYXLA_UINT32] = {"uint32", 4},
    [CYXLA_UINT64] = {"uint64", 8},
    [CYXLA_FLOAT16] = {"float16", 2},
    [CYXLA_FLOAT32] = {"float32", 4},
    [CYXLA_FLOAT64] = {"float64", 8},
    [CYXLA_BFLOAT16] = {"bfloat16", 2},
    [CYXLA_COMPLEX64] = {"complex64", 8},
    [CYXLA_COMPLEX128] = {"complex128", 16},
};

bool cyxla_dtype_is_valid(int64_t dtype) {
  return dtype >= CYXLA_BOOL && dtype <= CYXLA_COMPLEX128;
}

const char *cyxla_dtype_name(cyxla_dtype dtype) {
  return cyxla_dtype_is_valid(dtype) ? DTYPES[dtype].name : "invalid";
}

size_t cyxla_dtype_bytes(cyxla_dtype dtype) {
  return cyxla_dtype_is_valid(dtype) ? DTYPES[dtype].bytes : 0;
}

cyxla_dtype cyxla_dtype_from_name(const char *name) {
  if (name == NULL) return (cyxla_dtype)0;
  for (int dtype = CYXLA_BOOL; dtype <= CYXLA_COMPLEX128; dtype++) {
    if (strcmp(DTYPES[dtype].name, name) == 0) return (cyxla_dtype)dtype;
  }
  return (cyxla_dtype)0;
}
