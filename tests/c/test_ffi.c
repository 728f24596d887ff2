#include "ffi.h"

#include <string.h>

#include "memory.h"
#include "runtime.h"
#include "test.h"
#include "test_fake.h"

static int asked_minor; /* what a handler says it was built with */

static XLA_FFI_Error *say_version(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Metadata_Extension *extension =
      (XLA_FFI_Metadata_Extension *)frame->extension_start;

  EXPECT_EQUAL(frame->struct_size, XLA_FFI_CallFrame_STRUCT_SIZE);
  extension->metadata->api_version.minor_version = asked_minor;
  return NULL;
}

static XLA_FFI_Error *cannot_say(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Error_Create_Args args = {sizeof(args), NULL, "ask somebody else",
                                    XLA_FFI_Error_Code_INTERNAL};

  return frame->api->XLA_FFI_Error_Create(&args);
}

static cyxla_ffi_function *function(XLA_FFI_Handler *handler) {
  return (cyxla_ffi_function *)handler;
}

static cyxla_ffi_handler handler_of(XLA_FFI_Handler *execute) {
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;

  asked_minor = 1;
  handler.name = "scale";
  handler.execute = function(execute);
  return handler;
}

static void expect_refused(const cyxla_ffi_handler *handler, cyxla_status status,
                           const char *message) {
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_error error;

  EXPECT_ERROR(cyxla_ffi_register(runtime, handler, &error), status, &error, message);
  cyxla_runtime_destroy(runtime);
}

static void a_handler_reaches_the_plugin_with_its_stages(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_ffi_handler handler = handler_of(say_version);
  cyxla_error error;

  handler.instantiate = function(say_version);
  EXPECT_OK(cyxla_ffi_register(runtime, &handler, &error), &error);
  EXPECT_TRUE(fake->ffi_function("scale", 0) != NULL);
  EXPECT_NULL(fake->ffi_function("scale", 1));
  EXPECT_TRUE(fake->ffi_function("scale", 3) == fake->ffi_function("scale", 0));
  EXPECT_OK(cyxla_ffi_register(runtime, &handler, &error), &error);
  cyxla_runtime_destroy(runtime);
}

static void what_the_plugin_refuses_is_told(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_ffi_handler handler = handler_of(say_version);
  cyxla_error error;

  EXPECT_OK(cyxla_ffi_register(runtime, &handler, &error), &error);
  handler.prepare = function(say_version);
  EXPECT_ERROR(
      cyxla_ffi_register(runtime, &handler, &error), CYXLA_INVALID_ARGUMENT, &error,
      "cannot register the handler scale: the name is taken by another handler");
  EXPECT_EQUAL(fake->live(FAKE_ERROR), 0);
  cyxla_runtime_destroy(runtime);
}

static void a_handler_needs_a_name_and_a_function(void) {
  cyxla_ffi_handler handler;

  test_fake_start();
  handler = handler_of(say_version);
  handler.name = NULL;
  expect_refused(&handler, CYXLA_INVALID_ARGUMENT, "the handler has no name");
  handler.name = "";
  expect_refused(&handler, CYXLA_INVALID_ARGUMENT, "the handler has no name");
  handler = handler_of(NULL);
  expect_refused(&handler, CYXLA_INVALID_ARGUMENT,
                 "the handler scale has no function for the stage execute");
  expect_refused(NULL, CYXLA_INVALID_ARGUMENT, "handler");
  handler.struct_size = 1;
  expect_refused(&handler, CYXLA_INVALID_ARGUMENT, "struct_size of cyxla_ffi_handler");
}

static void a_handler_that_cannot_say_what_it_is_is_refused(void) {
  cyxla_ffi_handler handler;

  test_fake_start();
  handler = handler_of(cannot_say);
  expect_refused(&handler, CYXLA_INTERNAL, "ask somebody else");
}

static void a_plugin_without_the_extension_takes_no_handlers(void) {
  const test_fake *fake = test_fake_start();
  cyxla_ffi_handler handler = handler_of(say_version);

  fake->set(FAKE_EXTENSIONS, FAKE_EXTENSIONS_NONE);
  expect_refused(&handler, CYXLA_UNIMPLEMENTED, "it lacks the extension FFI");
}

static void a_plugin_whose_extension_fails_is_its_own_error(void) {
  const test_fake *fake = test_fake_start();
  cyxla_ffi_handler handler = handler_of(say_version);

  fake->set(FAKE_FFI_REFUSES, 1);
  expect_refused(&handler, CYXLA_INVALID_ARGUMENT, "no handlers today");
  fake->set(FAKE_FFI_REFUSES, 0);
  fake->set(FAKE_FFI_IS_SILENT, 1);
  expect_refused(&handler, CYXLA_PLUGIN_INVALID, "did not say what its FFI is");
}

/* Every function that is called is there. */
static void a_plugin_whose_ffi_lacks_functions_takes_no_handlers(void) {
  const test_fake *fake = test_fake_start();
  cyxla_ffi_handler handler = handler_of(say_version);

  fake->set(FAKE_FFI_API_BYTES, offsetof(XLA_FFI_Api, XLA_FFI_Type_Register) + 1);
  expect_refused(&handler, CYXLA_PLUGIN_INVALID, "did not say what its FFI is");
}

static void platforms_have_xla_s_names(void) {
  static const char *const platforms[] = {"cpu", "CUDA", "rocm", "other"};

  test_fake_start();
  for (size_t i = 0; i < TEST_COUNT(platforms); i++) {
    cyxla_runtime *runtime = test_fake_runtime();
    cyxla_ffi_handler handler = handler_of(say_version);
    cyxla_error error;
    handler.platform = platforms[i];
    EXPECT_OK(cyxla_ffi_register(runtime, &handler, &error), &error);
    cyxla_runtime_destroy(runtime);
  }
}

static void types_get_a_number(void) {
  cyxla_runtime *runtime;
  cyxla_error error;
  int64_t id = 0;

  test_fake_start();
  runtime = test_fake_runtime();
  EXPECT_OK(cyxla_ffi_register_type(runtime, "state", &id, NULL, &error), &error);
  EXPECT_TRUE(id >= 100);
  id = 7;
  EXPECT_OK(cyxla_ffi_register_type(runtime, "state", &id, NULL, &error), &error);
  EXPECT_EQUAL(id, 7);
  EXPECT_ERROR(cyxla_ffi_register_type(runtime, "", &id, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "a type needs a name");
  EXPECT_ERROR(cyxla_ffi_register_type(runtime, NULL, &id, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "name");
  EXPECT_ERROR(cyxla_ffi_register_type(runtime, "state", NULL, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "type_id");
  EXPECT_ERROR(cyxla_ffi_register_type(NULL, "state", &id, NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "runtime");
  cyxla_runtime_destroy(runtime);
}

static void types_need_the_extension_too(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime;
  cyxla_error error;
  int64_t id = 0;

  fake->set(FAKE_EXTENSIONS, FAKE_EXTENSIONS_NONE);
  runtime = test_fake_runtime();
  EXPECT_ERROR(cyxla_ffi_register_type(runtime, "state", &id, NULL, &error),
               CYXLA_UNIMPLEMENTED, &error, "FFI");
  cyxla_runtime_destroy(runtime);
}

static void a_forked_child_registers_nothing(void) {
  cyxla_runtime *runtime;
  cyxla_ffi_handler handler = handler_of(say_version);
  cyxla_error error;
  int64_t id = 0;

  test_fake_start();
  runtime = test_fake_runtime();
  runtime->generation--; /* as if the process had been forked since */
  EXPECT_ERROR(cyxla_ffi_register(runtime, &handler, &error), CYXLA_FORKED, &error,
               "forked");
  EXPECT_ERROR(cyxla_ffi_register_type(runtime, "state", &id, NULL, &error),
               CYXLA_FORKED, &error, "forked");
  runtime->generation++;
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(a_forked_child_registers_nothing),
          TEST_CASE(a_handler_reaches_the_plugin_with_its_stages),
          TEST_CASE(what_the_plugin_refuses_is_told),
          TEST_CASE(a_handler_needs_a_name_and_a_function),
          TEST_CASE(a_handler_that_cannot_say_what_it_is_is_refused),
          TEST_CASE(a_plugin_without_the_extension_takes_no_handlers),
          TEST_CASE(a_plugin_whose_extension_fails_is_its_own_error),
          TEST_CASE(a_plugin_whose_ffi_lacks_functions_takes_no_handlers),
          TEST_CASE(platforms_have_xla_s_names), TEST_CASE(types_get_a_number),
          TEST_CASE(types_need_the_extension_too))
