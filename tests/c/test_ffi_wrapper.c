#include "ffi_wrapper.h"

#include <string.h>

#include "test.h"

static const XLA_FFI_Api *seen_api;
static char created_message[128];

/* The API of an old plugin: it ends in the middle of the table that we know. */
static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  strncpy(created_message, args->message, sizeof(created_message) - 1);
  return (XLA_FFI_Error *)created_message;
}

static XLA_FFI_Api old_api = {
    .struct_size = offsetof(XLA_FFI_Api, XLA_FFI_RunId_Get),
    .api_version = {sizeof(XLA_FFI_Api_Version), NULL, 0, 3},
    .XLA_FFI_Error_Create = create_error,
};

/* A new handler: says so, or calls a function that the plugin lacks. */
static XLA_FFI_Error *new_handler(XLA_FFI_CallFrame *frame) {
  if (frame->extension_start != NULL) {
    XLA_FFI_Metadata_Extension *extension =
        (XLA_FFI_Metadata_Extension *)frame->extension_start;
    extension->metadata->api_version.minor_version = 5;
    return NULL;
  }
  seen_api = frame->api;
  return ((XLA_FFI_Error * (*)(void *)) frame->api->XLA_FFI_DeviceOrdinal_Get)(NULL);
}

static cyxla_status wrap(int major, int minor, XLA_FFI_Handler **handler,
                         cyxla_error *error) {
  XLA_FFI_Api_Version version = {sizeof(version), NULL, major, minor};

  return cyxla_ffi_wrap(&old_api, "scale", &version, handler, error);
}

static void a_handler_that_fits_stays_as_it_is(void) {
  XLA_FFI_Handler *handler = new_handler;
  cyxla_error error;

  EXPECT_OK(wrap(0, 3, &handler, &error), &error);
  EXPECT_TRUE(handler == new_handler);
}

static void a_newer_handler_says_the_plugin_s_version(void) {
  XLA_FFI_Handler *handler = new_handler, *again = new_handler;
  XLA_FFI_Metadata metadata = {.struct_size = XLA_FFI_Metadata_STRUCT_SIZE};
  XLA_FFI_Metadata_Extension extension = {
      {sizeof(extension), XLA_FFI_Extension_Metadata, NULL}, &metadata};
  XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                             .extension_start = &extension.extension_base,
                             .api = &old_api};
  cyxla_error error;

  EXPECT_OK(wrap(0, 5, &handler, &error), &error);
  EXPECT_TRUE(handler != new_handler);
  EXPECT_NULL(handler(&frame));
  EXPECT_EQUAL(metadata.api_version.minor_version, 3);
  EXPECT_TRUE(frame.api == &old_api);
  EXPECT_OK(wrap(0, 5, &again, &error), &error);
  EXPECT_TRUE(again == handler);
}

static void a_function_that_the_plugin_lacks_is_an_error_and_no_crash(void) {
  XLA_FFI_Handler *handler = new_handler;
  XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                             .api = &old_api};
  cyxla_error error;

  EXPECT_OK(wrap(0, 5, &handler, &error), &error);
  EXPECT_TRUE(handler(&frame) == (XLA_FFI_Error *)created_message);
  EXPECT_TRUE(strstr(created_message, "newer than the plugin") != NULL);
  EXPECT_TRUE(seen_api != &old_api);
  EXPECT_TRUE(seen_api->struct_size > sizeof(XLA_FFI_Api));
}

static void half_a_function_at_the_end_of_a_plugin_s_table_is_none(void) {
  static XLA_FFI_Api odd_api;
  XLA_FFI_Api_Version version = {sizeof(version), NULL, 0, 5};
  XLA_FFI_Handler *handler = new_handler;
  XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                             .api = &odd_api};
  cyxla_error error;

  odd_api = old_api;
  odd_api.struct_size = offsetof(XLA_FFI_Api, XLA_FFI_RunId_Get) + 3;
  EXPECT_OK(cyxla_ffi_wrap(&odd_api, "scale", &version, &handler, &error), &error);
  EXPECT_TRUE(handler(&frame) == (XLA_FFI_Error *)created_message);
}

static void versions_that_cannot_be_brought_together_are_refused(void) {
  XLA_FFI_Handler *handler = new_handler;
  cyxla_error error;

  EXPECT_ERROR(wrap(0, 6, &handler, &error), CYXLA_UNIMPLEMENTED, &error,
               "the handler scale was built with version 0.6 of XLA's FFI, the plugin "
               "has version 0.3");
  EXPECT_ERROR(wrap(1, 0, &handler, &error), CYXLA_UNIMPLEMENTED, &error,
               "version 1.0");
  EXPECT_TRUE(handler == new_handler);
}

static void there_is_an_end_to_wrappers_and_apis(void) {
  static XLA_FFI_Api apis[17];
  XLA_FFI_Api_Version version = {sizeof(version), NULL, 0, 5};
  XLA_FFI_Handler *handler;
  cyxla_status status = CYXLA_OK;
  cyxla_error error;
  uintptr_t address = 4096;
  int count = 0;

  while (status == CYXLA_OK) {
    memcpy(&handler, &address, sizeof(handler)); /* never called */
    status = wrap(0, 5, &handler, &error);
    address += 16;
    count++;
  }
  EXPECT_EQUAL(status, CYXLA_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(strstr(error.message, "all 512 are taken") != NULL);
  EXPECT_TRUE(count > 500);
  for (size_t i = 0; i < TEST_COUNT(apis); i++) {
    apis[i] = old_api;
    handler = new_handler;
    EXPECT_ERROR(cyxla_ffi_wrap(&apis[i], "scale", &version, &handler, &error),
                 CYXLA_RESOURCE_EXHAUSTED, &error, "needs a wrapper");
  }
}

TEST_MAIN(TEST_CASE(a_handler_that_fits_stays_as_it_is),
          TEST_CASE(a_newer_handler_says_the_plugin_s_version),
          TEST_CASE(half_a_function_at_the_end_of_a_plugin_s_table_is_none),
          TEST_CASE(a_function_that_the_plugin_lacks_is_an_error_and_no_crash),
          TEST_CASE(versions_that_cannot_be_brought_together_are_refused),
          TEST_CASE(there_is_an_end_to_wrappers_and_apis))
