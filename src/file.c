#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "encoding.h"
#include "error.h"
#include "hash.h"
#include "memory.h"
#include "path.h"

/* As in PNG: a byte that is no ASCII and a line end show what a text transfer damaged.
 */
static const unsigned char MAGIC[8] = {0x89, 'c', 'y', 'x', 'l', 'a', '\r', '\n'};

/* Header: magic, version, number of sections, bytes of the file, checksum of all before
 * it and of the table. Table entry: kind, flags, offset, bytes, checksum. */
enum {
  HEADER_BYTES = 32,
  CHECKSUM_OFFSET = 24,
  ENTRY_BYTES = 32,
  SECTION_ALIGNMENT = 64
};

/* The first piece that is read; a length that a damaged header claims is only believed
 * as far as the file goes. */
enum { CAPACITY_FIRST = 1 << 16 };

cyxla_status cyxla_file_invalid(const cyxla_file *file, const char *what,
                                cyxla_error *error) {
  return cyxla_error_set(error, CYXLA_FILE_INVALID,
                         "the file %s is damaged: %s; save or copy it again",
                         file->path, what);
}

static cyxla_status check_header(const cyxla_file *file, const unsigned char *header,
                                 size_t bytes, uint64_t *claimed, cyxla_error *error) {
  uint32_t version;

  if (bytes == 0) {
    return cyxla_error_set(error, CYXLA_FILE_INVALID,
                           "the file %s is empty, expected a .cyxla file", file->path);
  }
  if (memcmp(header, MAGIC, bytes < sizeof(MAGIC) ? bytes : sizeof(MAGIC)) != 0) {
    return cyxla_error_set(error, CYXLA_FILE_INVALID,
                           "the file %s is no .cyxla file: it does not begin like one",
                           file->path);
  }
  if (bytes < HEADER_BYTES)
    return cyxla_file_invalid(file, "its header is cut off", error);
  version = cyxla_load_u32(header + 8);
  if (version > CYXLA_FILE_VERSION) {
    return cyxla_error_set(
        error, CYXLA_FILE_TOO_NEW,
        "the file %s has version %u of the format, and cyxla %s reads "
        "versions up to %d; use a newer cyxla",
        file->path, (unsigned)version, cyxla_version(), CYXLA_FILE_VERSION);
  }
  if (version == 0) return cyxla_file_invalid(file, "its version is 0", error);
  *claimed = cyxla_load_u64(header + 16);
  if (*claimed < HEADER_BYTES || *claimed > SIZE_MAX / 2) {
    return cyxla_file_invalid(file, "its header gives an impossible length", error);
  }
  return CYXLA_OK;
}

/* Twice the room, up to the claimed length and one byte, which shows what is too long.
 */
static bool grow(cyxla_file *file, size_t *capacity, size_t claimed) {
  size_t larger = *capacity < CAPACITY_FIRST ? CAPACITY_FIRST : *capacity * 2;
  unsigned char *data;

  if (larger > claimed + 1) larger = claimed + 1;
  data = cyxla_allocate(larger);
  if (data == NULL) return false;
  if (file->bytes > 0) memcpy(data, file->data, file->bytes);
  cyxla_release(file->data);
  file->data = data;
  *capacity = larger;
  return true;
}

static cyxla_status unreadable(const cyxla_file *file, cyxla_error *error) {
  return cyxla_error_set(error, CYXLA_FILE_UNREADABLE, "the file %s cannot be read: %s",
                         file->path, strerror(errno));
}

static cyxla_status read_content(cyxla_file *file, FILE *stream, cyxla_error *error) {
  unsigned char header[HEADER_BYTES];
  size_t capacity = 0;
  size_t count = fread(header, 1, sizeof(header), stream);
  uint64_t claimed = 0;
  cyxla_status status;

  if (ferror(stream)) return unreadable(file, error);
  status = check_header(file, header, count, &claimed, error);
  if (status != CYXLA_OK) return status;
  do {
    if (file->bytes == capacity && !grow(file, &capacity, (size_t)claimed)) {
      return cyxla_error_out_of_memory(error, "a file's content");
    }
    if (file->bytes == 0) {
      memcpy(file->data, header, sizeof(header));
      file->bytes = sizeof(header);
    }
    count = fread(file->data + file->bytes, 1, capacity - file->bytes, stream);
    file->bytes += count;
  } while (file->bytes == capacity && file->bytes <= claimed);
  if (ferror(stream)) return unreadable(file, error);
  if (file->bytes == claimed) return CYXLA_OK;
  return cyxla_error_set(
      error, CYXLA_FILE_INVALID,
      "the file %s is damaged: it has %s%zu bytes and its header says "
      "%llu; save or copy it again",
      file->path, file->bytes > claimed ? "at least " : "", file->bytes,
      (unsigned long long)claimed);
}

static cyxla_status read_entry(const cyxla_file *file, const unsigned char *entry,
                               size_t *remaining, cyxla_section *section,
                               cyxla_error *error) {
  uint64_t offset = cyxla_load_u64(entry + 8);
  uint64_t bytes = cyxla_load_u64(entry + 16);

  section->kind = cyxla_load_u32(entry);
  section->flags = cyxla_load_u32(entry + 4);
  if (offset > file->bytes || bytes > file->bytes - offset) {
    return cyxla_file_invalid(file, "a section lies outside of it", error);
  }
  /* Sections that overlap would be hashed again and again. */
  if (bytes > *remaining) {
    return cyxla_file_invalid(file, "its sections are longer than the file", error);
  }
  *remaining -= (size_t)bytes;
  section->data = file->data + offset;
  section->bytes = (size_t)bytes;
  if (cyxla_hash_bytes(section->data, section->bytes) != cyxla_load_u64(entry + 24)) {
    return cyxla_file_invalid(file, "the checksum of a section is wrong", error);
  }
  if ((section->flags & CYXLA_SECTION_REQUIRED) &&
      (section->kind < CYXLA_SECTION_SIGNATURE || section->kind > CYXLA_SECTION_SIZE)) {
    return cyxla_error_set(
        error, CYXLA_FILE_TOO_NEW,
        "the file %s needs a section of kind %u, which cyxla %s does "
        "not know; use a newer cyxla",
        file->path, (unsigned)section->kind, cyxla_version());
  }
  return CYXLA_OK;
}

static uint64_t header_checksum(const unsigned char *data, size_t num_sections) {
  cyxla_hash hash;

  cyxla_hash_start(&hash);
  cyxla_hash_update(&hash, data, CHECKSUM_OFFSET);
  cyxla_hash_update(&hash, data + HEADER_BYTES, num_sections * ENTRY_BYTES);
  return cyxla_hash_finish(&hash);
}

static cyxla_status read_table(cyxla_file *file, cyxla_error *error) {
  size_t count = cyxla_load_u32(file->data + 12);
  size_t remaining = file->bytes;

  if (count > (file->bytes - HEADER_BYTES) / ENTRY_BYTES) {
    return cyxla_file_invalid(file, "its table is longer than the file", error);
  }
  if (header_checksum(file->data, count) !=
      cyxla_load_u64(file->data + CHECKSUM_OFFSET)) {
    return cyxla_file_invalid(file, "the checksum of its header is wrong", error);
  }
  file->sections = cyxla_allocate_array(count, sizeof(*file->sections));
  if (file->sections == NULL) return cyxla_error_out_of_memory(error, "a file's table");
  file->num_sections = count;
  for (size_t i = 0; i < count; i++) {
    const unsigned char *entry = file->data + HEADER_BYTES + i * ENTRY_BYTES;
    cyxla_status status =
        read_entry(file, entry, &remaining, &file->sections[i], error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}

cyxla_status cyxla_file_read(const char *path, cyxla_file *file, cyxla_error *error) {
  FILE *stream;
  cyxla_status status;

  memset(file, 0, sizeof(*file));
  status = cyxla_path_check_file(path, CYXLA_FILE_UNREADABLE, "file", error);
  if (status != CYXLA_OK) return status;
  stream = fopen(path, "rb");
  if (stream == NULL) {
    return cyxla_error_set(error, CYXLA_FILE_UNREADABLE,
                           "the file %s cannot be read: %s", path, strerror(errno));
  }
  file->path = cyxla_duplicate(path, strlen(path));
  status = file->path != NULL ? read_content(file, stream, error)
                              : cyxla_error_out_of_memory(error, "a file");
  fclose(stream);
  if (status == CYXLA_OK) status = read_table(file, error);
  if (status != CYXLA_OK) cyxla_file_free(file);
  return status;
}

const cyxla_section *cyxla_file_find(const cyxla_file *file, cyxla_section_kind kind) {
  for (size_t i = 0; i < file->num_sections; i++) {
    if (file->sections[i].kind == (uint32_t)kind) return &file->sections[i];
  }
  return NULL;
}

void cyxla_file_free(cyxla_file *file) {
  cyxla_release(file->sections);
  cyxla_release(file->data);
  cyxla_release(file->path);
  memset(file, 0, sizeof(*file));
}

cyxla_status cyxla_file_write(const char *path, const cyxla_section *sections,
                              size_t num_sections, cyxla_error *error) {
  cyxla_writer writer = {0};
  cyxla_status status;

  cyxla_write_raw(&writer, MAGIC, sizeof(MAGIC));
  cyxla_write_u32(&writer, CYXLA_FILE_VERSION);
  cyxla_write_u32(&writer, (uint32_t)num_sections);
  /* Lengths, offsets and checksums are known at the end; leave room for them. */
  for (size_t i = 0; i < 2 + 4 * num_sections; i++) cyxla_write_u64(&writer, 0);
  for (size_t i = 0; i < num_sections; i++) {
    cyxla_write_padding(&writer, SECTION_ALIGNMENT);
    if (!writer.failed) {
      unsigned char *entry = writer.data + HEADER_BYTES + i * ENTRY_BYTES;
      cyxla_store_u32(entry, sections[i].kind);
      cyxla_store_u32(entry + 4, sections[i].flags);
      cyxla_store_u64(entry + 8, writer.size);
      cyxla_store_u64(entry + 16, sections[i].bytes);
      cyxla_store_u64(entry + 24,
                      cyxla_hash_bytes(sections[i].data, sections[i].bytes));
    }
    cyxla_write_raw(&writer, sections[i].data, sections[i].bytes);
  }
  if (writer.failed) {
    status = cyxla_error_out_of_memory(error, "writing a file");
  } else {
    cyxla_store_u64(writer.data + 16, writer.size);
    cyxla_store_u64(writer.data + CHECKSUM_OFFSET,
                    header_checksum(writer.data, num_sections));
    status = cyxla_path_write_file(path, writer.data, writer.size, error);
  }
  cyxla_writer_free(&writer);
  return status;
}
