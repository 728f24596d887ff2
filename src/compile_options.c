#include "compile_options.h"

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "wire.h"

/* The fields of xla/pjrt/proto/compile_options.proto. Fields of a message keep their
 * numbers for ever. */
enum { EXECUTABLE_BUILD_OPTIONS = 3, NUM_REPLICAS = 4, NUM_PARTITIONS = 5 };

/* As in every message, the last value of a field is the one that counts. */
static bool read_build_options(cyxla_wire rest, uint64_t *replicas,
                               uint64_t *partitions) {
  cyxla_wire_field read;

  while (rest.bytes > 0) {
    if (!cyxla_wire_next(&rest, &read)) return false;
    if (read.type != CYXLA_WIRE_VARINT) continue;
    if (read.number == NUM_REPLICAS) *replicas = read.value;
    if (read.number == NUM_PARTITIONS) *partitions = read.value;
  }
  return true;
}

static bool read_options(cyxla_wire rest, uint64_t *replicas, uint64_t *partitions) {
  cyxla_wire_field read;

  *replicas = *partitions = 0; /* what fields are that are not there */
  while (rest.bytes > 0) {
    if (!cyxla_wire_next(&rest, &read)) return false;
    /* Parts of a message that come one after the other are merged. */
    if (read.number == EXECUTABLE_BUILD_OPTIONS && read.type == CYXLA_WIRE_COUNTED &&
        !read_build_options(read.content, replicas, partitions)) {
      return false;
    }
  }
  return true;
}

cyxla_status cyxla_compile_options_check(const void *data, size_t bytes,
                                         cyxla_error *error) {
  cyxla_wire options = {data, bytes};
  uint64_t replicas, partitions;

  if (!read_options(options, &replicas, &partitions)) return CYXLA_OK;
  if (replicas == 1 && partitions == 1) return CYXLA_OK;
  /* Negative numbers are the largest ones here. */
  if (replicas - 1 >= INT64_MAX || partitions - 1 >= INT64_MAX) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the program's compile options ask for %lld replicas and "
                           "%lld partitions, expected 1 and 1",
                           (long long)replicas, (long long)partitions);
  }
  return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                         "the program's compile options ask for %lld replicas and %lld "
                         "partitions, and cyxla runs programs of one device",
                         (long long)replicas, (long long)partitions);
}
