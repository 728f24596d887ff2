#include "compare.h"

#include <string.h>

#include "call.h"
#include "clock.h"
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

/* For how long runs on made-up inputs begin, so that to compile a program of long runs
 * does not take many times as long, and how long one of a program with loops may take.
 */
static const double SECONDS_MAXIMUM = 0.25;

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

static void fill_inputs(pattern kind, cyxla_call *call) {
  uint64_t state = (uint64_t)kind;

  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    const cyxla_array_spec *spec = cyxla_call_input_spec(call, i);
    size_t element = cyxla_dtype_bytes(spec->dtype);
    unsigned char *memory = cyxla_call_input(call, i);
    for (size_t k = 0; k + element <= spec->bytes; k += element) {
      make_element(kind, spec->dtype, &state, memory + k);
    }
  }
}

/* The two ways to run an executable. */
typedef struct pair {
  cyxla_call *through_plugin;
  cyxla_call *directly;
} pair;

static void destroy_pair(pair *calls) {
  cyxla_call_destroy(calls->through_plugin);
  cyxla_call_destroy(calls->directly);
}

static cyxla_status create_pair(const cyxla_executable *executable,
                                const cyxla_direct *direct, pair *calls,
                                cyxla_error *error) {
  /* Nobody else has the executable yet. */
  cyxla_executable *shared = (cyxla_executable *)executable;
  cyxla_status status = cyxla_call_make(shared, NULL, &calls->through_plugin, error);

  calls->directly = NULL;
  if (status != CYXLA_OK) return status;
  status = cyxla_call_make(shared, direct, &calls->directly, error);
  if (status != CYXLA_OK) destroy_pair(calls);
  return status;
}

static bool has_loops(const cyxla_direct *direct) {
  for (size_t i = 0; i < direct->thunks.num_operations; i++) {
    if (direct->thunks.operations[i].kind == CYXLA_OPERATION_WHILE) return true;
  }
  return false;
}

/* Whether a direct run ends before the deadline, which it is given up at. A loop of a
 * known length may go around a million times, and the plugin's run of it cannot be
 * stopped. */
static bool ends_soon(cyxla_call *directly, double deadline) {
  cyxla_status status;

  if (!has_loops(directly->direct->direct)) return true;
  directly->direct->deadline = deadline;
  status = cyxla_call_run(directly, NULL);
  directly->direct->deadline = 0;
  /* What else has failed does so again, where it is told. */
  return status == CYXLA_OK || cyxla_clock_seconds() <= deadline;
}

static cyxla_status run_timed(cyxla_call *call, double *shortest, cyxla_error *error) {
  const double start = cyxla_clock_seconds();
  cyxla_status status = cyxla_call_run(call, error);
  const double seconds = cyxla_clock_seconds() - start;

  if (*shortest == 0 || seconds < *shortest) *shortest = seconds;
  return status;
}

/* Runs both on the inputs of the one that goes through the plugin. */
static cyxla_status run_pair(const pair *calls, cyxla_direct_comparison *comparison,
                             cyxla_error *error) {
  size_t different;
  cyxla_status status;

  for (size_t i = 0; i < cyxla_call_num_inputs(calls->directly); i++) {
    const size_t bytes = cyxla_call_input_spec(calls->directly, i)->bytes;
    if (bytes > 0) {
      memcpy(cyxla_call_input(calls->directly, i),
             cyxla_call_input(calls->through_plugin, i), bytes);
    }
  }
  status = run_timed(calls->through_plugin, &comparison->plugin_seconds, error);
  if (status == CYXLA_OK) {
    status = run_timed(calls->directly, &comparison->direct_seconds, error);
  }
  if (status != CYXLA_OK ||
      cyxla_call_has_same_outputs(calls->directly, calls->through_plugin, &different)) {
    return status;
  }
  return cyxla_error_set(error, CYXLA_INTERNAL,
                         "its output %s is not the same as the plugin's, bit for bit",
                         cyxla_call_output_spec(calls->directly, different)->name);
}

/* How many of the patterns serve, of which those behind are left out. LAPACK gets
 * finite numbers whose products are finite: routines that iterate need not come back
 * from infinity or NaN, and NumPy and SciPy keep these from some of them. None of the
 * LAPACKs that were tried (the reference 3.11 and two of OpenBLAS) hung or crashed. */
static int count_patterns(const cyxla_direct *direct) {
  return direct->thunks.has_linear_algebra ? PATTERN_LARGE : NUM_PATTERNS;
}

cyxla_status cyxla_direct_compare(const cyxla_executable *executable,
                                  const cyxla_direct *direct,
                                  cyxla_direct_comparison *comparison,
                                  cyxla_error *error) {
  double start;
  pair calls;
  cyxla_status status = create_pair(executable, direct, &calls, error);
  const int num_patterns = count_patterns(direct);
  int kind = 0;

  memset(comparison, 0, sizeof(*comparison));
  if (status != CYXLA_OK) return status;
  fill_inputs(PATTERN_RANDOM, calls.directly);
  if (!ends_soon(calls.directly, cyxla_clock_seconds() + SECONDS_MAXIMUM)) {
    destroy_pair(&calls);
    return CYXLA_OK;
  }
  start = cyxla_clock_seconds();
  for (; status == CYXLA_OK && kind < num_patterns; kind++) {
    if (kind > 0 && cyxla_clock_seconds() - start > SECONDS_MAXIMUM) break;
    fill_inputs((pattern)kind, calls.through_plugin);
    status = run_pair(&calls, comparison, error);
  }
  comparison->is_done = kind == num_patterns;
  destroy_pair(&calls);
  return status;
}

cyxla_status cyxla_direct_compare_on(const cyxla_executable *executable,
                                     const cyxla_direct *direct,
                                     const void *const *inputs, cyxla_error *error) {
  cyxla_direct_comparison comparison = {false, 0, 0};
  pair calls;
  cyxla_status status = create_pair(executable, direct, &calls, error);

  if (status != CYXLA_OK) return status;
  for (size_t i = 0; i < cyxla_call_num_inputs(calls.through_plugin); i++) {
    const size_t bytes = cyxla_call_input_spec(calls.through_plugin, i)->bytes;
    if (bytes > 0) {
      memcpy(cyxla_call_input(calls.through_plugin, i), inputs[i], bytes);
    }
  }
  status = run_pair(&calls, &comparison, error);
  destroy_pair(&calls);
  return status;
}
