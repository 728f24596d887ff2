#include "executable.h"

#include <string.h>

#include "memory.h"
#include "test.h"
#include "test_fake.h"

static void *serialize(const cyxla_executable *executable, size_t *bytes) {
  cyxla_error error;
  void *data;

  EXPECT_OK(cyxla_executable_serialize(executable, &data, bytes, &error), &error);
  return data;
}

static void an_executable_is_serialized_by_the_plugin(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable = test_compile(test_sum_program());
  cyxla_error error;
  void *data;
  size_t bytes;

  EXPECT_OK(cyxla_executable_serialize(executable, &data, &bytes, &error), &error);
  EXPECT_TRUE(bytes > strlen("a fake executable\n"));
  EXPECT_TRUE(memcmp(data, "a fake executable\n", 18) == 0);
  cyxla_aligned_free(data);
  EXPECT_EQUAL(fake->live(FAKE_SERIALIZED_EXECUTABLE), 0);
  cyxla_executable_destroy(executable);
}

static void an_executable_that_cannot_be_serialized_says_why(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *executable;
  cyxla_error error;
  void *data = &data;
  size_t bytes = 1;

  /* Otherwise it would be serialized at once. */
  test_set_environment("CYXLA_TIER", "pjrt");
  executable = test_compile(test_sum_program());
  fake->fail_function("PJRT_Executable_Serialize");
  EXPECT_ERROR(cyxla_executable_serialize(executable, &data, &bytes, &error),
               CYXLA_INTERNAL, &error, "cannot serialize an executable");
  EXPECT_NULL(data);
  EXPECT_EQUAL(bytes, 0);
  fake->fail_function("PJRT_LoadedExecutable_GetExecutable");
  EXPECT_ERROR(cyxla_executable_serialize(executable, &data, &bytes, &error),
               CYXLA_INTERNAL, &error, "cannot describe an executable");
  fake->fail_function(NULL);
  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_executable_serialize(executable, &data, &bytes, &error),
               CYXLA_OUT_OF_MEMORY, &error, "a serialized executable");
  EXPECT_EQUAL(fake->live(FAKE_SERIALIZED_EXECUTABLE), 0);
  fake->remove_function("PJRT_Executable_Serialize");
  EXPECT_ERROR(cyxla_executable_serialize(executable, &data, &bytes, &error),
               CYXLA_UNIMPLEMENTED, &error, "cannot serialize executables");
  EXPECT_ERROR(cyxla_executable_serialize(NULL, &data, &bytes, &error),
               CYXLA_INVALID_ARGUMENT, &error, "executable");
  EXPECT_ERROR(cyxla_executable_serialize(executable, NULL, &bytes, &error),
               CYXLA_INVALID_ARGUMENT, &error, "data");
  EXPECT_ERROR(cyxla_executable_serialize(executable, &data, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "bytes");
  cyxla_executable_destroy(executable);
}

static void a_serialized_executable_is_loaded_and_not_compiled(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *compiled = test_compile(test_sum_program()), *loaded;
  cyxla_runtime *runtime = cyxla_executable_runtime(compiled);
  cyxla_program *program = cyxla_executable_program(compiled);
  size_t bytes;
  void *data = serialize(compiled, &bytes);
  cyxla_call *call;
  cyxla_error error;

  EXPECT_OK(
      cyxla_executable_deserialize(runtime, program, data, bytes, &loaded, &error),
      &error);
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_Compile"), 1);
  EXPECT_TRUE(!cyxla_executable_is_deserialized(compiled));
  EXPECT_TRUE(cyxla_executable_is_deserialized(loaded));
  EXPECT_TRUE(cyxla_executable_compile_seconds(loaded) > 0);
  EXPECT_EQUAL(cyxla_executable_code_bytes(loaded), 1234);
  EXPECT_TRUE(cyxla_executable_program(loaded) == program);
  cyxla_executable_destroy(compiled);
  cyxla_aligned_free(data);
  EXPECT_OK(cyxla_call_create(loaded, &call, &error), &error);
  cyxla_executable_destroy(loaded);
  test_sum_fill(call, 2);
  EXPECT_OK(cyxla_call_run(call, &error), &error);
  test_sum_expect(call, 2);
  cyxla_call_destroy(call);
}

static void what_was_loaded_is_serialized_as_it_was(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *compiled = test_compile(test_sum_program()), *loaded;
  size_t bytes, again_bytes;
  void *data = serialize(compiled, &bytes), *again;
  cyxla_error error;

  EXPECT_OK(cyxla_executable_deserialize(cyxla_executable_runtime(compiled),
                                         cyxla_executable_program(compiled), data,
                                         bytes, &loaded, &error),
            &error);
  cyxla_executable_destroy(compiled);
  again = serialize(loaded, &again_bytes);
  EXPECT_EQUAL(fake->calls_of("PJRT_Executable_Serialize"), 1);
  EXPECT_EQUAL(again_bytes, bytes);
  EXPECT_BYTES(again, data, bytes);
  cyxla_aligned_free(again);
  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_executable_serialize(loaded, &again, &again_bytes, &error),
               CYXLA_OUT_OF_MEMORY, &error, "a serialized executable");
  cyxla_aligned_free(data);
  cyxla_executable_destroy(loaded);
}

static void expect_refused(cyxla_runtime *runtime, cyxla_program *program,
                           const void *data, size_t bytes, cyxla_status status,
                           const char *message) {
  cyxla_executable *executable = (cyxla_executable *)&executable;
  cyxla_error error;

  EXPECT_ERROR(
      cyxla_executable_deserialize(runtime, program, data, bytes, &executable, &error),
      status, &error, message);
  EXPECT_NULL(executable);
}

static void what_cannot_be_loaded_says_why(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *compiled = test_compile(test_sum_program());
  cyxla_runtime *runtime = cyxla_executable_runtime(compiled);
  cyxla_program *program = cyxla_executable_program(compiled);
  size_t bytes;
  void *data = serialize(compiled, &bytes);

  expect_refused(runtime, program, "nothing", 7, CYXLA_INVALID_ARGUMENT,
                 "cannot load a serialized executable: no fake executable");
  fake->set(FAKE_NULL_EXECUTABLE, 1);
  expect_refused(runtime, program, data, bytes, CYXLA_PLUGIN_INVALID,
                 "returned no executable and no error");
  fake->set(FAKE_NULL_EXECUTABLE, 0);
  fake->set(FAKE_OUTPUT_TYPE, CYXLA_INT32);
  expect_refused(runtime, program, data, bytes, CYXLA_SIGNATURE_MISMATCH, "has dtype");
  fake->set(FAKE_OUTPUT_TYPE, -1);
  fake->remove_function("PJRT_Executable_DeserializeAndLoad");
  expect_refused(runtime, program, data, bytes, CYXLA_UNIMPLEMENTED,
                 "cannot load serialized executables");
  fake->remove_function(NULL);
  for (int n = 0; n < 2; n++) {
    cyxla_memory_fail_after(n);
    expect_refused(runtime, program, data, bytes, CYXLA_OUT_OF_MEMORY, "an executable");
  }
  cyxla_aligned_free(data);
  cyxla_executable_destroy(compiled);
}

static void a_handler_that_is_missing_is_asked_for(void) {
  const test_fake *fake = test_fake_start();
  cyxla_executable *compiled = test_compile(test_sum_program());
  size_t bytes;
  void *data = serialize(compiled, &bytes);

  fake->set_text(FAKE_TEXT_ERROR_MESSAGE, "No FFI handler registered for my_target");
  fake->fail_function("PJRT_Executable_DeserializeAndLoad");
  expect_refused(cyxla_executable_runtime(compiled), cyxla_executable_program(compiled),
                 data, bytes, CYXLA_INTERNAL, "register a handler of XLA's typed FFI");
  cyxla_aligned_free(data);
  cyxla_executable_destroy(compiled);
}

static void a_program_of_another_platform_is_refused(void) {
  cyxla_program_options options = test_sum_options();
  cyxla_program *program;
  cyxla_runtime *runtime;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  options.platform = "tpu";
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  expect_refused(runtime, program, "data", 4, CYXLA_PLATFORM_MISMATCH, "platform tpu");
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

static void required_arguments_are_named(void) {
  cyxla_executable *compiled;
  cyxla_runtime *runtime;
  cyxla_program *program;
  cyxla_error error;

  test_fake_start();
  compiled = test_compile(test_sum_program());
  runtime = cyxla_executable_runtime(compiled);
  program = cyxla_executable_program(compiled);
  expect_refused(NULL, program, "data", 4, CYXLA_INVALID_ARGUMENT, "runtime");
  expect_refused(runtime, NULL, "data", 4, CYXLA_INVALID_ARGUMENT, "program");
  expect_refused(runtime, program, NULL, 0, CYXLA_INVALID_ARGUMENT, "data");
  EXPECT_ERROR(cyxla_executable_deserialize(runtime, program, "data", 4, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "executable");
  cyxla_executable_destroy(compiled);
}

/* Whether the error of code that does not compile tells versions of StableHLO. */
static void expect_versions(const char *plugin, const char *code, size_t bytes,
                            const char *versions) {
  cyxla_program_options options = test_sum_options();
  cyxla_executable *executable;
  cyxla_runtime *runtime = test_runtime(plugin);
  cyxla_program *program;
  cyxla_error error;

  options.code = code;
  options.code_bytes = bytes;
  EXPECT_OK(cyxla_program_create(&options, &program, &error), &error);
  EXPECT_ERROR(cyxla_executable_compile(runtime, program, &executable, &error),
               CYXLA_INVALID_ARGUMENT, &error,
               versions != NULL ? versions : "compile the program");
  EXPECT_EQUAL(strstr(error.message, "is written for StableHLO") != NULL,
               versions != NULL);
  EXPECT_STATUS(cyxla_executable_compile(runtime, program, &executable, NULL),
                CYXLA_INVALID_ARGUMENT, NULL);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
}

static void code_that_is_too_new_for_the_plugin_is_told_to_be(void) {
  static const char newer[] = "ML\xefR\x01StableHLO_v1.19.0\0";
  static const char same[] = "ML\xefR\x01StableHLO_v1.18.1\0";
  const test_fake *fake = test_fake_start();

  expect_versions(test_fake_path(), newer, sizeof(newer),
                  "; the program is written for StableHLO 1.19.0, and the plugin reads "
                  "those up to 1.18.1: save it for that version");
  expect_versions(test_fake_path(), same, sizeof(same), NULL);
  expect_versions(test_fake_path(), "nonsense", 8, NULL);
  cyxla_plugin_forget_all();
  fake->set(FAKE_ATTRIBUTES, FAKE_ATTRIBUTES_NONE);
  expect_versions(test_fake_path(), newer, sizeof(newer), NULL);
  cyxla_plugin_forget_all();
}

TEST_MAIN(TEST_CASE(an_executable_is_serialized_by_the_plugin),
          TEST_CASE(an_executable_that_cannot_be_serialized_says_why),
          TEST_CASE(a_serialized_executable_is_loaded_and_not_compiled),
          TEST_CASE(what_was_loaded_is_serialized_as_it_was),
          TEST_CASE(what_cannot_be_loaded_says_why),
          TEST_CASE(a_handler_that_is_missing_is_asked_for),
          TEST_CASE(a_program_of_another_platform_is_refused),
          TEST_CASE(code_that_is_too_new_for_the_plugin_is_told_to_be),
          TEST_CASE(required_arguments_are_named))
