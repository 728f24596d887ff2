/* The file that tells perf the names of kernels. That perf makes something of it is
 * shown in tests/python/test_debugging.py. */
#define _XOPEN_SOURCE 700
#include "direct/perf_map.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_child.h"
#include "test_direct_support.h"

static void own_path(char path[64]) {
  snprintf(path, 64, "/tmp/perf-%ld.map", (long)getpid());
}

static void remove_own(void *unused) {
  char path[64];

  (void)unused;
  own_path(path);
  unlink(path);
}

/* The path of this process's file, which is not there and goes when the test ends. */
static const char *begin(void) {
  char *path = test_keep(64);

  remove_own(NULL);
  test_defer(remove_own, NULL);
  own_path(path);
  test_set_environment("CYXLA_PERF_MAP", "1");
  return path;
}

static char code[64];

static void add(const char *name, size_t offset, size_t bytes) {
  cyxla_object_symbol symbol = {test_keep(strlen(name) + 1), code + offset, bytes};
  cyxla_object_set set = {0};

  memcpy(symbol.name, name, strlen(name));
  set.symbols = &symbol;
  set.num_symbols = 1;
  cyxla_perf_map_add(&set);
}

static void expect_content(const char *path, const char *expected) {
  size_t bytes;
  const unsigned char *data = test_read_file(path, &bytes);

  EXPECT_EQUAL(bytes, strlen(expected));
  EXPECT_BYTES(data, expected, bytes);
}

static const char *line(size_t offset, const char *rest) {
  char *text = test_keep(128);

  snprintf(text, 128, "%lx %s\n", (unsigned long)(code + offset), rest);
  return text;
}

static void kernels_that_are_loaded_are_written(void) {
  const char *path = begin();
  const cyxla_object_set *set =
      &test_create_direct(test_read_fixture("while"))->objects;
  char expected[1024] = "";
  struct stat status;

  EXPECT_TRUE(set->num_symbols > 1);
  for (size_t i = 0; i < set->num_symbols; i++) {
    const cyxla_object_symbol *symbol = &set->symbols[i];
    size_t used = strlen(expected);
    snprintf(expected + used, sizeof(expected) - used, "%lx %lx %s\n",
             (unsigned long)symbol->address, (unsigned long)symbol->bytes,
             symbol->name);
  }
  expect_content(path, expected);
  EXPECT_EQUAL(stat(path, &status), 0);
  EXPECT_EQUAL(status.st_mode & 0777, 0600);
}

static void no_file_is_written_unless_that_is_asked_for(void) {
  static const char *const values[] = {NULL, "", "0"};
  const char *path = begin();

  for (size_t i = 0; i < TEST_COUNT(values); i++) {
    test_set_environment("CYXLA_PERF_MAP", values[i]);
    add("kernel", 0, 1);
    EXPECT_TRUE(access(path, F_OK) != 0);
  }
}

static void names_are_added_to_what_is_there(void) {
  const char *path = begin();
  char expected[256];

  test_write_file(path, "1 2 of another compiler\n", 24);
  add("first", 0, 1);
  add("second", 16, 31);
  snprintf(expected, sizeof(expected), "1 2 of another compiler\n%s%s",
           line(0, "1 first"), line(16, "1f second"));
  expect_content(path, expected);
}

/* Names come from a file, and could otherwise add lines. */
static void a_name_is_one_line(void) {
  const char *path = begin();

  add("one\nkernel\t", 0, 1);
  expect_content(path, line(0, "1 one?kernel?"));
}

static int check_child(void *parent) {
  char path[64];
  bool is_there;

  own_path(path);
  unlink(path);
  add("child", 0, 1);
  is_there = access(path, F_OK) == 0;
  unlink(path);
  TEST_CHILD_EXPECT(strcmp(path, parent) != 0);
  TEST_CHILD_EXPECT(is_there);
  return 0;
}

static void a_child_writes_a_file_of_its_own(void) {
  const char *path = begin();

  add("parent", 0, 1);
  test_expect_in_child(check_child, (void *)path);
  expect_content(path, line(0, "1 parent"));
}

/* Anyone may make files in /tmp, for others to write to. */
static void files_that_others_made_are_left_alone(void) {
  const char *path = begin(), *target = test_temporary_path("target");

  test_write_file(target, "kept", 4);
  EXPECT_EQUAL(symlink(target, path), 0);
  add("kernel", 0, 1);
  expect_content(target, "kept");
  unlink(path);
  EXPECT_EQUAL(link(target, path), 0);
  add("kernel", 0, 1);
  expect_content(target, "kept");
  unlink(path);
  EXPECT_EQUAL(mkfifo(path, 0600), 0); /* nobody reads it */
  add("kernel", 0, 1);
  unlink(path);
  EXPECT_EQUAL(mkdir(path, 0700), 0);
  add("kernel", 0, 1);
  EXPECT_EQUAL(rmdir(path), 0);
}

static void a_file_of_another_user_s_is_left_alone(void) {
  const char *path = begin();

  test_write_file(path, "kept", 4);
  /* Only the administrator can give a file away. */
  if (chown(path, 1, (gid_t)-1) != 0) return;
  add("kernel", 0, 1);
  expect_content(path, "kept");
}

TEST_MAIN(TEST_CASE(kernels_that_are_loaded_are_written),
          TEST_CASE(no_file_is_written_unless_that_is_asked_for),
          TEST_CASE(names_are_added_to_what_is_there), TEST_CASE(a_name_is_one_line),
          TEST_CASE(a_child_writes_a_file_of_its_own),
          TEST_CASE(files_that_others_made_are_left_alone),
          TEST_CASE(a_file_of_another_user_s_is_left_alone))
