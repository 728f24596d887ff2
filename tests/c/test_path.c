#define _XOPEN_SOURCE 700
#include "path.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "memory.h"
#include "test.h"

static void a_file_is_a_file(void) {
  const char *path = test_temporary_path("file");
  cyxla_error error;

  test_write_file(path, "x", 1);
  EXPECT_OK(cyxla_path_check_file(path, CYXLA_NOT_FOUND, "thing", &error), &error);
  EXPECT_TRUE(cyxla_path_is_file(path));
}

static void a_missing_file_is_named(void) {
  cyxla_error error;

  EXPECT_ERROR(cyxla_path_check_file("/nowhere/file", CYXLA_NOT_FOUND, "thing", &error),
               CYXLA_NOT_FOUND, &error,
               "the thing /nowhere/file cannot be read: No such file or directory");
  EXPECT_TRUE(!cyxla_path_is_file("/nowhere/file"));
}

static void a_directory_is_no_file(void) {
  cyxla_error error;

  EXPECT_ERROR(cyxla_path_check_file("/", CYXLA_NOT_FOUND, "thing", &error),
               CYXLA_NOT_FOUND, &error, "the thing / is a directory, expected a file");
  EXPECT_TRUE(!cyxla_path_is_file("/"));
}

static void a_path_beside_is_in_the_same_directory(void) {
  static const struct {
    const char *path;
    const char *beside;
  } known[] = {
      {"/a/b", "/a/c"}, {"a/b", "a/c"}, {"b", "./c"},
      {"/b", "/c"},     {"", "./c"},    {"a/", "a/c"},
  };

  for (size_t i = 0; i < TEST_COUNT(known); i++) {
    char *beside = cyxla_path_beside(known[i].path, "c");
    EXPECT_TEXT(beside, known[i].beside);
    cyxla_release(beside);
  }
  cyxla_memory_fail_after(0);
  EXPECT_NULL(cyxla_path_beside("a", "b"));
}

static void an_absolute_path_has_no_links(void) {
  const char *file = test_temporary_path("file");
  const char *link = test_temporary_path("link");
  char *expected, *actual;

  test_write_file(file, "x", 1);
  EXPECT_EQUAL(symlink("file", link), 0);
  expected = cyxla_path_absolute(file);
  actual = cyxla_path_absolute(link);
  EXPECT_TEXT(actual, expected);
  EXPECT_EQUAL(expected[0], '/');
  cyxla_release(actual);
  cyxla_release(expected);
  EXPECT_NULL(cyxla_path_absolute("/nowhere/file"));
  cyxla_memory_fail_after(0);
  EXPECT_NULL(cyxla_path_absolute(file));
}

static void a_file_is_hashed_with_its_size(void) {
  const char *path = test_temporary_path("file");
  static unsigned char data[600000];
  uint64_t bytes = 1, hash = 1;
  cyxla_error error;

  for (size_t i = 0; i < sizeof(data); i++) data[i] = (unsigned char)(i * i);
  test_write_file(path, data, sizeof(data));
  EXPECT_OK(cyxla_path_hash_file(path, &bytes, &hash, &error), &error);
  EXPECT_EQUAL(bytes, sizeof(data));
  EXPECT_EQUAL(hash, cyxla_hash_bytes(data, sizeof(data)));
  test_write_file(path, "", 0);
  EXPECT_OK(cyxla_path_hash_file(path, &bytes, &hash, &error), &error);
  EXPECT_EQUAL(bytes, 0);
  EXPECT_EQUAL(hash, cyxla_hash_bytes("", 0));
}

static void what_cannot_be_read_is_not_hashed(void) {
  const char *path = test_temporary_path("file");
  uint64_t bytes, hash;
  cyxla_error error;

  EXPECT_ERROR(cyxla_path_hash_file("/nowhere/file", &bytes, &hash, &error),
               CYXLA_FILE_UNREADABLE, &error,
               "the file /nowhere/file cannot be read: No such file");
  EXPECT_ERROR(cyxla_path_hash_file("/", &bytes, &hash, &error), CYXLA_FILE_UNREADABLE,
               &error, "the file / cannot be read");
  test_write_file(path, "x", 1);
  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_path_hash_file(path, &bytes, &hash, &error), CYXLA_OUT_OF_MEMORY,
               &error, "reading a file");
}

static void a_file_is_written_and_replaced(void) {
  const char *path = test_temporary_path("file");
  cyxla_error error;
  size_t bytes;

  EXPECT_OK(cyxla_path_write_file(path, "one", 3, &error), &error);
  EXPECT_BYTES(test_read_file(path, &bytes), "one", 3);
  EXPECT_EQUAL(bytes, 3);
  EXPECT_OK(cyxla_path_write_file(path, "second", 6, &error), &error);
  EXPECT_BYTES(test_read_file(path, &bytes), "second", 6);
  EXPECT_EQUAL(bytes, 6);
  EXPECT_OK(cyxla_path_write_file(path, "", 0, &error), &error);
  test_read_file(path, &bytes);
  EXPECT_EQUAL(bytes, 0);
}

static void a_written_file_may_be_read_by_others_as_the_umask_says(void) {
  const char *path = test_temporary_path("file");
  struct stat information;
  cyxla_error error;
  mode_t before = umask(022);

  cyxla_status status = cyxla_path_write_file(path, "x", 1, &error);
  umask(before);
  EXPECT_OK(status, &error);
  EXPECT_EQUAL(stat(path, &information), 0);
  EXPECT_EQUAL(information.st_mode & 0777, 0644);
}

static void a_replaced_file_keeps_its_permissions(void) {
  static const mode_t modes[] = {0600, 0640, 0666, 0444};
  const char *path = test_temporary_path("file");
  struct stat information;
  cyxla_error error;

  for (size_t i = 0; i < TEST_COUNT(modes); i++) {
    EXPECT_OK(cyxla_path_write_file(path, "old", 3, &error), &error);
    EXPECT_EQUAL(chmod(path, modes[i]), 0);
    mode_t before = umask(022);
    cyxla_status status = cyxla_path_write_file(path, "new", 3, &error);
    umask(before);
    EXPECT_OK(status, &error);
    EXPECT_EQUAL(stat(path, &information), 0);
    EXPECT_EQUAL(information.st_mode & 07777, modes[i]);
  }
}

static void expect_link(const char *path) {
  struct stat information;

  EXPECT_EQUAL(lstat(path, &information), 0);
  EXPECT_TRUE(S_ISLNK(information.st_mode));
}

static void what_links_lead_to_is_written_and_the_links_stay(void) {
  const char *file = test_temporary_path("file");
  const char *link = test_temporary_path("link");
  const char *far = test_temporary_path("far");
  cyxla_error error;
  size_t bytes;

  EXPECT_EQUAL(symlink("file", link), 0);
  EXPECT_EQUAL(symlink(link, far), 0);
  /* First there is no file yet, then there is. */
  EXPECT_OK(cyxla_path_write_file(far, "one", 3, &error), &error);
  EXPECT_BYTES(test_read_file(file, &bytes), "one", 3);
  EXPECT_OK(cyxla_path_write_file(far, "second", 6, &error), &error);
  EXPECT_BYTES(test_read_file(file, &bytes), "second", 6);
  expect_link(link);
  expect_link(far);
}

static void links_into_another_directory_are_seen_from_where_they_are(void) {
  const char *directory = test_temporary_path("directory");
  const char *link = test_temporary_path("link");
  const char *gone = test_temporary_path("gone");
  cyxla_error error;
  size_t bytes;

  EXPECT_EQUAL(mkdir(directory, 0700), 0);
  EXPECT_EQUAL(symlink("directory/file", link), 0);
  EXPECT_OK(cyxla_path_write_file(link, "one", 3, &error), &error);
  EXPECT_BYTES(test_read_file(test_temporary_path("directory/file"), &bytes), "one", 3);
  EXPECT_EQUAL(unlink(test_temporary_path("directory/file")), 0);
  EXPECT_EQUAL(rmdir(directory), 0);
  EXPECT_EQUAL(symlink("nowhere/file", gone), 0);
  EXPECT_ERROR(cyxla_path_write_file(gone, "x", 1, &error), CYXLA_FILE_UNWRITABLE,
               &error, "gone cannot be written: No such file or directory");
}

static void links_that_go_in_a_circle_are_an_error(void) {
  const char *link = test_temporary_path("link");
  cyxla_error error;

  EXPECT_EQUAL(symlink("link", link), 0);
  EXPECT_ERROR(cyxla_path_write_file(link, "x", 1, &error), CYXLA_FILE_UNWRITABLE,
               &error, "link cannot be written: Too many levels of symbolic links");
  expect_link(link);
}

static void what_is_no_regular_file_is_not_replaced(void) {
  const char *pipe = test_temporary_path("pipe");
  const char *device = test_temporary_path("device");
  struct stat information;
  cyxla_error error;

  EXPECT_EQUAL(mkfifo(pipe, 0600), 0);
  EXPECT_ERROR(cyxla_path_write_file(pipe, "x", 1, &error), CYXLA_FILE_UNWRITABLE,
               &error,
               "pipe cannot be written: it is a pipe, expected a regular file or "
               "none; write to another path");
  EXPECT_EQUAL(lstat(pipe, &information), 0);
  EXPECT_TRUE(S_ISFIFO(information.st_mode));
  /* Through a link, so that a failure of this test does the machine no harm. */
  EXPECT_EQUAL(symlink("/dev/null", device), 0);
  EXPECT_ERROR(cyxla_path_write_file(device, "x", 1, &error), CYXLA_FILE_UNWRITABLE,
               &error, "device cannot be written: it is a character device");
}

static void a_name_may_be_as_long_as_names_can_be(void) {
  char name[256];
  const char *path;
  cyxla_error error;
  size_t bytes;

  memset(name, 'n', 255);
  name[255] = '\0';
  path = test_temporary_path(name);
  EXPECT_OK(cyxla_path_write_file(path, "one", 3, &error), &error);
  EXPECT_OK(cyxla_path_write_file(path, "two", 3, &error), &error);
  EXPECT_BYTES(test_read_file(path, &bytes), "two", 3);
}

static void a_file_that_cannot_be_written_leaves_nothing_behind(void) {
  const char *directory = test_temporary_path("directory");
  cyxla_error error;

  EXPECT_ERROR(cyxla_path_write_file("/nowhere/file", "x", 1, &error),
               CYXLA_FILE_UNWRITABLE, &error,
               "the file /nowhere/file cannot be written: No such file or directory");
  EXPECT_EQUAL(mkdir(directory, 0700), 0);
  EXPECT_ERROR(cyxla_path_write_file(directory, "x", 1, &error), CYXLA_FILE_UNWRITABLE,
               &error, "directory cannot be written: ");
  /* rmdir refuses a directory that is not empty; the temporary file would lie beside
   * it. */
  EXPECT_EQUAL(rmdir(directory), 0);
  char parent[4096];
  snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(directory, '/') - directory),
           directory);
  EXPECT_EQUAL(rmdir(parent), 0);
  EXPECT_EQUAL(mkdir(parent, 0700), 0);
}

static void a_disk_that_is_full_keeps_the_old_file(void) {
  const char *path = test_temporary_path("file");
  static const char data[10000];
  struct rlimit before, limit;
  cyxla_error error;
  cyxla_status status;
  size_t bytes;

  EXPECT_OK(cyxla_path_write_file(path, "old", 3, &error), &error);
  EXPECT_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 5000;
  signal(SIGXFSZ, SIG_IGN);
  EXPECT_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
  status = cyxla_path_write_file(path, data, sizeof(data), &error);
  EXPECT_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_STATUS(status, CYXLA_FILE_UNWRITABLE, &error);
  EXPECT_CONTAINS(error.message, "cannot be written: File too large");
  EXPECT_BYTES(test_read_file(path, &bytes), "old", 3);
  EXPECT_EQUAL(bytes, 3);
}

static void a_file_that_a_killed_process_left_is_in_nobody_s_way(void) {
  const char *path = test_temporary_path("file");
  cyxla_error error;
  char name[64];
  size_t bytes;

  /* The names that the next writes would take first. */
  for (int i = 0; i < 50; i++) {
    snprintf(name, sizeof(name), ".cyxla-%ld-%d.tmp", (long)getpid(), i);
    test_write_file(test_temporary_path(name), "left", 4);
  }
  EXPECT_OK(cyxla_path_write_file(path, "new", 3, &error), &error);
  EXPECT_BYTES(test_read_file(path, &bytes), "new", 3);
  EXPECT_BYTES(test_read_file(test_temporary_path(name), &bytes), "left", 4);
}

static void writing_needs_memory(void) {
  const char *link = test_temporary_path("link");
  cyxla_error error;

  /* The path, what the link says, and the temporary file's name. */
  EXPECT_EQUAL(symlink("file", link), 0);
  for (long i = 0; i < 3; i++) {
    cyxla_memory_fail_after(i);
    EXPECT_ERROR(cyxla_path_write_file(link, "x", 1, &error), CYXLA_OUT_OF_MEMORY,
                 &error, "writing a file");
  }
  EXPECT_TRUE(!cyxla_path_is_file(link));
}

TEST_MAIN(TEST_CASE(a_file_is_a_file), TEST_CASE(a_missing_file_is_named),
          TEST_CASE(a_directory_is_no_file),
          TEST_CASE(a_path_beside_is_in_the_same_directory),
          TEST_CASE(an_absolute_path_has_no_links),
          TEST_CASE(a_file_is_hashed_with_its_size),
          TEST_CASE(what_cannot_be_read_is_not_hashed),
          TEST_CASE(a_file_is_written_and_replaced),
          TEST_CASE(a_written_file_may_be_read_by_others_as_the_umask_says),
          TEST_CASE(a_replaced_file_keeps_its_permissions),
          TEST_CASE(what_links_lead_to_is_written_and_the_links_stay),
          TEST_CASE(links_into_another_directory_are_seen_from_where_they_are),
          TEST_CASE(links_that_go_in_a_circle_are_an_error),
          TEST_CASE(what_is_no_regular_file_is_not_replaced),
          TEST_CASE(a_name_may_be_as_long_as_names_can_be),
          TEST_CASE(a_file_that_cannot_be_written_leaves_nothing_behind),
          TEST_CASE(a_disk_that_is_full_keeps_the_old_file),
          TEST_CASE(a_file_that_a_killed_process_left_is_in_nobody_s_way),
          TEST_CASE(writing_needs_memory))
