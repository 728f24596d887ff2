/* Hashing: XXH64 with seed 0, which is fast enough for a plugin of hundreds of
 * megabytes. It finds damage and tells builds apart; it does not stop a forger. */
#ifndef CYXLA_HASH_H
#define CYXLA_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct cyxla_hash {
  uint64_t lanes[4];
  unsigned char block[32]; /* input that does not fill a block yet */
  size_t block_bytes;
  uint64_t total_bytes;
} cyxla_hash;

void cyxla_hash_start(cyxla_hash *hash);
void cyxla_hash_update(cyxla_hash *hash, const void *data, size_t bytes);
uint64_t cyxla_hash_finish(const cyxla_hash *hash);

/* The hash of one piece of memory. */
uint64_t cyxla_hash_bytes(const void *data, size_t bytes);

#endif
