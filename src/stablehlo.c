#include "stablehlo.h"

#include <string.h>

/* MLIR's bytecode begins with these four bytes and a number of one byte or more; behind
 * it stands the producer, ended by a zero byte: "StableHLO_v1.13.3". */
static const char MAGIC[] = "ML\xefR";
static const char PRODUCER[] = "StableHLO_v";
enum { MAGIC_BYTES = 4, PRODUCER_BYTES = sizeof(PRODUCER) - 1, NUMBER_BYTES = 9 };

/* Larger parts of a version are none. */
enum { PART_MAXIMUM = 1000000 };

typedef struct text {
  const char *at;
  const char *end;
} text;

static bool read_part(text *in, char follower, int64_t *part) {
  const char *begin = in->at;

  *part = 0;
  for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
    *part = 10 * *part + (*in->at - '0');
    if (*part > PART_MAXIMUM) return false;
  }
  if (in->at == begin || in->at == in->end || *in->at != follower) return false;
  in->at++;
  return true;
}

bool cyxla_stablehlo_version(const void *code, size_t bytes, int64_t version[3]) {
  const char *begin = code;
  text in = {begin, begin + bytes};

  if (bytes < MAGIC_BYTES || memcmp(begin, MAGIC, MAGIC_BYTES) != 0) return false;
  for (size_t i = MAGIC_BYTES + 1; i <= MAGIC_BYTES + NUMBER_BYTES; i++) {
    if (bytes < i + PRODUCER_BYTES) return false;
    if (memcmp(begin + i, PRODUCER, PRODUCER_BYTES) != 0) continue;
    in.at = begin + i + PRODUCER_BYTES;
    return read_part(&in, '.', &version[0]) && read_part(&in, '.', &version[1]) &&
           read_part(&in, '\0', &version[2]);
  }
  return false;
}

bool cyxla_stablehlo_is_later(const int64_t version[3], const int64_t other[3]) {
  for (int i = 0; i < 3; i++) {
    if (version[i] != other[i]) return version[i] > other[i];
  }
  return false;
}
