#include "compare.h"

#include <string.h>

#include "call.h"
#include "error.h"

typedef enum pattern {
  PATTERN_RANDOM,
  PATTERN_OTHER_RANDOM,
  PATTERN_ZERO,
  PATTERN_DENORMAL,
  PATTERN_LARGE,
  PATTERN_SPECIAL,
  NUM_PATTERNS
} pattern;

/* A generator of 64 bits (SplitMix64), which is the same everywhere. */
static uint64_t next_bits(uint64_t *state) {
  uint64_t bits = *state += 0x9e3779b97f4a7c15u;

  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/* A number of a floating-point type, given by its bits of exponent and of fraction. */
static uint64_t make_float(pattern kind, int exponent_bits, int fraction_bits,
                           uint64_t bits) {
  const uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
  const uint64_t sign = (bits >> 63) << (exponent_bits + fraction_bits);
  const uint64_t top = ((uint64_t)1 << exponent_bits) - 1, bias = top / 2;

  switch (kind) {
    case PATTERN_ZERO: return sign;
    case PATTERN_DENORMAL: return sign | fraction;
    case PATTERN_LARGE: return sign | (top - 1) << fraction_bits | fraction;
    case PATTERN_SPECIAL:
      if ((bits >> 61 & 3) == 0) return sign | top << fraction_bits;
      if ((bits >> 61 & 3) == 1)
        return top << fraction_bits | (uint64_t)1 << (fraction_bits - 1);
      return sign;
    default:
      /* From about 1/8 to 8. */
      return sign | (bias - 3 + (bits >> 53) % 6) << fraction_bits | fraction;
  }
}

static void store(unsigned char *memory, uint64_t bits, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) memory[i] = (unsigned char)(bits >> 8 * i);
}

static void make_element(pattern kind, cyxla_dtype dtype, uint64_t *state,
                         unsigned char *memory) {
  const uint64_t bits = next_bits(state);
  const size_t bytes = cyxla_dtype_bytes(dtype);

  switch (dtype) {
    case CYXLA_BOOL: memory[0] = kind == PATTERN_ZERO ? 0 : bits & 1; break;
    case CYXLA_FLOAT16: store(memory, make_float(kind, 5, 10, bits), 2); break;
    case CYXLA_BFLOAT16: store(memory, make_float(kind, 8, 7, bits), 2); break;
    case CYXLA_FLOAT32: store(memory, make_float(kind, 8, 23, bits), 4); break;
    case CYXLA_FLOAT64: store(memory, make_float(kind, 11, 52, bits), 8); break;
    case CYXLA_COMPLEX64:
      store(memory, make_float(kind, 8, 23, bits), 4);
      store(memory + 4, make_float(kind, 8, 23, next_bits(state)), 4);
      break;
    case CYXLA_COMPLEX128:
      store(memory, make_float(kind, 11, 52, bits), 8);
      store(memory + 8, make_float(kind, 11, 52, next_bits(state)), 8);
      break;
    default:
      /* Whole numbers: small ones, as of indices, or any. */
      if (kind == PATTERN_ZERO) {
        store(memory, 0, bytes);
      } else {
        store(memory, kind >= PATTERN_LARGE ? bits : bits % 8, bytes);
      }
  }
}

static void fill_inputs(pattern kind, cyxla_call *a, cyxla_call *b) {
  uint64_t state = (uint64_t)kind;

  for (size_t i = 0; i < cyxla_call_num_inputs(a); i++) {
    const cyxla_array_spec *spec = cyxla_call_input_spec(a, i);
    size_t element = cyxla_dtype_bytes(spec->dtype);
    unsigned char *memory = cyxla_call_input(a, i);
    for (size_t k = 0; k + element <= spec->bytes; k += element) {
      make_element(kind, spec->dtype, &state, memory + k);
    }
    if (spec->bytes > 0) memcpy(cyxla_call_input(b, i), memory, spec->bytes);
  }
}

static cyxla_status compare_outputs(const cyxla_call *plugin, const cyxla_call *direct,
                                    cyxla_error *error) {
  for (size_t i = 0; i < cyxla_call_num_outputs(plugin); i++) {
    const cyxla_array_spec *spec = cyxla_call_output_spec(plugin, i);
    if (spec->bytes == 0 || memcmp(cyxla_call_output(plugin, i),
                                   cyxla_call_output(direct, i), spec->bytes) == 0) {
      continue;
    }
    return cyxla_error_set(error, CYXLA_INTERNAL,
                           "its output %s is not the same as the plugin's, bit for bit",
                           spec->name);
  }
  return CYXLA_OK;
}

static cyxla_status compare(cyxla_call *plugin, cyxla_call *direct,
                            cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  for (int kind = 0; status == CYXLA_OK && kind < NUM_PATTERNS; kind++) {
    fill_inputs((pattern)kind, plugin, direct);
    status = cyxla_call_run(plugin, error);
    if (status == CYXLA_OK) status = cyxla_call_run(direct, error);
    if (status == CYXLA_OK) status = compare_outputs(plugin, direct, error);
  }
  return status;
}

cyxla_status cyxla_direct_compare(const cyxla_executable *executable,
                                  cyxla_direct *direct, cyxla_error *error) {
  /* The same executable with and without direct code, before anybody else has it. */
  cyxla_executable *shared = (cyxla_executable *)executable;
  cyxla_call *through_plugin = NULL, *directly = NULL;
  cyxla_status status = cyxla_call_create(shared, &through_plugin, error);

  if (status == CYXLA_OK) {
    shared->direct = direct;
    status = cyxla_call_create(shared, &directly, error);
    shared->direct = NULL;
  }
  if (status == CYXLA_OK) status = compare(through_plugin, directly, error);
  cyxla_call_destroy(through_plugin);
  cyxla_call_destroy(directly);
  return status;
}
