#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "plugin_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "executable.h"
#include "memory.h"
#include "plugin_identity.h"
#include "test.h"
#include "test_fake.h"

/* A hash that no file here has, so that it shows whether a file was hashed. */
static const uint64_t PLANTED = 0x123456789abcdef;

/* The record of a file as it is, but for the hash. */
static cyxla_plugin_record planted_record(const char *path) {
  cyxla_plugin_record record;

  memset(&record, 0, sizeof(record));
  record.path = cyxla_duplicate(path, strlen(path));
  record.hash = PLANTED;
  cyxla_path_get_state(path, &record.state);
  record.state.device = 0;
  record.bytes = record.state.bytes;
  EXPECT_TRUE(cyxla_path_hash_ends(path, &record.ends_hash));
  return record;
}

static uint64_t identify(const cyxla_plugin *plugin) {
  uint64_t bytes, hash;
  cyxla_error error;

  EXPECT_OK(cyxla_plugin_identify(plugin, &bytes, &hash, &error), &error);
  EXPECT_EQUAL(bytes, plugin->file.bytes);
  return hash;
}

static uint64_t hash_of(const char *path) {
  uint64_t bytes, hash;
  cyxla_error error;

  EXPECT_OK(cyxla_path_hash_file(path, &bytes, &hash, &error), &error);
  return hash;
}

static const cyxla_plugin *load(const char *path) {
  const cyxla_plugin *plugin;
  cyxla_error error;

  EXPECT_OK(cyxla_plugin_load(path, &plugin, &error), &error);
  return plugin;
}

/* The library is loaded, so the bytes that are there stay where they are. */
static void append_byte(const char *path) {
  FILE *file = fopen(path, "ab");

  EXPECT_TRUE(file != NULL);
  fputc('x', file);
  EXPECT_EQUAL(fclose(file), 0);
}

static void a_plugin_is_known_from_the_record_of_its_file(void) {
  const char *path = test_fake_copy("recorded.so");
  cyxla_plugin_record record = planted_record(path);
  const cyxla_plugin *plugin;

  test_fake_start();
  EXPECT_TRUE(cyxla_plugin_record_is_unchanged(&record));
  plugin = load(path);
  cyxla_plugin_recall(plugin, &record);
  EXPECT_TRUE(identify(plugin) == PLANTED);
  EXPECT_CONTAINS(plugin->identity, "0123456789abcdef-");
  cyxla_plugin_record_free(&record);
}

static void a_record_of_another_state_is_not_believed(void) {
  const char *path = test_fake_copy("another.so");
  cyxla_plugin_record record;
  const cyxla_plugin *plugin;

  test_fake_start();
  plugin = load(path);
  for (int i = 0; i < 9; i++) {
    record = planted_record(path);
    if (i == 0) record.state.bytes++;
    if (i == 1) record.state.number++;
    if (i == 2) record.state.seconds--;
    if (i == 3) record.state.nanoseconds++;
    if (i == 4) record.state.status_seconds--;
    if (i == 5) record.state.status_nanoseconds++;
    if (i == 6) record.ends_hash++;
    if (i == 7) memset(&record.state, 0, sizeof(record.state));
    if (i == 8) record.path[0] = '.';
    EXPECT_TRUE(!cyxla_plugin_record_is_unchanged(&record));
    cyxla_plugin_recall(plugin, &record);
    cyxla_plugin_record_free(&record);
  }
  cyxla_plugin_recall(plugin, &record);
  EXPECT_TRUE(!cyxla_plugin_record_is_unchanged(&record));
  EXPECT_TRUE(identify(plugin) == hash_of(path));
}

static void a_file_that_was_changed_is_not_taken_for_what_was_loaded(void) {
  const char *path = test_fake_copy("changed.so");
  cyxla_plugin_record before = planted_record(path), after;
  const cyxla_plugin *plugin;

  test_fake_start();
  plugin = load(path);
  append_byte(path);
  EXPECT_TRUE(!cyxla_plugin_record_is_unchanged(&before));
  cyxla_plugin_recall(plugin, &before);
  after = planted_record(path);
  cyxla_plugin_recall(plugin, &after);
  EXPECT_TEXT(plugin->identity, "");
  cyxla_plugin_record_free(&before);
  cyxla_plugin_record_free(&after);
}

static void the_ends_of_a_file_are_its_first_and_last_bytes(void) {
  const char *path = test_temporary_path("ends");
  static unsigned char data[100000];
  uint64_t hash, other;

  EXPECT_TRUE(!cyxla_path_hash_ends(path, &hash));
  for (int i = 0; i < 3; i++) {
    static const size_t places[3] = {0, 50000, 99999};
    test_write_file(path, data, sizeof(data));
    EXPECT_TRUE(cyxla_path_hash_ends(path, &hash));
    data[places[i]] ^= 1;
    test_write_file(path, data, sizeof(data));
    EXPECT_TRUE(cyxla_path_hash_ends(path, &other));
    EXPECT_EQUAL(hash != other, i != 1);
  }
  test_write_file(path, "", 0);
  EXPECT_TRUE(cyxla_path_hash_ends(path, &hash));
  test_write_file(path, "a", 1);
  EXPECT_TRUE(cyxla_path_hash_ends(path, &other));
  EXPECT_TRUE(hash != other);
}

/* Waits until a file that was written lately may be recorded. */
static void wait_until_settled(const char *path) {
  const struct timespec pause = {0, 100000000};
  cyxla_path_state state;

  cyxla_path_get_state(path, &state);
  while (time(NULL) - state.status_seconds <= CYXLA_SETTLED_SECONDS + 1) {
    nanosleep(&pause, NULL);
  }
}

static void the_state_of_a_file_that_may_still_change_is_not_recorded(void) {
  const char *path = test_fake_copy("new.so");
  struct timespec later[2];
  cyxla_plugin_record record;
  cyxla_error error;

  memset(later, 0, sizeof(later));
  later[0].tv_sec = later[1].tv_sec = time(NULL) + 1000;
  EXPECT_EQUAL(utimensat(AT_FDCWD, path, later, 0), 0);
  EXPECT_OK(cyxla_plugin_record_create(path, &record, &error), &error);
  EXPECT_EQUAL(record.state.is_there, 0);
  EXPECT_TRUE(record.hash == hash_of(record.path));
  cyxla_plugin_record_free(&record);
}

/* A plugin whose record has the state of its file and another hash. */
static void what_is_compiled_is_labelled_only_with_the_library_s_own_hash(void) {
  const char *path = test_temporary_path("sum.cyxla");
  cyxla_plugin_record record;
  cyxla_executable *executable;
  cyxla_program *loaded;
  cyxla_error error;

  test_fake_start();
  for (size_t i = 0; i < 2; i++) {
    cyxla_plugin_forget_all();
    executable = test_compile(test_sum_program());
    record = planted_record(test_fake_path());
    if (i == 1) cyxla_plugin_recall(executable->runtime->plugin, &record);
    EXPECT_OK(cyxla_executable_save(executable, path, &error), &error);
    EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
    EXPECT_EQUAL(cyxla_program_num_executables(loaded), 1 - i);
    cyxla_program_destroy(loaded);
    cyxla_executable_destroy(executable);
    cyxla_plugin_record_free(&record);
    remove(path);
  }
  cyxla_plugin_forget_all();
}

static void expect_read(const cyxla_plugin_record *record, size_t num_fields) {
  cyxla_writer writer = {0};
  cyxla_plugin_record read;
  bool is_out_of_memory = false;
  size_t shortest, place;

  cyxla_plugin_record_write(&writer, record);
  shortest = 8 + strlen(record->path) + 16;
  EXPECT_EQUAL(writer.size, shortest + 8 * num_fields);
  for (size_t size = 0; size <= writer.size; size++) {
    cyxla_reader reader = {writer.data, size, 0, false};
    bool is_whole = size == shortest || size == writer.size;
    EXPECT_EQUAL(cyxla_plugin_record_read(&reader, &read, &is_out_of_memory), is_whole);
    if (is_whole) EXPECT_TEXT(read.path, record->path);
    if (size == writer.size)
      EXPECT_BYTES(&read.state, &record->state, sizeof(read.state));
    place = size;
    cyxla_plugin_record_free(&read);
  }
  EXPECT_EQUAL(place, writer.size);
  EXPECT_TRUE(!is_out_of_memory);
  cyxla_writer_free(&writer);
}

static void a_record_is_written_and_read(void) {
  cyxla_plugin_record record;
  cyxla_error error;

  wait_until_settled(test_fake_path());
  EXPECT_OK(cyxla_plugin_record_create(test_fake_path(), &record, &error), &error);
  EXPECT_EQUAL(record.state.is_there, 1);
  EXPECT_TRUE(cyxla_plugin_record_is_unchanged(&record));
  expect_read(&record, 6);
  memset(&record.state, 0, sizeof(record.state));
  expect_read(&record, 0);
  cyxla_plugin_record_free(&record);
}

TEST_MAIN(TEST_CASE(a_plugin_is_known_from_the_record_of_its_file),
          TEST_CASE(a_record_of_another_state_is_not_believed),
          TEST_CASE(a_file_that_was_changed_is_not_taken_for_what_was_loaded),
          TEST_CASE(the_ends_of_a_file_are_its_first_and_last_bytes),
          TEST_CASE(the_state_of_a_file_that_may_still_change_is_not_recorded),
          TEST_CASE(what_is_compiled_is_labelled_only_with_the_library_s_own_hash),
          TEST_CASE(a_record_is_written_and_read))
