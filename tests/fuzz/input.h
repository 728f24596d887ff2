/* The bytes of a fuzz target's input, taken from the front. Where they have run out
 * everything is zero, so that every input means something. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct fuzz_input {
  const uint8_t *data;
  size_t size;
} fuzz_input;

static inline uint8_t fuzz_take_byte(fuzz_input *input) {
  if (input->size == 0) return 0;
  input->size--;
  return *input->data++;
}

/* A number from 0 to limit - 1. */
static inline size_t fuzz_take_below(fuzz_input *input, size_t limit) {
  return fuzz_take_byte(input) % limit;
}

static inline void fuzz_take_bytes(fuzz_input *input, void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) ((uint8_t *)bytes)[i] = fuzz_take_byte(input);
}

/* Ends the process, which is how a target tells what it found. Not assert, which a
 * build may leave out. */
#define FUZZ_CHECK(condition, what)                                         \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: %s: %s is false\n", __FILE__, __LINE__, what, \
              #condition);                                                  \
      abort();                                                              \
    }                                                                       \
  } while (0)

/* What a target is: it returns 0, and ends the process where it finds a mistake. The
 * name is libFuzzer's, which AFL++ takes too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
