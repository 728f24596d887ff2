/* Executables that the CPU plugin made, run without it; see direct/make.py. */
#include "direct/run.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "memory.h"
#include "test_direct_support.h"

enum { LENGTH = 300 };

static void expect_near(double actual, double expected) {
  if (!(fabs(actual - expected) <= 1e-6 * fabs(expected))) {
    test_fail(__FILE__, __LINE__, "%.9g is not %.9g", actual, expected);
  }
}

static void a_kernel_calls_the_c_library(void) {
  static const float x[] = {0, 1, -2.5f};
  test_seat *own;
  const float *y;

  own = test_load("twice_sine");
  y = own->outputs[0];
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < 3; i++) ((float *)own->inputs[0])[i] = x[i] + (float)turn;
    EXPECT_TRUE(cyxla_direct_run(&own->call));
    for (int i = 0; i < 3; i++) expect_near(y[i], 2 * sin(x[i] + (double)turn));
  }
}

static void no_memory_is_allocated_in_a_run(void) {
  static const char *const names[] = {"several",   "while", "branches",
                                      "constants", "sorts", "turns_old"};

  for (size_t i = 0; i < TEST_COUNT(names); i++) {
    test_seat *own;
    long allocations;
    own = test_load(names[i]);
    allocations = cyxla_memory_allocations();
    EXPECT_TRUE(cyxla_direct_run(&own->call));
    EXPECT_EQUAL(cyxla_memory_allocations(), allocations);
  }
}

/* The second is of a plugin of PJRT API 0.81, which writes slices in another way. */
static void there_may_be_several_outputs(void) {
  static const char *const names[] = {"several", "several_old"};
  static const float x[] = {1, 2, 3.5f, -4}, more[] = {2, 3, 4.5f, -3},
                     twice[] = {2, 4, 7, -8}, sum = 2.5f;

  for (size_t i = 0; i < TEST_COUNT(names); i++) {
    test_seat *own = test_load(names[i]);
    memcpy(own->inputs[0], x, sizeof(x));
    EXPECT_TRUE(cyxla_direct_run(&own->call));
    EXPECT_BYTES(own->outputs[0], more, sizeof(more));
    EXPECT_BYTES(own->outputs[1], twice, sizeof(twice));
    EXPECT_BYTES(own->outputs[2], x, sizeof(x));
    EXPECT_BYTES(own->outputs[3], &sum, sizeof(sum));
  }
}

static void inputs_and_outputs_may_be_placed_anew(void) {
  static const float x[] = {1, 2, 3, 4}, y[] = {2, 3, 4, 5};
  test_seat *own, *other;

  own = test_load("several");
  other = test_take_seat(own->call.direct, own->program);
  memcpy(other->inputs[0], x, sizeof(x));
  cyxla_direct_call_place_input(&own->call, 0, other->inputs[0]);
  cyxla_direct_call_place_output(&own->call, 0, other->outputs[0]);
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  EXPECT_BYTES(other->outputs[0], y, sizeof(y));
  EXPECT_TRUE(memcmp(own->outputs[0], y, sizeof(y)) != 0);
  EXPECT_BYTES(own->outputs[2], x, sizeof(x));
}

/* The pattern 1 0 2; 0 3 4 in each type. */
static void constants_of_each_type_have_their_values(void) {
  static const int pattern[] = {1, 0, 2, 0, 3, 4};
  static const uint16_t halves[] = {0x3c00, 0, 0x4000, 0, 0x4200, 0x4400},
                        brains[] = {0x3f80, 0, 0x4000, 0, 0x4040, 0x4080};
  test_seat *own;

  own = test_load("constants");
  EXPECT_EQUAL(own->program->outputs.count, 15);
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  EXPECT_BYTES(own->outputs[0], "\1\0\1\0\1\1", 6);
  EXPECT_BYTES(own->outputs[9], halves, sizeof(halves));
  EXPECT_BYTES(own->outputs[10], brains, sizeof(brains));
  for (int i = 0; i < 6; i++) {
    EXPECT_EQUAL(((int8_t *)own->outputs[1])[i], pattern[i]);
    EXPECT_EQUAL(((int16_t *)own->outputs[2])[i], pattern[i]);
    EXPECT_EQUAL(((int32_t *)own->outputs[3])[i], pattern[i]);
    EXPECT_EQUAL(((int64_t *)own->outputs[4])[i], pattern[i]);
    EXPECT_EQUAL(((uint8_t *)own->outputs[5])[i], pattern[i]);
    EXPECT_EQUAL(((uint16_t *)own->outputs[6])[i], pattern[i]);
    EXPECT_EQUAL(((uint32_t *)own->outputs[7])[i], pattern[i]);
    EXPECT_EQUAL(((uint64_t *)own->outputs[8])[i], pattern[i]);
    EXPECT_TRUE(((float *)own->outputs[11])[i] == (float)pattern[i]);
    EXPECT_TRUE(((double *)own->outputs[12])[i] == pattern[i]);
    EXPECT_TRUE(((float *)own->outputs[13])[2 * i] == (float)pattern[i]);
    EXPECT_TRUE(((float *)own->outputs[13])[2 * i + 1] == 0);
    EXPECT_TRUE(((double *)own->outputs[14])[2 * i] == pattern[i]);
    EXPECT_TRUE(((double *)own->outputs[14])[2 * i + 1] == 0);
  }
}

static void a_kernel_uses_a_constant(void) {
  test_seat *own;

  own = test_load("table");
  for (int i = 0; i < 8; i++) ((float *)own->inputs[0])[i] = (float)(10 + i);
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  for (int i = 0; i < 8; i++) {
    EXPECT_TRUE(((float *)own->outputs[0])[i] == (float)((i + 1) * (10 + i)));
  }
}

/* Half of what it was until the sum is at most 1; not at all where it is so before. */
static void a_loop_asks_its_condition(void) {
  static const struct {
    float from, to;
  } values[] = {{1, 1 / 512.0f}, {1024, 1 / 512.0f}, {1 / 600.0f, 1 / 600.0f}, {0, 0}};
  test_seat *own;

  own = test_load("while");
  for (size_t k = 0; k < TEST_COUNT(values); k++) {
    float *x = own->inputs[0], *y = own->outputs[0];
    for (int i = 0; i < LENGTH; i++) x[i] = values[k].from;
    EXPECT_TRUE(cyxla_direct_run(&own->call));
    for (int i = 0; i < LENGTH; i++) EXPECT_TRUE(y[i] == values[k].to);
    for (int i = 0; i < LENGTH; i++) EXPECT_TRUE(x[i] == values[k].from);
  }
}

static void a_loop_counts(void) {
  test_seat *own;

  own = test_load("counted");
  for (int i = 0; i < LENGTH; i++) ((float *)own->inputs[0])[i] = (float)i;
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  for (int i = 0; i < LENGTH; i++) {
    EXPECT_TRUE(((float *)own->outputs[0])[i] == (float)(32 * i + 26));
  }
}

/* Sum or square by the bool; absolute, negative or rounded down by the number. */
static void a_branch_is_chosen(void) {
  static const struct {
    int32_t number, branch;
  } choices[] = {{0, 0},  {1, 1},         {2, 2},        {3, 2},
                 {-1, 2}, {INT32_MAX, 2}, {INT32_MIN, 2}};
  test_seat *own;

  own = test_load("branches");
  for (size_t k = 0; k < TEST_COUNT(choices); k++) {
    bool choice = k % 2 == 0;
    float *x = own->inputs[2], *first = own->outputs[0], *second = own->outputs[1];
    memcpy(own->inputs[0], &choice, sizeof(choice));
    memcpy(own->inputs[1], &choices[k].number, sizeof(choices[k].number));
    for (int i = 0; i < LENGTH; i++) x[i] = (float)(i - 100) + 0.25f;
    EXPECT_TRUE(cyxla_direct_run(&own->call));
    for (int i = 0; i < LENGTH; i++) {
      float values[3];
      values[0] = fabsf(x[i]);
      values[1] = -x[i];
      values[2] = floorf(x[i]);
      expect_near(first[i], choice ? 14925 : x[i] * x[i]);
      EXPECT_TRUE(second[i] == values[choices[k].branch]);
    }
  }
}

static void a_donated_input_lies_where_its_output_does(void) {
  static const float x[] = {1, 2, 3}, y[] = {2, 3, 4};
  test_fixture *fixture;
  test_seat *own;

  fixture = test_read_fixture("donated");
  fixture->signature.inputs[0].aliased_output = 0;
  own = test_take_seat(test_create_direct(fixture), &fixture->signature.program);
  memcpy(own->outputs[0], x, sizeof(x));
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  EXPECT_BYTES(own->outputs[0], y, sizeof(y));
}

static void an_input_that_is_not_donated_is_not_written_over(void) {
  test_fixture *fixture;
  cyxla_direct *direct;
  cyxla_error error;

  fixture = test_read_fixture("donated");
  EXPECT_ERROR(cyxla_direct_create(fixture->data, fixture->bytes,
                                   &fixture->signature.program, NULL, &direct, &error),
               CYXLA_UNIMPLEMENTED, &error,
               "an output of it is an input that is not donated");
}

static void arrays_may_be_empty(void) {
  static const float x[] = {1, 2, 3}, y[] = {2, 3, 4}, zero = 0;
  test_seat *own;

  own = test_load("empty");
  EXPECT_EQUAL(own->program->outputs.specs[0].bytes, 0);
  memcpy(own->inputs[0], x, sizeof(x));
  memset(own->outputs[3], 0xff, sizeof(zero));
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  EXPECT_BYTES(own->outputs[1], y, sizeof(y));
  EXPECT_BYTES(own->outputs[3], &zero, sizeof(zero));
}

static void a_kernel_s_workgroups_do_all_of_the_work(void) {
  enum { MANY = 1 << 20 };
  test_seat *own;
  const float *y;

  own = test_load("groups");
  EXPECT_TRUE(own->call.direct->thunks.operations[0].num_workgroups.x > 1);
  for (int i = 0; i < MANY; i++) ((float *)own->inputs[0])[i] = (float)(i % 1000);
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  y = own->outputs[0];
  for (int i = 0; i < MANY; i++) {
    if (y[i] != sqrtf((float)(i % 1000))) expect_near(y[i], sqrt(i % 1000));
  }
}

static void there_is_one_replica_and_one_partition(void) {
  test_seat *own;

  own = test_load("numbers");
  memset(own->outputs[0], 0xff, 4);
  memset(own->outputs[1], 0xff, 4);
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  EXPECT_EQUAL(*(uint32_t *)own->outputs[0], 0);
  EXPECT_EQUAL(*(uint32_t *)own->outputs[1], 0);
}

enum { NUM_THREADS = 4, NUM_TURNS = 200 };

typedef struct worker {
  test_seat *own;
  int number;
  bool is_right;
} worker;

static void *work(void *argument) {
  worker *self = argument;
  float *x = self->own->inputs[0], *y = self->own->outputs[0];

  self->is_right = true;
  for (int turn = 0; turn < NUM_TURNS; turn++) {
    for (int i = 0; i < LENGTH; i++) x[i] = (float)(self->number + turn + i);
    self->is_right &= cyxla_direct_run(&self->own->call);
    for (int i = 0; i < LENGTH; i++) self->is_right &= y[i] == 32 * x[i] + 26;
  }
  return NULL;
}

static void threads_run_the_same_code_at_once(void) {
  static worker workers[NUM_THREADS];
  pthread_t threads[NUM_THREADS];
  const cyxla_direct *direct;
  test_fixture *fixture;

  fixture = test_read_fixture("counted");
  direct = test_create_direct(fixture);
  for (int i = 0; i < NUM_THREADS; i++) {
    workers[i].own = test_take_seat(direct, &fixture->signature.program);
    workers[i].number = 1000 * i;
  }
  for (int i = 0; i < NUM_THREADS; i++) {
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < NUM_THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < NUM_THREADS; i++) EXPECT_TRUE(workers[i].is_right);
}

static void memory_that_runs_out_is_said(void) {
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  const cyxla_direct *direct;
  cyxla_direct_call call;
  cyxla_error error;
  test_fixture *fixture;
  long n = 0;

  fixture = test_read_fixture("while");
  direct = test_create_direct(fixture);
  for (; status == CYXLA_OUT_OF_MEMORY; n++) {
    long live = cyxla_memory_live();
    cyxla_memory_fail_after(n);
    status = cyxla_direct_call_create(direct, &call, &error);
    cyxla_memory_fail_after(-1);
    if (status == CYXLA_OK) break;
    EXPECT_CONTAINS(error.message, "no memory left");
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  EXPECT_OK(status, &error);
  EXPECT_TRUE(n > 3);
  cyxla_direct_call_free(&call);
}

TEST_MAIN(TEST_CASE(a_kernel_calls_the_c_library),
          TEST_CASE(no_memory_is_allocated_in_a_run),
          TEST_CASE(there_may_be_several_outputs),
          TEST_CASE(inputs_and_outputs_may_be_placed_anew),
          TEST_CASE(constants_of_each_type_have_their_values),
          TEST_CASE(a_kernel_uses_a_constant), TEST_CASE(a_loop_asks_its_condition),
          TEST_CASE(a_loop_counts), TEST_CASE(a_branch_is_chosen),
          TEST_CASE(a_donated_input_lies_where_its_output_does),
          TEST_CASE(an_input_that_is_not_donated_is_not_written_over),
          TEST_CASE(arrays_may_be_empty),
          TEST_CASE(a_kernel_s_workgroups_do_all_of_the_work),
          TEST_CASE(there_is_one_replica_and_one_partition),
          TEST_CASE(threads_run_the_same_code_at_once),
          TEST_CASE(memory_that_runs_out_is_said))
