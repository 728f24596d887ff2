#include "describe.h"

#include <stdio.h>

array_text describe_array(cyxla_dtype dtype, size_t rank, const int64_t *shape) {
  array_text result;
  int length =
      snprintf(result.text, sizeof(result.text), "%s[", cyxla_dtype_name(dtype));

  /* 20 digits, a sign and a comma are not all taken: a size is not negative. */
  for (size_t i = 0; i < rank && i < CYXLA_RANK_MAXIMUM; i++) {
    length += snprintf(result.text + length, sizeof(result.text) - (size_t)length,
                       "%s%lld", i > 0 ? "," : "", (long long)shape[i]);
  }
  snprintf(result.text + length, sizeof(result.text) - (size_t)length, "]");
  return result;
}

array_text describe_spec(const cyxla_array_spec *spec) {
  return describe_array(spec->dtype, spec->rank, spec->shape);
}
