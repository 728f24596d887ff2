/* A small object for x86-64, put together in memory, whose bytes tests change. */
#ifndef TEST_ELF_H
#define TEST_ELF_H

#include "wire.h"

enum {
  TEST_ELF_CODE = 1, /* sections; the first is none */
  TEST_ELF_CODE_RELOCATIONS,
  TEST_ELF_SYMBOLS,
  TEST_ELF_STRINGS,
  TEST_ELF_CONSTANTS,
  TEST_ELF_UNWIND,
  TEST_ELF_NUM_SECTIONS
};

enum {
  TEST_ELF_FUNCTION = 1,   /* symbols: global, at the start of the code */
  TEST_ELF_MEMCPY,         /* global, defined elsewhere */
  TEST_ELF_CONSTANTS_BASE, /* local */
  TEST_ELF_FILE,           /* local, of no section */
  TEST_ELF_NUM_SYMBOLS
};

/* Of fields in a section's header. */
enum {
  TEST_ELF_TYPE = 4,
  TEST_ELF_FLAGS = 8,
  TEST_ELF_OFFSET = 24,
  TEST_ELF_SIZE = 32,
  TEST_ELF_LINK = 40,
  TEST_ELF_INFO = 44,
  TEST_ELF_ALIGNMENT = 48
};

typedef struct test_elf {
  size_t bytes;
  unsigned char data[2560];
} test_elf;

/* Code of up to 64 bytes as a function of that name. The constants are the bytes 0 to
 * 15, and there are no relocations. */
void test_elf_make(test_elf *elf, const char *function, const void *code, size_t bytes);
void test_elf_relocate(test_elf *elf, uint64_t offset, uint32_t type, uint32_t symbol,
                       int64_t addend);

unsigned char *test_elf_section(test_elf *elf, size_t index);
unsigned char *test_elf_symbol(test_elf *elf, size_t index);
/* Of bytes that the header of a section says to be its content. */
unsigned char *test_elf_content(test_elf *elf, size_t index);

/* In memory of just that size, which lives as long as the test. */
cyxla_wire test_elf_wire(const test_elf *elf);

#endif
