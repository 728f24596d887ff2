/* The runtimes that cyxla_open shares. */
#include <pthread.h>

#include "runtime.h"
#include "test.h"
#include "test_fake.h"

static void a_default_runtime_is_shared(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *first, *second;
  cyxla_error error;

  EXPECT_OK(cyxla_runtime_get_default(test_fake_path(), "cpu", &first, &error), &error);
  EXPECT_OK(cyxla_runtime_get_default(test_fake_path(), "cpu", &second, &error),
            &error);
  EXPECT_TRUE(first == second);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 1);
  cyxla_runtime_destroy(first);
  cyxla_runtime_destroy(second);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 1);
  cyxla_runtime_forget_defaults();
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 0);
}

static void *get_default(void *unused) {
  cyxla_runtime *runtime = NULL;

  (void)unused;
  cyxla_runtime_get_default(test_fake_path(), "cpu", &runtime, NULL);
  return runtime;
}

static void threads_that_are_the_first_get_the_same_default_runtime(void) {
  enum { NUM_THREADS = 8 };
  pthread_t threads[NUM_THREADS];
  void *runtimes[NUM_THREADS];
  const test_fake *fake = test_fake_start();

  for (int i = 0; i < NUM_THREADS; i++) {
    EXPECT_EQUAL(pthread_create(&threads[i], NULL, get_default, NULL), 0);
  }
  for (int i = 0; i < NUM_THREADS; i++) pthread_join(threads[i], &runtimes[i]);
  EXPECT_EQUAL(fake->calls_of("PJRT_Plugin_Initialize"), 1);
  EXPECT_EQUAL(fake->live(FAKE_CLIENT), 1);
  for (int i = 0; i < NUM_THREADS; i++) {
    EXPECT_TRUE(runtimes[i] != NULL && runtimes[i] == runtimes[0]);
    cyxla_runtime_destroy(runtimes[i]);
  }
}

static void a_default_runtime_is_one_a_plugin(void) {
  const char *copy = test_fake_copy("copy.so");
  cyxla_runtime *first, *second, *again;
  cyxla_error error;

  test_fake_start();
  EXPECT_OK(cyxla_runtime_get_default(test_fake_path(), "cpu", &first, &error), &error);
  EXPECT_OK(cyxla_runtime_get_default(copy, "cpu", &second, &error), &error);
  EXPECT_OK(cyxla_runtime_get_default(test_fake_path(), "cpu", &again, &error), &error);
  EXPECT_TRUE(first != second);
  EXPECT_TRUE(first == again);
  cyxla_runtime_destroy(first);
  cyxla_runtime_destroy(second);
  cyxla_runtime_destroy(again);
}

static void a_default_runtime_has_to_be_of_the_platform(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime, *other;
  cyxla_error error;

  EXPECT_OK(cyxla_runtime_get_default(test_fake_path(), "cpu", &runtime, &error),
            &error);
  other = runtime;
  EXPECT_ERROR(cyxla_runtime_get_default(test_fake_path(), "tpu", &other, &error),
               CYXLA_PLATFORM_MISMATCH, &error, "expected tpu");
  EXPECT_NULL(other);
  cyxla_runtime_destroy(runtime);
  cyxla_runtime_forget_defaults();
  fake->fail_function("PJRT_Client_Create");
  EXPECT_ERROR(cyxla_runtime_get_default(test_fake_path(), "cpu", &other, &error),
               CYXLA_INTERNAL, &error, "create a client");
  EXPECT_ERROR(cyxla_runtime_get_default("/nowhere/plugin.so", "cpu", &other, &error),
               CYXLA_PLUGIN_UNLOADABLE, &error, "/nowhere/plugin.so");
  EXPECT_NULL(other);
}

TEST_MAIN(TEST_CASE(a_default_runtime_is_shared),
          TEST_CASE(threads_that_are_the_first_get_the_same_default_runtime),
          TEST_CASE(a_default_runtime_is_one_a_plugin),
          TEST_CASE(a_default_runtime_has_to_be_of_the_platform))
