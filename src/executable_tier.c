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

  *tier = CYXLA_TIER_PJRT;
  if (value == NULL) return CYXLA_OK;
  for (int i = CYXLA_TIER_AUTO; i <= CYXLA_TIER_DIRECT; i++) {
    if (strcmp(value, names[i]) != 0) continue;
    *tier = (cyxla_tier)i;
    return CYXLA_OK;
  }
  return cyxla_error_set(
      error, CYXLA_INVALID_ARGUMENT,
      "the environment variable CYXLA_TIER is \"%s\", expected auto, "
      "pjrt or direct",
      value);
}

/* Takes the code out of the executable, and compares it. */
static cyxla_status take_code(const cyxla_executable *executable,
                              const cyxla_executable_options *options,
                              cyxla_direct **direct, cyxla_error *error) {
  bool is_compared = !options->without_comparison;
  void *data = NULL;
  size_t bytes;
  cyxla_status status = cyxla_executable_serialize(executable, &data, &bytes, error);

  if (status != CYXLA_OK) return status;
  status = cyxla_direct_create(data, bytes, executable->program, direct, error);
  cyxla_aligned_free(data);
  if (status != CYXLA_OK) return status;
  if (is_compared && !(*direct)->thunks.always_ends) {
    /* It might never end on inputs that were made up. */
    is_compared = false;
    if (options->tier == CYXLA_TIER_AUTO) {
      status = cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                               "it has a loop whose length depends on the inputs, so "
                               "that it cannot be compared with the plugin");
    }
  }
  if (status == CYXLA_OK && options->tier == CYXLA_TIER_AUTO &&
      (*direct)->thunks.is_parallel) {
    status = cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                             "it runs on several threads in the plugin");
  }
  if (status == CYXLA_OK && is_compared) {
    status = cyxla_direct_compare(executable, *direct, error);
  }
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
  cyxla_status status = CYXLA_OK;

  if (used.tier < CYXLA_TIER_DEFAULT || used.tier > CYXLA_TIER_DIRECT) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the tier is %d, expected one of cyxla_tier",
                           (int)used.tier);
  }
  if (used.tier == CYXLA_TIER_DEFAULT) status = read_environment(&used.tier, error);
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
  return executable->direct != NULL ? "direct" : "pjrt";
}

const char *cyxla_executable_tier_reason(const cyxla_executable *executable) {
  return executable->tier_reason != NULL ? executable->tier_reason : "";
}
