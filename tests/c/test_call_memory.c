/* Calls whose arrays are bound to memory that belongs to a call. */
#include "call.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"

enum { COUNT = 6 };

static const int64_t shape[1] = {COUNT};

/* A call whose outputs are copies of its two inputs. */
static cyxla_call *create_pair(void) {
  static const char code[] =
      "input float32[6]\ninput float32[6]\n"
      "output float32[6] = argument 0\noutput float32[6] = argument 1";
  const cyxla_array_spec inputs[2] = {{"a", CYXLA_FLOAT32, 1, shape, 0, -1},
                                      {"b", CYXLA_FLOAT32, 1, shape, 0, -1}};
  const cyxla_array_spec outputs[2] = {{"first", CYXLA_FLOAT32, 1, shape, 0, -1},
                                       {"second", CYXLA_FLOAT32, 1, shape, 0, -1}};

  return test_call_of(test_program(code, inputs, 2, outputs, 2));
}

/* Memory for two arrays that is not aligned. */
static float *make_unaligned(void) {
  char *memory = cyxla_aligned_alloc(2 * 64);

  EXPECT_TRUE(memory != NULL);
  test_defer(cyxla_aligned_free, memory);
  return (float *)(void *)(memory + sizeof(float));
}

static void expect_outputs(cyxla_call *call, float first, float second) {
  cyxla_error error;

  EXPECT_OK(cyxla_call_run(call, &error), &error);
  EXPECT_TRUE(((const float *)cyxla_call_output(call, 0))[0] == first);
  EXPECT_TRUE(((const float *)cyxla_call_output(call, 1))[0] == second);
}

static void an_input_may_lie_in_the_array_of_one_that_is_staged(void) {
  test_fake_start();
  for (int own_first = 0; own_first < 2; own_first++) {
    float *unaligned = make_unaligned();
    cyxla_call *call = create_pair();
    float *own = cyxla_call_input(call, 0);
    cyxla_error error;
    own[0] = 50;
    unaligned[0] = 11;
    if (own_first) EXPECT_OK(cyxla_call_bind_input(call, 1, own, &error), &error);
    EXPECT_OK(cyxla_call_bind_input(call, 0, unaligned, &error), &error);
    if (!own_first) EXPECT_OK(cyxla_call_bind_input(call, 1, own, &error), &error);
    expect_outputs(call, 11, 50);
    unaligned[0] = 12;
    own[0] = 51;
    expect_outputs(call, 12, 51);
    EXPECT_TRUE(own[0] == 51);
    EXPECT_OK(cyxla_call_bind_input(call, 0, NULL, &error), &error);
    expect_outputs(call, 51, 51);
    cyxla_call_destroy(call);
  }
}

static void staging_memory_is_made_by_binding_only(void) {
  float *unaligned = make_unaligned();
  cyxla_call *call;
  cyxla_error error;
  long allocations;

  test_fake_start();
  call = create_pair();
  EXPECT_OK(cyxla_call_bind_input(call, 0, unaligned, &error), &error);
  expect_outputs(call, 0, 0);
  allocations = cyxla_memory_allocations();
  EXPECT_OK(cyxla_call_bind_input(call, 0, unaligned + COUNT, &error), &error);
  unaligned[COUNT] = 3;
  expect_outputs(call, 3, 0);
  EXPECT_EQUAL(cyxla_memory_allocations(), allocations);
  cyxla_call_destroy(call);
}

static void a_binding_without_memory_to_stage_changes_nothing(void) {
  float *unaligned = make_unaligned();
  cyxla_call *call;
  cyxla_error error;
  void *own;

  test_fake_start();
  call = create_pair();
  own = cyxla_call_input(call, 0);
  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_call_bind_input(call, 0, unaligned, &error), CYXLA_OUT_OF_MEMORY,
               &error, "an input");
  cyxla_memory_fail_after(-1);
  EXPECT_TRUE(cyxla_call_input(call, 0) == own);
  ((float *)own)[0] = 4;
  expect_outputs(call, 4, 0);
  cyxla_call_destroy(call);
}

static void expect_refused(cyxla_call *call, const void *memory) {
  static const char message[] =
      "the memory is the array of output second, which ends with the next run; bind "
      "that output to memory of your own with cyxla_call_bind_output, or copy it";
  void *before = cyxla_call_input(call, 0);
  cyxla_error error;

  EXPECT_ERROR(cyxla_call_bind_input(call, 0, memory, &error), CYXLA_INVALID_ARGUMENT,
               &error, message);
  EXPECT_TRUE(cyxla_call_input(call, 0) == before);
  EXPECT_ERROR(cyxla_call_bind_output(call, 0, (void *)memory, &error),
               CYXLA_INVALID_ARGUMENT, &error, message);
}

static void the_array_of_an_output_that_is_not_bound_is_refused(void) {
  const test_fake *fake = test_fake_start();

  for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
    fake->set(FAKE_ON_CPU, on_cpu);
    cyxla_call *call = create_pair();
    const float *array;
    cyxla_error error;
    expect_outputs(call, 0, 0);
    array = cyxla_call_output(call, 1);
    expect_refused(call, array);
    expect_refused(call, array + COUNT - 1);
    /* Binding the output does not make the array live longer. */
    EXPECT_OK(cyxla_call_bind_output(call, 1, make_unaligned(), &error), &error);
    expect_refused(call, array);
    expect_outputs(call, 0, 0);
    EXPECT_OK(cyxla_call_bind_input(call, 0, NULL, &error), &error);
    expect_outputs(call, 0, 0);
    cyxla_call_destroy(call);
  }
}

static void memory_that_was_bound_to_an_output_can_be_bound_to_an_input(void) {
  float *memory = make_unaligned();
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = create_pair();
  ((float *)cyxla_call_input(call, 1))[0] = 7;
  EXPECT_OK(cyxla_call_bind_output(call, 1, memory, &error), &error);
  expect_outputs(call, 0, 7);
  EXPECT_OK(cyxla_call_bind_output(call, 1, NULL, &error), &error);
  EXPECT_TRUE(cyxla_call_output(call, 1) == memory);
  EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
  expect_outputs(call, 7, 7);
  cyxla_call_destroy(call);
}

TEST_MAIN(TEST_CASE(an_input_may_lie_in_the_array_of_one_that_is_staged),
          TEST_CASE(staging_memory_is_made_by_binding_only),
          TEST_CASE(a_binding_without_memory_to_stage_changes_nothing),
          TEST_CASE(the_array_of_an_output_that_is_not_bound_is_refused),
          TEST_CASE(memory_that_was_bound_to_an_output_can_be_bound_to_an_input))
