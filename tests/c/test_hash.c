#include "hash.h"

#include "test.h"

/* Computed with the xxHash project's own library, of the bytes (7 i + 3) mod 256. */
static const struct {
  size_t bytes;
  uint64_t hash;
} known[] = {
    {0, 0xef46db3751d8e999u},   {1, 0x1f25c8d0bc1f4bb6u},   {3, 0x31d2363f52e564c9u},
    {4, 0x9bb64b7d66ee9fdau},   {7, 0x9a7b149959ce60d8u},   {8, 0xdab99d95c6f90092u},
    {15, 0x1b47cb8243cc8e32u},  {31, 0xa2aa5f33cc4a6119u},  {32, 0x23c3c17ef790fd97u},
    {33, 0x50a7cfc7ba588784u},  {63, 0x5e3e54b431c7493cu},  {64, 0x0eb64b3ef6eeb01fu},
    {100, 0xa61f8d4c170fe531u}, {200, 0xa6cb3c09bc829b24u},
};

static const unsigned char *sample(void) {
  static unsigned char bytes[200];

  for (unsigned i = 0; i < sizeof(bytes); i++) bytes[i] = (unsigned char)(i * 7 + 3);
  return bytes;
}

static void hashes_are_those_of_xxh64(void) {
  for (size_t i = 0; i < TEST_COUNT(known); i++) {
    EXPECT_EQUAL(cyxla_hash_bytes(sample(), known[i].bytes), known[i].hash);
  }
  EXPECT_EQUAL(cyxla_hash_bytes("abc", 3), 0x44bc2cf5ad770999u);
  EXPECT_EQUAL(cyxla_hash_bytes(NULL, 0), 0xef46db3751d8e999u);
}

static void pieces_do_not_matter(void) {
  for (size_t piece = 1; piece <= 200; piece++) {
    cyxla_hash hash;
    cyxla_hash_start(&hash);
    cyxla_hash_update(&hash, NULL, 0);
    for (size_t start = 0; start < 200; start += piece) {
      size_t bytes = 200 - start < piece ? 200 - start : piece;
      cyxla_hash_update(&hash, sample() + start, bytes);
      cyxla_hash_update(&hash, NULL, 0);
    }
    EXPECT_EQUAL(cyxla_hash_finish(&hash), 0xa6cb3c09bc829b24u);
  }
}

static void finishing_does_not_end_a_hash(void) {
  cyxla_hash hash;

  cyxla_hash_start(&hash);
  cyxla_hash_update(&hash, sample(), 33);
  EXPECT_EQUAL(cyxla_hash_finish(&hash), 0x50a7cfc7ba588784u);
  cyxla_hash_update(&hash, sample() + 33, 30);
  EXPECT_EQUAL(cyxla_hash_finish(&hash), 0x5e3e54b431c7493cu);
}

TEST_MAIN(TEST_CASE(hashes_are_those_of_xxh64), TEST_CASE(pieces_do_not_matter),
          TEST_CASE(finishing_does_not_end_a_hash))
