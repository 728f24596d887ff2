#include "compile_options.h"

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

/* The fields of xla/pjrt/proto/compile_options.proto. Fields of a message keep their
 * numbers for ever. */
enum { EXECUTABLE_BUILD_OPTIONS = 3, NUM_REPLICAS = 4, NUM_PARTITIONS = 5 };

enum { WIRE_VARINT = 0, WIRE_64_BITS = 1, WIRE_COUNTED = 2, WIRE_32_BITS = 5 };

typedef struct message {
  const unsigned char *data;
  size_t size;
} message;

typedef struct field {
  uint64_t number;
  int type;
  uint64_t value;  /* of a WIRE_VARINT */
  message content; /* of a WIRE_COUNTED */
} field;

static bool read_varint(message *rest, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64 && rest->size > 0; shift += 7) {
    unsigned char byte = *rest->data++;
    rest->size--;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

static bool read_bytes(message *rest, uint64_t bytes, message *content) {
  if (bytes > rest->size) return false;
  content->data = rest->data;
  content->size = (size_t)bytes;
  rest->data += content->size;
  rest->size -= content->size;
  return true;
}

/* False for what is no field, and for groups, which no message of XLA has. */
static bool read_field(message *rest, field *read) {
  uint64_t tag, bytes;

  if (!read_varint(rest, &tag)) return false;
  read->number = tag >> 3;
  read->type = (int)(tag & 7);
  switch (read->type) {
    case WIRE_VARINT: return read_varint(rest, &read->value);
    case WIRE_64_BITS: return read_bytes(rest, 8, &read->content);
    case WIRE_COUNTED:
      return read_varint(rest, &bytes) && read_bytes(rest, bytes, &read->content);
    case WIRE_32_BITS: return read_bytes(rest, 4, &read->content);
    default: return false;
  }
}

/* As in every message, the last value of a field is the one that counts. */
static bool read_build_options(message rest, uint64_t *replicas, uint64_t *partitions) {
  field read;

  while (rest.size > 0) {
    if (!read_field(&rest, &read)) return false;
    if (read.type != WIRE_VARINT) continue;
    if (read.number == NUM_REPLICAS) *replicas = read.value;
    if (read.number == NUM_PARTITIONS) *partitions = read.value;
  }
  return true;
}

static bool read_options(message rest, uint64_t *replicas, uint64_t *partitions) {
  field read;

  *replicas = *partitions = 0; /* what fields are that are not there */
  while (rest.size > 0) {
    if (!read_field(&rest, &read)) return false;
    /* Parts of a message that come one after the other are merged. */
    if (read.number == EXECUTABLE_BUILD_OPTIONS && read.type == WIRE_COUNTED &&
        !read_build_options(read.content, replicas, partitions)) {
      return false;
    }
  }
  return true;
}

cyxla_status cyxla_compile_options_check(const void *data, size_t bytes,
                                         cyxla_error *error) {
  message options = {data, bytes};
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
