/* Which handler direct code finds. */
#include "ffi_registry.h"

#include <string.h>

#include "cyxla_ffi.h"
#include "linalg/lapack.h"
#include "linalg/targets.h"
#include "memory.h"
#include "runtime.h"
#include "test.h"
#include "test_fake.h"

CYXLA_FFI_HANDLER(first) {
  (void)frame;
  return NULL;
}

CYXLA_FFI_HANDLER(second) {
  (void)frame;
  return NULL;
}

static cyxla_status add(cyxla_runtime *runtime, const char *name, const char *platform,
                        XLA_FFI_Handler *execute) {
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;

  handler.name = name;
  handler.platform = platform;
  handler.execute = (cyxla_ffi_function *)execute;
  return cyxla_ffi_register(runtime, &handler, NULL);
}

static void expect_found(const cyxla_plugin *plugin, const char *name,
                         XLA_FFI_Handler *expected) {
  XLA_FFI_Handler *found;
  cyxla_error error;

  EXPECT_OK(cyxla_ffi_find(plugin, name, strlen(name), &found, &error), &error);
  EXPECT_TRUE(found == expected);
}

static void expect_refused(const cyxla_plugin *plugin, const char *name,
                           const char *reason) {
  XLA_FFI_Handler *found = first;
  cyxla_error error;

  EXPECT_ERROR(cyxla_ffi_find(plugin, name, strlen(name), &found, &error),
               CYXLA_UNIMPLEMENTED, &error, reason);
  EXPECT_TRUE(found == NULL);
}

static void a_handler_is_found_by_its_name(void) {
  cyxla_runtime *runtime;
  XLA_FFI_Handler *found;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  expect_refused(
      runtime->plugin, "one",
      "its custom call one has a handler that was not registered with cyxla");
  EXPECT_OK(add(runtime, "one", NULL, first), NULL);
  EXPECT_OK(add(runtime, "other", NULL, second), NULL);
  expect_found(runtime->plugin, "one", first);
  expect_found(runtime->plugin, "other", second);
  expect_refused(runtime->plugin, "on", "not registered");
  /* The name need not end where its text does. */
  EXPECT_OK(cyxla_ffi_find(runtime->plugin, "one more", 3, &found, &error), &error);
  EXPECT_TRUE(found == first);
  cyxla_runtime_destroy(runtime);
}

static void the_first_handler_of_a_name_stays(void) {
  cyxla_runtime *runtime;

  test_fake_start();
  runtime = test_fake_runtime();
  EXPECT_OK(add(runtime, "one", NULL, first), NULL);
  EXPECT_OK(add(runtime, "one", NULL, first), NULL);
  EXPECT_STATUS(add(runtime, "one", NULL, second), CYXLA_INVALID_ARGUMENT, NULL);
  expect_found(runtime->plugin, "one", first);
  cyxla_runtime_destroy(runtime);
}

static void only_those_of_the_cpu_are_found(void) {
  static const char *const platforms[] = {"cpu", "Host", "HOST", "Cpu"};
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;
  cyxla_runtime *runtime;
  char name[] = "on_0";

  test_fake_start();
  runtime = test_fake_runtime();
  for (size_t i = 0; i < TEST_COUNT(platforms); i++) {
    name[3] = (char)('0' + i);
    handler.name = name;
    handler.execute = (cyxla_ffi_function *)first;
    EXPECT_OK(cyxla_ffi_registry_add(runtime->plugin, platforms[i], &handler, NULL),
              NULL);
    expect_found(runtime->plugin, name, first);
  }
  handler.name = "on_gpu";
  EXPECT_OK(cyxla_ffi_registry_add(runtime->plugin, "CUDA", &handler, NULL), NULL);
  expect_refused(runtime->plugin, "on_gpu", "not registered");
  EXPECT_OK(cyxla_ffi_registry_add(runtime->plugin, "hosts", &handler, NULL), NULL);
  expect_refused(runtime->plugin, "on_gpu", "not registered");
  handler.execute = (cyxla_ffi_function *)second;
  EXPECT_OK(cyxla_ffi_registry_add(runtime->plugin, "cpu", &handler, NULL), NULL);
  expect_found(runtime->plugin, "on_gpu", second);
  cyxla_runtime_destroy(runtime);
}

static void a_handler_with_other_stages_needs_the_plugin(void) {
  cyxla_runtime *runtime;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  for (int stage = 0; stage < 3; stage++) {
    cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;
    char name[] = "staged_0";
    name[7] = (char)('0' + stage);
    handler.name = name;
    handler.execute = (cyxla_ffi_function *)first;
    if (stage == 0) handler.instantiate = (cyxla_ffi_function *)second;
    if (stage == 1) handler.prepare = (cyxla_ffi_function *)second;
    if (stage == 2) handler.initialize = (cyxla_ffi_function *)second;
    EXPECT_OK(cyxla_ffi_register(runtime, &handler, &error), &error);
    expect_refused(runtime->plugin, name, "has other stages than execute");
  }
  cyxla_runtime_destroy(runtime);
}

static void forget(void *unused) {
  (void)unused;
  cyxla_lapack_forget(NULL, 0);
}

static void without_a_plugin_there_is_linear_algebra(void) {
  char path[1024], name[64];
  size_t index = 0;

  while (strcmp(cyxla_linalg_target_name(index, name, sizeof(name)),
                "lapack_dpotrf_ffi") != 0) {
    index++;
  }
  test_defer(forget, NULL);
  snprintf(path, sizeof(path), "%s/fake_lapack_lp64.so", FAKE_LAPACK_DIRECTORY);
  cyxla_lapack_forget(NULL, 0);
  test_set_environment("CYXLA_LAPACK", path);
  expect_found(NULL, "lapack_dpotrf_ffi", cyxla_linalg_handler(index));
  expect_refused(NULL, "lapack_cheevd_ffi",
                 "its custom call lapack_cheevd_ffi has no LAPACK: ");
  expect_refused(NULL, "scale", "its custom call scale is none of linear algebra");
  expect_refused(NULL, "", "is none of linear algebra");
  cyxla_lapack_forget(NULL, 0);
  test_set_environment("CYXLA_LAPACK", "/nowhere/lapack.so");
  expect_refused(NULL, "lapack_dpotrf_ffi", "CYXLA_LAPACK is /nowhere/lapack.so");
  /* Of its own. */
  expect_found(NULL, "cpu_csr_sparse_dense_ffi",
               cyxla_linalg_handler(cyxla_linalg_num_targets() - 1));
}

static void a_lack_of_memory_is_told(void) {
  cyxla_runtime *runtime;
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;
  XLA_FFI_Handler *found;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  handler.name = "one";
  handler.execute = (cyxla_ffi_function *)first;
  for (int n = 0; n < 2; n++) {
    cyxla_memory_fail_after(n);
    EXPECT_ERROR(cyxla_ffi_registry_add(runtime->plugin, "cpu", &handler, &error),
                 CYXLA_OUT_OF_MEMORY, &error, "no memory left for a handler");
    cyxla_memory_fail_after(-1);
  }
  expect_refused(runtime->plugin, "one", "not registered");
  cyxla_lapack_forget(NULL, 0);
  test_defer(forget, NULL);
  cyxla_memory_fail_after(0);
  EXPECT_STATUS(cyxla_ffi_find(NULL, "lapack_dpotrf_ffi", 17, &found, &error),
                CYXLA_OUT_OF_MEMORY, &error);
  cyxla_memory_fail_after(-1);
  cyxla_runtime_destroy(runtime);
}

TEST_MAIN(TEST_CASE(a_handler_is_found_by_its_name),
          TEST_CASE(the_first_handler_of_a_name_stays),
          TEST_CASE(only_those_of_the_cpu_are_found),
          TEST_CASE(a_handler_with_other_stages_needs_the_plugin),
          TEST_CASE(without_a_plugin_there_is_linear_algebra),
          TEST_CASE(a_lack_of_memory_is_told))
