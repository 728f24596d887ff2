#include "random.h"

#include <string.h>

/* The next 32 bits: the upper half of a linear congruential generator's state. */
static uint32_t next_bits(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 32);
}

/* k / 256 in a format of 16 bits, whose mantissa has the 7 bits that this needs. */
static uint16_t small_fraction(unsigned k, int mantissa_bits, int bias) {
  int top = 7;

  if (k == 0) return 0;
  while ((k >> top) == 0) top--;
  return (uint16_t)((unsigned)(top - 8 + bias) << mantissa_bits |
                    (k - (1u << top)) << (mantissa_bits - top));
}

static void write_real(cyxla_dtype dtype, uint32_t bits, void *place) {
  float single = (float)(bits >> 8) / 16777216.0f;
  double value = bits / 4294967296.0;
  uint16_t half = dtype == CYXLA_FLOAT16 ? small_fraction(bits >> 24, 10, 15)
                                         : small_fraction(bits >> 24, 7, 127);

  if (dtype == CYXLA_FLOAT64) {
    memcpy(place, &value, sizeof(value));
  } else if (dtype == CYXLA_FLOAT32) {
    memcpy(place, &single, sizeof(single));
  } else {
    memcpy(place, &half, sizeof(half));
  }
}

static void write_whole(cyxla_dtype dtype, uint32_t bits, void *place) {
  uint64_t u64 = dtype == CYXLA_BOOL ? bits >> 31 : (bits >> 16) % 10;
  uint32_t u32 = (uint32_t)u64;
  uint16_t u16 = (uint16_t)u64;
  uint8_t u8 = (uint8_t)u64;
  size_t bytes = cyxla_dtype_bytes(dtype);

  memcpy(place,
         bytes == 1   ? (void *)&u8
         : bytes == 2 ? (void *)&u16
         : bytes == 4 ? (void *)&u32
                      : (void *)&u64,
         bytes);
}

void fill_with_random(const cyxla_array_spec *spec, unsigned long long seed,
                      void *memory) {
  cyxla_dtype dtype = spec->dtype;
  uint64_t state = seed;
  size_t bytes;

  if (dtype == CYXLA_COMPLEX64) dtype = CYXLA_FLOAT32;
  if (dtype == CYXLA_COMPLEX128) dtype = CYXLA_FLOAT64;
  bytes = cyxla_dtype_bytes(dtype);
  /* Neighbouring seeds begin alike. */
  for (int i = 0; i < 8; i++) next_bits(&state);
  for (size_t done = 0; done < spec->bytes; done += bytes) {
    char *place = (char *)memory + done;
    uint32_t bits = next_bits(&state);
    if (dtype >= CYXLA_FLOAT16) {
      write_real(dtype, bits, place);
    } else {
      write_whole(dtype, bits, place);
    }
  }
}
