#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "ffi_future.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "direct/custom_call.h"
#include "ffi_api.h"
#include "memory.h"
#include "test.h"

static const XLA_FFI_Api *api;
static cyxla_custom_call_seats *seats;
static pthread_t thread;
static bool is_done, fails;

static XLA_FFI_Error *make_error(const char *message) {
  XLA_FFI_Error_Create_Args args = {sizeof(args), NULL, message,
                                    XLA_FFI_Error_Code_INTERNAL};

  return api->XLA_FFI_Error_Create(&args);
}

static void expect_error(XLA_FFI_Error *failure, cyxla_status status,
                         const char *message) {
  cyxla_error error;

  EXPECT_ERROR(cyxla_ffi_api_take_error(api, failure, "run", "it", &error), status,
               &error, message);
}

static XLA_FFI_Future *create_future(void) {
  XLA_FFI_Future_Create_Args create = {sizeof(create), NULL, NULL};

  EXPECT_NULL(api->XLA_FFI_Future_Create(&create));
  EXPECT_TRUE(create.future != NULL);
  return create.future;
}

static void *complete_later(void *future) {
  const struct timespec a_while = {0, 20000000};
  XLA_FFI_Future_SetAvailable_Args done = {sizeof(done), NULL, future};
  XLA_FFI_Future_SetError_Args fail = {sizeof(fail), NULL, future, NULL};

  nanosleep(&a_while, NULL);
  is_done = true;
  if (!fails) return api->XLA_FFI_Future_SetAvailable(&done);
  fail.error = make_error("it went wrong later");
  return api->XLA_FFI_Future_SetError(&fail);
}

/* A handler that computes in a thread of its own. */
static XLA_FFI_Error *compute_elsewhere(XLA_FFI_CallFrame *frame) {
  frame->future = create_future();
  is_done = false;
  EXPECT_EQUAL(pthread_create(&thread, NULL, complete_later, frame->future), 0);
  return NULL;
}

static bool run(void) {
  void *failure;
  bool succeeded = cyxla_custom_call_run(seats, 0, NULL);

  EXPECT_TRUE(is_done);
  EXPECT_EQUAL(pthread_join(thread, &failure), 0);
  EXPECT_NULL(failure);
  return succeeded;
}

static void leave(void *unused) {
  (void)unused;
  cyxla_custom_call_seats_free(seats);
}

static void a_run_waits_for_what_a_handler_does_elsewhere(void) {
  cyxla_custom_call call;
  cyxla_error error;

  api = cyxla_ffi_api_get();
  memset(&call, 0, sizeof(call));
  call.handler = compute_elsewhere;
  EXPECT_OK(cyxla_custom_call_seats_create(&call, 1, &seats, &error), &error);
  test_defer(leave, NULL);
  fails = false;
  EXPECT_TRUE(run());
  fails = true;
  EXPECT_TRUE(!run());
  EXPECT_ERROR(cyxla_custom_call_take_error(seats, &error), CYXLA_INTERNAL, &error,
               "cannot run the program: it went wrong later");
  fails = false;
  EXPECT_TRUE(run());
}

static void a_future_is_completed_once(void) {
  XLA_FFI_Future_SetAvailable_Args done = {sizeof(done), NULL, NULL};
  XLA_FFI_Future_SetError_Args fail = {sizeof(fail), NULL, NULL, NULL};

  api = cyxla_ffi_api_get();
  done.future = fail.future = create_future();
  EXPECT_NULL(api->XLA_FFI_Future_SetAvailable(&done));
  expect_error(api->XLA_FFI_Future_SetAvailable(&done), CYXLA_FAILED_PRECONDITION,
               "completed before");
  fail.error = make_error("late");
  expect_error(api->XLA_FFI_Future_SetError(&fail), CYXLA_FAILED_PRECONDITION,
               "completed before");
  EXPECT_NULL(cyxla_ffi_future_take(done.future));
}

static void a_lack_of_memory_is_told(void) {
  XLA_FFI_Future_Create_Args create = {sizeof(create), NULL, NULL};
  XLA_FFI_Error *failure;

  api = cyxla_ffi_api_get();
  cyxla_memory_fail_after(0);
  failure = api->XLA_FFI_Future_Create(&create);
  cyxla_memory_fail_after(-1);
  expect_error(failure, CYXLA_RESOURCE_EXHAUSTED, "there is no memory left");
  EXPECT_NULL(create.future);
}

TEST_MAIN(TEST_CASE(a_run_waits_for_what_a_handler_does_elsewhere),
          TEST_CASE(a_future_is_completed_once), TEST_CASE(a_lack_of_memory_is_told))
