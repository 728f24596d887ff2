#include "program_file.h"

#include <string.h>

#include "encoding.h"
#include "memory.h"
#include "path.h"
#include "test.h"
#include "test_fake.h"

enum { MAX_SECTIONS = 8 };

static void expect_same_arrays(const cyxla_program_arrays *a,
                               const cyxla_program_arrays *b) {
  EXPECT_EQUAL(a->count, b->count);
  for (size_t i = 0; i < a->count; i++) {
    EXPECT_TEXT(a->specs[i].name, b->specs[i].name);
    EXPECT_EQUAL(a->specs[i].dtype, b->specs[i].dtype);
    EXPECT_EQUAL(a->specs[i].rank, b->specs[i].rank);
    EXPECT_EQUAL(a->specs[i].bytes, b->specs[i].bytes);
    EXPECT_EQUAL(a->specs[i].aliased_output, b->specs[i].aliased_output);
    EXPECT_BYTES(a->specs[i].shape, b->specs[i].shape, a->specs[i].rank * 8);
  }
}

static void expect_same_program(const cyxla_program *a, const cyxla_program *b) {
  EXPECT_TEXT(a->platform, b->platform);
  EXPECT_TEXT(a->metadata, b->metadata);
  EXPECT_EQUAL(a->code_bytes, b->code_bytes);
  EXPECT_BYTES(a->code, b->code, a->code_bytes);
  EXPECT_EQUAL(a->compile_options_bytes, b->compile_options_bytes);
  EXPECT_BYTES(a->compile_options, b->compile_options, a->compile_options_bytes);
  expect_same_arrays(&a->inputs, &b->inputs);
  expect_same_arrays(&a->outputs, &b->outputs);
}

static void a_program_is_saved_and_loaded(void) {
  const char *path = test_temporary_path("sum.cyxla");
  cyxla_program *program = test_sum_program(), *loaded;
  cyxla_error error;

  EXPECT_OK(cyxla_program_save(program, path, &error), &error);
  EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
  expect_same_program(loaded, program);
  cyxla_program_destroy(loaded);
  cyxla_program_destroy(program);
}

static void names_aliases_metadata_and_empty_arrays_are_kept(void) {
  static const int64_t shape[2] = {0, 3};
  cyxla_array_spec inputs[2] = {{"state.vélocité", CYXLA_COMPLEX64, 2, shape, 0, 1},
                                {"n", CYXLA_BFLOAT16, 0, NULL, 0, -1}};
  cyxla_array_spec outputs[2] = {{"n", CYXLA_BOOL, 0, NULL, 0, -1},
                                 {"state", CYXLA_COMPLEX64, 2, shape, 0, -1}};
  const char *path = test_temporary_path("program.cyxla");
  cyxla_program_options options = test_sum_options();
  cyxla_program *program, *loaded;
  cyxla_error error;

  options.platform = "tpu";
  options.inputs = inputs;
  options.outputs = outputs;
  options.num_outputs = 2;
  options.metadata = "{\"a\": \"ä\"}";
  options.compile_options = "\x1a\x04\x20\x01\x28\x01\x10\x01";
  options.compile_options_bytes = 8;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  EXPECT_OK(cyxla_program_save(program, path, &error), &error);
  EXPECT_OK(cyxla_program_load(path, &loaded, &error), &error);
  expect_same_program(loaded, program);
  cyxla_program_destroy(loaded);
  cyxla_program_destroy(program);
}

static void a_plugin_s_record_is_kept(void) {
  const char *path = test_temporary_path("sum.cyxla");
  cyxla_program *program = test_sum_program(), *loaded;
  cyxla_plugin_record record, read;
  cyxla_error error;

  EXPECT_OK(cyxla_plugin_record_create(test_fake_path(), &record, &error), &error);
  EXPECT_TEXT(record.path, test_fake_path());
  EXPECT_TRUE(record.bytes > 0);
  EXPECT_OK(cyxla_program_file_write(program, path, &record, NULL, 0, &error), &error);
  EXPECT_OK(cyxla_program_file_read(path, &loaded, &read, &error), &error);
  EXPECT_TEXT(read.path, record.path);
  EXPECT_EQUAL(read.bytes, record.bytes);
  EXPECT_EQUAL(read.hash, record.hash);
  cyxla_plugin_record_free(&read);
  cyxla_program_destroy(loaded);
  EXPECT_OK(cyxla_program_save(program, path, &error), &error);
  EXPECT_OK(cyxla_program_file_read(path, &loaded, &read, &error), &error);
  EXPECT_NULL(read.path);
  cyxla_program_destroy(loaded);
  cyxla_plugin_record_free(&record);
  cyxla_program_destroy(program);
}

static void no_record_is_made_of_a_plugin_that_is_gone(void) {
  cyxla_plugin_record record;
  cyxla_error error;

  EXPECT_ERROR(cyxla_plugin_record_create("/nowhere/plugin.so", &record, &error),
               CYXLA_FILE_UNREADABLE, &error, "/nowhere/plugin.so");
  EXPECT_NULL(record.path);
}

/* The sum's file with one section replaced, or left out if data is NULL. */
static const char *write_changed(cyxla_section_kind kind, const void *data,
                                 size_t bytes) {
  const char *path = test_temporary_path("changed.cyxla");
  cyxla_program *program = test_sum_program();
  cyxla_plugin_record record = {
      .path = (char *)"/some/plugin.so", .bytes = 1, .hash = 2};
  cyxla_section sections[MAX_SECTIONS];
  size_t num_sections = 0;
  cyxla_file file;
  cyxla_error error;

  EXPECT_OK(cyxla_program_file_write(program, path, &record, NULL, 0, &error), &error);
  EXPECT_OK(cyxla_file_read(path, &file, &error), &error);
  for (size_t i = 0; i < file.num_sections; i++) {
    bool is_changed = file.sections[i].kind == (uint32_t)kind;
    if (is_changed && data == NULL) continue;
    sections[num_sections] = file.sections[i];
    if (is_changed) {
      sections[num_sections].data = data;
      sections[num_sections].bytes = bytes;
    }
    num_sections++;
  }
  EXPECT_OK(cyxla_file_write(path, sections, num_sections, &error), &error);
  cyxla_file_free(&file);
  cyxla_program_destroy(program);
  return path;
}

static void expect_refused(const char *path, const char *message) {
  cyxla_program *program = (cyxla_program *)&program;
  cyxla_plugin_record record;
  cyxla_error error;

  EXPECT_ERROR(cyxla_program_file_read(path, &program, &record, &error),
               CYXLA_FILE_INVALID, &error, message);
  EXPECT_CONTAINS(error.message, path);
  EXPECT_NULL(program);
}

static void sections_that_are_not_needed_may_be_missing(void) {
  static const cyxla_section_kind kinds[] = {
      CYXLA_SECTION_COMPILE_OPTIONS, CYXLA_SECTION_METADATA, CYXLA_SECTION_PLUGIN};

  for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
    const char *path = write_changed(kinds[i], NULL, 0);
    cyxla_program *program;
    cyxla_error error;
    EXPECT_OK(cyxla_program_load(path, &program, &error), &error);
    EXPECT_TEXT(program->metadata, "");
    EXPECT_EQUAL(program->compile_options_bytes, 6);
    cyxla_program_destroy(program);
  }
}

static void compile_options_of_a_file_are_looked_at(void) {
  const char *path = write_changed(CYXLA_SECTION_COMPILE_OPTIONS, "", 0);
  cyxla_program *program;
  cyxla_error error;

  EXPECT_OK(cyxla_program_load(path, &program, &error), &error);
  EXPECT_BYTES(program->compile_options, "\x1a\x04\x20\x01\x28\x01", 6);
  EXPECT_EQUAL(program->compile_options_bytes, 6);
  cyxla_program_destroy(program);
  expect_refused(write_changed(CYXLA_SECTION_COMPILE_OPTIONS, "\x1a\0", 2),
                 "its program is not a valid one");
}

static void sections_that_are_needed_may_not_be_missing(void) {
  expect_refused(write_changed(CYXLA_SECTION_SIGNATURE, NULL, 0),
                 "it holds no program");
  expect_refused(write_changed(CYXLA_SECTION_STABLEHLO, NULL, 0),
                 "it holds no program");
}

static void a_signature_that_cannot_be_read_is_refused(void) {
  static const unsigned char with_zero[] = {3, 0, 0, 0, 0, 0, 0, 0, 'c', 0, 'u'};

  expect_refused(write_changed(CYXLA_SECTION_SIGNATURE, "", 0),
                 "its signature cannot be read");
  expect_refused(write_changed(CYXLA_SECTION_SIGNATURE, "\3\0\0", 3),
                 "its signature cannot be read");
  expect_refused(write_changed(CYXLA_SECTION_SIGNATURE, with_zero, sizeof(with_zero)),
                 "its signature cannot be read");
}

/* A signature that can be read, but that no program may have. */
static void an_invalid_program_is_refused(void) {
  static const int64_t shape[1] = {-1};
  cyxla_array_spec spec = {"x", CYXLA_INT8, 1, shape, 0, -1};
  cyxla_program_arrays one = {&spec, 1}, none = {NULL, 0};
  cyxla_writer writer = {0};

  cyxla_write_string(&writer, "cpu");
  /* The signature's own writer does not check. */
  cyxla_write_u64(&writer, 1);
  cyxla_write_string(&writer, one.specs[0].name);
  cyxla_write_u32(&writer, 2);
  cyxla_write_u64(&writer, 1);
  cyxla_write_u64(&writer, (uint64_t)shape[0]);
  cyxla_write_u64(&writer, UINT64_MAX);
  cyxla_write_u64(&writer, none.count);
  expect_refused(write_changed(CYXLA_SECTION_SIGNATURE, writer.data, writer.size),
                 "its program is not a valid one");
  cyxla_writer_free(&writer);
  expect_refused(write_changed(CYXLA_SECTION_STABLEHLO, "", 0),
                 "its program is not a valid one");
}

static void bytes_behind_a_signature_are_refused(void) {
  cyxla_writer writer = {0};

  cyxla_write_string(&writer, "cpu");
  cyxla_write_u64(&writer, 0);
  cyxla_write_u64(&writer, 0);
  cyxla_write_raw(&writer, "x", 1);
  expect_refused(write_changed(CYXLA_SECTION_SIGNATURE, writer.data, writer.size),
                 "its signature cannot be read");
  cyxla_writer_free(&writer);
}

static void a_record_that_cannot_be_read_is_refused(void) {
  expect_refused(write_changed(CYXLA_SECTION_PLUGIN, "", 0),
                 "its record of a plugin cannot be read");
  expect_refused(write_changed(CYXLA_SECTION_PLUGIN, "\0\0\0\0\0\0\0\0", 8),
                 "its record of a plugin cannot be read");
}

/* With a checksum that is right, as a file of ill will has. */
static void whatever_byte_of_a_signature_is_changed_nothing_worse_than_an_error_happens(
    void) {
  static const unsigned char changes[] = {0x01, 0x80, 0xff};
  const char *path = write_changed(CYXLA_SECTION_PLUGIN, NULL, 0);
  unsigned char signature[1000];
  size_t bytes;
  cyxla_file file;
  cyxla_error error;

  EXPECT_OK(cyxla_file_read(path, &file, &error), &error);
  const cyxla_section *section = cyxla_file_find(&file, CYXLA_SECTION_SIGNATURE);
  bytes = section->bytes;
  EXPECT_TRUE(bytes < sizeof(signature));
  memcpy(signature, section->data, bytes);
  for (size_t i = 0; i < bytes * TEST_COUNT(changes); i++) {
    unsigned char change = changes[i % TEST_COUNT(changes)];
    cyxla_program *program;
    cyxla_status status;
    signature[i / TEST_COUNT(changes)] ^= change;
    for (size_t k = 0; k < file.num_sections; k++) {
      if (file.sections[k].kind != CYXLA_SECTION_SIGNATURE) continue;
      file.sections[k].data = signature;
    }
    EXPECT_OK(cyxla_file_write(path, file.sections, file.num_sections, &error), &error);
    signature[i / TEST_COUNT(changes)] ^= change;
    status = cyxla_program_load(path, &program, &error);
    if (status != CYXLA_OK) EXPECT_STATUS(status, CYXLA_FILE_INVALID, &error);
    cyxla_program_destroy(program);
  }
  cyxla_file_free(&file);
}

static void required_arguments_are_named(void) {
  cyxla_program *program = test_sum_program(), *loaded;
  cyxla_error error;

  EXPECT_ERROR(cyxla_program_save(NULL, "x", &error), CYXLA_INVALID_ARGUMENT, &error,
               "the argument program of cyxla_program_save is NULL");
  EXPECT_ERROR(cyxla_program_save(program, NULL, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument path of cyxla_program_save is NULL");
  EXPECT_ERROR(cyxla_program_load("x", NULL, &error), CYXLA_INVALID_ARGUMENT, &error,
               "the argument program of cyxla_program_load is NULL");
  EXPECT_ERROR(cyxla_program_load(NULL, &loaded, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument path of cyxla_program_load is NULL");
  EXPECT_NULL(loaded);
  cyxla_program_destroy(program);
}

static void what_cannot_be_written_is_named(void) {
  cyxla_program *program = test_sum_program();
  cyxla_error error;

  EXPECT_ERROR(cyxla_program_save(program, "/nowhere/x.cyxla", &error),
               CYXLA_FILE_UNWRITABLE, &error, "/nowhere/x.cyxla");
  cyxla_program_destroy(program);
}

TEST_MAIN(
    TEST_CASE(a_program_is_saved_and_loaded),
    TEST_CASE(names_aliases_metadata_and_empty_arrays_are_kept),
    TEST_CASE(a_plugin_s_record_is_kept),
    TEST_CASE(no_record_is_made_of_a_plugin_that_is_gone),
    TEST_CASE(sections_that_are_not_needed_may_be_missing),
    TEST_CASE(compile_options_of_a_file_are_looked_at),
    TEST_CASE(sections_that_are_needed_may_not_be_missing),
    TEST_CASE(a_signature_that_cannot_be_read_is_refused),
    TEST_CASE(an_invalid_program_is_refused),
    TEST_CASE(bytes_behind_a_signature_are_refused),
    TEST_CASE(a_record_that_cannot_be_read_is_refused),
    TEST_CASE(
        whatever_byte_of_a_signature_is_changed_nothing_worse_than_an_error_happens),
    TEST_CASE(required_arguments_are_named), TEST_CASE(what_cannot_be_written_is_named))
