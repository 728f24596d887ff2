#define _XOPEN_SOURCE 700
#include "file.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "encoding.h"
#include "hash.h"
#include "memory.h"
#include "test.h"

/* The parts of a file with its two sections of 5 and 100 bytes: header, table, padding
 * and content. */
enum {
  VERSION = 8,
  NUM_SECTIONS = 12,
  LENGTH = 16,
  CHECKSUM = 24,
  TABLE = 32,
  ENTRY = 32,
  FIRST_CONTENT = 128
};

static const char *write_sample(void) {
  static unsigned char content[100];
  static const cyxla_section sections[2] = {
      {CYXLA_SECTION_SIGNATURE, CYXLA_SECTION_REQUIRED, (const unsigned char *)"first",
       5},
      {77, 0, content, sizeof(content)}};
  const char *path = test_temporary_path("sample.cyxla");
  cyxla_error error;

  memset(content, 'x', sizeof(content));
  EXPECT_OK(cyxla_file_write(path, sections, 2, &error), &error);
  return path;
}

static void expect_refused(const char *path, cyxla_status status, const char *message) {
  cyxla_file file;
  cyxla_error error;

  EXPECT_ERROR(cyxla_file_read(path, &file, &error), status, &error, message);
  EXPECT_CONTAINS(error.message, path);
  EXPECT_NULL(file.data);
}

static void write_checksum(unsigned char *data) {
  size_t num_sections = cyxla_load_u32(data + NUM_SECTIONS);
  cyxla_hash hash;

  cyxla_hash_start(&hash);
  cyxla_hash_update(&hash, data, CHECKSUM);
  cyxla_hash_update(&hash, data + TABLE, num_sections * ENTRY);
  cyxla_store_u64(data + CHECKSUM, cyxla_hash_finish(&hash));
}

static void sections_are_written_and_read(void) {
  const char *path = write_sample();
  const cyxla_section *section;
  cyxla_file file;
  cyxla_error error;

  EXPECT_OK(cyxla_file_read(path, &file, &error), &error);
  EXPECT_TEXT(file.path, path);
  EXPECT_EQUAL(file.num_sections, 2);
  section = cyxla_file_find(&file, CYXLA_SECTION_SIGNATURE);
  EXPECT_EQUAL(section->bytes, 5);
  EXPECT_BYTES(section->data, "first", 5);
  EXPECT_EQUAL(section->flags, CYXLA_SECTION_REQUIRED);
  section = cyxla_file_find(&file, (cyxla_section_kind)77);
  EXPECT_EQUAL(section->bytes, 100);
  EXPECT_EQUAL(section->data[99], 'x');
  EXPECT_NULL(cyxla_file_find(&file, CYXLA_SECTION_PLUGIN));
  cyxla_file_free(&file);
}

static void the_format_is_fixed(void) {
  size_t bytes;
  unsigned char *data = test_read_file(write_sample(), &bytes);

  EXPECT_BYTES(data,
               "\x89"
               "cyxla\r\n",
               8);
  EXPECT_EQUAL(cyxla_load_u32(data + VERSION), 1);
  EXPECT_EQUAL(cyxla_load_u32(data + NUM_SECTIONS), 2);
  EXPECT_EQUAL(cyxla_load_u64(data + LENGTH), bytes);
  EXPECT_EQUAL(cyxla_load_u32(data + TABLE), CYXLA_SECTION_SIGNATURE);
  EXPECT_EQUAL(cyxla_load_u64(data + TABLE + 8), FIRST_CONTENT);
  EXPECT_EQUAL(cyxla_load_u64(data + TABLE + 16), 5);
  EXPECT_EQUAL(cyxla_load_u64(data + TABLE + 24), cyxla_hash_bytes("first", 5));
  EXPECT_EQUAL(cyxla_load_u64(data + TABLE + ENTRY + 8), 192);
  EXPECT_EQUAL(bytes, 292);
}

static void a_file_may_have_no_sections(void) {
  const char *path = test_temporary_path("none.cyxla");
  cyxla_file file;
  cyxla_error error;

  EXPECT_OK(cyxla_file_write(path, NULL, 0, &error), &error);
  EXPECT_OK(cyxla_file_read(path, &file, &error), &error);
  EXPECT_EQUAL(file.num_sections, 0);
  cyxla_file_free(&file);
}

static void large_files_are_read_whole(void) {
  static unsigned char content[300000];
  const cyxla_section section = {CYXLA_SECTION_STABLEHLO, 0, content, sizeof(content)};
  const char *path = test_temporary_path("large.cyxla");
  cyxla_file file;
  cyxla_error error;

  for (size_t i = 0; i < sizeof(content); i++) content[i] = (unsigned char)(i * i);
  EXPECT_OK(cyxla_file_write(path, &section, 1, &error), &error);
  EXPECT_OK(cyxla_file_read(path, &file, &error), &error);
  EXPECT_BYTES(file.sections[0].data, content, sizeof(content));
  cyxla_file_free(&file);
}

static void what_cannot_be_read_is_named(void) {
  expect_refused("/nowhere/file", CYXLA_FILE_UNREADABLE,
                 "the file /nowhere/file cannot be read: No such file");
  expect_refused("/", CYXLA_FILE_UNREADABLE, "is a directory, expected a file");
}

/* A socket has a name like a file, but cannot be opened. */
static void what_cannot_be_opened_is_named(void) {
  const char *path = test_temporary_path("socket");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);

  EXPECT_TRUE(descriptor >= 0);
  EXPECT_TRUE(strlen(path) < sizeof(address.sun_path));
  strcpy(address.sun_path, path);
  EXPECT_EQUAL(bind(descriptor, (struct sockaddr *)&address, sizeof(address)), 0);
  close(descriptor);
  expect_refused(path, CYXLA_FILE_UNREADABLE, "cannot be read: ");
}

/* The first page of a process is never there. */
static void what_fails_to_be_read_is_named(void) {
  expect_refused("/proc/self/mem", CYXLA_FILE_UNREADABLE,
                 "cannot be read: Input/output error");
}

static void what_is_no_cyxla_file_is_refused(void) {
  static const char other[] =
      "\x89"
      "cyxla\n\n and more, more than a header is long";
  const char *path = test_temporary_path("other");

  test_write_file(path, "", 0);
  expect_refused(path, CYXLA_FILE_INVALID, "is empty, expected a .cyxla file");
  test_write_file(path, "text", 4);
  expect_refused(path, CYXLA_FILE_INVALID, "is no .cyxla file");
  test_write_file(path, other, sizeof(other));
  expect_refused(path, CYXLA_FILE_INVALID, "is no .cyxla file");
}

static void every_cut_is_refused(void) {
  const char *path = write_sample();
  size_t bytes;
  unsigned char *data = test_read_file(path, &bytes);

  for (size_t size = 1; size < bytes; size++) {
    test_write_file(path, data, size);
    expect_refused(path, CYXLA_FILE_INVALID, "damaged");
  }
}

static void what_is_too_long_is_refused(void) {
  const char *path = write_sample();
  size_t bytes;
  unsigned char *data = test_read_file(path, &bytes);

  test_write_file(path, data, bytes + 1);
  expect_refused(path, CYXLA_FILE_INVALID,
                 "it has at least 293 bytes and its header says");
}

/* Whatever byte is damaged, the error is one of a file. */
static void every_damaged_byte_is_found_or_does_not_matter(void) {
  const char *path = write_sample();
  size_t bytes;
  unsigned char *data = test_read_file(path, &bytes);

  for (size_t i = 0; i < bytes; i++) {
    cyxla_file file;
    cyxla_error error;
    cyxla_status status;
    bool is_padding =
        (i >= 32 + 2 * 32 && i < FIRST_CONTENT) || (i >= FIRST_CONTENT + 5 && i < 192);
    data[i] ^= 0x10;
    test_write_file(path, data, bytes);
    data[i] ^= 0x10;
    status = cyxla_file_read(path, &file, &error);
    cyxla_file_free(&file);
    if (is_padding) {
      EXPECT_OK(status, &error);
    } else if (i >= VERSION && i < VERSION + 4) {
      EXPECT_STATUS(status, CYXLA_FILE_TOO_NEW, &error);
    } else {
      EXPECT_STATUS(status, CYXLA_FILE_INVALID, &error);
    }
  }
}

static void versions_other_than_this_are_refused(void) {
  const char *path = write_sample();
  size_t bytes;
  unsigned char *data = test_read_file(path, &bytes);

  cyxla_store_u32(data + VERSION, 2);
  test_write_file(path, data, bytes);
  expect_refused(path, CYXLA_FILE_TOO_NEW, "has version 2 of the format");
  cyxla_store_u32(data + VERSION, 0);
  test_write_file(path, data, bytes);
  expect_refused(path, CYXLA_FILE_INVALID, "its version is 0");
}

static void impossible_lengths_are_refused(void) {
  static const uint64_t lengths[] = {0, 31, UINT64_MAX, UINT64_MAX / 2 + 2};
  const char *path = write_sample();
  size_t bytes;
  unsigned char *data = test_read_file(path, &bytes);

  for (size_t i = 0; i < TEST_COUNT(lengths); i++) {
    cyxla_store_u64(data + LENGTH, lengths[i]);
    test_write_file(path, data, bytes);
    expect_refused(path, CYXLA_FILE_INVALID, "its header gives an impossible length");
  }
}

/* Damage that the checksum of the header does not show. */
static void a_table_that_lies_is_refused(void) {
  static const struct {
    size_t place;
    uint64_t value;
    const char *message;
  } lies[] = {
      {TABLE + 8, 293, "a section lies outside of it"},
      {TABLE + 8, UINT64_MAX - 2, "a section lies outside of it"},
      {TABLE + 16, UINT64_MAX - 2, "a section lies outside of it"},
      {TABLE + 16, 165, "a section lies outside of it"},
      {TABLE + 16, 6, "the checksum of a section is wrong"},
      {TABLE + 24, 1, "the checksum of a section is wrong"},
  };
  const char *path = write_sample();
  size_t bytes;
  unsigned char *data = test_read_file(path, &bytes);

  for (size_t i = 0; i < TEST_COUNT(lies); i++) {
    uint64_t truth = cyxla_load_u64(data + lies[i].place);
    cyxla_store_u64(data + lies[i].place, lies[i].value);
    write_checksum(data);
    test_write_file(path, data, bytes);
    cyxla_store_u64(data + lies[i].place, truth);
    expect_refused(path, CYXLA_FILE_INVALID, lies[i].message);
  }
  cyxla_store_u32(data + NUM_SECTIONS, UINT32_MAX);
  test_write_file(path, data, bytes);
  expect_refused(path, CYXLA_FILE_INVALID, "its table is longer than the file");
}

/* Sections that overlap would be hashed again and again. */
static void sections_that_are_longer_than_the_file_together_are_refused(void) {
  const char *path = test_temporary_path("overlap.cyxla");
  const unsigned char half[4096] = {0};
  const cyxla_section sections[] = {{1, 0, half, sizeof(half)},
                                    {2, 0, half, sizeof(half)}};
  unsigned char *data;
  size_t bytes;
  cyxla_error error;

  EXPECT_OK(cyxla_file_write(path, sections, TEST_COUNT(sections), &error), &error);
  data = test_read_file(path, &bytes);
  /* Both become the whole content behind the first section's start. */
  for (size_t i = 0; i < TEST_COUNT(sections); i++) {
    unsigned char *entry = data + TABLE + 32 * i;
    uint64_t offset = cyxla_load_u64(data + TABLE + 8);
    cyxla_store_u64(entry + 8, offset);
    cyxla_store_u64(entry + 16, bytes - offset);
    cyxla_store_u64(entry + 24, cyxla_hash_bytes(data + offset, bytes - offset));
  }
  write_checksum(data);
  test_write_file(path, data, bytes);
  expect_refused(path, CYXLA_FILE_INVALID, "its sections are longer than the file");
}

static void an_unknown_section_that_is_required_needs_a_newer_cyxla(void) {
  static const uint32_t kinds[] = {0, CYXLA_SECTION_SIZE + 1, UINT32_MAX};
  const char *path = test_temporary_path("newer.cyxla");

  for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
    cyxla_section section = {kinds[i], CYXLA_SECTION_REQUIRED, NULL, 0};
    cyxla_error error;
    EXPECT_OK(cyxla_file_write(path, &section, 1, &error), &error);
    expect_refused(path, CYXLA_FILE_TOO_NEW, "needs a section of kind ");
  }
}

static void no_memory_is_an_error(void) {
  const char *path = write_sample();
  const cyxla_section section = {1, 0, NULL, 0};
  cyxla_error error;

  for (long n = 0; n < 3; n++) {
    cyxla_file file;
    cyxla_memory_fail_after(n);
    EXPECT_ERROR(cyxla_file_read(path, &file, &error), CYXLA_OUT_OF_MEMORY, &error,
                 "no memory left");
  }
  for (long n = 0; n < 2; n++) {
    cyxla_memory_fail_after(n);
    EXPECT_ERROR(cyxla_file_write(path, &section, 1, &error), CYXLA_OUT_OF_MEMORY,
                 &error, "writing a file");
  }
}

TEST_MAIN(TEST_CASE(sections_are_written_and_read), TEST_CASE(the_format_is_fixed),
          TEST_CASE(a_file_may_have_no_sections), TEST_CASE(large_files_are_read_whole),
          TEST_CASE(what_cannot_be_read_is_named),
          TEST_CASE(what_cannot_be_opened_is_named),
          TEST_CASE(what_fails_to_be_read_is_named),
          TEST_CASE(what_is_no_cyxla_file_is_refused), TEST_CASE(every_cut_is_refused),
          TEST_CASE(what_is_too_long_is_refused),
          TEST_CASE(every_damaged_byte_is_found_or_does_not_matter),
          TEST_CASE(versions_other_than_this_are_refused),
          TEST_CASE(impossible_lengths_are_refused),
          TEST_CASE(a_table_that_lies_is_refused),
          TEST_CASE(sections_that_are_longer_than_the_file_together_are_refused),
          TEST_CASE(an_unknown_section_that_is_required_needs_a_newer_cyxla),
          TEST_CASE(no_memory_is_an_error))
