/* What direct calls leave alone and share: the caller's floating-point environment, and
 * one executable among many threads. */
#define _XOPEN_SOURCE 700
#include <fenv.h>
#include <pthread.h>
#include <xmmintrin.h>

#include "test.h"
#include "test_conformance_support.h"
#include "test_direct_programs.h"

/* The programs are what they are for. */
static void the_programs_have_each_kind_of_operation(void) {
  static const cyxla_operation_kind kinds[] = {
      CYXLA_OPERATION_KERNEL, CYXLA_OPERATION_WHILE, CYXLA_OPERATION_CONDITIONAL,
      CYXLA_OPERATION_COPY, CYXLA_OPERATION_SORT};

  for (size_t i = 0; i < TEST_COUNT(kinds); i++) {
    EXPECT_TRUE(direct_program_has(direct_program_compile(i), kinds[i]));
  }
}

/* The bits of the register: flags, traps that are masked, rounding, and two for
 * denormals. */
enum { NUM_STATES = 1 << 16, FLAGS = 0x3F };

/* All states at which a caller may be, flags that were raised before their traps were
 * unmasked among them. */
static void every_state_of_the_vector_unit_stays(void) {
  for (size_t i = 0; i < DIRECT_NUM_PROGRAMS; i++) {
    cyxla_call *call = direct_program_call(i, direct_program_compile(i), 1);
    const unsigned own = _mm_getcsr();
    cyxla_error error;
    uint64_t digest;
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    digest = direct_program_digest(call);
    for (unsigned state = 0; state < NUM_STATES; state += 1 + 36 * (i > 0)) {
      cyxla_status status;
      unsigned found;
      _mm_setcsr(state);
      status = cyxla_call_run(call, NULL);
      found = _mm_getcsr();
      _mm_setcsr(own);
      EXPECT_EQUAL(status, CYXLA_OK);
      EXPECT_EQUAL(found, state);
      EXPECT_TRUE(direct_program_digest(call) == digest);
    }
  }
}

static void flags_of_neither_unit_are_raised(void) {
  for (size_t i = 0; i < DIRECT_NUM_PROGRAMS; i++) {
    cyxla_call *call = direct_program_call(i, direct_program_compile(i), 1);
    cyxla_status status;
    int found;
    feclearexcept(FE_ALL_EXCEPT);
    status = cyxla_call_run(call, NULL);
    found = fetestexcept(FE_ALL_EXCEPT);
    EXPECT_EQUAL(status, CYXLA_OK);
    EXPECT_EQUAL(found, 0);
  }
}

enum { NUM_THREADS = 12, NUM_SEEDS = 20, NUM_RUNS = 200 };

typedef struct task {
  pthread_barrier_t *start;
  cyxla_call *call;
  const uint64_t *expected; /* [NUM_SEEDS] */
  int first_seed;
  int num_wrong;
} task;

/* No assertions in a task: they end the test's own thread. */
static void *perform(void *argument) {
  task *own = argument;

  pthread_barrier_wait(own->start);
  for (int run = 0; run < NUM_RUNS; run++) {
    int seed = (own->first_seed + run) % NUM_SEEDS;
    direct_program_fill(own->call, seed);
    if (cyxla_call_run(own->call, NULL) != CYXLA_OK ||
        direct_program_digest(own->call) != own->expected[seed]) {
      own->num_wrong++;
    }
  }
  return NULL;
}

static void expect_right_in_threads(size_t program) {
  cyxla_executable *executable = direct_program_compile(program);
  uint64_t expected[NUM_SEEDS];
  pthread_t threads[NUM_THREADS];
  task tasks[NUM_THREADS];
  pthread_barrier_t start;
  cyxla_call *call = direct_program_call(program, executable, 0);
  cyxla_error error;

  for (int seed = 0; seed < NUM_SEEDS; seed++) {
    direct_program_fill(call, seed);
    EXPECT_OK(cyxla_call_run(call, &error), &error);
    expected[seed] = direct_program_digest(call);
  }
  EXPECT_TRUE(expected[0] != expected[1]);
  EXPECT_EQUAL(pthread_barrier_init(&start, NULL, NUM_THREADS), 0);
  for (int i = 0; i < NUM_THREADS; i++) {
    const task own = {&start, direct_program_call(program, executable, 0), expected, i,
                      0};
    tasks[i] = own;
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, perform, &tasks[i]), 0);
  }
  for (int i = 0; i < NUM_THREADS; i++) {
    pthread_join(threads[i], NULL);
    EXPECT_EQUAL(tasks[i].num_wrong, 0);
  }
  pthread_barrier_destroy(&start);
}

static void threads_with_a_call_each_have_their_own_results(void) {
  for (size_t i = 0; i < DIRECT_NUM_PROGRAMS; i++) expect_right_in_threads(i);
}

int main(int argc, char **argv) {
  static const test_case tests[] = {
      TEST_CASE(the_programs_have_each_kind_of_operation),
      TEST_CASE(every_state_of_the_vector_unit_stays),
      TEST_CASE(flags_of_neither_unit_are_raised),
      TEST_CASE(threads_with_a_call_each_have_their_own_results),
  };

  return conformance_main(argc, argv, tests, TEST_COUNT(tests));
}
