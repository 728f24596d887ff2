/* Calls that run direct code with custom calls: errors, calls inside of one another,
 * and the floating-point environment. */
#include <string.h>

#include "call.h"
#include "cyxla_ffi.h"
#include "fpenv.h"
#include "test_fake.h"
#include "test_thunks_support.h"

enum { NUM_CALLS = 18, BYTES = 3 * sizeof(float) };

static cyxla_executable *executable;
static cyxla_call *calls[NUM_CALLS];
static cyxla_direct direct;
static cyxla_allocation allocations[3];
static int depth;     /* of the calls that run */
static int num_inner; /* how many calls a handler begins, one inside of the other */
static cyxla_status inner_status;
static cyxla_error inner_error;
static cyxla_fpenv seen; /* by the handler */
static bool fails;

/* Adds, after a run of the next call, as a handler may do. */
static XLA_FFI_Error *add(XLA_FFI_CallFrame *frame) {
  const XLA_FFI_Buffer *x, *y, *sum;

  if (cyxla_ffi_describe(frame)) return NULL;
  cyxla_fpenv_enter(&seen);
  cyxla_fpenv_leave(&seen);
  x = cyxla_ffi_argument(frame, 0, XLA_FFI_DataType_F32);
  y = cyxla_ffi_argument(frame, 1, XLA_FFI_DataType_F32);
  sum = cyxla_ffi_result(frame, 0, XLA_FFI_DataType_F32);
  if (depth < num_inner) {
    depth++;
    inner_status = cyxla_call_run(calls[depth], &inner_error);
    if (inner_status != CYXLA_OK) return cyxla_ffi_fail(frame, "inner");
  }
#if defined(__SSE__)
  _mm_setcsr(CYXLA_FPENV_DEFAULT | CYXLA_FPENV_FLAGS); /* which it does not put back */
#endif
  if (fails) return cyxla_ffi_fail(frame, "no %s today", "sum");
  for (int i = 0; i < 3; i++) {
    ((float *)sum->data)[i] = ((float *)x->data)[i] + ((float *)y->data)[i];
  }
  return NULL;
}

static void put_array(test_message *buffers, uint64_t number, uint64_t allocation) {
  test_message shape = {0}, message = {0};

  test_put_number(&shape, 2, XLA_FFI_DataType_F32);
  test_put_list(&shape, 3, (const int64_t[]){3}, 1);
  test_put_message(&message, 1, &shape);
  test_put_slice(&message, 2, allocation, 0, BYTES);
  test_put_message(buffers, number, &message);
}

static void put_add(test_message *sequence) {
  test_message buffers = {0}, custom_call = {0};

  put_array(&buffers, 1, 0);
  put_array(&buffers, 1, 1);
  put_array(&buffers, 2, 2);
  test_put_number(&custom_call, 1, 4);
  test_put_text(&custom_call, 2, "add");
  test_put_message(&custom_call, 4, &buffers);
  test_put_thunk(sequence, 16, &custom_call);
}

static void leave(void *unused) {
  (void)unused;
  for (int i = 0; i < NUM_CALLS; i++) {
    cyxla_call_destroy(calls[i]);
    calls[i] = NULL;
  }
  executable->direct = NULL;
  cyxla_executable_destroy(executable);
  cyxla_thunks_free(&direct.thunks);
}

/* Calls of the sum, whose direct code is a custom call. */
static void start(void) {
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;
  cyxla_comparator_source comparators = {.objects = &direct.objects};
  test_message sequence = {0};
  cyxla_error error;

  test_fake_start();
  executable = test_compile(test_sum_program());
  test_defer(leave, NULL);
  handler.name = "add";
  handler.execute = (cyxla_ffi_function *)add;
  EXPECT_OK(cyxla_ffi_register(executable->runtime, &handler, &error), &error);
  memset(&direct, 0, sizeof(direct));
  for (int i = 0; i < 3; i++) {
    allocations[i] = (cyxla_allocation){
        .bytes = BYTES, .input = i < 2 ? i : -1, .output = i < 2 ? -1 : 0};
  }
  direct.allocations.items = allocations;
  direct.allocations.count = 3;
  put_add(&sequence);
  EXPECT_OK(cyxla_thunks_read(test_wire(&sequence), &direct.allocations, &comparators,
                              executable->runtime->plugin, &direct.thunks, &error),
            &error);
  executable->direct = &direct;
  for (int i = 0; i < NUM_CALLS; i++) {
    EXPECT_OK(cyxla_call_create(executable, &calls[i], &error), &error);
    test_sum_fill(calls[i], (float)(i + 1));
  }
  depth = num_inner = 0;
  inner_status = CYXLA_OK;
  fails = false;
}

static void a_handler_computes_the_output(void) {
  cyxla_error error;

  start();
  EXPECT_OK(cyxla_call_run(calls[0], &error), &error);
  test_sum_expect(calls[0], 1);
  EXPECT_OK(cyxla_call_run(calls[4], &error), &error);
  test_sum_expect(calls[4], 5);
}

static void an_error_of_a_handler_is_the_run_s(void) {
  cyxla_error error;

  start();
  for (int turn = 0; turn < 2; turn++) {
    fails = true;
    EXPECT_ERROR(cyxla_call_run(calls[0], &error), CYXLA_INVALID_ARGUMENT, &error,
                 "cannot run the program: no sum today");
    EXPECT_NULL(cyxla_call_output(calls[0], 0));
    EXPECT_STATUS(cyxla_call_run(calls[0], NULL), CYXLA_INVALID_ARGUMENT, NULL);
    fails = false;
    EXPECT_OK(cyxla_call_run(calls[0], &error), &error);
    test_sum_expect(calls[0], 1);
  }
}

static void a_handler_may_run_another_call(void) {
  cyxla_error error;

  start();
  num_inner = 15;
  EXPECT_OK(cyxla_call_run(calls[0], &error), &error);
  EXPECT_EQUAL(depth, 15);
  for (int i = 0; i < 16; i++) test_sum_expect(calls[i], (float)(i + 1));
}

static void calls_inside_of_one_another_have_an_end(void) {
  cyxla_error error;

  start();
  num_inner = 16;
  EXPECT_ERROR(cyxla_call_run(calls[0], &error), CYXLA_INVALID_ARGUMENT, &error,
               "cannot run the program: inner");
  EXPECT_NULL(cyxla_call_output(calls[16], 0));
  /* And the thread is in none after that. */
  depth = 0;
  num_inner = 15;
  EXPECT_OK(cyxla_call_run(calls[0], &error), &error);
}

#if defined(__SSE__)
/* Rounding to zero, which no handler may see, and a flag. */
enum { OF_CALLER = CYXLA_FPENV_DEFAULT | 0x6000 | 0x10 };

static void expect_environment_kept(cyxla_status expected) {
  unsigned int before = _mm_getcsr(), after;
  cyxla_status status;

  _mm_setcsr(OF_CALLER);
  status = cyxla_call_run(calls[0], NULL);
  after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQUAL(status, expected);
  EXPECT_EQUAL(after, OF_CALLER);
  /* As in XLA's own threads: denormals are zero as inputs and as results. */
  EXPECT_EQUAL(seen.vector & ~(unsigned int)CYXLA_FPENV_FLAGS, 0x9FC0);
#if defined(__GNUC__)
  EXPECT_EQUAL(seen.x87_control, CYXLA_FPENV_X87_DEFAULT);
#endif
}

static void handlers_see_the_environment_of_kernels(void) {
  const unsigned short single = 0x07F; /* precision, of the x87 unit */
  unsigned short control;

  start();
  expect_environment_kept(CYXLA_OK);
  fails = true;
  expect_environment_kept(CYXLA_INVALID_ARGUMENT);
#if defined(__GNUC__)
  __asm__ volatile("fldcw %0" : : "m"(single));
  expect_environment_kept(CYXLA_INVALID_ARGUMENT);
  __asm__ volatile("fnstcw %0" : "=m"(control));
  __asm__ volatile("fninit");
  EXPECT_EQUAL(control, single);
#endif
}
#else
static void handlers_see_the_environment_of_kernels(void) {}
#endif

TEST_MAIN(TEST_CASE(a_handler_computes_the_output),
          TEST_CASE(an_error_of_a_handler_is_the_run_s),
          TEST_CASE(a_handler_may_run_another_call),
          TEST_CASE(calls_inside_of_one_another_have_an_end),
          TEST_CASE(handlers_see_the_environment_of_kernels))
