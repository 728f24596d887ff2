#include "direct/object.h"

#include <string.h>

#include "direct/elf.h"
#include "direct/symbols.h"
#include "encoding.h"
#include "memory.h"
#include "test_direct_support.h"
#include "test_elf.h"

/* return NULL; */
static const unsigned char RETURN[] = {0x31, 0xc0, 0xc3};

/* return the 8 bytes behind the first two. */
static const unsigned char RETURN_64[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xc3};

/* return this address + the 4 bytes behind the first three. */
static const unsigned char RETURN_NEAR[] = {0x48, 0x8d, 0x05, 0, 0, 0, 0, 0xc3};

static void release(void *set) {
  cyxla_object_set_free(set);
}

static cyxla_object_set *load(const test_elf *objects, size_t count) {
  cyxla_object_set *set = test_keep(sizeof(*set));
  cyxla_wire wires[4];
  cyxla_error error;

  for (size_t i = 0; i < count; i++) wires[i] = test_elf_wire(&objects[i]);
  EXPECT_OK(cyxla_object_set_load(wires, count, set, &error), &error);
  test_defer(release, set);
  return set;
}

static void expect_refused(const test_elf *object, const char *reason) {
  cyxla_wire wire = test_elf_wire(object);
  cyxla_object_set set;
  cyxla_error error;

  EXPECT_ERROR(cyxla_object_set_load(&wire, 1, &set, &error), CYXLA_UNIMPLEMENTED,
               &error, reason);
  EXPECT_NULL(set.memory);
  EXPECT_NULL(set.symbols);
  EXPECT_EQUAL(set.num_symbols, 0);
}

static void *call(const cyxla_object_set *set, const char *name) {
  cyxla_kernel *kernel = cyxla_object_set_find(set, name);

  EXPECT_TRUE(kernel != NULL);
  return kernel(NULL);
}

static void kernels_of_several_objects_are_found_by_name(void) {
  test_elf objects[3];
  cyxla_object_set *set;

  test_elf_make(&objects[0], "second", RETURN_64, sizeof(RETURN_64));
  cyxla_store_u64(test_elf_content(&objects[0], TEST_ELF_CODE) + 2, 2);
  test_elf_make(&objects[1], "first", RETURN_64, sizeof(RETURN_64));
  cyxla_store_u64(test_elf_content(&objects[1], TEST_ELF_CODE) + 2, 1);
  test_elf_make(&objects[2], "third", RETURN, sizeof(RETURN));
  set = load(objects, 3);
  EXPECT_EQUAL(set->num_symbols, 3);
  EXPECT_TEXT(set->symbols[0].name, "first");
  EXPECT_EQUAL((uintptr_t)call(set, "first"), 1);
  EXPECT_EQUAL((uintptr_t)call(set, "second"), 2);
  EXPECT_NULL(call(set, "third"));
  EXPECT_TRUE(cyxla_object_set_find(set, "fourth") == NULL);
  EXPECT_TRUE(cyxla_object_set_find(set, "a") == NULL);
  EXPECT_TRUE(cyxla_object_set_find(set, "") == NULL);
}

static void no_objects_are_an_empty_set(void) {
  cyxla_object_set *set;

  set = load(NULL, 0);
  EXPECT_NULL(set->memory);
  EXPECT_TRUE(cyxla_object_set_find(set, "first") == NULL);
}

static void addresses_are_put_into_the_code(void) {
  test_elf object;
  cyxla_object_set *set;
  const unsigned char *constants;

  test_elf_make(&object, "kernel", RETURN_64, sizeof(RETURN_64));
  test_elf_relocate(&object, 2, CYXLA_ELF_RELOCATION_64, TEST_ELF_CONSTANTS_BASE, 4);
  set = load(&object, 1);
  constants = call(set, "kernel");
  EXPECT_BYTES(constants, "\4\5\6\7", 4);
  EXPECT_EQUAL((uintptr_t)(constants - 4) % 16, 0);
}

static void functions_of_the_c_library_are_put_into_the_code(void) {
  test_elf object;
  cyxla_object_set *set;

  test_elf_make(&object, "kernel", RETURN_64, sizeof(RETURN_64));
  test_elf_relocate(&object, 2, CYXLA_ELF_RELOCATION_64, TEST_ELF_MEMCPY, 0);
  set = load(&object, 1);
  EXPECT_TRUE(call(set, "kernel") == cyxla_direct_symbol("memcpy"));
}

static void distances_are_put_into_the_code(void) {
  static const uint32_t types[] = {CYXLA_ELF_RELOCATION_PC32,
                                   CYXLA_ELF_RELOCATION_PLT32};

  for (size_t i = 0; i < TEST_COUNT(types); i++) {
    test_elf object;
    cyxla_object_set *set;
    test_elf_make(&object, "kernel", RETURN_NEAR, sizeof(RETURN_NEAR));
    test_elf_relocate(&object, 3, types[i], TEST_ELF_CONSTANTS_BASE, -4 + 3);
    set = load(&object, 1);
    EXPECT_BYTES(call(set, "kernel"), "\3\4\5\6", 4);
    cyxla_object_set_free(set);
  }
}

static void distances_of_8_bytes_are_put_into_the_code(void) {
  test_elf object;
  cyxla_object_set *set;
  cyxla_kernel *kernel;
  unsigned char *start;

  test_elf_make(&object, "kernel", RETURN_64, sizeof(RETURN_64));
  test_elf_relocate(&object, 2, CYXLA_ELF_RELOCATION_PC64, TEST_ELF_CONSTANTS_BASE, 7);
  set = load(&object, 1);
  kernel = cyxla_object_set_find(set, "kernel");
  memcpy(&start, &kernel, sizeof(start));
  EXPECT_BYTES(start + 2 + (intptr_t)kernel(NULL), "\7\10\11", 3);
}

static void sections_lie_where_they_are_aligned(void) {
  test_elf objects[2];
  cyxla_object_set *set;

  for (size_t i = 0; i < 2; i++) {
    test_elf_make(&objects[i], i == 0 ? "one" : "two", RETURN_64, sizeof(RETURN_64));
    cyxla_store_u64(
        test_elf_section(&objects[i], TEST_ELF_CONSTANTS) + TEST_ELF_ALIGNMENT, 2048);
    test_elf_relocate(&objects[i], 2, CYXLA_ELF_RELOCATION_64, TEST_ELF_CONSTANTS_BASE,
                      0);
  }
  set = load(objects, 2);
  EXPECT_EQUAL((uintptr_t)call(set, "one") % 2048, 0);
  EXPECT_EQUAL((uintptr_t)call(set, "two") % 2048, 0);
  EXPECT_TRUE(call(set, "one") != call(set, "two"));
}

/* Exceptions are not thrown, and their tables neither loaded nor read. */
static void unwind_tables_are_left_out(void) {
  test_elf object;
  cyxla_object_set *set;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  test_elf_relocate(&object, 1000, 99, 1000, 0);
  cyxla_store_u32(test_elf_section(&object, TEST_ELF_CODE_RELOCATIONS) + TEST_ELF_INFO,
                  TEST_ELF_UNWIND);
  set = load(&object, 1);
  EXPECT_NULL(call(set, "kernel"));
}

static void two_functions_of_a_name_are_refused(void) {
  test_elf object;
  cyxla_wire wires[2];
  cyxla_object_set set;
  cyxla_error error;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  wires[0] = wires[1] = test_elf_wire(&object);
  EXPECT_ERROR(cyxla_object_set_load(wires, 2, &set, &error), CYXLA_UNIMPLEMENTED,
               &error, "its code defines twice kernel");
}

static void what_is_no_object_is_refused(void) {
  test_elf object;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  object.bytes = 10;
  expect_refused(&object, "an object of its code is no little-endian ELF file");
}

static void variables_are_refused(void) {
  test_elf object;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  test_elf_section(&object, TEST_ELF_CONSTANTS)[TEST_ELF_FLAGS] |= CYXLA_ELF_WRITABLE;
  expect_refused(&object, "its code has variables: section .lrodata");
  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  cyxla_store_u64(test_elf_section(&object, TEST_ELF_CONSTANTS) + TEST_ELF_FLAGS,
                  CYXLA_ELF_ALLOCATED | CYXLA_ELF_THREAD_LOCAL);
  expect_refused(&object, "its code has variables: section .lrodata");
  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  cyxla_store_u32(test_elf_section(&object, TEST_ELF_CONSTANTS) + TEST_ELF_TYPE,
                  CYXLA_ELF_NO_BITS);
  expect_refused(&object, "has a section that is not in its object: .lrodata");
}

static void symbols_outside_of_the_object_are_refused(void) {
  test_elf object;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  test_elf_symbol(&object, TEST_ELF_FUNCTION)[8] = 65;
  expect_refused(&object, "has a symbol that lies outside of it");
}

/* Each symbol's name is kept, and many symbols could have the same long one. */
static void long_names_are_refused(void) {
  test_elf object;
  unsigned char *strings;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  strings = object.data + object.bytes;
  memcpy(strings, test_elf_content(&object, TEST_ELF_STRINGS), 256);
  memset(strings + 256, 'x', 600);
  cyxla_store_u64(test_elf_section(&object, TEST_ELF_STRINGS) + TEST_ELF_OFFSET,
                  object.bytes);
  cyxla_store_u64(test_elf_section(&object, TEST_ELF_STRINGS) + TEST_ELF_SIZE, 857);
  object.bytes += 857;
  cyxla_store_u32(test_elf_symbol(&object, TEST_ELF_FUNCTION), 256);
  expect_refused(&object, "has a symbol that lies outside of it");
}

static void relocations_that_cannot_be_made_are_refused(void) {
  static const struct {
    uint64_t offset;
    uint32_t type, symbol;
    int64_t addend;
    const char *reason;
  } relocations[] = {
      {57, CYXLA_ELF_RELOCATION_64, TEST_ELF_MEMCPY, 0,
       "has a relocation that lies outside of .ltext"},
      {57, CYXLA_ELF_RELOCATION_PC64, TEST_ELF_MEMCPY, 0, "lies outside of .ltext"},
      {61, CYXLA_ELF_RELOCATION_PC32, TEST_ELF_MEMCPY, 0, "lies outside of .ltext"},
      {UINT64_MAX, CYXLA_ELF_RELOCATION_64, TEST_ELF_MEMCPY, 0,
       "lies outside of .ltext"},
      {2, CYXLA_ELF_RELOCATION_64, TEST_ELF_NUM_SYMBOLS, 0,
       "refers to a symbol that is not there"},
      {2, CYXLA_ELF_RELOCATION_64, UINT32_MAX, 0,
       "refers to a symbol that is not there"},
      {2, CYXLA_ELF_RELOCATION_64, 0, 0, "calls a function that is not known: "},
      {2, CYXLA_ELF_RELOCATION_64, TEST_ELF_FILE, 0,
       "refers to what is not loaded: source"},
      {2, CYXLA_ELF_RELOCATION_PC32, TEST_ELF_CONSTANTS_BASE, INT64_C(1) << 31,
       "calls what is too far away"},
      {2, CYXLA_ELF_RELOCATION_PLT32, TEST_ELF_CONSTANTS_BASE, -(INT64_C(1) << 32),
       "calls what is too far away"},
      {2, 42, TEST_ELF_CONSTANTS_BASE, 0,
       "has a relocation of a kind that is not known"},
      {2, 0, TEST_ELF_CONSTANTS_BASE, 0,
       "has a relocation of a kind that is not known"},
  };

  for (size_t i = 0; i < TEST_COUNT(relocations); i++) {
    test_elf object;
    test_elf_make(&object, "kernel", RETURN_64, sizeof(RETURN_64));
    test_elf_relocate(&object, relocations[i].offset, relocations[i].type,
                      relocations[i].symbol, relocations[i].addend);
    expect_refused(&object, relocations[i].reason);
  }
}

static void functions_that_are_not_known_are_refused(void) {
  test_elf object;

  test_elf_make(&object, "system", RETURN_64, sizeof(RETURN_64));
  test_elf_relocate(&object, 2, CYXLA_ELF_RELOCATION_64, TEST_ELF_FUNCTION, 0);
  test_elf_symbol(&object, TEST_ELF_FUNCTION)[6] = 0;
  expect_refused(&object, "its code calls a function that is not known: system");
}

static void tables_of_relocations_that_are_not_known_are_refused(void) {
  test_elf object;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  cyxla_store_u32(test_elf_section(&object, TEST_ELF_CODE_RELOCATIONS) + TEST_ELF_TYPE,
                  CYXLA_ELF_RELOCATIONS_WITHOUT_ADDEND);
  expect_refused(&object, "has relocations without addends");
  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  cyxla_store_u32(test_elf_section(&object, TEST_ELF_CODE_RELOCATIONS) + TEST_ELF_INFO,
                  TEST_ELF_NUM_SECTIONS);
  expect_refused(&object, "has relocations of a section that is not there");
  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  test_elf_relocate(&object, 2, CYXLA_ELF_RELOCATION_64, TEST_ELF_MEMCPY, 0);
  cyxla_store_u32(test_elf_section(&object, TEST_ELF_CODE_RELOCATIONS) + TEST_ELF_LINK,
                  TEST_ELF_NUM_SECTIONS);
  expect_refused(&object, "refers to a symbol that is not there");
}

static void data_is_no_kernel(void) {
  test_elf object;
  cyxla_object_set *set;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  test_elf_symbol(&object, TEST_ELF_FUNCTION)[6] = TEST_ELF_CONSTANTS;
  set = load(&object, 1);
  EXPECT_EQUAL(set->num_symbols, 0);
}

static void memory_that_runs_out_is_said(void) {
  test_elf objects[2];
  cyxla_wire wires[2];
  cyxla_object_set set;
  cyxla_error error;
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  long n = 0;

  test_elf_make(&objects[0], "one", RETURN, sizeof(RETURN));
  test_elf_make(&objects[1], "two", RETURN, sizeof(RETURN));
  for (size_t i = 0; i < 2; i++) wires[i] = test_elf_wire(&objects[i]);
  for (; status == CYXLA_OUT_OF_MEMORY; n++) {
    long live = cyxla_memory_live();
    cyxla_memory_fail_after(n);
    status = cyxla_object_set_load(wires, 2, &set, &error);
    cyxla_memory_fail_after(-1);
    if (status == CYXLA_OUT_OF_MEMORY) {
      EXPECT_EQUAL(cyxla_memory_live(), live);
      EXPECT_NULL(set.memory);
    }
  }
  EXPECT_OK(status, &error);
  cyxla_object_set_free(&set);
  EXPECT_EQUAL(n, 8);
}

TEST_MAIN(TEST_CASE(kernels_of_several_objects_are_found_by_name),
          TEST_CASE(no_objects_are_an_empty_set),
          TEST_CASE(addresses_are_put_into_the_code),
          TEST_CASE(functions_of_the_c_library_are_put_into_the_code),
          TEST_CASE(distances_are_put_into_the_code),
          TEST_CASE(distances_of_8_bytes_are_put_into_the_code),
          TEST_CASE(sections_lie_where_they_are_aligned),
          TEST_CASE(unwind_tables_are_left_out),
          TEST_CASE(two_functions_of_a_name_are_refused),
          TEST_CASE(what_is_no_object_is_refused), TEST_CASE(variables_are_refused),
          TEST_CASE(symbols_outside_of_the_object_are_refused),
          TEST_CASE(long_names_are_refused),
          TEST_CASE(relocations_that_cannot_be_made_are_refused),
          TEST_CASE(functions_that_are_not_known_are_refused),
          TEST_CASE(tables_of_relocations_that_are_not_known_are_refused),
          TEST_CASE(data_is_no_kernel), TEST_CASE(memory_that_runs_out_is_said))
