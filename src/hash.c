#include "hash.h"

#include <string.h>

#include "encoding.h"

/* The five primes and the rotations are the definition of XXH64. */
static const uint64_t PRIME_1 = 0x9E3779B185EBCA87u;
static const uint64_t PRIME_2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t PRIME_3 = 0x165667B19E3779F9u;
static const uint64_t PRIME_4 = 0x85EBCA77C2B2AE63u;
static const uint64_t PRIME_5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t value, int bits) {
  return (value << bits) | (value >> (64 - bits));
}

static uint64_t mix(uint64_t lane, uint64_t input) {
  return rotate(lane + input * PRIME_2, 31) * PRIME_1;
}

static uint64_t merge(uint64_t hash, uint64_t lane) {
  return (hash ^ mix(0, lane)) * PRIME_1 + PRIME_4;
}

static void take_block(cyxla_hash *hash, const unsigned char *block) {
  for (int i = 0; i < 4; i++) {
    hash->lanes[i] = mix(hash->lanes[i], cyxla_load_u64(block + 8 * i));
  }
}

void cyxla_hash_start(cyxla_hash *hash) {
  memset(hash, 0, sizeof(*hash));
  hash->lanes[0] = PRIME_1 + PRIME_2;
  hash->lanes[1] = PRIME_2;
  hash->lanes[2] = 0;
  hash->lanes[3] = 0 - PRIME_1;
}

void cyxla_hash_update(cyxla_hash *hash, const void *data, size_t bytes) {
  const unsigned char *next = data;

  if (bytes == 0) return; /* data may be NULL then */
  hash->total_bytes += bytes;
  if (hash->block_bytes > 0) {
    size_t missing = sizeof(hash->block) - hash->block_bytes;
    size_t taken = bytes < missing ? bytes : missing;
    memcpy(hash->block + hash->block_bytes, next, taken);
    hash->block_bytes += taken;
    next += taken;
    bytes -= taken;
    if (hash->block_bytes < sizeof(hash->block)) return;
    take_block(hash, hash->block);
    hash->block_bytes = 0;
  }
  while (bytes >= sizeof(hash->block)) {
    take_block(hash, next);
    next += sizeof(hash->block);
    bytes -= sizeof(hash->block);
  }
  memcpy(hash->block, next, bytes);
  hash->block_bytes = bytes;
}

static uint64_t take_tail(uint64_t value, const unsigned char *tail, size_t bytes) {
  for (; bytes >= 8; tail += 8, bytes -= 8) {
    value = rotate(value ^ mix(0, cyxla_load_u64(tail)), 27) * PRIME_1 + PRIME_4;
  }
  if (bytes >= 4) {
    value = rotate(value ^ (cyxla_load_u32(tail) * PRIME_1), 23) * PRIME_2 + PRIME_3;
    tail += 4;
    bytes -= 4;
  }
  for (; bytes > 0; tail++, bytes--) {
    value = rotate(value ^ (*tail * PRIME_5), 11) * PRIME_1;
  }
  return value;
}

uint64_t cyxla_hash_finish(const cyxla_hash *hash) {
  uint64_t value = PRIME_5;

  if (hash->total_bytes >= sizeof(hash->block)) {
    value = rotate(hash->lanes[0], 1) + rotate(hash->lanes[1], 7) +
            rotate(hash->lanes[2], 12) + rotate(hash->lanes[3], 18);
    for (int i = 0; i < 4; i++) value = merge(value, hash->lanes[i]);
  }
  value = take_tail(value + hash->total_bytes, hash->block, hash->block_bytes);
  value = (value ^ (value >> 33)) * PRIME_2;
  value = (value ^ (value >> 29)) * PRIME_3;
  return value ^ (value >> 32);
}

uint64_t cyxla_hash_bytes(const void *data, size_t bytes) {
  cyxla_hash hash;

  cyxla_hash_start(&hash);
  cyxla_hash_update(&hash, data, bytes);
  return cyxla_hash_finish(&hash);
}
