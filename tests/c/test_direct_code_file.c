/* Code that is mapped from a file, for tools that know the names of mapped files. */
#include "direct/code_file.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "test_direct_support.h"

/* How an address is mapped: permissions, and the file's path. */
typedef struct mapping {
  char permissions[8];
  char path[512];
} mapping;

static mapping mapping_of(const void *address) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1024];
  mapping found = {"", ""};

  EXPECT_TRUE(maps != NULL);
  while (fgets(line, sizeof(line), maps) != NULL) {
    uintptr_t start, end;
    mapping read = {"", ""};
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %*s %*s %*s %511[^\n]", &start,
               &end, read.permissions, read.path) >= 3 &&
        start <= (uintptr_t)address && (uintptr_t)address < end) {
      found = read;
    }
  }
  fclose(maps);
  return found;
}

static size_t count_files(const char *path) {
  DIR *directory = opendir(path);
  size_t count = 0;

  EXPECT_TRUE(directory != NULL);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] != '.') count++;
  }
  closedir(directory);
  return count;
}

static const cyxla_object_set *load(void) {
  return &test_create_direct(test_read_fixture("branches"))->objects;
}

static void *kernel_of(const cyxla_object_set *set) {
  EXPECT_TRUE(set->num_symbols > 0);
  return set->symbols[0].address;
}

/* The directory of the test's files. */
static char *directory_of(const char *path) {
  char *directory = test_keep(strlen(path) + 1);

  memcpy(directory, path, (size_t)(strrchr(path, '/') - path));
  return directory;
}

static void code_is_mapped_from_a_file_that_is_gone(void) {
  const char *directory = directory_of(test_temporary_path("code"));
  const cyxla_object_set *set;
  const unsigned char *last;
  size_t before = count_files(directory);
  mapping code, data;

  test_set_environment("CYXLA_CODE_DIR", directory);
  set = load();
  last = (const unsigned char *)set->memory + set->bytes - 1;
  code = mapping_of(kernel_of(set));
  EXPECT_TEXT(code.permissions, "r-xp");
  EXPECT_CONTAINS(code.path, "/cyxla-code-");
  EXPECT_CONTAINS(code.path, " (deleted)");
  data = mapping_of(last);
  EXPECT_TEXT(data.permissions, "rw-p");
  EXPECT_TEXT(data.path, code.path);
  EXPECT_EQUAL(count_files(directory), before);
}

/* That it runs is shown by the tests of running, which are run with a file as well. */
static void code_in_a_file_is_the_same_code(void) {
  const cyxla_object_set *plain = load(), *filed;

  test_set_environment("CYXLA_CODE_DIR", directory_of(test_temporary_path("code")));
  filed = load();
  EXPECT_EQUAL(filed->num_symbols, plain->num_symbols);
  for (size_t i = 0; i < plain->num_symbols; i++) {
    EXPECT_TEXT(filed->symbols[i].name, plain->symbols[i].name);
    /* Before the first address that is put in, which differs. */
    EXPECT_BYTES(filed->symbols[i].address, plain->symbols[i].address, 16);
  }
}

static void code_needs_no_file(void) {
  char longest[5000] = "/";

  memset(longest + 1, 'x', sizeof(longest) - 2);
  const char *const directories[] = {NULL, "", "/nowhere/at/all", "/proc", longest};
  for (size_t i = 0; i < TEST_COUNT(directories); i++) {
    mapping code;
    test_set_environment("CYXLA_CODE_DIR", directories[i]);
    code = mapping_of(kernel_of(load()));
    EXPECT_TEXT(code.permissions, "r-xp");
    EXPECT_TEXT(code.path, "");
  }
}

TEST_MAIN(TEST_CASE(code_is_mapped_from_a_file_that_is_gone),
          TEST_CASE(code_in_a_file_is_the_same_code), TEST_CASE(code_needs_no_file))
