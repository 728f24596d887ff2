#include <string.h>

#include "call.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"

enum { COUNT = 6 };

static const int64_t shape[1] = {COUNT};

/* Memory for three arrays, and a start that is aligned or not. */
static float *make_memory(bool aligned) {
  char *memory = cyxla_aligned_alloc(4 * 64);

  EXPECT_TRUE(memory != NULL);
  test_defer(cyxla_aligned_free, memory);
  return (float *)(void *)(memory + (aligned ? 0 : sizeof(float)));
}

/* A call of a step: "state" becomes its negative, and may be updated in place. */
static cyxla_call *create_step(void) {
  static const char code[] =
      "input float32[6]\ninput float32[6]\n"
      "output float32[6] into 0 = negate 0\noutput float32[6] = argument 1";
  const cyxla_array_spec inputs[2] = {{"state", CYXLA_FLOAT32, 1, shape, 0, 0},
                                      {"force", CYXLA_FLOAT32, 1, shape, 0, -1}};
  const cyxla_array_spec outputs[2] = {{"next", CYXLA_FLOAT32, 1, shape, 0, -1},
                                       {"copy", CYXLA_FLOAT32, 1, shape, 0, -1}};

  return test_call_of(test_program(code, inputs, 2, outputs, 2));
}

static void expect_runs(cyxla_call *call, int num_runs) {
  cyxla_error error;

  for (int i = 0; i < num_runs; i++) EXPECT_OK(cyxla_call_run(call, &error), &error);
}

static void expect_last(const float *array, float value) {
  EXPECT_TRUE(array != NULL);
  EXPECT_TRUE(array[COUNT - 1] == value);
}

static void bound_inputs_are_read_by_each_run(void) {
  const test_fake *fake = test_fake_start();

  for (int variant = 0; variant < 4; variant++) {
    bool aligned = variant % 2 == 0, zero_copy = variant < 2;
    float *memory = make_memory(aligned);
    cyxla_error error;
    fake->set(FAKE_ZERO_COPY, zero_copy);
    cyxla_call *call = create_step();
    EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
    EXPECT_TRUE(cyxla_call_input(call, 0) == memory);
    EXPECT_EQUAL(cyxla_call_input_is_copied(call, 0), !aligned || !zero_copy);
    for (int value = 1; value < 4; value++) {
      memory[COUNT - 1] = (float)value;
      expect_runs(call, 1);
      expect_last(cyxla_call_output(call, 0), (float)-value);
      EXPECT_TRUE(memory[COUNT - 1] == (float)value);
    }
    cyxla_call_destroy(call);
  }
}

static void bound_outputs_are_written_by_each_run(void) {
  const test_fake *fake = test_fake_start();

  for (int variant = 0; variant < 4; variant++) {
    float *memory = make_memory(variant % 2 == 0);
    cyxla_error error;
    fake->set(FAKE_ON_CPU, variant < 2);
    cyxla_call *call = create_step();
    float *state = cyxla_call_input(call, 0);
    EXPECT_OK(cyxla_call_bind_output(call, 0, memory, &error), &error);
    EXPECT_NULL(cyxla_call_output(call, 0));
    EXPECT_TRUE(!cyxla_call_output_is_copied(call, 0));
    for (int value = 1; value < 4; value++) {
      state[COUNT - 1] = (float)value;
      expect_runs(call, 1);
      EXPECT_TRUE(cyxla_call_output(call, 0) == memory);
      EXPECT_TRUE(cyxla_call_output_is_copied(call, 0));
      expect_last(memory, (float)-value);
      expect_last(state, (float)value);
    }
    cyxla_call_destroy(call);
  }
}

static void null_puts_the_call_s_own_arrays_back(void) {
  float *in = make_memory(true), *out = make_memory(true);
  cyxla_call *call;
  cyxla_error error;
  void *own;

  test_fake_start();
  call = create_step();
  own = cyxla_call_input(call, 0);
  EXPECT_OK(cyxla_call_bind_input(call, 0, in, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 0, out, &error), &error);
  in[COUNT - 1] = 3;
  expect_runs(call, 1);
  EXPECT_OK(cyxla_call_bind_input(call, 0, NULL, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 0, NULL, &error), &error);
  EXPECT_TRUE(cyxla_call_input(call, 0) == own);
  ((float *)own)[COUNT - 1] = 4;
  expect_runs(call, 1);
  EXPECT_TRUE(cyxla_call_output(call, 0) != out);
  EXPECT_TRUE(!cyxla_call_output_is_copied(call, 0));
  expect_last(cyxla_call_output(call, 0), -4);
  expect_last(out, -3);
  cyxla_call_destroy(call);
}

static void a_donated_pair_in_the_same_memory_is_updated_in_place(void) {
  const test_fake *fake = test_fake_start();

  for (int own = 0; own < 2; own++) {
    cyxla_call *call = create_step();
    float *memory = own ? cyxla_call_input(call, 0) : make_memory(true);
    cyxla_error error;
    long allocations;
    if (!own) EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
    EXPECT_OK(cyxla_call_bind_output(call, 0, memory, &error), &error);
    memory[COUNT - 1] = 5;
    expect_runs(call, 1);
    expect_last(memory, -5);
    allocations = cyxla_memory_allocations();
    expect_runs(call, 2);
    expect_last(memory, -5);
    EXPECT_EQUAL(cyxla_memory_allocations(), allocations);
    EXPECT_EQUAL(fake->calls_of("PJRT_Buffer_ToHostBuffer"), 0);
    EXPECT_TRUE(!cyxla_call_input_is_copied(call, 0));
    EXPECT_TRUE(!cyxla_call_output_is_copied(call, 0));
    EXPECT_TRUE(cyxla_call_output(call, 0) == memory);
    cyxla_call_destroy(call);
  }
}

static void a_pair_is_also_updated_where_the_plugin_has_to_copy(void) {
  static const struct {
    bool aligned;
    fake_knob knob;
    long value;
  } cases[] = {{false, FAKE_ZERO_COPY, 1},
               {true, FAKE_ZERO_COPY, 0},
               {true, FAKE_ON_CPU, 0},
               {false, FAKE_ON_CPU, 0},
               {true, FAKE_MISALIGNED_OUTPUT, 1},
               {true, FAKE_EVENTS_PENDING, 1},
               {true, FAKE_LAYOUT, FAKE_LAYOUT_TILED}};
  const test_fake *fake = test_fake_start();

  for (size_t i = 0; i < TEST_COUNT(cases); i++) {
    float *memory = make_memory(cases[i].aligned);
    cyxla_error error;
    fake->reset();
    fake->set(cases[i].knob, cases[i].value);
    cyxla_call *call = create_step();
    EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
    EXPECT_OK(cyxla_call_bind_output(call, 0, memory, &error), &error);
    memory[COUNT - 1] = 5;
    for (int run = 0; run < 3; run++) {
      expect_runs(call, 1);
      expect_last(memory, run % 2 == 0 ? -5 : 5);
    }
    cyxla_call_destroy(call);
  }
}

static void unbinding_ends_updates_in_place(void) {
  float *memory = make_memory(true);
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = create_step();
  EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 0, memory, &error), &error);
  memory[COUNT - 1] = 5;
  expect_runs(call, 1);
  EXPECT_OK(cyxla_call_bind_output(call, 0, NULL, &error), &error);
  expect_runs(call, 1);
  expect_last(memory, -5);
  expect_last(cyxla_call_output(call, 0), 5);
  cyxla_call_destroy(call);
}

/* Binds and expects a refusal that changes nothing. */
static void expect_refused(cyxla_call *call, bool is_input, size_t index, float *memory,
                           const char *message) {
  void *before = is_input ? cyxla_call_input(call, index) : NULL;
  cyxla_error error;

  if (is_input) {
    EXPECT_ERROR(cyxla_call_bind_input(call, index, memory, &error),
                 CYXLA_INVALID_ARGUMENT, &error, message);
    EXPECT_TRUE(cyxla_call_input(call, index) == before);
  } else {
    EXPECT_ERROR(cyxla_call_bind_output(call, index, memory, &error),
                 CYXLA_INVALID_ARGUMENT, &error, message);
  }
}

static void memory_that_overlaps_is_refused(void) {
  float *memory = make_memory(true);
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = create_step();
  EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 0, memory, &error), &error);
  expect_refused(call, false, 1, memory + COUNT - 1,
                 "the memory of output copy overlaps that of output next");
  expect_refused(
      call, false, 0, memory + 1,
      "the memory of output next overlaps that of input state, which is "
      "donated to output next; bind that output to exactly the input's memory");
  expect_refused(call, true, 0, memory + 1,
                 "the memory of output next overlaps that of");
  expect_refused(call, true, 1, memory,
                 "the memory of output next overlaps that of input");
  EXPECT_OK(cyxla_call_bind_input(call, 1, memory + 16, &error), &error);
  expect_refused(call, false, 1, memory + 16,
                 "the memory of output copy overlaps that of input force, which is not "
                 "donated; lower the function with donate_argnums");
  /* All is as it was. */
  memory[COUNT - 1] = 5;
  memory[16 + COUNT - 1] = 7;
  expect_runs(call, 1);
  expect_last(memory, -5);
  expect_last(cyxla_call_output(call, 1), 7);
  cyxla_call_destroy(call);
}

static void an_input_that_is_updated_shares_its_memory_with_no_other_input(void) {
  float *memory = make_memory(true);
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = create_step();
  /* Two inputs may share what is only read. */
  EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
  EXPECT_OK(cyxla_call_bind_input(call, 1, memory, &error), &error);
  memory[COUNT - 1] = 5;
  expect_runs(call, 1);
  expect_last(cyxla_call_output(call, 0), -5);
  expect_last(cyxla_call_output(call, 1), 5);
  expect_refused(call, false, 0, memory, "overlaps that of input force");
  EXPECT_OK(cyxla_call_bind_input(call, 1, NULL, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 0, memory, &error), &error);
  cyxla_call_destroy(call);
}

static void memory_side_by_side_does_not_overlap(void) {
  float *memory = make_memory(false);
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = create_step();
  EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
  EXPECT_OK(cyxla_call_bind_input(call, 1, memory + COUNT, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 0, memory + 2 * COUNT, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 1, memory + 3 * COUNT, &error), &error);
  memory[COUNT - 1] = 5;
  memory[2 * COUNT - 1] = 6;
  expect_runs(call, 2);
  expect_last(memory + 2 * COUNT, -5);
  expect_last(memory + 3 * COUNT, 6);
  cyxla_call_destroy(call);
}

static void empty_arrays_overlap_nothing(void) {
  static const char code[] = "input int8[0]\noutput int8[0] = argument 0";
  static const int64_t empty[1] = {0};
  const cyxla_array_spec spec = {"empty", CYXLA_INT8, 1, empty, 0, -1};
  float *memory = make_memory(true);
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = test_call_of(test_program(code, &spec, 1, &spec, 1));
  EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
  EXPECT_OK(cyxla_call_bind_output(call, 0, memory, &error), &error);
  expect_runs(call, 2);
  EXPECT_TRUE(cyxla_call_output(call, 0) == memory);
  cyxla_call_destroy(call);
}

static void indices_and_calls_that_are_none_are_refused(void) {
  float *memory = make_memory(true);
  cyxla_call *call;
  cyxla_error error;

  test_fake_start();
  call = create_step();
  expect_refused(call, true, 2, memory, "there is no input 2, the program has 2");
  expect_refused(call, true, (size_t)-1, memory,
                 "there is no input of the name that was looked for; the program has "
                 "state, force");
  expect_refused(call, false, 2, memory, "there is no output 2, the program has 2");
  EXPECT_TRUE(!cyxla_call_input_is_copied(call, 2));
  EXPECT_TRUE(!cyxla_call_output_is_copied(call, 2));
  EXPECT_ERROR(cyxla_call_bind_input(NULL, 0, memory, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument call of cyxla_call_bind_input is NULL");
  EXPECT_ERROR(cyxla_call_bind_output(NULL, 0, memory, &error), CYXLA_INVALID_ARGUMENT,
               &error, "the argument call of cyxla_call_bind_output is NULL");
  cyxla_call_destroy(call);
}

static void a_binding_that_fails_leaves_the_one_before(void) {
  float *memory = make_memory(true), *other = make_memory(true);
  const test_fake *fake = test_fake_start();
  cyxla_call *call = create_step();
  cyxla_error error;

  EXPECT_OK(cyxla_call_bind_input(call, 0, memory, &error), &error);
  fake->fail_function("PJRT_Client_BufferFromHostBuffer");
  EXPECT_ERROR(cyxla_call_bind_input(call, 0, other, &error), CYXLA_INTERNAL, &error,
               "make a buffer of an input");
  EXPECT_TRUE(cyxla_call_input(call, 0) == memory);
  fake->fail_function(NULL);
  memory[COUNT - 1] = 5;
  expect_runs(call, 2);
  expect_last(cyxla_call_output(call, 0), -5);
  EXPECT_OK(cyxla_call_bind_output(call, 0, memory, &error), &error);
  fake->fail_function("PJRT_Client_BufferFromHostBuffer");
  EXPECT_ERROR(cyxla_call_bind_output(call, 0, other, &error), CYXLA_INTERNAL, &error,
               "make a buffer of an input");
  fake->fail_function(NULL);
  expect_runs(call, 1);
  expect_last(memory, -5);
  cyxla_call_destroy(call);
}

/* Binds, runs and unbinds while the nth call of the plugin fails, then runs again. */
static void every_call_of_the_plugin_may_fail_while_binding(void) {
  const test_fake *fake = test_fake_start();
  float *memory = make_memory(true);

  for (long n = 0; n < 60; n++) {
    cyxla_call *call = create_step();
    cyxla_error error;
    fake->fail_call(n);
    cyxla_call_bind_input(call, 0, memory, &error);
    cyxla_call_bind_output(call, 0, memory, &error);
    cyxla_call_run(call, &error);
    cyxla_call_run(call, &error);
    cyxla_call_bind_output(call, 0, NULL, &error);
    cyxla_call_bind_input(call, 0, NULL, &error);
    fake->fail_call(-1);
    ((float *)cyxla_call_input(call, 0))[COUNT - 1] = 5;
    expect_runs(call, 2);
    expect_last(cyxla_call_output(call, 1), 0);
    cyxla_call_destroy(call);
    EXPECT_EQUAL(fake->live_total(), 0);
  }
}

TEST_MAIN(TEST_CASE(bound_inputs_are_read_by_each_run),
          TEST_CASE(bound_outputs_are_written_by_each_run),
          TEST_CASE(null_puts_the_call_s_own_arrays_back),
          TEST_CASE(a_donated_pair_in_the_same_memory_is_updated_in_place),
          TEST_CASE(a_pair_is_also_updated_where_the_plugin_has_to_copy),
          TEST_CASE(unbinding_ends_updates_in_place),
          TEST_CASE(memory_that_overlaps_is_refused),
          TEST_CASE(an_input_that_is_updated_shares_its_memory_with_no_other_input),
          TEST_CASE(memory_side_by_side_does_not_overlap),
          TEST_CASE(empty_arrays_overlap_nothing),
          TEST_CASE(indices_and_calls_that_are_none_are_refused),
          TEST_CASE(a_binding_that_fails_leaves_the_one_before),
          TEST_CASE(every_call_of_the_plugin_may_fail_while_binding))
