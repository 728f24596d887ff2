/* Fuzz target: objects that XLA compiles kernels to, which are loaded and never run.
 * The first byte of an input says whether the others are an object, or describe
 * several. */
#include <string.h>

#include "direct/object.h"
#include "encoding.h"
#include "input.h"
#include "memory.h"

enum {
  OBJECTS_MAXIMUM = 3,
  SECTIONS_MAXIMUM = 8,
  SECTION_BYTES = 64,
  ENTRIES_MAXIMUM = 6
};

/* The first names are those of sections. */
static const char NAMES[] =
    "\0.ltext\0.eh_frame\0kernel\0kernel2\0memcpy\0sinf\0system\0other";

enum { NAME_BYTES = sizeof(NAMES) };

static void put_u16(cyxla_writer *writer, size_t value) {
  unsigned char bytes[2];

  bytes[0] = (unsigned char)value;
  bytes[1] = (unsigned char)(value >> 8);
  cyxla_write_raw(writer, bytes, 2);
}

/* Mostly a small number; seldom one that is likely to be treated wrongly. */
static uint64_t take_number(fuzz_input *input) {
  static const uint64_t others[] = {
      UINT64_MAX, UINT64_MAX - 7, INT64_MAX, (uint64_t)INT64_MAX + 1,
      UINT32_MAX, 4096,           INT32_MAX, 0x80000000u};
  uint8_t byte = fuzz_take_byte(input);

  return byte < 240 ? byte : others[byte % 8];
}

/* Where a name begins, or any place. */
static uint32_t take_name(fuzz_input *input) {
  static const uint32_t begins[] = {0, 1, 8, 18, 25, 33, 40, 45, 52};
  size_t choice = fuzz_take_below(input, 12);

  return choice < 9 ? begins[choice] : (uint32_t)take_number(input);
}

static void put_symbol(fuzz_input *input, cyxla_writer *writer) {
  static const uint16_t sections[] = {0xfff1, 0xff00, 0xfeff, SECTIONS_MAXIMUM};
  unsigned char info[2] = {0, 0};
  size_t choice;

  cyxla_write_u32(writer, take_name(input));
  info[0] = (unsigned char)(fuzz_take_below(input, 3) << 4);
  cyxla_write_raw(writer, info, 2);
  choice = fuzz_take_below(input, 16);
  put_u16(writer, choice < 12 ? choice % 6 : sections[choice - 12]);
  cyxla_write_u64(writer, take_number(input));
  cyxla_write_u64(writer, 0);
}

static void put_relocation(fuzz_input *input, cyxla_writer *writer) {
  static const uint32_t types[] = {1, 2, 4, 24, 1, 1, 10, 0};

  cyxla_write_u64(writer, take_number(input));
  cyxla_write_u32(writer, types[fuzz_take_below(input, 8)]);
  cyxla_write_u32(writer, (uint32_t)fuzz_take_below(input, ENTRIES_MAXIMUM + 1));
  cyxla_write_u64(writer, take_number(input));
}

/* The content of a section of a type. */
static void put_content(fuzz_input *input, cyxla_writer *writer, size_t type) {
  size_t count = fuzz_take_below(input, ENTRIES_MAXIMUM);

  switch (type) {
    case 2:
      for (size_t i = 0; i < count; i++) put_symbol(input, writer);
      break;
    case 3: cyxla_write_raw(writer, NAMES, NAME_BYTES); break;
    case 4:
      for (size_t i = 0; i < count; i++) put_relocation(input, writer);
      break;
    default:
      for (size_t i = 0; i < 8 * count; i++) cyxla_write_raw(writer, "\xc3", 1);
      break;
  }
}

/* A section's header at a place that was left for it. */
static void put_header(fuzz_input *input, unsigned char *header, size_t type,
                       uint64_t offset, uint64_t bytes) {
  static const uint64_t flags[] = {0, 2, 6, 6, 2, 3, 0x402, 4};

  cyxla_store_u32(header, take_name(input));
  cyxla_store_u32(header + 4, (uint32_t)type);
  cyxla_store_u64(header + 8, flags[fuzz_take_below(input, 8)]);
  cyxla_store_u64(header + 24, offset);
  cyxla_store_u64(header + 32, bytes);
  cyxla_store_u32(header + 40, (uint32_t)fuzz_take_below(input, SECTIONS_MAXIMUM + 1));
  cyxla_store_u32(header + 44, (uint32_t)fuzz_take_below(input, SECTIONS_MAXIMUM + 1));
  cyxla_store_u64(header + 48, (uint64_t)1 << fuzz_take_below(input, 14) >> 1);
  switch (fuzz_take_below(input, 16)) {
    case 1: cyxla_store_u64(header + 24, take_number(input)); break;
    case 2: cyxla_store_u64(header + 32, take_number(input)); break;
    case 3: cyxla_store_u64(header + 48, take_number(input)); break;
    default: break;
  }
}

/* A header, a table of sections, and what is in them. */
static void make_object(fuzz_input *input, cyxla_writer *writer) {
  static const size_t types[] = {1, 2, 3, 4, 1, 8, 9, 0};
  size_t count = 1 + fuzz_take_below(input, SECTIONS_MAXIMUM);

  cyxla_write_raw(writer, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\1\0\76\0\0\0\0\0", 24);
  cyxla_write_u64(writer, 0);
  cyxla_write_u64(writer, 0);
  cyxla_write_u64(writer, SECTION_BYTES);
  cyxla_write_u64(writer, 0);
  put_u16(writer, 0);
  put_u16(writer, SECTION_BYTES);
  put_u16(writer, count);
  put_u16(writer, fuzz_take_below(input, SECTIONS_MAXIMUM));
  for (size_t i = 0; i < count * SECTION_BYTES / 8; i++) cyxla_write_u64(writer, 0);
  for (size_t i = 0; i < count && !writer->failed; i++) {
    size_t type = types[fuzz_take_below(input, 8)], offset = writer->size;
    put_content(input, writer, type);
    if (writer->failed) return;
    put_header(input, writer->data + SECTION_BYTES * (i + 1), type, offset,
               writer->size - offset);
  }
}

static void check_set(const cyxla_object_set *set) {
  const unsigned char *memory = set->memory;

  FUZZ_CHECK((memory != NULL) == (set->bytes > 0), "memory of a size");
  for (size_t i = 0; i < set->num_symbols; i++) {
    const unsigned char *address = set->symbols[i].address, *found;
    cyxla_kernel *kernel = cyxla_object_set_find(set, set->symbols[i].name);
    FUZZ_CHECK(address >= memory && address <= memory + set->bytes, "lies in it");
    memcpy(&found, &kernel, sizeof(found));
    FUZZ_CHECK(found == address, "is found by its name");
    FUZZ_CHECK(i == 0 || strcmp(set->symbols[i - 1].name, set->symbols[i].name) < 0,
               "in order");
  }
}

static void load(const cyxla_wire *objects, size_t count) {
  cyxla_object_set set;
  cyxla_error error = {CYXLA_OK, ""};
  cyxla_status status = cyxla_object_set_load(objects, count, &set, &error);

  if (status == CYXLA_OK) {
    check_set(&set);
    cyxla_object_set_free(&set);
  } else {
    FUZZ_CHECK(status == CYXLA_UNIMPLEMENTED, "refused");
    FUZZ_CHECK(error.status == status && error.message[0] != '\0', "with a reason");
  }
  FUZZ_CHECK(set.memory == NULL && set.symbols == NULL, "nothing is left");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input input = {data, size};
  const long live = cyxla_memory_live();
  size_t kind = fuzz_take_byte(&input);
  cyxla_writer writers[OBJECTS_MAXIMUM];
  cyxla_wire objects[OBJECTS_MAXIMUM];

  memset(writers, 0, sizeof(writers));
  if (kind == 0) {
    objects[0].data = input.data;
    objects[0].bytes = input.size;
    load(objects, 1);
  } else {
    size_t count = kind % (OBJECTS_MAXIMUM + 1);
    for (size_t i = 0; i < count; i++) {
      make_object(&input, &writers[i]);
      FUZZ_CHECK(!writers[i].failed, "memory for the object");
      objects[i].data = writers[i].data;
      objects[i].bytes = writers[i].size;
    }
    load(objects, count);
    for (size_t i = 0; i < count; i++) cyxla_writer_free(&writers[i]);
  }
  FUZZ_CHECK(cyxla_memory_live() == live, "all memory is given back");
  return 0;
}
