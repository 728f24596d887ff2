#include <string.h>

#include "direct/elf.h"
#include "encoding.h"
#include "memory.h"
#include "test_direct_support.h"
#include "test_elf.h"

static const unsigned char RETURN[] = {0x31, 0xc0, 0xc3};

static void make(test_elf *object) {
  test_elf_make(object, "kernel", RETURN, sizeof(RETURN));
}

static void release(void *elf) {
  cyxla_elf_free(elf);
}

static cyxla_elf *read(const test_elf *object) {
  cyxla_elf *elf = test_keep(sizeof(*elf));
  cyxla_error error;

  EXPECT_OK(cyxla_elf_read(test_elf_wire(object), elf, &error), &error);
  test_defer(release, elf);
  return elf;
}

static void expect_refused(const test_elf *object, const char *reason) {
  cyxla_elf elf;
  cyxla_error error;

  EXPECT_ERROR(cyxla_elf_read(test_elf_wire(object), &elf, &error), CYXLA_UNIMPLEMENTED,
               &error, reason);
  EXPECT_NULL(elf.sections);
  EXPECT_EQUAL(elf.num_sections, 0);
}

static void an_object_s_sections_are_read(void) {
  test_elf object;
  cyxla_elf *elf;

  make(&object);
  elf = read(&object);
  EXPECT_EQUAL(elf->num_sections, TEST_ELF_NUM_SECTIONS);
  EXPECT_TEXT(elf->sections[TEST_ELF_CODE].name, ".ltext");
  EXPECT_EQUAL(elf->sections[TEST_ELF_CODE].flags,
               CYXLA_ELF_ALLOCATED | CYXLA_ELF_EXECUTABLE);
  EXPECT_EQUAL(elf->sections[TEST_ELF_CODE].alignment, 16);
  EXPECT_BYTES(elf->sections[TEST_ELF_CODE].data, RETURN, sizeof(RETURN));
  EXPECT_NULL(elf->sections[TEST_ELF_CODE].address);
  EXPECT_EQUAL(elf->sections[0].alignment, 1);
  EXPECT_EQUAL(elf->sections[TEST_ELF_CODE_RELOCATIONS].link, TEST_ELF_SYMBOLS);
  EXPECT_EQUAL(elf->sections[TEST_ELF_CODE_RELOCATIONS].info, TEST_ELF_CODE);
}

static void symbols_and_relocations_are_read(void) {
  test_elf object;
  cyxla_elf *elf;
  cyxla_elf_symbol symbol;
  cyxla_elf_relocation relocation;
  const cyxla_elf_section *table;

  make(&object);
  test_elf_relocate(&object, 2, CYXLA_ELF_RELOCATION_64, TEST_ELF_MEMCPY, -5);
  cyxla_store_u64(test_elf_symbol(&object, TEST_ELF_FUNCTION) + 8, 3);
  elf = read(&object);
  table = &elf->sections[TEST_ELF_SYMBOLS];
  EXPECT_EQUAL(cyxla_elf_num_symbols(table), TEST_ELF_NUM_SYMBOLS);
  EXPECT_TRUE(cyxla_elf_symbol_read(elf, table, TEST_ELF_FUNCTION, &symbol));
  EXPECT_TEXT(symbol.name, "kernel");
  EXPECT_EQUAL(symbol.section, TEST_ELF_CODE);
  EXPECT_EQUAL(symbol.value, 3);
  EXPECT_TRUE(symbol.is_global);
  EXPECT_TRUE(cyxla_elf_symbol_read(elf, table, TEST_ELF_MEMCPY, &symbol));
  EXPECT_TEXT(symbol.name, "memcpy");
  EXPECT_EQUAL(symbol.section, 0);
  EXPECT_TRUE(cyxla_elf_symbol_read(elf, table, TEST_ELF_FILE, &symbol));
  EXPECT_TRUE(!symbol.is_global);
  table = &elf->sections[TEST_ELF_CODE_RELOCATIONS];
  EXPECT_EQUAL(cyxla_elf_num_relocations(table), 1);
  cyxla_elf_relocation_read(table, 0, &relocation);
  EXPECT_EQUAL(relocation.offset, 2);
  EXPECT_EQUAL(relocation.type, CYXLA_ELF_RELOCATION_64);
  EXPECT_EQUAL(relocation.symbol, TEST_ELF_MEMCPY);
  EXPECT_EQUAL(relocation.addend, -5);
}

static void other_files_are_refused(void) {
  static const struct {
    size_t at;
    unsigned char value;
    const char *reason;
  } changes[] = {
      {0, 'E', "is no little-endian ELF file of 64 bits"},
      {4, 1, "is no little-endian ELF file of 64 bits"},
      {5, 2, "is no little-endian ELF file of 64 bits"},
      {6, 2, "is no little-endian ELF file of 64 bits"},
      {16, 2, "is not a relocatable one for x86-64"},
      {18, 183, "is not a relocatable one for x86-64"},
      {42, 1, "has no table of sections"}, /* behind the end */
      {47, 0xff, "has no table of sections"},
      {58, 65, "has no table of sections"}, /* of other structs */
      {60, 0, "has no table of sections"},  /* of none */
      {60, 9, "has no table of sections"},  /* of more than there are */
      {61, 5, "has no table of sections"},
      {62, TEST_ELF_NUM_SECTIONS, "has no names of sections"},
      {62, TEST_ELF_CODE, "has a section without a name"},
  };

  for (size_t i = 0; i < TEST_COUNT(changes); i++) {
    test_elf object;
    make(&object);
    object.data[changes[i].at] = changes[i].value;
    expect_refused(&object, changes[i].reason);
  }
}

static void an_object_that_is_cut_off_is_refused(void) {
  test_elf object;

  make(&object);
  object.bytes = 63;
  expect_refused(&object, "an object of its code is no little-endian ELF file");
  object.bytes = 0;
  expect_refused(&object, "is no little-endian ELF file");
  make(&object);
  object.bytes--;
  expect_refused(&object, "has no table of sections");
}

static void a_section_outside_of_its_object_is_refused(void) {
  static const struct {
    size_t field;
    uint64_t value;
  } changes[] = {
      {TEST_ELF_OFFSET, 5000},
      {TEST_ELF_OFFSET, UINT64_MAX},
      {TEST_ELF_SIZE, 5000},
      {TEST_ELF_SIZE, UINT64_MAX},
      {TEST_ELF_SIZE, UINT64_MAX - 63},
      {TEST_ELF_ALIGNMENT, 3},
      {TEST_ELF_ALIGNMENT, 8192},
      {TEST_ELF_ALIGNMENT, UINT64_C(1) << 63},
  };

  for (size_t i = 0; i < TEST_COUNT(changes); i++) {
    test_elf object;
    make(&object);
    cyxla_store_u64(test_elf_section(&object, TEST_ELF_CODE) + changes[i].field,
                    changes[i].value);
    expect_refused(&object, "has a section that lies outside of it");
  }
}

static void sections_that_share_bytes_are_refused(void) {
  test_elf object;

  make(&object);
  for (size_t i = 1; i < TEST_ELF_NUM_SECTIONS; i++) {
    if (i == TEST_ELF_STRINGS) continue;
    cyxla_store_u64(test_elf_section(&object, i) + TEST_ELF_SIZE, 448);
  }
  expect_refused(&object, "has sections that share bytes");
}

static void a_name_has_to_end(void) {
  test_elf object;

  make(&object);
  cyxla_store_u32(test_elf_section(&object, TEST_ELF_CODE), 256);
  expect_refused(&object, "has a section without a name");
  make(&object);
  memset(test_elf_content(&object, TEST_ELF_STRINGS) + 250, 'x', 6);
  cyxla_store_u32(test_elf_section(&object, TEST_ELF_CODE), 250);
  expect_refused(&object, "has a section without a name");
}

static void a_symbol_outside_of_its_object_is_none(void) {
  static const struct {
    size_t at;
    unsigned char value;
  } changes[] = {
      {1, 1},    /* a name outside of the strings */
      {6, 7},    /* a section that is not there */
      {7, 0xff}, /* a global of no section */
      {8, 65},   /* behind the section's end */
      {15, 0x80},
  };
  test_elf object;
  cyxla_elf *elf;
  cyxla_elf_symbol symbol;

  for (size_t i = 0; i < TEST_COUNT(changes); i++) {
    make(&object);
    test_elf_symbol(&object, TEST_ELF_FUNCTION)[changes[i].at] = changes[i].value;
    elf = read(&object);
    EXPECT_TRUE(!cyxla_elf_symbol_read(elf, &elf->sections[TEST_ELF_SYMBOLS],
                                       TEST_ELF_FUNCTION, &symbol));
    cyxla_elf_free(elf);
  }
  make(&object);
  elf = read(&object);
  EXPECT_TRUE(!cyxla_elf_symbol_read(elf, &elf->sections[TEST_ELF_SYMBOLS],
                                     TEST_ELF_NUM_SYMBOLS, &symbol));
  EXPECT_TRUE(
      !cyxla_elf_symbol_read(elf, &elf->sections[TEST_ELF_STRINGS], 0, &symbol));
  elf->sections[TEST_ELF_SYMBOLS].link = TEST_ELF_NUM_SECTIONS;
  EXPECT_TRUE(
      !cyxla_elf_symbol_read(elf, &elf->sections[TEST_ELF_SYMBOLS], 0, &symbol));
}

static void memory_that_runs_out_is_said(void) {
  test_elf object;
  cyxla_elf elf;
  cyxla_error error;

  make(&object);
  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_elf_read(test_elf_wire(&object), &elf, &error),
               CYXLA_OUT_OF_MEMORY, &error, "code");
  EXPECT_NULL(elf.sections);
}

TEST_MAIN(TEST_CASE(an_object_s_sections_are_read),
          TEST_CASE(symbols_and_relocations_are_read),
          TEST_CASE(other_files_are_refused),
          TEST_CASE(an_object_that_is_cut_off_is_refused),
          TEST_CASE(a_section_outside_of_its_object_is_refused),
          TEST_CASE(sections_that_share_bytes_are_refused),
          TEST_CASE(a_name_has_to_end),
          TEST_CASE(a_symbol_outside_of_its_object_is_none),
          TEST_CASE(memory_that_runs_out_is_said))
