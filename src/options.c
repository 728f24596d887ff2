#include "options.h"

#include <string.h>

#include "error.h"

static cyxla_status check_size(const void *given, size_t known_bytes, const char *name,
                               size_t *bytes, cyxla_error *error) {
  memcpy(bytes, given, sizeof(*bytes));
  if (*bytes > sizeof(size_t) && *bytes <= known_bytes &&
      *bytes % sizeof(size_t) == 0) {
    return CYXLA_OK;
  }
  return cyxla_error_set(
      error, CYXLA_INVALID_ARGUMENT,
      "struct_size of %s is %zu, and version %s of the library knows up to %zu; "
      "initialize the struct with its _INIT macro, of a header no newer than the "
      "library",
      name, *bytes, cyxla_version(), known_bytes);
}

cyxla_status cyxla_options_read(void *known, size_t known_bytes, const void *given,
                                const char *name, cyxla_error *error) {
  size_t bytes;
  cyxla_status status;

  if (given == NULL) return CYXLA_OK;
  status = check_size(given, known_bytes, name, &bytes, error);
  if (status == CYXLA_OK) memcpy(known, given, bytes);
  return status;
}

cyxla_status cyxla_options_write(void *given, const void *known, size_t known_bytes,
                                 const char *name, cyxla_error *error) {
  size_t bytes;
  cyxla_status status = check_size(given, known_bytes, name, &bytes, error);

  if (status != CYXLA_OK) return status;
  memcpy(given, known, bytes);
  memcpy(given, &bytes, sizeof(bytes));
  return CYXLA_OK;
}
