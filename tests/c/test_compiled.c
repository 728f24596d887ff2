#include "compiled.h"

#include <stdio.h>
#include <string.h>

#include "executable.h"
#include "file.h"
#include "hash.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"

static const char CODE[] = "machine code";

static cyxla_compiled make(const cyxla_executable *executable) {
  cyxla_compiled compiled;
  cyxla_error error;

  EXPECT_OK(cyxla_compiled_create(executable->runtime, executable->program, CODE,
                                  sizeof(CODE), &compiled, &error),
            &error);
  return compiled;
}

/* The sum, whose program claims to have been read with this one. */
static cyxla_executable *start(cyxla_compiled *compiled) {
  cyxla_executable *executable;

  test_fake_start();
  executable = test_compile(test_sum_program());
  *compiled = make(executable);
  executable->program->compiled.items = compiled;
  executable->program->compiled.count = 1;
  return executable;
}

static void end(cyxla_executable *executable) {
  cyxla_compiled_list *list = &executable->program->compiled;

  for (size_t i = 0; i < list->count; i++) cyxla_compiled_free(&list->items[i]);
  list->items = NULL;
  list->count = 0;
  cyxla_executable_destroy(executable);
}

static const cyxla_compiled *find(const cyxla_executable *executable) {
  const cyxla_compiled *found;
  cyxla_error error;

  EXPECT_OK(
      cyxla_compiled_find(executable->program, executable->runtime, &found, &error),
      &error);
  return found;
}

static void a_label_says_what_it_was_made_by_and_of(void) {
  cyxla_compiled compiled;
  cyxla_executable *executable = start(&compiled);
  const cyxla_program *program = executable->program;
  const char *identity;
  cyxla_error error;

  EXPECT_OK(cyxla_runtime_plugin_identity(executable->runtime, &identity, &error),
            &error);
  EXPECT_TEXT(compiled.plugin_identity, identity);
  EXPECT_EQUAL(compiled.pjrt_api_major, 0);
  EXPECT_EQUAL(compiled.pjrt_api_minor, 114);
  EXPECT_TEXT(compiled.platform, "cpu");
  EXPECT_TEXT(compiled.device_kind, cyxla_runtime_device_kind(executable->runtime, 0));
  EXPECT_TEXT(compiled.cpu_features, cyxla_cpu_features());
  EXPECT_EQUAL(compiled.code_hash,
               cyxla_hash_bytes(program->code, program->code_bytes));
  EXPECT_EQUAL(compiled.options_hash, cyxla_hash_bytes(program->compile_options,
                                                       program->compile_options_bytes));
  EXPECT_EQUAL(compiled.bytes, sizeof(CODE));
  EXPECT_BYTES(compiled.data, CODE, sizeof(CODE));
  EXPECT_TRUE(cyxla_compiled_belongs(&compiled, program));
  EXPECT_TRUE(find(executable) == &compiled);
  end(executable);
}

static void what_is_written_is_read(void) {
  cyxla_compiled compiled, copy;
  cyxla_executable *executable = start(&compiled);
  bool is_out_of_memory = false;
  cyxla_writer writer = {0}, again = {0};
  cyxla_reader reader;

  cyxla_compiled_write(&writer, &compiled);
  memset(&reader, 0, sizeof(reader));
  reader.data = writer.data;
  reader.size = writer.size;
  EXPECT_TRUE(cyxla_compiled_read(&reader, &copy, &is_out_of_memory));
  EXPECT_TEXT(copy.plugin_identity, compiled.plugin_identity);
  cyxla_compiled_write(&again, &copy);
  EXPECT_EQUAL(again.size, writer.size);
  EXPECT_BYTES(again.data, writer.data, writer.size);
  cyxla_compiled_free(&copy);
  for (long n = 0; n < 4; n++) {
    is_out_of_memory = false;
    reader.position = 0;
    cyxla_memory_fail_after(n);
    EXPECT_TRUE(!cyxla_compiled_read(&reader, &copy, &is_out_of_memory));
    EXPECT_TRUE(is_out_of_memory);
    EXPECT_NULL(copy.platform);
  }
  for (size_t size = 0; size < writer.size; size++) {
    cyxla_reader part = {writer.data, size, 0, false};
    EXPECT_TRUE(!cyxla_compiled_read(&part, &copy, &is_out_of_memory));
  }
  cyxla_writer_free(&writer);
  cyxla_writer_free(&again);
  end(executable);
}

static void bytes_behind_it_and_zero_bytes_in_texts_are_refused(void) {
  cyxla_compiled compiled, copy;
  cyxla_executable *executable = start(&compiled);
  bool is_out_of_memory = false;
  cyxla_writer writer = {0};
  cyxla_reader reader;

  cyxla_compiled_write(&writer, &compiled);
  cyxla_write_u32(&writer, 0);
  memset(&reader, 0, sizeof(reader));
  reader.data = writer.data;
  reader.size = writer.size;
  EXPECT_TRUE(!cyxla_compiled_read(&reader, &copy, &is_out_of_memory));
  reader.size -= 4;
  reader.position = 0;
  writer.data[56] = '\0'; /* the platform's first character */
  EXPECT_TRUE(!cyxla_compiled_read(&reader, &copy, &is_out_of_memory));
  EXPECT_TRUE(!is_out_of_memory);
  cyxla_writer_free(&writer);
  end(executable);
}

static void replace_text(char **text, const char *other) {
  cyxla_release(*text);
  *text = cyxla_duplicate(other, strlen(other));
}

static void only_one_that_fits_in_all_is_found(void) {
  cyxla_compiled compiled;
  cyxla_executable *executable = start(&compiled);
  uint64_t *numbers[] = {&compiled.plugin_bytes, &compiled.plugin_hash,
                         &compiled.xla_flags_hash};
  uint32_t *versions[] = {&compiled.pjrt_api_major, &compiled.pjrt_api_minor};
  char **texts[] = {&compiled.platform, &compiled.device_kind, &compiled.cpu_features};
  char more[4096];

  for (size_t i = 0; i < TEST_COUNT(numbers); i++) {
    *numbers[i] ^= 1;
    EXPECT_NULL(find(executable));
    *numbers[i] ^= 1;
  }
  for (size_t i = 0; i < TEST_COUNT(versions); i++) {
    *versions[i] += 1;
    EXPECT_NULL(find(executable));
    *versions[i] -= 1;
  }
  for (size_t i = 0; i < TEST_COUNT(texts); i++) {
    char kept[2048];
    snprintf(kept, sizeof(kept), "%s", *texts[i]);
    snprintf(more, sizeof(more), "%s more", kept);
    replace_text(texts[i], more);
    EXPECT_NULL(find(executable));
    replace_text(texts[i], "");
    EXPECT_NULL(find(executable));
    replace_text(texts[i], kept);
  }
  compiled.bytes = 0;
  EXPECT_NULL(find(executable));
  compiled.bytes = sizeof(CODE);
  EXPECT_TRUE(find(executable) == &compiled);
  end(executable);
}

static void one_of_a_lesser_machine_serves_where_there_is_no_better(void) {
  cyxla_compiled both[2];
  cyxla_executable *executable = start(&both[0]);
  char architecture[64];

  snprintf(architecture, sizeof(architecture), "%.*s",
           (int)strcspn(cyxla_cpu_features(), " "), cyxla_cpu_features());
  replace_text(&both[0].cpu_features, architecture);
  EXPECT_TRUE(find(executable) == &both[0]);
  both[1] = make(executable);
  executable->program->compiled.count = 2;
  EXPECT_TRUE(!cyxla_compiled_replaces(&both[0], &both[1]) ||
              strcmp(architecture, cyxla_cpu_features()) == 0);
  EXPECT_TRUE(find(executable) ==
              &both[strlen(cyxla_cpu_features()) > strlen(architecture)]);
  end(executable);
}

static void another_program_s_does_not_belong(void) {
  cyxla_compiled compiled;
  cyxla_executable *executable = start(&compiled);

  compiled.code_hash ^= 1;
  EXPECT_TRUE(!cyxla_compiled_belongs(&compiled, executable->program));
  compiled.code_hash ^= 1;
  compiled.options_hash ^= 1;
  EXPECT_TRUE(!cyxla_compiled_belongs(&compiled, executable->program));
  end(executable);
}

/* Asked for first when there is something that may fit. */
static void without_memory_for_the_plugin_s_hash_nothing_is_decided(void) {
  const char *path = test_fake_copy("copy.so");
  cyxla_runtime *runtime = test_runtime(path);
  cyxla_program *program = test_sum_program();
  const cyxla_compiled *found;
  cyxla_compiled compiled;
  cyxla_executable *executable;
  cyxla_error error;

  test_fake_start();
  executable = test_compile(test_sum_program());
  compiled = make(executable);
  program->compiled.items = &compiled;
  program->compiled.count = 1;
  cyxla_memory_fail_after(0);
  EXPECT_STATUS(cyxla_compiled_find(program, runtime, &found, &error),
                CYXLA_OUT_OF_MEMORY, &error);
  EXPECT_NULL(found);
  EXPECT_EQUAL(remove(path), 0);
  EXPECT_OK(cyxla_compiled_find(program, runtime, &found, &error), &error);
  EXPECT_NULL(found);
  program->compiled.items = NULL;
  program->compiled.count = 0;
  cyxla_compiled_free(&compiled);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
  cyxla_executable_destroy(executable);
}

static void without_memory_there_is_no_label(void) {
  cyxla_compiled compiled, other;
  cyxla_executable *executable = start(&compiled);
  cyxla_error error;

  for (long n = 0; n < 4; n++) {
    cyxla_memory_fail_after(n);
    EXPECT_ERROR(cyxla_compiled_create(executable->runtime, executable->program, CODE,
                                       sizeof(CODE), &other, &error),
                 CYXLA_OUT_OF_MEMORY, &error, "an executable");
    EXPECT_NULL(other.data);
  }
  end(executable);
}

static void a_program_tells_which_executables_it_was_read_with(void) {
  cyxla_compiled compiled;
  cyxla_executable *executable = start(&compiled);
  const cyxla_program *program = executable->program;
  cyxla_executable_info info = CYXLA_EXECUTABLE_INFO_INIT;
  cyxla_error error;

  EXPECT_EQUAL(cyxla_program_num_executables(program), 1);
  EXPECT_OK(cyxla_program_executable_info(program, 0, &info, &error), &error);
  EXPECT_TEXT(info.plugin_identity, compiled.plugin_identity);
  EXPECT_EQUAL(info.pjrt_api_major, 0);
  EXPECT_EQUAL(info.pjrt_api_minor, 114);
  EXPECT_TEXT(info.platform, "cpu");
  EXPECT_TEXT(info.device_kind, compiled.device_kind);
  EXPECT_TEXT(info.cpu_features, cyxla_cpu_features());
  EXPECT_EQUAL(info.bytes, sizeof(CODE));
  EXPECT_ERROR(cyxla_program_executable_info(program, 1, &info, &error),
               CYXLA_INVALID_ARGUMENT, &error,
               "there is no executable 1, the program has 1");
  EXPECT_ERROR(cyxla_program_executable_info(NULL, 0, &info, &error),
               CYXLA_INVALID_ARGUMENT, &error, "program");
  EXPECT_ERROR(cyxla_program_executable_info(program, 0, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "info");
  end(executable);
}

/* A file that holds the sum, compiled for the fake plugin. */
static const char *save_sum(void) {
  const char *path = test_temporary_path("sum.cyxla");
  cyxla_executable *executable = test_compile(test_sum_program());
  cyxla_error error;

  EXPECT_OK(cyxla_executable_save(executable, path, &error), &error);
  cyxla_executable_destroy(executable);
  return path;
}

/* Which label a position lies in does not matter: whatever is changed there ends in an
 * error or in the right results, and foreign bytes do not reach the plugin. */
static void damage_anywhere_is_found(void) {
  const test_fake *fake = test_fake_start();
  const char *path = save_sum();
  const char *damaged = test_temporary_path("damaged.cyxla");
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  size_t bytes, opened = 0;
  unsigned char *data = test_read_file(path, &bytes);

  options.runtime = test_fake_runtime();
  for (size_t i = 0; i < bytes; i++) {
    cyxla_executable *executable;
    cyxla_error error;
    cyxla_status status;
    data[i] ^= 0x11;
    test_write_file(damaged, data, bytes);
    data[i] ^= 0x11;
    status = cyxla_open(damaged, &options, &executable, &error);
    if (status == CYXLA_OK) {
      EXPECT_TRUE(cyxla_executable_is_deserialized(executable));
      cyxla_executable_destroy(executable);
      opened++;
    } else {
      EXPECT_TRUE(status == CYXLA_FILE_INVALID || status == CYXLA_FILE_TOO_NEW);
    }
  }
  EXPECT_TRUE(opened < 64 * 7); /* the gaps between sections */
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_Compile"), 1);
  cyxla_runtime_destroy(options.runtime);
}

/* The same with checksums that are right, as a forger or a mistaken program writes:
 * every byte of the label is changed, and the code itself is not. */
static void a_wrong_label_is_found_though_its_checksum_is_right(void) {
  const test_fake *fake = test_fake_start();
  const char *path = save_sum();
  const char *changed = test_temporary_path("changed.cyxla");
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_file file;
  cyxla_error error;
  unsigned char *label = NULL;
  size_t label_bytes = 0;

  EXPECT_OK(cyxla_file_read(path, &file, &error), &error);
  for (size_t i = 0; i < file.num_sections; i++) {
    if (file.sections[i].kind != CYXLA_SECTION_EXECUTABLE) continue;
    label = (unsigned char *)file.sections[i].data;
    label_bytes = file.sections[i].bytes;
  }
  for (size_t i = 0; i < label_bytes; i++) {
    cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
    cyxla_executable *executable;
    cyxla_status status;
    options.runtime = runtime;
    if (memcmp(label + i, "a fake executable", 17) == 0) break;
    label[i] ^= 0x11;
    EXPECT_OK(cyxla_file_write(changed, file.sections, file.num_sections, &error),
              &error);
    label[i] ^= 0x11;
    status = cyxla_open(changed, &options, &executable, &error);
    if (status == CYXLA_OK) {
      EXPECT_TRUE(!cyxla_executable_is_deserialized(executable));
      cyxla_executable_destroy(executable);
    } else {
      EXPECT_EQUAL(status, CYXLA_FILE_INVALID);
      EXPECT_CONTAINS(error.message, "an executable in it cannot be read");
    }
  }
  EXPECT_EQUAL(fake->calls_of("PJRT_Executable_DeserializeAndLoad"), 0);
  cyxla_file_free(&file);
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(a_label_says_what_it_was_made_by_and_of),
          TEST_CASE(what_is_written_is_read),
          TEST_CASE(bytes_behind_it_and_zero_bytes_in_texts_are_refused),
          TEST_CASE(only_one_that_fits_in_all_is_found),
          TEST_CASE(one_of_a_lesser_machine_serves_where_there_is_no_better),
          TEST_CASE(another_program_s_does_not_belong),
          TEST_CASE(without_memory_for_the_plugin_s_hash_nothing_is_decided),
          TEST_CASE(without_memory_there_is_no_label),
          TEST_CASE(a_program_tells_which_executables_it_was_read_with),
          TEST_CASE(damage_anywhere_is_found),
          TEST_CASE(a_wrong_label_is_found_though_its_checksum_is_right))
