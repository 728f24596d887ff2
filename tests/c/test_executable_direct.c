#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executable.h"
#include "machine.h"
#include "memory.h"
#include "program_file.h"
#include "test.h"
#include "test_direct_support.h"
#include "test_fake.h"

/* What a file holds beside the program of the sum. */
typedef struct content {
  const char *features;
  bool is_direct;
  size_t bytes; /* of the code; 0: all */
} content;

static const char *write_file(const char *name, const content *held) {
  test_fixture *fixture = test_read_fixture("sum");
  const char *path = test_temporary_path(name);
  cyxla_program *program = test_sum_program();
  cyxla_plugin_record record;
  cyxla_compiled compiled;
  const cyxla_compiled *list[1] = {&compiled};
  cyxla_error error;

  memset(&record, 0, sizeof(record));
  record.path = "/nowhere/recorded.so";
  record.bytes = 1;
  memset(&compiled, 0, sizeof(compiled));
  compiled.platform = "cpu";
  compiled.device_kind = "cpu";
  compiled.cpu_features =
      (char *)(held->features != NULL ? held->features : cyxla_cpu_features());
  compiled.code_hash = program->code_hash;
  compiled.options_hash = program->compile_options_hash;
  compiled.data = fixture->data;
  compiled.bytes = held->bytes != 0 ? held->bytes : fixture->bytes;
  compiled.is_direct = held->is_direct;
  EXPECT_OK(cyxla_program_file_write(program, path, &record, list, 1, &error), &error);
  cyxla_program_destroy(program);
  return path;
}

static const content DIRECT = {NULL, true, 0};

static void expect_direct(cyxla_executable *executable) {
  cyxla_call *call;
  cyxla_error error;

  EXPECT_NULL(cyxla_executable_runtime(executable));
  EXPECT_TEXT(cyxla_executable_tier(executable), "direct");
  EXPECT_TEXT(cyxla_executable_tier_reason(executable), "");
  EXPECT_TRUE(cyxla_executable_is_deserialized(executable));
  EXPECT_TRUE(cyxla_executable_code_bytes(executable) > 0);
  EXPECT_TRUE(cyxla_executable_compile_seconds(executable) >= 0);
  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  for (int i = 0; i < 3; i++) {
    test_sum_fill(call, (float)i);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    test_sum_expect(call, (float)i);
  }
  cyxla_call_destroy(call);
}

static void a_file_of_direct_code_needs_no_plugin(void) {
  const char *path = write_file("sum.cyxla", &DIRECT);
  cyxla_executable *executable;

  test_set_environment("CYXLA_PLUGIN", "/nowhere/plugin.so");
  executable = test_open(path, NULL);
  expect_direct(executable);
  cyxla_executable_destroy(executable);
}

static void other_code_needs_one(void) {
  const content other_machine = {"x86-64 nonesuch", true, 0};
  const content other_processor = {"aarch64", true, 0};
  const content not_compared = {NULL, false, 0};
  const content cut_off = {NULL, true, 100};

  test_set_environment("CYXLA_PLUGIN", NULL);
  test_expect_not_opened(
      write_file("a.cyxla", &other_machine), NULL, CYXLA_PLUGIN_NOT_FOUND,
      "; without a plugin it cannot run: the code in its file is for a "
      "processor with the features \"x86-64 nonesuch\"");
  test_expect_not_opened(write_file("b.cyxla", &other_processor), NULL,
                         CYXLA_PLUGIN_NOT_FOUND, "\"aarch64\"");
  test_expect_not_opened(
      write_file("c.cyxla", &not_compared), NULL, CYXLA_PLUGIN_NOT_FOUND,
      "it cannot run: its code was saved with the tier pjrt, or before it had been "
      "compared");
  test_expect_not_opened(write_file("d.cyxla", &cut_off), NULL, CYXLA_PLUGIN_NOT_FOUND,
                         "it is not serialized as XLA's CPU plugins do");
  test_set_environment("CYXLA_TIER", "pjrt");
  test_expect_not_opened(write_file("e.cyxla", &DIRECT), NULL, CYXLA_PLUGIN_NOT_FOUND,
                         "set CYXLA_PLUGIN to its library");
  test_set_environment("CYXLA_TIER", "slow");
  test_expect_not_opened(write_file("f.cyxla", &DIRECT), NULL, CYXLA_INVALID_ARGUMENT,
                         "CYXLA_TIER is \"slow\"");
}

static void a_plugin_that_is_asked_for_is_loaded(void) {
  const char *path = write_file("sum.cyxla", &DIRECT);
  cyxla_open_options options[4] = {CYXLA_OPEN_OPTIONS_INIT, CYXLA_OPEN_OPTIONS_INIT,
                                   CYXLA_OPEN_OPTIONS_INIT, CYXLA_OPEN_OPTIONS_INIT};

  test_fake_start();
  test_set_environment("CYXLA_PLUGIN", test_fake_path());
  options[0].plugin = test_fake_path();
  options[1].with_plugin = true;
  options[2].tier = CYXLA_TIER_PJRT;
  options[3].runtime = test_fake_runtime();
  for (int i = 0; i < 4; i++) {
    cyxla_executable *executable = test_open(path, &options[i]);
    EXPECT_TRUE(cyxla_executable_runtime(executable) != NULL);
    EXPECT_TEXT(cyxla_executable_tier(executable), "pjrt");
    cyxla_executable_destroy(executable);
  }
  cyxla_runtime_destroy(options[3].runtime);
}

static void what_needs_no_plugin_is_saved_as_it_was(void) {
  const char *path = write_file("sum.cyxla", &DIRECT);
  const char *copy = test_temporary_path("copy.cyxla");
  cyxla_executable *executable = test_open(path, NULL);
  cyxla_executable_info info = CYXLA_EXECUTABLE_INFO_INIT;
  cyxla_plugin_record record;
  cyxla_program *program;
  cyxla_error error;
  size_t bytes[2];

  EXPECT_OK(cyxla_executable_save(executable, copy, &error), &error);
  EXPECT_OK(cyxla_executable_save(executable, copy, &error), &error);
  cyxla_executable_destroy(executable);
  test_read_file(path, &bytes[0]);
  test_read_file(copy, &bytes[1]);
  EXPECT_EQUAL(bytes[1], bytes[0]);
  EXPECT_OK(cyxla_program_file_read(copy, &program, &record, &error), &error);
  EXPECT_TEXT(record.path, "/nowhere/recorded.so");
  EXPECT_EQUAL(cyxla_program_num_executables(program), 1);
  EXPECT_OK(cyxla_program_executable_info(program, 0, &info, &error), &error);
  EXPECT_TRUE(info.is_direct);
  cyxla_plugin_record_free(&record);
  cyxla_program_destroy(program);
  executable = test_open(copy, NULL);
  expect_direct(executable);
  cyxla_executable_destroy(executable);
}

/* Code that was not called directly stands beside such code and does not replace it. */
static void compiling_again_keeps_it(void) {
  const char *path = write_file("sum.cyxla", &DIRECT);
  cyxla_open_options options = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_executable *executable;
  cyxla_error error;

  test_fake_start();
  options.plugin = test_fake_path();
  executable = test_open(path, &options);
  EXPECT_OK(cyxla_executable_save(executable, path, &error), &error);
  cyxla_executable_destroy(executable);
  executable = test_open(path, NULL);
  EXPECT_EQUAL(cyxla_program_num_executables(executable->program), 2);
  expect_direct(executable);
  cyxla_executable_destroy(executable);
}

static void a_program_of_such_a_file_needs_no_runtime(void) {
  const char *path = write_file("sum.cyxla", &DIRECT);
  cyxla_executable_options options = CYXLA_EXECUTABLE_OPTIONS_INIT;
  cyxla_executable *executable;
  cyxla_program *program;
  cyxla_error error;

  EXPECT_OK(cyxla_program_load(path, &program, &error), &error);
  EXPECT_OK(cyxla_executable_create(NULL, program, &executable, &error), &error);
  expect_direct(executable);
  cyxla_executable_destroy(executable);
  options.tier = CYXLA_TIER_PJRT;
  EXPECT_ERROR(
      cyxla_executable_create_with(NULL, program, &options, &executable, &error),
      CYXLA_FAILED_PRECONDITION, &error, "the tier pjrt needs one");
  options.tier = (cyxla_tier)7;
  EXPECT_ERROR(
      cyxla_executable_create_with(NULL, program, &options, &executable, &error),
      CYXLA_INVALID_ARGUMENT, &error, "the tier is 7");
  EXPECT_NULL(executable);
  cyxla_program_destroy(program);
}

static void a_forked_child_opens_and_calls(void) {
  const char *path = write_file("sum.cyxla", &DIRECT);
  cyxla_executable *executable = test_open(path, NULL);
  int state = 1;
  pid_t child = fork();

  if (child == 0) {
    cyxla_call *call;
    cyxla_executable *own;
    const float *sum = NULL;
    bool done = cyxla_call_create(executable, &call, NULL) == CYXLA_OK &&
                cyxla_open(path, NULL, &own, NULL) == CYXLA_OK;
    if (done) test_sum_fill(call, 1);
    done = done && cyxla_call_run(call, NULL) == CYXLA_OK;
    if (done) sum = cyxla_call_output(call, 0);
    _exit(done && sum[0] == 100 && sum[2] == 102 ? 0 : 1);
  }
  EXPECT_EQUAL(waitpid(child, &state, 0), child);
  EXPECT_EQUAL(state, 0);
  cyxla_executable_destroy(executable);
}

static void every_allocation_may_fail(void) {
  const char *path = write_file("sum.cyxla", &DIRECT);
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  cyxla_executable *executable;
  cyxla_error error;
  long live = cyxla_memory_live();

  for (long n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
    cyxla_memory_fail_after(n);
    status = cyxla_open(path, NULL, &executable, &error);
    cyxla_memory_fail_after(-1);
    if (status == CYXLA_OK) cyxla_executable_destroy(executable);
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  EXPECT_OK(status, &error);
}

TEST_MAIN(TEST_CASE(a_file_of_direct_code_needs_no_plugin),
          TEST_CASE(other_code_needs_one),
          TEST_CASE(a_plugin_that_is_asked_for_is_loaded),
          TEST_CASE(what_needs_no_plugin_is_saved_as_it_was),
          TEST_CASE(compiling_again_keeps_it),
          TEST_CASE(a_program_of_such_a_file_needs_no_runtime),
          TEST_CASE(a_forked_child_opens_and_calls),
          TEST_CASE(every_allocation_may_fail))
