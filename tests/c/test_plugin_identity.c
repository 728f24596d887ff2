#include "plugin_identity.h"

#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "memory.h"
#include "runtime.h"
#include "test.h"
#include "test_fake.h"

static void a_plugin_is_told_by_its_library(void) {
  size_t size;
  unsigned char *data = test_read_file(test_fake_path(), &size);
  const char *identity, *again;
  cyxla_runtime *runtime;
  uint64_t bytes, hash;
  char expected[64];
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  snprintf(expected, sizeof(expected), "%016llx-%zu",
           (unsigned long long)cyxla_hash_bytes(data, size), size);
  EXPECT_OK(cyxla_runtime_plugin_identity(runtime, &identity, &error), &error);
  EXPECT_TEXT(identity, expected);
  EXPECT_OK(cyxla_runtime_plugin_identity(runtime, &again, &error), &error);
  EXPECT_TRUE(again == identity);
  EXPECT_OK(cyxla_plugin_identify(runtime->plugin, &bytes, &hash, &error), &error);
  EXPECT_EQUAL(bytes, size);
  EXPECT_EQUAL(hash, cyxla_hash_bytes(data, size));
  cyxla_runtime_destroy(runtime);
}

static void expect_changed(cyxla_runtime *runtime) {
  const char *identity = "";
  uint64_t bytes = 1, hash = 1;
  cyxla_error error;

  EXPECT_ERROR(cyxla_runtime_plugin_identity(runtime, &identity, &error),
               CYXLA_FAILED_PRECONDITION, &error, "was changed after it had been");
  EXPECT_NULL(identity);
  EXPECT_ERROR(cyxla_plugin_identify(runtime->plugin, &bytes, &hash, &error),
               CYXLA_FAILED_PRECONDITION, &error, runtime->plugin->path);
  EXPECT_EQUAL(bytes, 0);
  EXPECT_EQUAL(hash, 0);
}

/* The library that is loaded stays what it is, and the file is another one. */
static void a_library_that_is_replaced_is_not_taken_for_the_one_that_is_loaded(void) {
  const char *path = test_fake_copy("replaced.so");
  const char *other = test_fake_copy("other.so");
  cyxla_runtime *runtime = test_runtime(path);

  EXPECT_EQUAL(rename(other, path), 0);
  expect_changed(runtime);
  cyxla_runtime_destroy(runtime);
}

static void a_library_that_is_gone_cannot_be_told(void) {
  const char *path = test_fake_copy("gone.so");
  cyxla_runtime *runtime = test_runtime(path);
  const char *identity;
  cyxla_error error;

  EXPECT_EQUAL(remove(path), 0);
  EXPECT_ERROR(cyxla_runtime_plugin_identity(runtime, &identity, &error),
               CYXLA_FILE_UNREADABLE, &error, path);
  cyxla_runtime_destroy(runtime);
}

static void a_file_that_was_hashed_is_hashed_again_once_it_changed(void) {
  const char *path = test_temporary_path("library.so");
  const char *old = test_fake_path();
  uint64_t bytes, hash;
  size_t size;
  unsigned char *data = test_read_file(old, &size);
  cyxla_error error;

  for (int i = 0; i < 2; i++) {
    EXPECT_OK(cyxla_plugin_hash_file(old, &bytes, &hash, &error), &error);
    EXPECT_EQUAL(bytes, size);
    EXPECT_EQUAL(hash, cyxla_hash_bytes(data, size));
  }
  for (int i = 0; i < 3; i++) {
    char text[2] = {(char)('a' + i), '\0'};
    test_write_file(path, text, 1);
    EXPECT_OK(cyxla_plugin_hash_file(path, &bytes, &hash, &error), &error);
    EXPECT_EQUAL(bytes, 1);
    EXPECT_EQUAL(hash, cyxla_hash_bytes(text, 1));
  }
  EXPECT_ERROR(cyxla_plugin_hash_file("/nowhere.so", &bytes, &hash, &error),
               CYXLA_FILE_UNREADABLE, &error, "/nowhere.so");
}

static void required_arguments_are_named(void) {
  const char *identity = "";
  cyxla_error error;

  EXPECT_ERROR(cyxla_runtime_plugin_identity(NULL, &identity, &error),
               CYXLA_INVALID_ARGUMENT, &error, "runtime");
  EXPECT_NULL(identity);
  EXPECT_ERROR(cyxla_runtime_plugin_identity(NULL, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "identity");
}

static void without_memory_it_is_asked_again(void) {
  const char *path = test_fake_copy("without_memory.so");
  cyxla_runtime *runtime = test_runtime(path);
  const char *identity;
  cyxla_error error;

  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_runtime_plugin_identity(runtime, &identity, &error),
               CYXLA_OUT_OF_MEMORY, &error, "reading a file");
  EXPECT_OK(cyxla_runtime_plugin_identity(runtime, &identity, &error), &error);
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(a_plugin_is_told_by_its_library),
          TEST_CASE(a_library_that_is_replaced_is_not_taken_for_the_one_that_is_loaded),
          TEST_CASE(a_library_that_is_gone_cannot_be_told),
          TEST_CASE(a_file_that_was_hashed_is_hashed_again_once_it_changed),
          TEST_CASE(required_arguments_are_named),
          TEST_CASE(without_memory_it_is_asked_again))
