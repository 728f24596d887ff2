/* A handler: a native function that JAX functions call, as if it were theirs.
 *
 * It smooths a series of numbers with a moving average, whose width is an attribute of
 * the call. Real handlers wrap what cannot be written in JAX: a solver, a table, a
 * device.
 */
#include <cyxla_ffi.h>

/* smooth(x: float64[n], width) -> float64[n], the average of the numbers up to `width`
 * places before and after each. */
CYXLA_FFI_HANDLER(smooth) {
  const XLA_FFI_Buffer *x = cyxla_ffi_argument(frame, 0, XLA_FFI_DataType_F64);
  const XLA_FFI_Buffer *y = cyxla_ffi_result(frame, 0, XLA_FFI_DataType_F64);
  double width;

  if (x == NULL || y == NULL || x->rank != 1) {
    return cyxla_ffi_fail(frame, "smooth takes a float64 array of one dimension");
  }
  const int64_t count = cyxla_ffi_num_elements(x);
  if (cyxla_ffi_num_elements(y) != count) {
    return cyxla_ffi_fail(frame, "smooth gives an array of the same size");
  }
  if (!cyxla_ffi_number(frame, "width", &width) || !(width >= 0 && width <= 1e9)) {
    return cyxla_ffi_fail(frame, "smooth needs the attribute width, from 0 to 1e9");
  }
  const double *from = (const double *)x->data;
  for (int64_t i = 0; i < count; i++) {
    const int64_t first = i > (int64_t)width ? i - (int64_t)width : 0;
    const int64_t last = i + (int64_t)width < count ? i + (int64_t)width : count - 1;
    double sum = 0;
    for (int64_t k = first; k <= last; k++) sum += from[k];
    ((double *)y->data)[i] = sum / (double)(last - first + 1);
  }
  return NULL;
}
