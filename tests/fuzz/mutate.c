#include "mutate.h"

#include <string.h>

enum { NUM_CHANGES_MAXIMUM = 5, PIECE_MAXIMUM = 32 };

/* Where lengths, counts and sizes are likely to be treated wrongly. */
static const int64_t INTERESTING[] = {0,
                                      1,
                                      -1,
                                      -2,
                                      2,
                                      7,
                                      8,
                                      9,
                                      16,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      65,
                                      127,
                                      128,
                                      129,
                                      255,
                                      256,
                                      257,
                                      INT16_MAX,
                                      INT16_MIN,
                                      UINT16_MAX,
                                      INT32_MAX,
                                      INT32_MIN,
                                      UINT32_MAX,
                                      INT64_MAX,
                                      INT64_MIN,
                                      INT64_C(1) << 32,
                                      INT64_MAX / 8,
                                      INT64_C(1) << 61};

enum { NUM_INTERESTING = sizeof(INTERESTING) / sizeof(INTERESTING[0]) };

/* A step of a Weyl sequence, whose bits are then mixed. */
size_t fuzz_random(uint64_t *state, size_t limit) {
  uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

  mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
  mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return limit > 0 ? (size_t)((mixed ^ mixed >> 32) % limit) : 0;
}

/* Puts bytes in at a place, as many as there is room for. */
static size_t insert(uint8_t *data, size_t size, size_t at, const uint8_t *bytes,
                     size_t count) {
  if (count > FUZZ_BYTES_MAXIMUM - size) count = FUZZ_BYTES_MAXIMUM - size;
  memmove(data + at + count, data + at, size - at);
  memcpy(data + at, bytes, count);
  return size + count;
}

static size_t insert_random(uint64_t *state, uint8_t *data, size_t size) {
  uint8_t bytes[PIECE_MAXIMUM];
  size_t count = 1 + fuzz_random(state, PIECE_MAXIMUM);
  uint8_t repeated = (uint8_t)fuzz_random(state, 256);

  if (fuzz_random(state, 2) == 0) count = 1;
  for (size_t i = 0; i < count; i++) bytes[i] = repeated;
  return insert(data, size, fuzz_random(state, size + 1), bytes, count);
}

/* Over what is there, with its least byte first, as files have it. */
static void put_integer(uint64_t *state, uint8_t *data, size_t size) {
  size_t width = (size_t)1 << fuzz_random(state, 4);
  uint64_t value = (uint64_t)INTERESTING[fuzz_random(state, NUM_INTERESTING)];
  size_t at;

  if (width > size) width = size;
  at = fuzz_random(state, size - width + 1);
  for (size_t i = 0; i < width; i++) data[at + i] = (uint8_t)(value >> 8 * i);
}

static size_t erase(uint64_t *state, uint8_t *data, size_t size) {
  size_t at = fuzz_random(state, size);
  size_t count = 1 + fuzz_random(state, PIECE_MAXIMUM);

  if (fuzz_random(state, 2) == 0) count = 1;
  if (count > size - at) count = size - at;
  memmove(data + at, data + at + count, size - at - count);
  return size - count;
}

/* A piece of an input into or over this one. */
static size_t splice(uint64_t *state, uint8_t *data, size_t size, const uint8_t *from,
                     size_t from_size) {
  uint8_t piece[FUZZ_BYTES_MAXIMUM];
  size_t start = fuzz_random(state, from_size);
  size_t count = 1 + fuzz_random(state, from_size - start);
  size_t at = fuzz_random(state, size + 1);

  if (count > sizeof(piece)) count = sizeof(piece);
  memcpy(piece, from + start, count); /* which may lie in data itself */
  if (fuzz_random(state, 2) == 0) return insert(data, size, at, piece, count);
  if (count > FUZZ_BYTES_MAXIMUM - at) count = FUZZ_BYTES_MAXIMUM - at;
  memcpy(data + at, piece, count);
  return at + count > size ? at + count : size;
}

static size_t change(uint64_t *state, uint8_t *data, size_t size,
                     const fuzz_entry *other) {
  size_t kind = fuzz_random(state, 8), at = fuzz_random(state, size);

  if (size == 0 || kind == 0) return insert_random(state, data, size);
  switch (kind) {
    case 1: data[at] ^= (uint8_t)(1u << fuzz_random(state, 8)); return size;
    case 2: data[at] = (uint8_t)fuzz_random(state, 256); return size;
    case 3: data[at] = (uint8_t)(data[at] + fuzz_random(state, 9) - 4); return size;
    case 4: put_integer(state, data, size); return size;
    case 5: return erase(state, data, size);
    case 6: return splice(state, data, size, data, size);
    default:
      if (other->size == 0) return size;
      return splice(state, data, size, other->data, other->size);
  }
}

size_t fuzz_mutate(uint64_t *state, uint8_t *data, size_t size,
                   const fuzz_entry *other) {
  size_t changes = 1 + fuzz_random(state, NUM_CHANGES_MAXIMUM);

  for (size_t i = 0; i < changes; i++) size = change(state, data, size, other);
  return size;
}
