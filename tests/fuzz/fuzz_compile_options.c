/* Fuzz target: compile options, a serialized message of which two numbers are read. */
#include "compile_options.h"

#include <string.h>

#include "input.h"

/* Whether the options pass with more fields behind them. */
static cyxla_status check_with(const uint8_t *data, size_t size, const char *more,
                               size_t bytes) {
  uint8_t *both = (uint8_t *)malloc(size + bytes);
  cyxla_error error;
  cyxla_status status;

  if (both == NULL) abort();
  if (size > 0) memcpy(both, data, size);
  memcpy(both + size, more, bytes);
  status = cyxla_compile_options_check(both, size + bytes, &error);
  free(both);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cyxla_error error = {CYXLA_OK, ""};
  cyxla_status status = cyxla_compile_options_check(data, size, &error);

  /* Either one replica and partition, or no message at all. */
  if (status == CYXLA_OK) return 0;
  FUZZ_CHECK(status == CYXLA_INVALID_ARGUMENT || status == CYXLA_UNIMPLEMENTED,
             "less or more than one");
  FUZZ_CHECK(error.status == status && error.message[0] != '\0', "an error");
  /* It is a message, so what follows is part of it, and the last value counts. */
  FUZZ_CHECK(check_with(data, size, "\x1a\x04\x20\x01\x28\x01", 6) == CYXLA_OK,
             "one and one pass");
  FUZZ_CHECK(
      check_with(data, size, "\x1a\x04\x20\x00\x28\x01", 6) == CYXLA_INVALID_ARGUMENT,
      "none is refused");
  FUZZ_CHECK(
      check_with(data, size, "\x1a\x04\x20\x01\x28\x02", 6) == CYXLA_UNIMPLEMENTED,
      "two are refused");
  return 0;
}
