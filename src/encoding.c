#include "encoding.h"

#include <string.h>

#include "memory.h"

void cyxla_store_u32(unsigned char *bytes, uint32_t value) {
  for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

void cyxla_store_u64(unsigned char *bytes, uint64_t value) {
  cyxla_store_u32(bytes, (uint32_t)value);
  cyxla_store_u32(bytes + 4, (uint32_t)(value >> 32));
}

/* Room for more bytes at the end, NULL if there is none. */
static unsigned char *grow(cyxla_writer *writer, size_t bytes) {
  unsigned char *larger;
  size_t capacity = writer->capacity > 0 ? writer->capacity : 256;

  if (writer->failed) return NULL;
  if (bytes > SIZE_MAX / 2 - writer->size) {
    writer->failed = true;
    return NULL;
  }
  while (capacity < writer->size + bytes) capacity *= 2;
  if (capacity > writer->capacity) {
    larger = cyxla_allocate(capacity);
    if (larger == NULL) {
      writer->failed = true;
      return NULL;
    }
    if (writer->size > 0) memcpy(larger, writer->data, writer->size);
    cyxla_release(writer->data);
    writer->data = larger;
    writer->capacity = capacity;
  }
  writer->size += bytes;
  return writer->data + writer->size - bytes;
}

void cyxla_write_u32(cyxla_writer *writer, uint32_t value) {
  unsigned char *room = grow(writer, 4);

  if (room != NULL) cyxla_store_u32(room, value);
}

void cyxla_write_u64(cyxla_writer *writer, uint64_t value) {
  unsigned char *room = grow(writer, 8);

  if (room != NULL) cyxla_store_u64(room, value);
}

void cyxla_write_raw(cyxla_writer *writer, const void *data, size_t bytes) {
  unsigned char *room = grow(writer, bytes);

  if (room != NULL && bytes > 0) memcpy(room, data, bytes);
}

void cyxla_write_bytes(cyxla_writer *writer, const void *data, size_t bytes) {
  cyxla_write_u64(writer, bytes);
  cyxla_write_raw(writer, data, bytes);
}

void cyxla_write_string(cyxla_writer *writer, const char *text) {
  cyxla_write_bytes(writer, text, strlen(text));
}

void cyxla_write_padding(cyxla_writer *writer, size_t alignment) {
  size_t past = writer->size % alignment;
  unsigned char *room = past > 0 ? grow(writer, alignment - past) : NULL;

  if (room != NULL) memset(room, 0, alignment - past);
}

void cyxla_writer_free(cyxla_writer *writer) {
  cyxla_release(writer->data);
  memset(writer, 0, sizeof(*writer));
}

static const unsigned char *take(cyxla_reader *reader, uint64_t bytes) {
  if (reader->failed || bytes > reader->size - reader->position) {
    reader->failed = true;
    return NULL;
  }
  reader->position += (size_t)bytes;
  return reader->data + reader->position - (size_t)bytes;
}

uint32_t cyxla_read_u32(cyxla_reader *reader) {
  const unsigned char *bytes = take(reader, 4);

  return bytes != NULL ? cyxla_load_u32(bytes) : 0;
}

uint64_t cyxla_read_u64(cyxla_reader *reader) {
  const unsigned char *bytes = take(reader, 8);

  return bytes != NULL ? cyxla_load_u64(bytes) : 0;
}

const unsigned char *cyxla_read_bytes(cyxla_reader *reader, size_t *bytes) {
  uint64_t count = cyxla_read_u64(reader);
  const unsigned char *data = take(reader, count);

  *bytes = data != NULL ? (size_t)count : 0;
  return data;
}

char *cyxla_read_text(cyxla_reader *reader, bool *is_out_of_memory) {
  size_t length;
  const unsigned char *text = cyxla_read_bytes(reader, &length);
  char *copy;

  if (text == NULL || memchr(text, '\0', length) != NULL) return NULL;
  copy = cyxla_duplicate(text, length);
  if (copy == NULL) *is_out_of_memory = true;
  return copy;
}

size_t cyxla_read_count(cyxla_reader *reader, size_t element_bytes) {
  uint64_t count = cyxla_read_u64(reader);

  if (reader->failed || count > (reader->size - reader->position) / element_bytes) {
    reader->failed = true;
    return 0;
  }
  return (size_t)count;
}

bool cyxla_reader_is_done(const cyxla_reader *reader) {
  return !reader->failed && reader->position == reader->size;
}
