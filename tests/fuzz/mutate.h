/* Changes of inputs, the same ones for the same seed. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_BYTES_MAXIMUM = 4096 }; /* of an input that is made here */

typedef struct fuzz_entry {
  uint8_t *data;
  size_t size;
} fuzz_entry;

/* The next of the numbers that follow from a seed, from 0 to limit - 1. */
size_t fuzz_random(uint64_t *state, size_t limit);

/* Changes `size` bytes in data, which has room for FUZZ_BYTES_MAXIMUM, in a few places:
 * bits, bytes, integers, pieces that go, are doubled or come from another input.
 * Returns the new size. */
size_t fuzz_mutate(uint64_t *state, uint8_t *data, size_t size,
                   const fuzz_entry *other);

#endif
