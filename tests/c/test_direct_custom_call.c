/* Custom calls: read from thunks, and run. */
#include <string.h>

#include "cyxla_ffi.h"
#include "direct/run.h"
#include "memory.h"
#include "runtime.h"
#include "test_fake.h"
#include "test_thunks_support.h"

enum { TEST_CUSTOM_CALL = 16, TYPED_FFI = 4 };

static cyxla_direct direct;
static cyxla_allocation allocations[TEST_NUM_ALLOCATIONS];
static cyxla_direct_call call;
static cyxla_runtime *runtime;
static float input[4], output[4];
static int num_calls;
static int64_t last_run;

/* y = factor * x, and the frame is as XLA makes it. */
static XLA_FFI_Error *scale(XLA_FFI_CallFrame *frame) {
  XLA_FFI_RunId_Get_Args run = {sizeof(run), NULL, frame->ctx, 0};
  const XLA_FFI_Buffer *x, *y;
  double factor = 0;

  if (cyxla_ffi_describe(frame)) return NULL;
  x = cyxla_ffi_argument(frame, 0, XLA_FFI_DataType_F32);
  y = cyxla_ffi_result(frame, 0, XLA_FFI_DataType_F32);
  num_calls++;
  EXPECT_EQUAL(frame->struct_size, XLA_FFI_CallFrame_STRUCT_SIZE);
  EXPECT_EQUAL(frame->stage, XLA_FFI_ExecutionStage_EXECUTE);
  EXPECT_EQUAL(frame->args.struct_size, sizeof(frame->args));
  EXPECT_EQUAL(frame->rets.struct_size, sizeof(frame->rets));
  EXPECT_NULL(frame->api->XLA_FFI_RunId_Get(&run));
  last_run = run.run_id;
  if (!cyxla_ffi_number(frame, "factor", &factor)) {
    return cyxla_ffi_fail(frame, "scale needs a factor");
  }
  EXPECT_EQUAL(frame->args.size, 1);
  EXPECT_EQUAL(frame->rets.size, 1);
  EXPECT_EQUAL(x->struct_size, sizeof(*x));
  EXPECT_EQUAL(x->rank, 2);
  EXPECT_EQUAL(x->dims[0], 2);
  EXPECT_EQUAL(x->dims[1], 2);
  for (int i = 0; i < 4; i++) {
    ((float *)y->data)[i] = (float)factor * ((const float *)x->data)[i];
  }
  return NULL;
}

/* Takes tokens, and arrays of any types. */
static XLA_FFI_Error *take_all(XLA_FFI_CallFrame *frame) {
  const XLA_FFI_Buffer *token, *scalar;

  if (cyxla_ffi_describe(frame)) return NULL;
  EXPECT_EQUAL(frame->args.size, 2);
  token = cyxla_ffi_argument(frame, 0, XLA_FFI_DataType_TOKEN);
  scalar = cyxla_ffi_argument(frame, 1, XLA_FFI_DataType_C128);
  EXPECT_TRUE(token != NULL && scalar != NULL);
  EXPECT_EQUAL(token->rank, 0);
  EXPECT_TRUE(token->dims != NULL);
  EXPECT_EQUAL(scalar->rank, 0);
  EXPECT_EQUAL(frame->rets.size, 0);
  EXPECT_EQUAL(frame->attrs.size, 0);
  num_calls++;
  return NULL;
}

static void leave(void *unused) {
  (void)unused;
  if (call.direct != NULL) cyxla_direct_call_free(&call);
  cyxla_thunks_free(&direct.thunks);
  cyxla_runtime_destroy(runtime);
}

static void add_handler(const char *name, XLA_FFI_Handler *execute) {
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;
  cyxla_error error;

  handler.name = name;
  handler.execute = (cyxla_ffi_function *)execute;
  EXPECT_OK(cyxla_ffi_register(runtime, &handler, &error), &error);
}

static void start(void) {
  test_fake_start();
  runtime = test_fake_runtime();
  test_defer(leave, NULL);
  add_handler("scale", scale);
  add_handler("take_all", take_all);
  test_start_direct(&direct, allocations);
  num_calls = 0;
}

/* Adds an argument or result of a type, of 2 x 2 elements or a scalar. */
static void put_buffer(test_message *buffers, uint64_t number, uint64_t type, int rank,
                       uint64_t allocation, uint64_t bytes) {
  static const int64_t sizes[] = {2, 2};
  test_message shape = {0}, message = {0};

  test_put_number(&shape, 2, type);
  if (rank > 0) test_put_list(&shape, 3, sizes, (size_t)rank);
  test_put_message(&message, 1, &shape);
  test_put_slice(&message, 2, allocation, 0, bytes);
  test_put_message(buffers, number, &message);
}

static void put_custom_call(test_message *custom_call, uint64_t version,
                            const char *target, const char *attributes,
                            const test_message *buffers) {
  test_put_number(custom_call, 1, version);
  test_put_text(custom_call, 2, target);
  test_put_text(custom_call, 3, attributes);
  test_put_message(custom_call, 4, buffers);
}

static void put_scale_of(test_message *sequence, const char *attributes) {
  test_message buffers = {0}, custom_call = {0};

  put_buffer(&buffers, 1, XLA_FFI_DataType_F32, 2, TEST_INPUT, 16);
  put_buffer(&buffers, 2, XLA_FFI_DataType_F32, 2, TEST_OUTPUT, 16);
  put_custom_call(&custom_call, TYPED_FFI, "scale", attributes, &buffers);
  test_put_thunk(sequence, TEST_CUSTOM_CALL, &custom_call);
}

static cyxla_status read_thunks(const test_message *sequence, cyxla_error *error) {
  cyxla_thunks_free(&direct.thunks);
  return test_try_thunks_of(&direct, test_wire(sequence), runtime->plugin, error);
}

static void make_call(const test_message *sequence) {
  cyxla_error error;

  EXPECT_OK(read_thunks(sequence, &error), &error);
  EXPECT_OK(cyxla_direct_call_create(&direct, &call, &error), &error);
  cyxla_direct_call_place_input(&call, 0, input);
  cyxla_direct_call_place_output(&call, 0, output);
}

static void a_handler_gets_its_arguments_results_and_attributes(void) {
  static const float twice[] = {2, 4, 6, 8};
  test_message sequence = {0};
  long allocations_before;

  start();
  put_scale_of(&sequence, "{factor = 2.0 : f32}");
  make_call(&sequence);
  for (int i = 0; i < 4; i++) input[i] = (float)(i + 1);
  allocations_before = cyxla_memory_allocations();
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_EQUAL(cyxla_memory_allocations(), allocations_before);
  EXPECT_BYTES(output, twice, sizeof(twice));
  EXPECT_EQUAL(num_calls, 1);
  EXPECT_TRUE(direct.thunks.has_handlers);
  EXPECT_TRUE(!direct.thunks.has_linear_algebra);
  EXPECT_TRUE(!direct.thunks.always_ends);
}

static void arrays_may_lie_elsewhere_at_each_run(void) {
  static const float values[] = {1, 2, 3, 4}, expected[] = {3, 6, 9, 12};
  float elsewhere[4], result[4];
  test_message sequence = {0};

  start();
  put_scale_of(&sequence, "{factor = 3 : i32}");
  make_call(&sequence);
  EXPECT_TRUE(cyxla_direct_run(&call));
  memcpy(elsewhere, values, sizeof(values));
  cyxla_direct_call_place_input(&call, 0, elsewhere);
  cyxla_direct_call_place_output(&call, 0, result);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_BYTES(result, expected, sizeof(expected));
}

static void an_error_ends_the_run_and_is_the_handler_s(void) {
  test_message sequence = {0};
  cyxla_error error;

  start();
  put_scale_of(&sequence, "{}");
  put_scale_of(&sequence, "{factor = 1.0 : f64}");
  make_call(&sequence);
  for (int turn = 0; turn < 2; turn++) {
    num_calls = 0;
    EXPECT_TRUE(!cyxla_direct_run(&call));
    EXPECT_EQUAL(num_calls, 1);
    EXPECT_ERROR(cyxla_custom_call_take_error(call.seats, &error),
                 CYXLA_INVALID_ARGUMENT, &error,
                 "cannot run the program: scale needs a factor");
    EXPECT_OK(cyxla_custom_call_take_error(call.seats, &error), &error);
  }
  /* An error that nobody takes goes with the call. */
  EXPECT_TRUE(!cyxla_direct_run(&call));
}

static void each_run_has_a_number(void) {
  test_message sequence = {0};
  int64_t before;

  start();
  put_scale_of(&sequence, "{factor = 1}");
  make_call(&sequence);
  cyxla_custom_call_start(call.seats);
  EXPECT_TRUE(cyxla_direct_run(&call));
  before = last_run;
  cyxla_custom_call_start(call.seats);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_EQUAL(last_run, before + 1);
}

static void there_may_be_tokens_and_no_results(void) {
  test_message buffers = {0}, custom_call = {0}, sequence = {0};

  start();
  put_buffer(&buffers, 1, XLA_FFI_DataType_TOKEN, 0, TEST_SCRATCH, 0);
  put_buffer(&buffers, 1, XLA_FFI_DataType_C128, 0, TEST_INPUT, 16);
  test_put_number(&buffers, 3, 1); /* is_tuple_result */
  put_custom_call(&custom_call, TYPED_FFI, "take_all", "", &buffers);
  test_put_thunk(&sequence, TEST_CUSTOM_CALL, &custom_call);
  make_call(&sequence);
  EXPECT_TRUE(cyxla_direct_run(&call));
  EXPECT_EQUAL(num_calls, 1);
}

/* Sparse matrices are told by places in arrays, which cannot be made up. */
static void linear_algebra_is_known(void) {
  static const char *const targets[] = {"tridiagonal_solve_perturbed_ffi",
                                        "cpu_csr_sparse_dense_ffi"};
  test_message buffers = {0}, sequence = {0};
  cyxla_error error;

  start();
  for (int i = 0; i < 2; i++) {
    test_message custom_call = {0};
    sequence.bytes = 0;
    put_custom_call(&custom_call, TYPED_FFI, targets[i], "{}", &buffers);
    test_put_thunk(&sequence, TEST_CUSTOM_CALL, &custom_call);
    test_read_thunks(&direct, &sequence); /* without a plugin */
    EXPECT_TRUE(direct.thunks.has_linear_algebra);
    EXPECT_TRUE(!direct.thunks.has_handlers);
    EXPECT_EQUAL(direct.thunks.always_ends, i == 0);
    if (i == 0) cyxla_thunks_free(&direct.thunks);
  }
  EXPECT_ERROR(read_thunks(&sequence, &error), CYXLA_UNIMPLEMENTED, &error,
               "cpu_csr_sparse_dense_ffi has a handler that was not registered");
}

/* Refused for a reason with what a test has put. */
static void refuse(const test_message *custom_call, const char *reason) {
  test_message sequence = {0};
  cyxla_error error;

  test_put_thunk(&sequence, TEST_CUSTOM_CALL, custom_call);
  EXPECT_ERROR(read_thunks(&sequence, &error), CYXLA_UNIMPLEMENTED, &error, reason);
  EXPECT_NULL(direct.thunks.custom_calls);
}

static void what_is_not_known_is_refused(void) {
  test_message nothing = {0}, custom_call = {0}, field = {0}, buffers = {0};

  start();
  for (uint64_t version = 0; version <= 5; version++) {
    test_message other = {0};
    if (version == TYPED_FFI) continue;
    put_custom_call(&other, version, "scale", "{}", &nothing);
    refuse(&other, "its custom call scale has a handler that is not of the typed FFI");
  }
  put_custom_call(&custom_call, TYPED_FFI, "nobody", "{}", &nothing);
  refuse(&custom_call, "its custom call nobody has a handler that was not registered");
  custom_call.bytes = 0;
  put_custom_call(&custom_call, TYPED_FFI, "scale", "{a = [1]}", &nothing);
  refuse(&custom_call,
         "its custom call scale has attributes that are not known, from \"[1]}\" on");
  custom_call.bytes = 0;
  put_custom_call(&custom_call, TYPED_FFI, "scale", "{}", &nothing);
  field = custom_call;
  test_put_number(&field, 5, 1);
  refuse(&field, "its custom call scale has a field that is not known");
  test_put_number(&buffers, 4, 1);
  field.bytes = 0;
  put_custom_call(&field, TYPED_FFI, "scale", "{}", &buffers);
  refuse(&field, "its custom call scale has a field that is not known");
}

static void refuse_buffer(const test_message *message, const char *reason) {
  test_message buffers = {0}, custom_call = {0};

  test_put_message(&buffers, 2, message);
  put_custom_call(&custom_call, TYPED_FFI, "scale", "{}", &buffers);
  refuse(&custom_call, reason);
}

static void arrays_that_are_not_known_are_refused(void) {
  static const uint64_t types[] = {0, 13, 14, 19, 99};
  static const int64_t large[] = {INT64_MAX, INT64_MAX}, negative[] = {-4};
  static const char reason[] = "an argument or result of a type that is not known";

  start();
  for (size_t i = 0; i < TEST_COUNT(types); i++) {
    test_message buffers = {0}, custom_call = {0};
    put_buffer(&buffers, 1, types[i], 2, TEST_INPUT, 16);
    put_custom_call(&custom_call, TYPED_FFI, "scale", "{}", &buffers);
    refuse(&custom_call, reason);
  }
  for (int kind = 0; kind < 4; kind++) {
    test_message shape = {0}, message = {0};
    test_put_number(&shape, 2, kind == 3 ? XLA_FFI_DataType_TOKEN : 11);
    if (kind == 0) test_put_list(&shape, 3, large, 2);
    if (kind == 1) test_put_list(&shape, 3, negative, 1);
    if (kind == 2) {
      test_put_list(&shape, 3, (const int64_t[]){4}, 1);
      test_put_list(&shape, 6, (const int64_t[]){1}, 1); /* is dynamic */
    }
    if (kind == 3) test_put_list(&shape, 3, (const int64_t[]){1}, 1);
    test_put_message(&message, 1, &shape);
    test_put_slice(&message, 2, TEST_INPUT, 0, 16);
    refuse_buffer(&message, reason);
    if (kind == 0) {
      test_put_number(&message, 3, 1);
      refuse_buffer(&message, reason);
    }
  }
}

static void arrays_of_other_sizes_than_their_memory_are_refused(void) {
  test_message buffers = {0}, custom_call = {0};

  start();
  put_buffer(&buffers, 1, XLA_FFI_DataType_F32, 2, TEST_INPUT, 12);
  put_custom_call(&custom_call, TYPED_FFI, "scale", "{}", &buffers);
  refuse(&custom_call, "an argument or result of another size than its memory");
  buffers.bytes = custom_call.bytes = 0;
  put_buffer(&buffers, 2, XLA_FFI_DataType_F32, 2, TEST_OWN, 16);
  put_custom_call(&custom_call, TYPED_FFI, "scale", "{}", &buffers);
  refuse(&custom_call, "memory outside of its allocations");
}

static void a_lack_of_memory_is_told(void) {
  test_message sequence = {0};
  cyxla_wire wire;
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  cyxla_error error;
  int n;

  start();
  put_scale_of(&sequence, "{factor = 1.0 : f32}");
  wire = test_wire(&sequence);
  for (n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
    cyxla_memory_fail_after(n);
    status = test_try_thunks_of(&direct, wire, runtime->plugin, &error);
    cyxla_memory_fail_after(-1);
  }
  EXPECT_OK(status, &error);
  EXPECT_TRUE(n > 8);
  status = CYXLA_OUT_OF_MEMORY;
  for (n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
    cyxla_memory_fail_after(n);
    status = cyxla_direct_call_create(&direct, &call, &error);
    cyxla_memory_fail_after(-1);
  }
  EXPECT_OK(status, &error);
  EXPECT_TRUE(n > 6);
}

TEST_MAIN(TEST_CASE(a_handler_gets_its_arguments_results_and_attributes),
          TEST_CASE(arrays_may_lie_elsewhere_at_each_run),
          TEST_CASE(an_error_ends_the_run_and_is_the_handler_s),
          TEST_CASE(each_run_has_a_number),
          TEST_CASE(there_may_be_tokens_and_no_results),
          TEST_CASE(linear_algebra_is_known), TEST_CASE(what_is_not_known_is_refused),
          TEST_CASE(arrays_that_are_not_known_are_refused),
          TEST_CASE(arrays_of_other_sizes_than_their_memory_are_refused),
          TEST_CASE(a_lack_of_memory_is_told))
