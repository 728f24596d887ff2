/* Tiers: whether calls of an executable run through the plugin. */
#include <string.h>

#include "direct/compare.h"
#include "environment.h"
#include "error.h"
#include "executable.h"
#include "memory.h"

static cyxla_status read_environment(cyxla_tier *tier, cyxla_error *error) {
  static const char *const names[] = {"", "auto", "pjrt", "direct"};
  const char *value = cyxla_environment_tier();

  *tier = CYXLA_TIER_AUTO;
  if (value == NULL) return CYXLA_OK;
  for (int i = CYXLA_TIER_AUTO; i <= CYXLA_TIER_DIRECT; i++) {
    if (strcmp(value, names[i]) != 0) continue;
    *tier = (cyxla_tier)i;
    return CYXLA_OK;
  }
  return cyxla_error_set(
      error, CYXLA_INVALID_ARGUMENT,
      "the environment variable CYXLA_TIER is \"%s\", expected auto, pjrt or direct",
      value);
}

cyxla_status cyxla_tier_resolve(cyxla_tier *tier, cyxla_error *error) {
  if (*tier < CYXLA_TIER_DEFAULT || *tier > CYXLA_TIER_DIRECT) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the tier is %d, expected one of cyxla_tier", (int)*tier);
  }
  return *tier == CYXLA_TIER_DEFAULT ? read_environment(tier, error) : CYXLA_OK;
}

/* Serializes the executable, and keeps that: what has run cannot always be serialized
 * again to be saved. */
static cyxla_status provide_serialized(cyxla_executable *executable,
                                       cyxla_error *error) {
  void *data = NULL;
  size_t bytes;
  cyxla_status status;

  if (executable->serialized != NULL) return CYXLA_OK;
  if (strcmp(executable->program->platform, "cpu") != 0) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "it is for the platform %s, and only code for the CPU is "
                           "called directly",
                           executable->program->platform);
  }
  status = cyxla_executable_serialize(executable, &data, &bytes, error);
  if (status != CYXLA_OK) return status;
  executable->serialized_copy = cyxla_duplicate(data, bytes);
  executable->serialized = executable->serialized_copy;
  executable->serialized_bytes = bytes;
  cyxla_aligned_free(data);
  return executable->serialized != NULL
             ? CYXLA_OK
             : cyxla_error_out_of_memory(error, "an executable");
}

/* Of the arrays of programs that are compared: to compare takes as much memory again
 * twice, and for longer runs the cost of a call is of no account. */
static const double BYTES_MAXIMUM = 256 << 20;

/* From this time on threads pay, which takes some microseconds to have them begin. */
static const double SECONDS_FOR_THREADS = 50e-6;

/* The plugin divides large arrays among its threads, and direct code has one. How much
 * faster that is depends on what else the machine does while it is measured, so long
 * runs are left to the plugin unmeasured. Of all else the plugin is faster only where
 * it has another algorithm. */
static bool is_faster_in_the_plugin(const cyxla_direct *direct,
                                    const cyxla_direct_comparison *comparison) {
  const double through_plugin = comparison->plugin_seconds;
  const double directly = comparison->direct_seconds; /* 0: not measured */

  if (!direct->thunks.is_parallel) return 1.25 * through_plugin < directly;
  return directly == 0 || directly > SECONDS_FOR_THREADS || through_plugin < directly;
}

/* The bytes of all arrays of a program, those between its operations included. */
static double array_bytes(const cyxla_program *program, const cyxla_direct *direct) {
  double bytes = (double)direct->thunks.workspace_bytes;

  for (size_t i = 0; i < program->inputs.count; i++) {
    bytes += (double)program->inputs.specs[i].bytes;
  }
  for (size_t i = 0; i < program->outputs.count; i++) {
    bytes += (double)program->outputs.specs[i].bytes;
  }
  for (size_t i = 0; i < direct->allocations.count; i++) {
    const cyxla_allocation *allocation = &direct->allocations.items[i];
    if (allocation->is_scratch) bytes += (double)allocation->bytes;
  }
  return bytes;
}

/* Compares direct code with the plugin as far as that can be done at once, and leaves
 * the rest to the first runs. */
static cyxla_status compare(cyxla_executable *executable, const cyxla_direct *direct,
                            const cyxla_executable_options *options,
                            cyxla_error *error) {
  const bool is_compared = !options->without_comparison;
  const bool is_auto = options->tier == CYXLA_TIER_AUTO;
  cyxla_direct_comparison comparison = {false, 0, 0};
  cyxla_status status = CYXLA_OK;

  /* It was called directly before it was saved, compared or as it was asked to. */
  if (executable->is_trusted) return CYXLA_OK;
  if (is_compared && direct->has_side_effects) {
    /* Which would happen in the plugin and directly, of one run. */
    if (!is_auto) return CYXLA_OK;
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "it has a custom call with side effects, which comparing it "
                           "with the plugin would have twice");
  }
  if (is_compared && is_auto &&
      array_bytes(executable->program, direct) > BYTES_MAXIMUM) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "its arrays take more than %.0f bytes, so that a run takes "
                           "long either way, and comparing would take as many again",
                           BYTES_MAXIMUM);
  }
  if (is_compared && direct->thunks.always_ends) {
    status = cyxla_direct_compare(executable, direct, &comparison, error);
  }
  if (status == CYXLA_OK && is_auto && is_faster_in_the_plugin(direct, &comparison)) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           direct->thunks.is_parallel
                               ? "the plugin runs it on several threads"
                               : "the plugin runs it faster");
  }
  if (status == CYXLA_OK && is_compared && options->examples != NULL) {
    return cyxla_direct_compare_on(executable, direct, options->examples, error);
  }
  if (is_compared && is_auto && !comparison.is_done) executable->trials = CYXLA_TRIALS;
  return status;
}

/* Takes the code out of the executable, and compares it. */
static cyxla_status take_code(cyxla_executable *executable,
                              const cyxla_executable_options *options,
                              cyxla_direct **direct, cyxla_error *error) {
  cyxla_status status = provide_serialized(executable, error);

  if (status == CYXLA_OK) {
    status = cyxla_direct_create(executable->serialized, executable->serialized_bytes,
                                 executable->program, executable->runtime->plugin,
                                 direct, error);
  }
  if (status != CYXLA_OK) return status;
  status = compare(executable, *direct, options, error);
  if (status != CYXLA_OK) {
    cyxla_direct_destroy(*direct);
    *direct = NULL;
  }
  return status;
}

cyxla_status cyxla_executable_choose_tier(cyxla_executable *executable,
                                          const cyxla_executable_options *options,
                                          cyxla_error *error) {
  cyxla_executable_options used = *options;
  cyxla_direct *direct = NULL;
  cyxla_error refusal;
  cyxla_status status = cyxla_tier_resolve(&used.tier, error);
  if (status != CYXLA_OK || used.tier == CYXLA_TIER_PJRT) return status;
  status = take_code(executable, &used, &direct, &refusal);
  executable->direct = direct;
  if (status == CYXLA_OK) return CYXLA_OK;
  if (status == CYXLA_OUT_OF_MEMORY || used.tier == CYXLA_TIER_DIRECT) {
    return cyxla_error_set(error, status,
                           status == CYXLA_OUT_OF_MEMORY
                               ? "%s"
                               : "the program cannot be called directly: %s",
                           refusal.message);
  }
  executable->tier_reason = cyxla_duplicate(refusal.message, strlen(refusal.message));
  if (executable->tier_reason != NULL) return CYXLA_OK;
  return cyxla_error_out_of_memory(error, "an executable");
}

const char *cyxla_executable_tier(const cyxla_executable *executable) {
  return cyxla_executable_is_direct(executable) ? "direct" : "pjrt";
}

const char *cyxla_executable_tier_reason(const cyxla_executable *executable) {
  if (executable->tier_reason != NULL) return executable->tier_reason;
  if (executable->direct == NULL || cyxla_executable_is_direct(executable)) return "";
  return cyxla_atomic_load(&executable->trials) == CYXLA_TRIALS_FAILED
             ? "a direct run of it failed, or a result was not the same as the "
               "plugin's, bit for bit"
             : "its first runs happen both ways, to be compared with the plugin, "
               "unless arrays to compare on are given";
}
