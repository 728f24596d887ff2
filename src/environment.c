#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware.h"
#include "memory.h"

static const char *variable(const char *name) {
  const char *value = getenv(name);

  return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *cyxla_environment_plugin(void) {
  return variable("CYXLA_PLUGIN");
}

const char *cyxla_environment_lapack(void) {
  return variable("CYXLA_LAPACK");
}

const char *cyxla_environment_tier(void) {
  return variable("CYXLA_TIER");
}

const char *cyxla_environment_cache_directory(void) {
  return variable("CYXLA_CACHE_DIR");
}

const char *cyxla_environment_user_caches(void) {
  return variable("XDG_CACHE_HOME");
}

const char *cyxla_environment_home(void) {
  return variable("HOME");
}

const char *cyxla_environment_xla_flags(void) {
  const char *flags = variable("XLA_FLAGS");

  return flags != NULL ? flags : "";
}

const char *cyxla_environment_code_directory(void) {
  return variable("CYXLA_CODE_DIR");
}

bool cyxla_environment_perf_map(void) {
  const char *value = variable("CYXLA_PERF_MAP");

  return value != NULL && strcmp(value, "0") != 0;
}

bool cyxla_environment_mirror_jax(void) {
  const char *value = variable("CYXLA_MIRROR_JAX");

  return value == NULL || strcmp(value, "0") != 0;
}

static void set(const char *name, const char *value) {
#if defined(_WIN32)
  _putenv_s(name, value != NULL ? value : "");
#else
  if (value != NULL) {
    setenv(name, value, 1);
  } else {
    unsetenv(name);
  }
#endif
}

/* JAX sets this level when it is imported, so that it is no choice of the user's. */
#define JAX_LOG_LEVEL "1"

static void set_log_level(void) {
  const char *asked = variable("CYXLA_LOG");
  const char *present = variable("TF_CPP_MIN_LOG_LEVEL");

  if (asked != NULL) {
    set("TF_CPP_MIN_LOG_LEVEL", asked);
  } else if (present == NULL || strcmp(present, JAX_LOG_LEVEL) == 0) {
    set("TF_CPP_MIN_LOG_LEVEL", "3");
  }
}

void cyxla_environment_prepare_plugins(void) {
  set_log_level();
  if (variable("TPU_SKIP_MDS_QUERY") == NULL && !cyxla_hardware_has_tpu()) {
    set("TPU_SKIP_MDS_QUERY", "1");
  }
}

static const char *const THREAD_VARIABLES[CYXLA_ENVIRONMENT_NUM_THREAD_VARIABLES] = {
    "PJRT_NPROC", "NPROC"};

const char *cyxla_environment_num_threads(void) {
  for (int i = 0; i < CYXLA_ENVIRONMENT_NUM_THREAD_VARIABLES; i++) {
    const char *value = variable(THREAD_VARIABLES[i]);
    if (value != NULL) return value;
  }
  return NULL;
}

bool cyxla_environment_set_threads(size_t num_threads,
                                   cyxla_environment_threads *saved) {
  char number[24];

  memset(saved, 0, sizeof(*saved));
  for (int i = 0; i < CYXLA_ENVIRONMENT_NUM_THREAD_VARIABLES; i++) {
    const char *value = getenv(THREAD_VARIABLES[i]);
    if (value == NULL) continue;
    saved->previous[i] = cyxla_duplicate(value, strlen(value));
    if (saved->previous[i] == NULL) {
      for (int k = 0; k < i; k++) cyxla_release(saved->previous[k]);
      return false;
    }
  }
  snprintf(number, sizeof(number), "%zu", num_threads);
  for (int i = 0; i < CYXLA_ENVIRONMENT_NUM_THREAD_VARIABLES; i++) {
    set(THREAD_VARIABLES[i], number);
  }
  return true;
}

void cyxla_environment_restore_threads(cyxla_environment_threads *saved) {
  for (int i = 0; i < CYXLA_ENVIRONMENT_NUM_THREAD_VARIABLES; i++) {
    set(THREAD_VARIABLES[i], saved->previous[i]);
    cyxla_release(saved->previous[i]);
  }
  memset(saved, 0, sizeof(*saved));
}
