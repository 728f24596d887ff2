/* Fuzz target: .cyxla files. The first byte of an input says what the others are: a
 * file, a file whose checksums are put right, or sections that a file is made of. */
#define _GNU_SOURCE
#include "program_file.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dtype.h"
#include "encoding.h"
#include "hash.h"
#include "input.h"
#include "machine.h"
#include "memory.h"

enum { HEADER_BYTES = 32, ENTRY_BYTES = 32, CHECKSUM_OFFSET = 24, NUM_SECTIONS = 8 };

/* In an executable, see docs/file-format.md. */
enum { CODE_HASH_OFFSET = 24, OPTIONS_HASH_OFFSET = 32, HASHES_END = 40 };

/* A file in memory, since a disk is slow. */
static const char *write_file(const void *data, size_t bytes) {
  static char path[64];
  static int file = -1;

  if (file < 0) {
    file = memfd_create("fuzz", 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
  }
  FUZZ_CHECK(file >= 0 && ftruncate(file, 0) == 0, "a file in memory");
  FUZZ_CHECK(pwrite(file, data, bytes, 0) == (ssize_t)bytes, "room for the file");
  return path;
}

/* A file as far as its table goes. */
typedef struct table {
  unsigned char *data;
  size_t bytes;
  size_t count;
} table;

/* The section of an entry; NULL where it reaches beyond the file. */
static unsigned char *section_of(const table *file, size_t index, uint32_t *kind,
                                 size_t *size) {
  const unsigned char *entry = file->data + HEADER_BYTES + index * ENTRY_BYTES;
  uint64_t offset = cyxla_load_u64(entry + 8), bytes = cyxla_load_u64(entry + 16);

  *kind = cyxla_load_u32(entry);
  *size = (size_t)bytes;
  if (offset > file->bytes || bytes > file->bytes - offset) return NULL;
  return file->data + offset;
}

/* The hashes of a program's code and compile options. */
typedef struct hashes {
  uint64_t code;
  uint64_t options;
} hashes;

static hashes hash_size(const unsigned char *section, size_t size) {
  cyxla_reader reader = {section, size, 0, false};
  const unsigned char *part;
  hashes found;
  size_t bytes;

  cyxla_read_bytes(&reader, &bytes); /* the signature */
  part = cyxla_read_bytes(&reader, &bytes);
  found.code = cyxla_hash_bytes(part, bytes);
  part = cyxla_read_bytes(&reader, &bytes);
  found.options = cyxla_hash_bytes(part, bytes);
  return found;
}

/* The hashes of the program at one of its sizes: the first, whose parts are sections,
 * or the n-th of those behind it. */
static hashes find_hashes(const table *file, size_t n) {
  hashes found = {0, 0};

  for (size_t i = file->count; i-- > 0;) {
    uint32_t kind;
    size_t size;
    const unsigned char *section = section_of(file, i, &kind, &size);
    if (section == NULL) continue;
    if (kind == CYXLA_SECTION_SIZE && n > 0 && n-- == 1)
      return hash_size(section, size);
    if (kind == CYXLA_SECTION_STABLEHLO) found.code = cyxla_hash_bytes(section, size);
    if (kind == CYXLA_SECTION_COMPILE_OPTIONS) {
      found.options = cyxla_hash_bytes(section, size);
    }
  }
  return found;
}

/* What says that an executable is one of the program's, which no change would hit. The
 * byte that is there says of which size. */
static void put_hashes(const table *file, unsigned char *section, size_t size) {
  hashes found;

  if (size < HASHES_END) return;
  found = find_hashes(file, section[CODE_HASH_OFFSET] % 4);
  cyxla_store_u64(section + CODE_HASH_OFFSET, found.code);
  cyxla_store_u64(section + OPTIONS_HASH_OFFSET, found.options);
}

/* The checksums of the sections as far as there are any, and of the header. */
static void put_checksums(unsigned char *data, size_t bytes) {
  const table file = {data, bytes, cyxla_load_u32(data + 12)};
  cyxla_hash hash;

  if (file.count > (bytes - HEADER_BYTES) / ENTRY_BYTES) return;
  for (size_t i = 0; i < file.count; i++) {
    uint32_t kind;
    size_t size;
    unsigned char *section = section_of(&file, i, &kind, &size);
    if (section == NULL) continue;
    if (kind == CYXLA_SECTION_EXECUTABLE) put_hashes(&file, section, size);
    cyxla_store_u64(data + HEADER_BYTES + i * ENTRY_BYTES + 24,
                    cyxla_hash_bytes(section, size));
  }
  cyxla_hash_start(&hash);
  cyxla_hash_update(&hash, data, CHECKSUM_OFFSET);
  cyxla_hash_update(&hash, data + HEADER_BYTES, file.count * ENTRY_BYTES);
  cyxla_store_u64(data + CHECKSUM_OFFSET, cyxla_hash_finish(&hash));
}

/* A file of sections, each of a kind, flags, a length and as many bytes. */
static void take_sections(fuzz_input *input, cyxla_writer *writer) {
  size_t count = fuzz_take_below(input, NUM_SECTIONS);

  cyxla_write_raw(writer,
                  "\x89"
                  "cyxla\r\n",
                  8);
  cyxla_write_u32(writer, CYXLA_FILE_VERSION);
  cyxla_write_u32(writer, (uint32_t)count);
  for (size_t i = 0; i < 2 + 4 * count; i++) cyxla_write_u64(writer, 0);
  for (size_t i = 0; i < count; i++) {
    unsigned char *entry = writer->data + HEADER_BYTES + i * ENTRY_BYTES;
    size_t kind = fuzz_take_below(input, 9), flags = fuzz_take_below(input, 4);
    size_t bytes = fuzz_take_byte(input);
    if (bytes > input->size) bytes = input->size;
    cyxla_store_u32(entry, (uint32_t)kind);
    cyxla_store_u32(entry + 4, (uint32_t)flags);
    cyxla_store_u64(entry + 8, writer->size);
    cyxla_store_u64(entry + 16, bytes);
    cyxla_write_raw(writer, input->data, bytes);
    input->data += bytes;
    input->size -= bytes;
  }
  cyxla_store_u64(writer->data + 16, writer->size);
}

/* What the rest of the library takes for granted of a program. */
static void check_arrays(const cyxla_program *program,
                         const cyxla_program_arrays *arrays) {
  for (size_t i = 0; i < arrays->count; i++) {
    const cyxla_array_spec *spec = &arrays->specs[i];
    size_t bytes = cyxla_dtype_bytes(spec->dtype);
    FUZZ_CHECK(spec->name[0] != '\0', "arrays have names");
    FUZZ_CHECK(cyxla_program_arrays_find(arrays, spec->name) == i, "and no name twice");
    FUZZ_CHECK(spec->rank <= CYXLA_RANK_MAXIMUM, "ranks are limited");
    for (size_t k = 0; k < spec->rank; k++) {
      FUZZ_CHECK(spec->shape[k] >= 0, "sizes are 0 or more");
      if (spec->shape[k] == 0) bytes = 0;
    }
    for (size_t k = 0; bytes > 0 && k < spec->rank; k++) {
      FUZZ_CHECK((uint64_t)spec->shape[k] <= SIZE_MAX / 2 / bytes, "fits in memory");
      bytes *= (size_t)spec->shape[k];
    }
    FUZZ_CHECK(spec->bytes == bytes, "the bytes of an array");
    FUZZ_CHECK(arrays != &program->inputs || spec->aliased_output < 0 ||
                   program->outputs.specs[spec->aliased_output].bytes == bytes,
               "an input is donated to an output of its size");
  }
}

/* An executable of the program is written as it was read. */
static void check_compiled(const cyxla_program *program,
                           const cyxla_compiled *compiled) {
  const char *features = compiled->cpu_features;
  cyxla_writer written = {0}, again = {0};
  cyxla_compiled copy;
  cyxla_reader reader;
  bool is_out_of_memory = false;

  FUZZ_CHECK(cyxla_compiled_belongs(compiled, program), "one of this program's");
  FUZZ_CHECK(cyxla_machine_has_all(features, features) ==
                 (features[0] != '\0' && features[0] != ' '),
             "a machine has what it has");
  cyxla_compiled_write(&written, compiled);
  memset(&reader, 0, sizeof(reader));
  reader.data = written.data;
  reader.size = written.size;
  FUZZ_CHECK(cyxla_compiled_read(&reader, &copy, &is_out_of_memory), "read again");
  FUZZ_CHECK(cyxla_compiled_replaces(&copy, compiled), "the same label");
  cyxla_compiled_write(&again, &copy);
  FUZZ_CHECK(
      again.size == written.size && memcmp(again.data, written.data, again.size) == 0,
      "and the same bytes");
  cyxla_compiled_free(&copy);
  cyxla_writer_free(&written);
  cyxla_writer_free(&again);
}

static void check_size(const cyxla_program *program) {
  cyxla_program *found;
  size_t bytes;

  FUZZ_CHECK(program->platform[0] != '\0', "a platform");
  FUZZ_CHECK(cyxla_program_code(program, &bytes) != NULL && bytes > 0, "code");
  FUZZ_CHECK(cyxla_program_compile_options(program, &bytes) != NULL && bytes > 0,
             "compile options");
  FUZZ_CHECK(program->metadata != NULL, "metadata");
  check_arrays(program, &program->inputs);
  check_arrays(program, &program->outputs);
  for (size_t i = 0; i < program->compiled.count; i++) {
    check_compiled(program, &program->compiled.items[i]);
  }
  FUZZ_CHECK(cyxla_program_pick(program, program->inputs.specs, program->inputs.count,
                                &found, NULL) == CYXLA_OK &&
                 found == program,
             "all its shapes tell a size from the others");
}

static void check_program(const cyxla_program *program,
                          const cyxla_plugin_record *record) {
  const cyxla_program *sizes[CYXLA_SIZES_MAXIMUM];
  size_t count = cyxla_program_num_sizes(program);
  cyxla_program *joined;

  FUZZ_CHECK(record->path != NULL || (record->bytes == 0 && record->hash == 0),
             "no record is empty");
  FUZZ_CHECK(count >= 1 && count <= CYXLA_SIZES_MAXIMUM, "a number of sizes");
  for (size_t i = 0; i < count; i++) {
    sizes[i] = cyxla_program_size(program, i);
    check_size(sizes[i]);
  }
  FUZZ_CHECK(cyxla_program_join(sizes, count, &joined, NULL) == CYXLA_OK,
             "what is joined can be joined");
  FUZZ_CHECK(cyxla_program_num_sizes(joined) == count, "to as many sizes");
  cyxla_program_destroy(joined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input input = {data, size};
  const size_t kind = fuzz_take_below(&input, 3);
  const long live = cyxla_memory_live();
  cyxla_writer writer = {0};
  cyxla_program *program = NULL;
  cyxla_plugin_record record;
  cyxla_error error = {CYXLA_OK, ""};
  cyxla_status status;

  if (kind == 2) {
    take_sections(&input, &writer);
  } else {
    cyxla_write_raw(&writer, input.data, input.size);
  }
  FUZZ_CHECK(!writer.failed, "memory for the file");
  if (kind > 0 && writer.size >= HEADER_BYTES) put_checksums(writer.data, writer.size);
  status = cyxla_program_file_read(write_file(writer.data, writer.size), &program,
                                   &record, &error);
  FUZZ_CHECK((program != NULL) == (status == CYXLA_OK), "a program or an error");
  if (status == CYXLA_OK) {
    check_program(program, &record);
    cyxla_plugin_record_free(&record);
    cyxla_program_destroy(program);
  } else {
    FUZZ_CHECK(status == CYXLA_FILE_INVALID || status == CYXLA_FILE_TOO_NEW ||
                   status == CYXLA_UNIMPLEMENTED,
               "an error of the file");
    FUZZ_CHECK(error.status == status && error.message[0] != '\0', "which it says");
  }
  cyxla_writer_free(&writer);
  FUZZ_CHECK(cyxla_memory_live() == live, "all memory is given back");
  return 0;
}
