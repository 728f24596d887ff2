/* Every allocation and every call of the plugin fails once, on the whole way of a
 * program. Each time there has to be a clean error or a success, and nothing left. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "memory.h"
#include "plugin.h"
#include "runtime.h"
#include "test.h"
#include "test_fake.h"
#include "test_scenario.h"

/* The hash of a library that was written a few seconds ago is not kept, so that the
 * number of allocations would change while they are counted: waits until that is over.
 */
static void wait_until_settled(const char *path) {
  const struct timespec pause = {0, 100000000};
  struct stat information;

  EXPECT_EQUAL(stat(path, &information), 0);
  while (time(NULL) - information.st_mtime <= 5) nanosleep(&pause, NULL);
}

static test_scenario make_scenario(void) {
  static cyxla_program_options program;
  test_scenario scenario = {test_fake_path(), &program, NULL, NULL, false};

  wait_until_settled(test_fake_path());
  program = test_sum_options();
  scenario.path = test_temporary_path("sum.cyxla");
  test_set_environment("CYXLA_PLUGIN", NULL);
  return scenario;
}

/* Forgets what a process keeps, so that the next scenario is like a first one. */
static void forget(const test_fake *fake, long live) {
  cyxla_memory_fail_after(-1);
  fake->fail_call(-1);
  cyxla_runtime_forget_defaults();
  cyxla_plugin_forget_all();
  EXPECT_EQUAL(cyxla_memory_live(), live);
  EXPECT_EQUAL(fake->live_total(), 0);
  EXPECT_NULL(fake->violation());
}

/* How many allocations and calls of the plugin the scenario takes. */
static void count(const test_fake *fake, test_scenario *scenario, long *allocations,
                  long *calls) {
  long live = cyxla_memory_live();
  cyxla_error error;

  *allocations = -cyxla_memory_allocations();
  *calls = -fake->calls();
  EXPECT_OK(test_scenario_run(scenario, &error), &error);
  *allocations += cyxla_memory_allocations();
  *calls += fake->calls();
  EXPECT_TRUE(*allocations > 50);
  EXPECT_TRUE(*calls > 50);
  EXPECT_TRUE(scenario->is_deserialized);
  forget(fake, live);
}

static void sweep_allocations(const test_fake *fake) {
  test_scenario scenario = make_scenario();
  long live = cyxla_memory_live(), allocations, calls;

  count(fake, &scenario, &allocations, &calls);
  for (long n = 0; n < allocations; n++) {
    cyxla_error error;
    cyxla_memory_fail_after(n);
    cyxla_status status = test_scenario_run(&scenario, &error);
    if (status != CYXLA_OUT_OF_MEMORY) {
      test_fail(__FILE__, __LINE__, "without allocation %ld %s returned %s: %s", n,
                scenario.failed_step, cyxla_status_name(status), error.message);
    }
    EXPECT_CONTAINS(error.message, "no memory left for ");
    forget(fake, live);
  }
}

/* A failure that the caller does not hear of has to be one that changes no result: of
 * something that is destroyed, or that cyxla can do without, or of what was compiled
 * and could not be saved or loaded, so that it was compiled again. */
static void expect_optional(const test_scenario *scenario, const char *function) {
  static const char *const optional[] = {
      "PJRT_Buffer_IsOnCpu", "PJRT_Buffer_UnsafePointer", "PJRT_Buffer_GetMemoryLayout",
      "PJRT_Executable_SizeOfGeneratedCodeInBytes"};

  if (strstr(function, "_Destroy") != NULL || !scenario->is_deserialized) return;
  for (size_t i = 0; i < TEST_COUNT(optional); i++) {
    if (strcmp(optional[i], function) == 0) return;
  }
  test_fail(__FILE__, __LINE__, "a failure of %s was passed over", function);
}

static void sweep_calls(const test_fake *fake) {
  test_scenario scenario = make_scenario();
  long live = cyxla_memory_live(), allocations, calls;

  /* Where direct code may be taken what fails for that is a reason and no error. */
  test_set_environment("CYXLA_TIER", "pjrt");
  count(fake, &scenario, &allocations, &calls);
  for (long n = 0; n < calls; n++) {
    cyxla_error error;
    fake->set(FAKE_ERROR_CODE, 1 + n % 16);
    fake->fail_call(n);
    cyxla_status status = test_scenario_run(&scenario, &error);
    if (scenario.failed_step == NULL) {
      expect_optional(&scenario, fake->failed_function());
    } else {
      EXPECT_EQUAL(status, 1 + n % 16);
      EXPECT_CONTAINS(error.message, "the plugin ");
      EXPECT_CONTAINS(error.message, " cannot ");
      EXPECT_CONTAINS(error.message, ": injected failure");
    }
    forget(fake, live);
  }
}

static void every_allocation_may_fail(void) {
  sweep_allocations(test_fake_start());
}

static void every_allocation_may_fail_where_arrays_are_copied(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_ON_CPU, 0);
  sweep_allocations(fake);
}

static void every_call_of_the_plugin_may_fail(void) {
  sweep_calls(test_fake_start());
}

static void every_call_of_the_plugin_may_fail_where_arrays_are_copied(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_ON_CPU, 0);
  fake->set(FAKE_EVENTS_PENDING, 1);
  sweep_calls(fake);
}

/* From the nth on, also those that clean up and those that describe the error. */
static void all_later_calls_of_the_plugin_may_fail_too(void) {
  const test_fake *fake = test_fake_start();
  test_scenario scenario = make_scenario();
  long live = cyxla_memory_live(), allocations, calls;

  count(fake, &scenario, &allocations, &calls);
  for (long n = 0; n < calls; n++) {
    cyxla_error error;
    fake->fail_from(n);
    cyxla_status status = test_scenario_run(&scenario, &error);
    /* The code of an error is asked for with a call that fails as well. */
    if (scenario.failed_step != NULL) EXPECT_EQUAL(status, CYXLA_UNKNOWN);
    forget(fake, live);
  }
}

TEST_MAIN(TEST_CASE(every_allocation_may_fail),
          TEST_CASE(every_allocation_may_fail_where_arrays_are_copied),
          TEST_CASE(every_call_of_the_plugin_may_fail),
          TEST_CASE(every_call_of_the_plugin_may_fail_where_arrays_are_copied),
          TEST_CASE(all_later_calls_of_the_plugin_may_fail_too))
