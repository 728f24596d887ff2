/* What debuggers are told of code: the list, and the ELF files in it. That gdb makes
 * something of them is shown in tests/python/test_debugging.py. */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <string.h>

#include "direct/debug_image.h"
#include "direct/debug_list.h"
#include "encoding.h"
#include "test_child.h"
#include "test_direct_support.h"
#include "test_elf.h"

/* return NULL; */
static const unsigned char RETURN[] = {0x31, 0xc0, 0xc3};

/* Sections of the files, and the field of one that says where it is. */
enum { CODE = 1, UNWIND, SYMBOLS };
enum { SECTION_ADDRESS = 16 };

static cyxla_status load(const char *function, cyxla_object_set *set) {
  test_elf object;
  cyxla_wire wire = {object.data, 0};

  test_elf_make(&object, function, RETURN, sizeof(RETURN));
  cyxla_store_u64(test_elf_symbol(&object, TEST_ELF_FUNCTION) + 16, sizeof(RETURN));
  wire.bytes = object.bytes;
  return cyxla_object_set_load(&wire, 1, set, NULL);
}

/* How many files are in the list, which is walked both ways. */
static size_t count(void) {
  const cyxla_debug_entry *last = NULL, *entry = __jit_debug_descriptor.first;
  size_t forwards = 0;

  for (; entry != NULL; entry = entry->next, forwards++) {
    EXPECT_TRUE(entry->previous == last);
    last = entry;
  }
  return forwards;
}

static bool is_listed(const cyxla_debug_entry *wanted) {
  const cyxla_debug_entry *entry = __jit_debug_descriptor.first;

  while (entry != NULL && entry != wanted) entry = entry->next;
  return entry != NULL;
}

/* A file of the list, whose sections cyxla_elf_read reads of a relocatable file. */
typedef struct image {
  cyxla_elf elf;
  const unsigned char *headers;
} image;

enum { TYPE = 16, SHARED = 3, RELOCATABLE = 1 };

static void release(void *elf) {
  cyxla_elf_free(elf);
}

static const image *read_image(const cyxla_debug_entry *entry) {
  cyxla_wire file = {entry->file, (size_t)entry->file_bytes};
  unsigned char *type = (unsigned char *)entry->file + TYPE;
  image *read = test_keep(sizeof(*read));
  cyxla_error error;

  EXPECT_EQUAL(*type, SHARED);
  *type = RELOCATABLE;
  EXPECT_OK(cyxla_elf_read(file, &read->elf, &error), &error);
  *type = SHARED;
  test_defer(release, &read->elf);
  read->headers = entry->file + cyxla_load_u64(entry->file + 40);
  return read;
}

static const unsigned char *address_of(const image *read, size_t section) {
  const unsigned char *header = read->headers + section * 64;

  return (const unsigned char *)(uintptr_t)cyxla_load_u64(header + SECTION_ADDRESS);
}

/* The functions that a file names, with their addresses, are those of the set. */
static void expect_symbols(const image *read, const cyxla_object_set *set) {
  const cyxla_elf_section *table = &read->elf.sections[SYMBOLS];
  const unsigned char *names = read->elf.sections[table->link].data;

  EXPECT_TEXT(table->name, ".symtab");
  EXPECT_EQUAL(cyxla_elf_num_symbols(table), 1 + set->num_symbols);
  for (size_t i = 0; i < set->num_symbols; i++) {
    const unsigned char *symbol = table->data + (1 + i) * 24;
    EXPECT_TEXT((const char *)names + cyxla_load_u32(symbol), set->symbols[i].name);
    EXPECT_EQUAL(symbol[4], 1 << 4 | 2); /* global, a function */
    EXPECT_EQUAL(symbol[6], CODE);
    EXPECT_EQUAL(cyxla_load_u64(symbol + 8), (uintptr_t)set->symbols[i].address);
    EXPECT_EQUAL(cyxla_load_u64(symbol + 16), set->symbols[i].bytes);
    EXPECT_TRUE(set->symbols[i].bytes > 0);
  }
}

/* Of each function, the entry that says how its caller is found begins with where it is
 * from there, and how long it is. */
static void expect_unwinding(const image *read, const cyxla_object_set *set,
                             size_t expected) {
  const cyxla_elf_section *section = &read->elf.sections[UNWIND];
  const unsigned char *at = section->data, *end = at + section->bytes;
  size_t found = 0;

  EXPECT_TRUE(address_of(read, UNWIND) == section->data);
  for (uint32_t bytes; at < end; at += 4 + bytes) {
    bytes = cyxla_load_u32(at);
    EXPECT_TRUE(bytes > 0 && bytes < (size_t)(end - at));
    if (cyxla_load_u32(at + 4) == 0) continue; /* what several entries have in common */
    for (size_t i = 0; i < set->num_symbols; i++) {
      if ((const unsigned char *)set->symbols[i].address ==
          at + 8 + (intptr_t)cyxla_load_u64(at + 8)) {
        EXPECT_EQUAL(cyxla_load_u64(at + 16), set->symbols[i].bytes);
        found++;
      }
    }
  }
  EXPECT_TRUE(at == end);
  EXPECT_EQUAL(found, expected);
}

static void kernels_have_names_addresses_and_callers(void) {
  /* XLA tells nothing of the callers of some kernels; gdb then reads their code. */
  static const struct {
    const char *name;
    size_t num_kernels, num_unwinding;
  } cases[] = {
      {"twice_sine", 1, 1}, {"while", 3, 3}, {"branches", 7, 3}, {"several_old", 3, 3}};

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    const cyxla_object_set *set =
        &test_create_direct(test_read_fixture(cases[i].name))->objects;
    const image *read;
    EXPECT_EQUAL(set->num_symbols, cases[i].num_kernels);
    EXPECT_TRUE(is_listed(set->debug));
    read = read_image(set->debug);
    EXPECT_TEXT(read->elf.sections[CODE].name, ".text");
    EXPECT_TRUE(address_of(read, CODE) == set->memory);
    EXPECT_EQUAL(read->elf.sections[CODE].bytes, set->bytes);
    EXPECT_EQUAL(read->elf.sections[CODE].flags,
                 CYXLA_ELF_ALLOCATED | CYXLA_ELF_EXECUTABLE);
    expect_symbols(read, set);
    expect_unwinding(read, set, cases[i].num_unwinding);
  }
}

static void code_is_listed_as_long_as_it_is_loaded(void) {
  static const size_t order[] = {1, 2, 0}; /* from the middle, the start and the end */
  cyxla_object_set sets[3];
  size_t before = count();

  EXPECT_EQUAL(__jit_debug_descriptor.version, 1);
  for (size_t i = 0; i < 3; i++) {
    EXPECT_OK(load("kernel", &sets[i]), NULL);
    EXPECT_EQUAL(count(), before + i + 1);
    EXPECT_TRUE(__jit_debug_descriptor.first == sets[i].debug);
  }
  for (size_t i = 0; i < 3; i++) {
    const cyxla_debug_entry *gone = sets[order[i]].debug;
    cyxla_object_set_free(&sets[order[i]]);
    EXPECT_EQUAL(count(), before + 2 - i);
    EXPECT_TRUE(!is_listed(gone));
  }
  /* Nothing is under way. */
  EXPECT_EQUAL(__jit_debug_descriptor.action, CYXLA_DEBUG_NOTHING);
  EXPECT_NULL(__jit_debug_descriptor.relevant);
}

static void code_without_functions_is_not_listed(void) {
  cyxla_object_set set;
  size_t before = count();

  EXPECT_OK(cyxla_object_set_load(NULL, 0, &set, NULL), NULL);
  EXPECT_NULL(set.debug);
  EXPECT_EQUAL(count(), before);
  cyxla_object_set_free(&set);
}

static void code_that_is_refused_is_not_listed(void) {
  size_t before = count();
  cyxla_wire wires[2];
  cyxla_object_set set;
  test_elf object;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  wires[0] = wires[1] = test_elf_wire(&object);
  EXPECT_STATUS(cyxla_object_set_load(wires, 2, &set, NULL), CYXLA_UNIMPLEMENTED, NULL);
  EXPECT_EQUAL(count(), before);
}

/* The objects' tables for finding callers are for debuggers alone: code of any other
 * kind would be refused. */
static void what_cannot_be_told_is_left_out(void) {
  static const struct {
    uint64_t offset;
    uint32_t type, symbol;
    size_t bytes;
  } cases[] = {
      {0, CYXLA_ELF_RELOCATION_PC64, TEST_ELF_FUNCTION, 8},
      {0, 99, TEST_ELF_FUNCTION, 0},
      {1, CYXLA_ELF_RELOCATION_PC64, TEST_ELF_FUNCTION, 0},
      {UINT64_MAX, CYXLA_ELF_RELOCATION_64, TEST_ELF_FUNCTION, 0},
      {0, CYXLA_ELF_RELOCATION_64, 1000, 0},
  };

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    test_elf object;
    cyxla_wire wire;
    cyxla_object_set set;
    const image *read;
    test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
    test_elf_relocate(&object, cases[i].offset, cases[i].type, cases[i].symbol, 0);
    cyxla_store_u32(
        test_elf_section(&object, TEST_ELF_CODE_RELOCATIONS) + TEST_ELF_INFO,
        TEST_ELF_UNWIND);
    wire = test_elf_wire(&object);
    EXPECT_OK(cyxla_object_set_load(&wire, 1, &set, NULL), NULL);
    read = read_image(set.debug);
    EXPECT_EQUAL(read->elf.sections[UNWIND].bytes, cases[i].bytes);
    EXPECT_EQUAL(cyxla_elf_num_symbols(&read->elf.sections[SYMBOLS]), 2);
    cyxla_object_set_free(&set);
  }
}

/* A symbol may say that it is longer than its section. */
static void functions_end_where_their_section_does(void) {
  test_elf object;
  cyxla_wire wire;
  cyxla_object_set set;

  test_elf_make(&object, "kernel", RETURN, sizeof(RETURN));
  cyxla_store_u64(test_elf_symbol(&object, TEST_ELF_FUNCTION) + 8, 60);
  cyxla_store_u64(test_elf_symbol(&object, TEST_ELF_FUNCTION) + 16, UINT64_MAX);
  wire = test_elf_wire(&object);
  EXPECT_OK(cyxla_object_set_load(&wire, 1, &set, NULL), NULL);
  EXPECT_EQUAL(set.symbols[0].bytes, 4);
  cyxla_object_set_free(&set);
}

enum { NUM_THREADS = 8, NUM_LOADS = 100 };

/* No assertions: they end the test's own thread. */
static void *load_often(void *failed) {
  for (int i = 0; i < NUM_LOADS; i++) {
    cyxla_object_set sets[2];
    if (load("kernel", &sets[0]) != CYXLA_OK || load("other", &sets[1]) != CYXLA_OK) {
      *(bool *)failed = true;
      return NULL;
    }
    cyxla_object_set_free(&sets[i % 2]);
    cyxla_object_set_free(&sets[1 - i % 2]);
  }
  return NULL;
}

static int check_child(void *before) {
  cyxla_object_set set;

  TEST_CHILD_EXPECT(load("kernel", &set) == CYXLA_OK);
  TEST_CHILD_EXPECT(__jit_debug_descriptor.first == set.debug);
  cyxla_object_set_free(&set);
  cyxla_object_set_free(before); /* of the parent */
  return 0;
}

static void threads_and_children_load_code_at_once(void) {
  size_t before = count();
  bool failed[NUM_THREADS] = {false};
  pthread_t threads[NUM_THREADS];
  cyxla_object_set set;

  EXPECT_OK(load("first", &set), NULL);
  for (size_t i = 0; i < NUM_THREADS; i++) {
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, load_often, &failed[i]), 0);
  }
  for (int i = 0; i < 5; i++) test_expect_in_child(check_child, &set);
  for (size_t i = 0; i < NUM_THREADS; i++) {
    pthread_join(threads[i], NULL);
    EXPECT_TRUE(!failed[i]);
  }
  EXPECT_EQUAL(count(), before + 1);
  cyxla_object_set_free(&set);
}

TEST_MAIN(TEST_CASE(kernels_have_names_addresses_and_callers),
          TEST_CASE(code_is_listed_as_long_as_it_is_loaded),
          TEST_CASE(code_without_functions_is_not_listed),
          TEST_CASE(code_that_is_refused_is_not_listed),
          TEST_CASE(what_cannot_be_told_is_left_out),
          TEST_CASE(functions_end_where_their_section_does),
          TEST_CASE(threads_and_children_load_code_at_once))
