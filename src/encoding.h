/* Encoding: little-endian numbers and counted bytes, written to a growing buffer and
 * read back with every length checked. All integers of a .cyxla file go through here,
 * so that the file is the same on every machine. */
#ifndef CYXLA_ENCODING_H
#define CYXLA_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inline, since hashing a plugin loads millions of numbers. */
static inline uint32_t cyxla_load_u32(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static inline uint64_t cyxla_load_u64(const unsigned char *bytes) {
  return cyxla_load_u32(bytes) | (uint64_t)cyxla_load_u32(bytes + 4) << 32;
}

void cyxla_store_u32(unsigned char *bytes, uint32_t value);
void cyxla_store_u64(unsigned char *bytes, uint64_t value);

/* Starts as {0}. Once memory ran out, `failed` is set and writing has no effect. */
typedef struct cyxla_writer {
  unsigned char *data;
  size_t size;
  size_t capacity;
  bool failed;
} cyxla_writer;

void cyxla_write_u32(cyxla_writer *writer, uint32_t value);
void cyxla_write_u64(cyxla_writer *writer, uint64_t value);
void cyxla_write_raw(cyxla_writer *writer, const void *data, size_t bytes);
/* Bytes behind their number. */
void cyxla_write_bytes(cyxla_writer *writer, const void *data, size_t bytes);
void cyxla_write_string(cyxla_writer *writer, const char *text);
/* Zero bytes until the size is a multiple of alignment. */
void cyxla_write_padding(cyxla_writer *writer, size_t alignment);
void cyxla_writer_free(cyxla_writer *writer);

/* Once the data ran out, `failed` is set and everything reads as 0. */
typedef struct cyxla_reader {
  const unsigned char *data;
  size_t size;
  size_t position;
  bool failed;
} cyxla_reader;

uint32_t cyxla_read_u32(cyxla_reader *reader);
uint64_t cyxla_read_u64(cyxla_reader *reader);
/* Counted bytes, which are not copied; NULL and 0 bytes after a failure. */
const unsigned char *cyxla_read_bytes(cyxla_reader *reader, size_t *bytes);
/* A counted text as one that ends with a zero byte, freed with cyxla_release; NULL
 * where it holds a zero byte itself, or memory ran out, which is_out_of_memory tells
 * apart. */
char *cyxla_read_text(cyxla_reader *reader, bool *is_out_of_memory);
/* The number of elements that follow, each of at least element_bytes; fails where the
 * data cannot hold them, so that a count never leads to a huge allocation. */
size_t cyxla_read_count(cyxla_reader *reader, size_t element_bytes);
/* Whether all was read without a failure. */
bool cyxla_reader_is_done(const cyxla_reader *reader);

#endif
