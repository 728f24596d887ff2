/* Element-wise arithmetic. */
#include <string.h>

#include "fake_internal.h"

/* Signed integers wrap around, so the sums are those of the unsigned type. */
#define FAKE_ARITHMETIC(name, type, wide)                                            \
  static void compute_##name(fake_operation operation, size_t num_elements,          \
                             const type *left, const type *right, type *result) {    \
    for (size_t i = 0; i < num_elements; i++) {                                      \
      result[i] = operation == FAKE_NEGATE ? (type)(-(wide)left[i])                  \
                                           : (type)((wide)left[i] + (wide)right[i]); \
    }                                                                                \
  }

FAKE_ARITHMETIC(bytes, uint8_t, unsigned)
FAKE_ARITHMETIC(halves, uint16_t, unsigned)
FAKE_ARITHMETIC(words, uint32_t, uint32_t)
FAKE_ARITHMETIC(longs, uint64_t, uint64_t)
FAKE_ARITHMETIC(floats, float, float)
FAKE_ARITHMETIC(doubles, double, double)

bool fake_compute(const fake_output *output, const void *left, const void *right,
                  void *result) {
  bool tell = result == NULL;
  if (output->operation == FAKE_ARGUMENT) {
    if (!tell) memcpy(result, left, fake_array_bytes(&output->array));
    return true;
  }
  if (output->operation == FAKE_ZEROS) {
    if (!tell) memset(result, 0, fake_array_bytes(&output->array));
    return true;
  }
  size_t num_elements = tell ? 0 : fake_num_elements(&output->array);
  switch (output->array.type) {
    case PJRT_Buffer_Type_S8:
    case PJRT_Buffer_Type_U8:
      compute_bytes(output->operation, num_elements, left, right, result);
      return true;
    case PJRT_Buffer_Type_S16:
    case PJRT_Buffer_Type_U16:
      compute_halves(output->operation, num_elements, left, right, result);
      return true;
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
      compute_words(output->operation, num_elements, left, right, result);
      return true;
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
      compute_longs(output->operation, num_elements, left, right, result);
      return true;
    case PJRT_Buffer_Type_F32:
      compute_floats(output->operation, num_elements, left, right, result);
      return true;
    case PJRT_Buffer_Type_F64:
      compute_doubles(output->operation, num_elements, left, right, result);
      return true;
    default: return false;
  }
}
