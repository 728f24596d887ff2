#include "elf.h"

#include <string.h>

#include "encoding.h"
#include "error.h"
#include "memory.h"

/* Bytes of the structs of 64-bit ELF, and where their fields are. */
enum {
  HEADER_BYTES = 64,
  SECTION_BYTES = 64,
  SYMBOL_BYTES = 24,
  RELOCATION_BYTES = 24
};

enum {
  TYPE_RELOCATABLE = 1,
  MACHINE_X86_64 = 62,
  BINDING_LOCAL = 0,
  INDEX_RESERVED = 0xff00
};

/* Much more than XLA makes, so that hostile objects take no time. */
enum { SECTIONS_MAXIMUM = 1024, ALIGNMENT_MAXIMUM = 4096, NAME_BYTES = 512 };

static uint32_t load_u16(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static cyxla_status refuse(const char *what, cyxla_error *error) {
  return cyxla_error_set(error, CYXLA_UNIMPLEMENTED, "an object of its code %s", what);
}

static bool is_inside(cyxla_wire object, uint64_t offset, uint64_t bytes) {
  return offset <= object.bytes && bytes <= object.bytes - offset;
}

/* A text of a string table; NULL where it does not end in there, or is longer than any
 * name: many symbols could have the same long one. */
static const char *text_at(const cyxla_elf_section *table, uint64_t offset) {
  size_t rest;

  if (table->type != CYXLA_ELF_STRING_TABLE || offset >= table->bytes) return NULL;
  rest = table->bytes - (size_t)offset;
  if (rest > NAME_BYTES) rest = NAME_BYTES;
  if (memchr(table->data + offset, '\0', rest) == NULL) return NULL;
  return (const char *)table->data + offset;
}

static bool read_section(cyxla_wire object, const unsigned char *header,
                         cyxla_elf_section *section) {
  uint64_t offset = cyxla_load_u64(header + 24), bytes = cyxla_load_u64(header + 32);
  uint64_t alignment = cyxla_load_u64(header + 48);

  section->type = cyxla_load_u32(header + 4);
  section->flags = cyxla_load_u64(header + 8);
  section->link = cyxla_load_u32(header + 40);
  section->info = cyxla_load_u32(header + 44);
  section->alignment = alignment > 0 ? (size_t)alignment : 1;
  section->bytes = (size_t)bytes;
  if (alignment > ALIGNMENT_MAXIMUM || (alignment & (alignment - 1)) != 0) return false;
  if (section->type == CYXLA_ELF_NO_BITS) return true;
  if (!is_inside(object, offset, bytes)) return false;
  section->data = object.data + offset;
  return true;
}

static cyxla_status read_sections(cyxla_wire object, cyxla_elf *elf,
                                  cyxla_error *error) {
  uint64_t offset = cyxla_load_u64(object.data + 40);
  uint32_t names = load_u16(object.data + 62);
  size_t rest = object.bytes;

  for (size_t i = 0; i < elf->num_sections; i++) {
    const unsigned char *header = object.data + offset + i * SECTION_BYTES;
    if (!read_section(object, header, &elf->sections[i])) {
      return refuse("has a section that lies outside of it", error);
    }
    if (elf->sections[i].data == NULL) continue;
    /* Those could add up to any number of symbols, relocations and bytes. */
    if (elf->sections[i].bytes > rest) {
      return refuse("has sections that share bytes", error);
    }
    rest -= elf->sections[i].bytes;
  }
  if (names >= elf->num_sections) return refuse("has no names of sections", error);
  for (size_t i = 0; i < elf->num_sections; i++) {
    const unsigned char *header = object.data + offset + i * SECTION_BYTES;
    elf->sections[i].name = text_at(&elf->sections[names], cyxla_load_u32(header));
    if (elf->sections[i].name == NULL)
      return refuse("has a section without a name", error);
  }
  return CYXLA_OK;
}

cyxla_status cyxla_elf_read(cyxla_wire object, cyxla_elf *elf, cyxla_error *error) {
  cyxla_status status;
  uint64_t offset;

  memset(elf, 0, sizeof(*elf));
  if (object.bytes < HEADER_BYTES || memcmp(object.data, "\177ELF\2\1\1", 7) != 0) {
    return refuse("is no little-endian ELF file of 64 bits", error);
  }
  if (load_u16(object.data + 16) != TYPE_RELOCATABLE ||
      load_u16(object.data + 18) != MACHINE_X86_64) {
    return refuse("is not a relocatable one for x86-64", error);
  }
  offset = cyxla_load_u64(object.data + 40);
  elf->num_sections = load_u16(object.data + 60);
  if (load_u16(object.data + 58) != SECTION_BYTES || elf->num_sections == 0 ||
      elf->num_sections > SECTIONS_MAXIMUM ||
      !is_inside(object, offset, elf->num_sections * SECTION_BYTES)) {
    elf->num_sections = 0;
    return refuse("has no table of sections", error);
  }
  elf->sections = cyxla_allocate_array(elf->num_sections, sizeof(*elf->sections));
  if (elf->sections == NULL) {
    elf->num_sections = 0;
    return cyxla_error_out_of_memory(error, "code");
  }
  status = read_sections(object, elf, error);
  if (status != CYXLA_OK) cyxla_elf_free(elf);
  return status;
}

void cyxla_elf_free(cyxla_elf *elf) {
  cyxla_release(elf->sections);
  memset(elf, 0, sizeof(*elf));
}

size_t cyxla_elf_num_symbols(const cyxla_elf_section *table) {
  return table->bytes / SYMBOL_BYTES;
}

size_t cyxla_elf_num_relocations(const cyxla_elf_section *table) {
  return table->bytes / RELOCATION_BYTES;
}

bool cyxla_elf_symbol_read(const cyxla_elf *elf, const cyxla_elf_section *table,
                           size_t index, cyxla_elf_symbol *symbol) {
  const unsigned char *entry;
  uint64_t bytes, rest;

  if (table->type != CYXLA_ELF_SYMBOL_TABLE || table->link >= elf->num_sections ||
      index >= cyxla_elf_num_symbols(table)) {
    return false;
  }
  entry = table->data + index * SYMBOL_BYTES;
  symbol->name = text_at(&elf->sections[table->link], cyxla_load_u32(entry));
  symbol->is_global = entry[4] >> 4 != BINDING_LOCAL;
  symbol->section = load_u16(entry + 6);
  symbol->value = cyxla_load_u64(entry + 8);
  symbol->bytes = 0;
  if (symbol->name == NULL) return false;
  if (symbol->section == 0) return true;
  /* A file's name is a symbol of no section. */
  if (symbol->section >= INDEX_RESERVED) return !symbol->is_global;
  if (symbol->section >= elf->num_sections ||
      symbol->value > elf->sections[symbol->section].bytes) {
    return false;
  }
  bytes = cyxla_load_u64(entry + 16);
  rest = elf->sections[symbol->section].bytes - symbol->value;
  symbol->bytes = (size_t)(bytes < rest ? bytes : rest);
  return true;
}

void cyxla_elf_relocation_read(const cyxla_elf_section *table, size_t index,
                               cyxla_elf_relocation *relocation) {
  const unsigned char *entry = table->data + index * RELOCATION_BYTES;

  relocation->offset = cyxla_load_u64(entry);
  relocation->type = cyxla_load_u32(entry + 8);
  relocation->symbol = cyxla_load_u32(entry + 12);
  relocation->addend = (int64_t)cyxla_load_u64(entry + 16);
}
