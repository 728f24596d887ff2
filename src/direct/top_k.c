#include "top_k.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The largest numbers so far, as a heap in the memory of the results: the one that
 * comes last of all is the first, and each comes before neither of the two below it. */
typedef struct heap {
  unsigned char *values;
  unsigned char *indices;
  size_t size;
} heap;

static uint32_t load(const unsigned char *numbers, size_t i) {
  uint32_t bits;

  memcpy(&bits, numbers + i * sizeof(bits), sizeof(bits));
  return bits;
}

static void store(unsigned char *numbers, size_t i, uint32_t bits) {
  memcpy(numbers + i * sizeof(bits), &bits, sizeof(bits));
}

/* In the order of which a float32's bits are a whole number. */
static int32_t order_of(uint32_t bits) {
  return (int32_t)(bits >> 31 != 0 ? bits ^ 0x7fffffffu : bits);
}

static bool comes_before(uint32_t value, uint32_t index, uint32_t other_value,
                         uint32_t other_index) {
  const int32_t order = order_of(value), other = order_of(other_value);

  return order != other ? order > other : index < other_index;
}

/* Puts a number in at the place of one that is gone, and moves it down to where it
 * belongs. */
static void sift(const heap *in, size_t at, uint32_t value, uint32_t index) {
  for (size_t below = 2 * at + 1; below < in->size; below = 2 * at + 1) {
    uint32_t other_value = load(in->values, below);
    uint32_t other_index = load(in->indices, below);
    if (below + 1 < in->size &&
        comes_before(other_value, other_index, load(in->values, below + 1),
                     load(in->indices, below + 1))) {
      below++;
      other_value = load(in->values, below);
      other_index = load(in->indices, below);
    }
    if (!comes_before(value, index, other_value, other_index)) break;
    store(in->values, at, other_value);
    store(in->indices, at, other_index);
    at = below;
  }
  store(in->values, at, value);
  store(in->indices, at, index);
}

static void fill(const heap *in, const unsigned char *values, size_t count) {
  int32_t last;

  for (size_t i = 0; i < in->size; i++) {
    store(in->values, i, load(values, i));
    store(in->indices, i, (uint32_t)i);
  }
  for (size_t i = in->size / 2; i-- > 0;) {
    sift(in, i, load(in->values, i), load(in->indices, i));
  }
  last = order_of(load(in->values, 0));
  for (size_t i = in->size; i < count; i++) {
    const uint32_t value = load(values, i);
    /* Of equal numbers the one that is already there comes first. */
    if (order_of(value) > last) {
      sift(in, 0, value, (uint32_t)i);
      last = order_of(load(in->values, 0));
    }
  }
}

/* The last one of the heap changes places with the first, until none is left. */
static void put_in_order(heap *in) {
  while (in->size > 1) {
    const size_t last = --in->size;
    const uint32_t value = load(in->values, last), index = load(in->indices, last);
    store(in->values, last, load(in->values, 0));
    store(in->indices, last, load(in->indices, 0));
    sift(in, 0, value, index);
  }
}

void cyxla_top_k_run(const cyxla_top_k *top_k, const void *values, void *largest,
                     void *indices) {
  const size_t bytes = sizeof(uint32_t);

  if (top_k->k == 0) return;
  for (size_t row = 0; row < top_k->num_rows; row++) {
    heap in = {(unsigned char *)largest + row * top_k->k * bytes,
               (unsigned char *)indices + row * top_k->k * bytes, top_k->k};
    fill(&in, (const unsigned char *)values + row * top_k->count * bytes, top_k->count);
    put_in_order(&in);
  }
}
