/* The library's own API of the FFI, as handlers see it. */
#include "ffi_api.h"

#include <string.h>

#include "memory.h"
#include "test.h"

typedef XLA_FFI_Error *any_function(void *args);

static const XLA_FFI_Api *api;
static struct XLA_FFI_InvokeContext context = {7};

static XLA_FFI_Error *make_error(XLA_FFI_Error_Code code, const char *message) {
  XLA_FFI_Error_Create_Args args = {sizeof(args), NULL, message, code};

  api = cyxla_ffi_api_get();
  return api->XLA_FFI_Error_Create(&args);
}

static void expect_error(XLA_FFI_Error *failure, cyxla_status status,
                         const char *message) {
  cyxla_error error;

  EXPECT_TRUE(failure != NULL);
  EXPECT_ERROR(cyxla_ffi_api_take_error(api, failure, "run", "the program", &error),
               status, &error, message);
}

static void it_says_its_version_and_its_size(void) {
  api = cyxla_ffi_api_get();
  EXPECT_TRUE(api->struct_size > sizeof(*api));
  EXPECT_EQUAL(api->struct_size % sizeof(void *), 0);
  EXPECT_EQUAL(api->api_version.major_version, 0);
  EXPECT_EQUAL(api->api_version.minor_version, 4);
  EXPECT_EQUAL(api->api_version.struct_size, 24);
  EXPECT_NULL(api->extension_start);
}

static void an_error_keeps_its_code_and_text(void) {
  char text[] = "no such thing";
  XLA_FFI_Error *failure = make_error(XLA_FFI_Error_Code_INVALID_ARGUMENT, text);
  XLA_FFI_Error_GetDetails_Args details = {sizeof(details), NULL, failure, NULL,
                                           XLA_FFI_Error_Code_OK};

  text[0] = 'x';
  api->XLA_FFI_Error_GetDetails(&details);
  EXPECT_EQUAL(details.errc, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  EXPECT_TEXT(details.message, "no such thing");
  expect_error(failure, CYXLA_INVALID_ARGUMENT,
               "cannot run the program: no such thing");
  expect_error(make_error(XLA_FFI_Error_Code_INTERNAL, NULL), CYXLA_INTERNAL,
               "cannot run the program: ");
  /* A failure has a status that is one. */
  expect_error(make_error(XLA_FFI_Error_Code_OK, "fine"), CYXLA_UNKNOWN, "fine");
  expect_error(make_error((XLA_FFI_Error_Code)99, "odd"), CYXLA_UNKNOWN, "odd");
  EXPECT_OK(cyxla_ffi_api_take_error(api, NULL, "run", "it", NULL), NULL);
}

static void a_lack_of_memory_is_an_error_too(void) {
  for (int turn = 0; turn < 2; turn++) {
    XLA_FFI_Error *failure;
    cyxla_memory_fail_after(0);
    failure = make_error(XLA_FFI_Error_Code_INTERNAL, "lost");
    cyxla_memory_fail_after(-1);
    expect_error(failure, CYXLA_RESOURCE_EXHAUSTED, "there is no memory left");
  }
}

static void add_one(void *data) {
  ++*(int *)data;
}

static void tasks_run_at_once(void) {
  int count = 0;
  int64_t num_threads = 0;
  XLA_FFI_ThreadPool_Schedule_Args schedule = {sizeof(schedule), NULL, &context,
                                               add_one, &count};
  XLA_FFI_ThreadPool_NumThreads_Args threads = {sizeof(threads), NULL, &context,
                                                &num_threads};

  api = cyxla_ffi_api_get();
  EXPECT_NULL(api->XLA_FFI_ThreadPool_Schedule(&schedule));
  EXPECT_EQUAL(count, 1);
  EXPECT_NULL(api->XLA_FFI_ThreadPool_NumThreads(&threads));
  EXPECT_EQUAL(num_threads, 1);
}

static void the_run_and_the_device_have_numbers(void) {
  XLA_FFI_RunId_Get_Args run = {sizeof(run), NULL, &context, 0};
  XLA_FFI_DeviceOrdinal_Get_Args device = {sizeof(device), NULL, &context, -1};

  api = cyxla_ffi_api_get();
  EXPECT_NULL(api->XLA_FFI_RunId_Get(&run));
  EXPECT_EQUAL(run.run_id, 7);
  EXPECT_NULL(api->XLA_FFI_DeviceOrdinal_Get(&device));
  EXPECT_EQUAL(device.device_ordinal, 0);
}

/* Handlers look at a place in the table, whatever they were built with. */
static void whatever_is_not_there_says_so(void) {
  static const struct {
    size_t offset;
    const char *text;
  } missing[] = {
      {offsetof(XLA_FFI_Api, XLA_FFI_Handler_Register), "no handlers or types"},
      {offsetof(XLA_FFI_Api, XLA_FFI_Type_Register), "no handlers or types"},
      {offsetof(XLA_FFI_Api, XLA_FFI_Stream_Get), "no stream"},
      {offsetof(XLA_FFI_Api, XLA_FFI_InvokeContext_Get), "no user data"},
      {offsetof(XLA_FFI_Api, XLA_FFI_State_Set), "no state"},
      {offsetof(XLA_FFI_Api, XLA_FFI_State_Get), "no state"},
      {offsetof(XLA_FFI_Api, XLA_FFI_DeviceMemory_Allocate), "no memory of a device"},
      {offsetof(XLA_FFI_Api, XLA_FFI_DeviceMemory_Free), "no memory of a device"},
      {offsetof(XLA_FFI_Api, XLA_FFI_InvokeContext_FindExtension), "no extension"},
  };
  const unsigned char *table;
  any_function *function;

  api = cyxla_ffi_api_get();
  table = (const unsigned char *)api;
  for (size_t i = 0; i < TEST_COUNT(missing); i++) {
    memcpy(&function, table + missing[i].offset, sizeof(function));
    expect_error(function(NULL), CYXLA_UNIMPLEMENTED, missing[i].text);
  }
  for (size_t at = sizeof(*api); at < api->struct_size; at += sizeof(function)) {
    memcpy(&function, table + at, sizeof(function));
    expect_error(function(NULL), CYXLA_UNIMPLEMENTED, "no function of a newer FFI");
  }
}

static void no_place_of_the_table_is_empty(void) {
  const unsigned char *table;
  any_function *function;

  api = cyxla_ffi_api_get();
  table = (const unsigned char *)api;
  for (size_t at = offsetof(XLA_FFI_Api, XLA_FFI_Error_Create); at < api->struct_size;
       at += sizeof(function)) {
    memcpy(&function, table + at, sizeof(function));
    EXPECT_TRUE(function != NULL);
  }
}

TEST_MAIN(TEST_CASE(it_says_its_version_and_its_size),
          TEST_CASE(an_error_keeps_its_code_and_text),
          TEST_CASE(a_lack_of_memory_is_an_error_too), TEST_CASE(tasks_run_at_once),
          TEST_CASE(the_run_and_the_device_have_numbers),
          TEST_CASE(whatever_is_not_there_says_so),
          TEST_CASE(no_place_of_the_table_is_empty))
