#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "environment.h"

#include <stdlib.h>

static const char *variable(const char *name) {
  const char *value = getenv(name);

  return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *cyxla_environment_plugin(void) {
  return variable("CYXLA_PLUGIN");
}

void cyxla_environment_set_log_level(void) {
  const char *level = variable("CYXLA_LOG");

  if (level == NULL) level = "2";
#if defined(_WIN32)
  if (variable("TF_CPP_MIN_LOG_LEVEL") == NULL)
    _putenv_s("TF_CPP_MIN_LOG_LEVEL", level);
#else
  setenv("TF_CPP_MIN_LOG_LEVEL", level, 0);
#endif
}
