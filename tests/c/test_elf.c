#include "test_elf.h"

#include <stdlib.h>
#include <string.h>

#include "encoding.h"
#include "test.h"

/* Where everything lies. */
enum {
  CODE = 64,
  RELOCATIONS = 128,
  SYMBOLS = 320,
  STRINGS = 448,
  CONSTANTS = 704,
  UNWIND = 720,
  SECTIONS = 768
};
enum { HEADER_BYTES = 64, SYMBOL_BYTES = 24, RELOCATION_BYTES = 24 };
enum { CODE_BYTES = 64, STRING_BYTES = 256, CONSTANT_BYTES = 16, UNWIND_BYTES = 8 };
enum { PROGRAM_BITS = 1, GLOBAL = 1 << 4, ABSOLUTE = 0xfff1 };

static void store_u16(unsigned char *bytes, unsigned value) {
  bytes[0] = (unsigned char)value;
  bytes[1] = (unsigned char)(value >> 8);
}

unsigned char *test_elf_section(test_elf *elf, size_t index) {
  return elf->data + SECTIONS + index * HEADER_BYTES;
}

unsigned char *test_elf_symbol(test_elf *elf, size_t index) {
  return elf->data + SYMBOLS + index * SYMBOL_BYTES;
}

unsigned char *test_elf_content(test_elf *elf, size_t index) {
  return elf->data + cyxla_load_u64(test_elf_section(elf, index) + TEST_ELF_OFFSET);
}

/* Puts a text at the end of the strings and returns where. */
static uint32_t add_text(test_elf *elf, const char *text) {
  unsigned char *strings = elf->data + STRINGS;
  size_t at = STRING_BYTES;

  while (at > 1 && strings[at - 2] == '\0') at--;
  memcpy(strings + at, text, strlen(text) + 1);
  return (uint32_t)at;
}

static void put_section(test_elf *elf, size_t index, const char *name, uint32_t type,
                        uint64_t flags, uint64_t offset, uint64_t bytes) {
  unsigned char *header = test_elf_section(elf, index);

  cyxla_store_u32(header, add_text(elf, name));
  cyxla_store_u32(header + TEST_ELF_TYPE, type);
  cyxla_store_u64(header + TEST_ELF_FLAGS, flags);
  cyxla_store_u64(header + TEST_ELF_OFFSET, offset);
  cyxla_store_u64(header + TEST_ELF_SIZE, bytes);
  cyxla_store_u64(header + TEST_ELF_ALIGNMENT, 16);
}

static void put_symbol(test_elf *elf, size_t index, const char *name, unsigned info,
                       unsigned section) {
  unsigned char *symbol = test_elf_symbol(elf, index);

  cyxla_store_u32(symbol, add_text(elf, name));
  symbol[4] = (unsigned char)info;
  store_u16(symbol + 6, section);
}

static void put_header(test_elf *elf) {
  unsigned char *header = elf->data;

  memcpy(header, "\177ELF\2\1\1", 7);
  store_u16(header + 16, 1);  /* relocatable */
  store_u16(header + 18, 62); /* x86-64 */
  cyxla_store_u64(header + 40, SECTIONS);
  store_u16(header + 58, HEADER_BYTES);
  store_u16(header + 60, TEST_ELF_NUM_SECTIONS);
  store_u16(header + 62, TEST_ELF_STRINGS);
}

void test_elf_make(test_elf *elf, const char *function, const void *code,
                   size_t bytes) {
  memset(elf, 0, sizeof(*elf));
  elf->bytes = SECTIONS + TEST_ELF_NUM_SECTIONS * HEADER_BYTES;
  put_header(elf);
  memcpy(elf->data + CODE, code, bytes);
  for (int i = 0; i < CONSTANT_BYTES; i++) {
    elf->data[CONSTANTS + i] = (unsigned char)i;
  }
  put_section(elf, TEST_ELF_CODE, ".ltext", PROGRAM_BITS, 2 | 4, CODE, CODE_BYTES);
  put_section(elf, TEST_ELF_CODE_RELOCATIONS, ".rela.ltext", 4, 0, RELOCATIONS, 0);
  put_section(elf, TEST_ELF_SYMBOLS, ".symtab", 2, 0, SYMBOLS,
              TEST_ELF_NUM_SYMBOLS * SYMBOL_BYTES);
  put_section(elf, TEST_ELF_STRINGS, ".strtab", 3, 0, STRINGS, STRING_BYTES);
  put_section(elf, TEST_ELF_CONSTANTS, ".lrodata", PROGRAM_BITS, 2, CONSTANTS,
              CONSTANT_BYTES);
  put_section(elf, TEST_ELF_UNWIND, ".eh_frame", PROGRAM_BITS, 2, UNWIND, UNWIND_BYTES);
  cyxla_store_u32(test_elf_section(elf, TEST_ELF_CODE_RELOCATIONS) + TEST_ELF_LINK,
                  TEST_ELF_SYMBOLS);
  cyxla_store_u32(test_elf_section(elf, TEST_ELF_CODE_RELOCATIONS) + TEST_ELF_INFO,
                  TEST_ELF_CODE);
  cyxla_store_u32(test_elf_section(elf, TEST_ELF_SYMBOLS) + TEST_ELF_LINK,
                  TEST_ELF_STRINGS);
  put_symbol(elf, TEST_ELF_FUNCTION, function, GLOBAL, TEST_ELF_CODE);
  put_symbol(elf, TEST_ELF_MEMCPY, "memcpy", GLOBAL, 0);
  put_symbol(elf, TEST_ELF_CONSTANTS_BASE, ".L", 0, TEST_ELF_CONSTANTS);
  put_symbol(elf, TEST_ELF_FILE, "source", 0, ABSOLUTE);
}

void test_elf_relocate(test_elf *elf, uint64_t offset, uint32_t type, uint32_t symbol,
                       int64_t addend) {
  unsigned char *size =
      test_elf_section(elf, TEST_ELF_CODE_RELOCATIONS) + TEST_ELF_SIZE;
  uint64_t bytes = cyxla_load_u64(size);
  unsigned char *entry = elf->data + RELOCATIONS + bytes;

  EXPECT_TRUE(bytes + RELOCATION_BYTES <= SYMBOLS - RELOCATIONS);
  cyxla_store_u64(entry, offset);
  cyxla_store_u32(entry + 8, type);
  cyxla_store_u32(entry + 12, symbol);
  cyxla_store_u64(entry + 16, (uint64_t)addend);
  cyxla_store_u64(size, bytes + RELOCATION_BYTES);
}

cyxla_wire test_elf_wire(const test_elf *elf) {
  unsigned char *data = malloc(elf->bytes);
  cyxla_wire wire = {data, elf->bytes};

  EXPECT_TRUE(data != NULL);
  memcpy(data, elf->data, elf->bytes);
  test_defer(free, data);
  return wire;
}
