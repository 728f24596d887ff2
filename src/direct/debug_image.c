#include "debug_image.h"

#include <string.h>

#include "encoding.h"
#include "memory.h"
#include "relocate.h"

/* Bytes of the structs of 64-bit ELF. */
enum { HEADER_BYTES = 64, SEGMENT_BYTES = 56, SECTION_BYTES = 64, SYMBOL_BYTES = 24 };

enum { NUM_SEGMENTS = 2 };
enum { SECTION_NONE, CODE, UNWIND, SYMBOLS, STRINGS, NUM_SECTIONS };

/* What segments are aligned to on x86-64. */
enum { PAGE_BYTES = 4096 };

/* Where the headers of segments and sections are. */
enum { SEGMENTS = HEADER_BYTES, SECTIONS = SEGMENTS + NUM_SEGMENTS * SEGMENT_BYTES };

enum { SEGMENT_LOADED = 1, EXECUTABLE = 1, WRITABLE = 2, READABLE = 4 };

enum {
  TYPE_SHARED = 3,
  MACHINE_X86_64 = 62,
  VERSION = 1,
  GLOBAL_FUNCTION = 1 << 4 | 2,
  NUM_LOCAL_SYMBOLS = 1
};

/* The names of the sections, each behind the zero byte of the one before. */
static const char NAMES[] = "\0.text\0" CYXLA_ELF_UNWIND "\0.symtab\0.strtab";
enum { CODE_NAME = 1, UNWIND_NAME = 7, SYMBOLS_NAME = 17, STRINGS_NAME = 25 };

/* Where the parts of the file are. */
typedef struct layout {
  size_t unwind, unwind_bytes;
  size_t symbols, symbols_bytes;
  size_t strings, strings_bytes;
} layout;

static bool is_unwind(const cyxla_elf_section *section) {
  return section->data != NULL && section->bytes % 8 == 0 &&
         strcmp(section->name, CYXLA_ELF_UNWIND) == 0;
}

/* All that is added up lies in memory already, so that sums do not overflow. */
static layout lay_out(const cyxla_object_set *set, const cyxla_elf *elves,
                      size_t num_elves) {
  layout parts = {0};

  parts.unwind = SECTIONS + NUM_SECTIONS * SECTION_BYTES;
  for (size_t i = 0; i < num_elves; i++) {
    for (size_t k = 0; k < elves[i].num_sections; k++) {
      if (is_unwind(&elves[i].sections[k])) {
        parts.unwind_bytes += elves[i].sections[k].bytes;
      }
    }
  }
  parts.symbols = parts.unwind + parts.unwind_bytes;
  parts.symbols_bytes = (NUM_LOCAL_SYMBOLS + set->num_symbols) * SYMBOL_BYTES;
  parts.strings = parts.symbols + parts.symbols_bytes;
  parts.strings_bytes = sizeof(NAMES);
  for (size_t i = 0; i < set->num_symbols; i++) {
    parts.strings_bytes += strlen(set->symbols[i].name) + 1;
  }
  return parts;
}

static void store_u16(unsigned char *bytes, unsigned int value) {
  bytes[0] = (unsigned char)value;
  bytes[1] = (unsigned char)(value >> 8);
}

static void write_header(unsigned char *file) {
  memcpy(file, "\177ELF\2\1\1", 7);
  store_u16(file + 16, TYPE_SHARED);
  store_u16(file + 18, MACHINE_X86_64);
  cyxla_store_u32(file + 20, VERSION);
  cyxla_store_u64(file + 40, SECTIONS);
  store_u16(file + 52, HEADER_BYTES);
  store_u16(file + 58, SECTION_BYTES);
  store_u16(file + 60, NUM_SECTIONS);
  store_u16(file + 62, STRINGS);
}

typedef struct section_header {
  uint32_t name, type;
  uint64_t flags;
  const void *address;
  size_t offset, bytes;
  uint32_t link, info;
  size_t alignment, entry_bytes;
} section_header;

static void write_section(unsigned char *file, size_t index, section_header section) {
  unsigned char *header = file + SECTIONS + index * SECTION_BYTES;

  cyxla_store_u32(header, section.name);
  cyxla_store_u32(header + 4, section.type);
  cyxla_store_u64(header + 8, section.flags);
  cyxla_store_u64(header + 16, (uint64_t)(uintptr_t)section.address);
  cyxla_store_u64(header + 24, section.offset);
  cyxla_store_u64(header + 32, section.bytes);
  cyxla_store_u32(header + 40, section.link);
  cyxla_store_u32(header + 44, section.info);
  cyxla_store_u64(header + 48, section.alignment);
  cyxla_store_u64(header + 56, section.entry_bytes);
}

static void write_sections(unsigned char *file, const cyxla_object_set *set,
                           const layout *parts) {
  const section_header code = {
      .name = CODE_NAME,
      .type = CYXLA_ELF_NO_BITS,
      .flags = CYXLA_ELF_ALLOCATED | CYXLA_ELF_EXECUTABLE,
      .address = set->memory,
      .offset = parts->unwind,
      .bytes = set->bytes,
      .alignment = 1,
  };
  const section_header unwind = {
      .name = UNWIND_NAME,
      .type = CYXLA_ELF_BITS,
      .flags = CYXLA_ELF_ALLOCATED,
      .address = file + parts->unwind,
      .offset = parts->unwind,
      .bytes = parts->unwind_bytes,
      .alignment = 8,
  };
  const section_header symbols = {
      .name = SYMBOLS_NAME,
      .type = CYXLA_ELF_SYMBOL_TABLE,
      .offset = parts->symbols,
      .bytes = parts->symbols_bytes,
      .link = STRINGS,
      .info = NUM_LOCAL_SYMBOLS,
      .alignment = 8,
      .entry_bytes = SYMBOL_BYTES,
  };
  const section_header strings = {
      .name = STRINGS_NAME,
      .type = CYXLA_ELF_STRING_TABLE,
      .offset = parts->strings,
      .bytes = parts->strings_bytes,
      .alignment = 1,
  };

  write_section(file, CODE, code);
  write_section(file, UNWIND, unwind);
  write_section(file, SYMBOLS, symbols);
  write_section(file, STRINGS, strings);
}

static void write_symbols(unsigned char *file, const cyxla_object_set *set,
                          const layout *parts) {
  unsigned char *entry = file + parts->symbols;
  size_t name = sizeof(NAMES);

  memcpy(file + parts->strings, NAMES, sizeof(NAMES));
  for (size_t i = 0; i < set->num_symbols; i++) {
    const cyxla_object_symbol *symbol = &set->symbols[i];
    size_t bytes = strlen(symbol->name) + 1;
    entry += SYMBOL_BYTES;
    cyxla_store_u32(entry, (uint32_t)name);
    entry[4] = GLOBAL_FUNCTION;
    store_u16(entry + 6, CODE);
    cyxla_store_u64(entry + 8, (uint64_t)(uintptr_t)symbol->address);
    cyxla_store_u64(entry + 16, symbol->bytes);
    memcpy(file + parts->strings + name, symbol->name, bytes);
    name += bytes;
  }
}

static void write_segment(unsigned char *file, size_t index, uint32_t flags,
                          size_t offset, const void *address, size_t bytes) {
  unsigned char *header = file + SEGMENTS + index * SEGMENT_BYTES;

  cyxla_store_u32(header, SEGMENT_LOADED);
  cyxla_store_u32(header + 4, flags);
  cyxla_store_u64(header + 8, offset);
  cyxla_store_u64(header + 16, (uint64_t)(uintptr_t)address);
  cyxla_store_u64(header + 24, (uint64_t)(uintptr_t)address);
  cyxla_store_u64(header + 32, bytes);
  cyxla_store_u64(header + 40, bytes);
  cyxla_store_u64(header + 48, PAGE_BYTES);
}

void cyxla_debug_image_add_segments(unsigned char *file, const cyxla_object_set *set,
                                    size_t offset, size_t data_bytes) {
  size_t code_bytes = set->bytes - data_bytes;
  const section_header code = {
      .name = CODE_NAME,
      .type = CYXLA_ELF_BITS,
      .flags = CYXLA_ELF_ALLOCATED | CYXLA_ELF_EXECUTABLE,
      .address = set->memory,
      .offset = offset,
      .bytes = code_bytes,
      .alignment = 1,
  };
  /* It lies in memory alone. */
  const section_header no_unwind = {0};

  cyxla_store_u64(file + 32, SEGMENTS);
  store_u16(file + 54, SEGMENT_BYTES);
  store_u16(file + 56, NUM_SEGMENTS);
  write_segment(file, 0, READABLE | EXECUTABLE, offset, set->memory, code_bytes);
  write_segment(file, 1, READABLE | WRITABLE, offset + code_bytes,
                (unsigned char *)set->memory + code_bytes, data_bytes);
  write_section(file, CODE, code);
  write_section(file, UNWIND, no_unwind);
}

static bool relocate(const cyxla_elf *elf, size_t section) {
  for (size_t i = 0; i < elf->num_sections; i++) {
    const cyxla_elf_section *table = &elf->sections[i];
    if (table->type == CYXLA_ELF_RELOCATIONS && table->info == section &&
        cyxla_relocate(elf, table, NULL) != CYXLA_OK) {
      return false;
    }
  }
  return true;
}

/* Copies what an object says about finding callers, and returns where that ends. What
 * cannot be relocated is left out: code is called without it. */
static unsigned char *copy_unwind(cyxla_elf *elf, unsigned char *place) {
  for (size_t i = 0; i < elf->num_sections; i++) {
    cyxla_elf_section *section = &elf->sections[i];
    if (!is_unwind(section)) continue;
    memcpy(place, section->data, section->bytes);
    section->address = place;
    if (relocate(elf, i)) place += section->bytes;
    section->address = NULL;
  }
  return place;
}

cyxla_debug_entry *cyxla_debug_image_make(const cyxla_object_set *set, cyxla_elf *elves,
                                          size_t num_elves) {
  layout parts = lay_out(set, elves, num_elves);
  size_t bytes = parts.strings + parts.strings_bytes;
  cyxla_debug_entry *entry = cyxla_allocate(sizeof(*entry) + bytes);
  unsigned char *file, *end;

  if (entry == NULL) return NULL;
  file = (unsigned char *)(entry + 1);
  entry->file = file;
  entry->file_bytes = bytes;
  end = file + parts.unwind;
  for (size_t i = 0; i < num_elves; i++) end = copy_unwind(&elves[i], end);
  memset(end, 0, (size_t)(file + parts.symbols - end));
  parts.unwind_bytes = (size_t)(end - (file + parts.unwind));
  write_header(file);
  write_sections(file, set, &parts);
  write_symbols(file, set, &parts);
  return entry;
}
