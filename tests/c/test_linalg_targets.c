/* Which handlers a program gets, and what it is told where there is no LAPACK. */
#include "linalg/targets.h"

#include <string.h>

#include "ffi.h"
#include "linalg/lapack.h"
#include "memory.h"
#include "runtime.h"
#include "test.h"
#include "test_fake.h"
#include "test_linalg.h"

static void forget(void *unused) {
  (void)unused;
  cyxla_lapack_forget(NULL, 0);
}

static void use_lapack(const char *path) {
  cyxla_lapack_forget(NULL, 0);
  test_defer(forget, NULL);
  test_set_environment("CYXLA_LAPACK", path);
}

static cyxla_status prepare(cyxla_runtime *runtime, const char *code,
                            cyxla_error *error) {
  return cyxla_linalg_prepare(runtime, code, strlen(code), error);
}

static void the_targets_that_a_program_names_get_handlers(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_error error;

  use_lapack(LP64_LAPACK_PATH);
  EXPECT_OK(prepare(runtime, "la lapack_dgetrf_ffi cpu_csr_sparse_dense_ffi", &error),
            &error);
  EXPECT_TRUE(fake->ffi_function("lapack_dgetrf_ffi", 3) != NULL);
  EXPECT_TRUE(fake->ffi_function("cpu_csr_sparse_dense_ffi", 3) != NULL);
  EXPECT_NULL(fake->ffi_function("lapack_sgetrf_ffi", 3));
  cyxla_runtime_destroy(runtime);
}

static void programs_without_linear_algebra_load_no_lapack(void) {
  cyxla_error error;
  cyxla_runtime *runtime;

  test_fake_start();
  runtime = test_fake_runtime();
  use_lapack("/nowhere/lapack.so");
  EXPECT_OK(prepare(runtime, "", &error), &error);
  EXPECT_OK(prepare(runtime, "lapack_dgetrf", &error), &error);
  EXPECT_OK(prepare(runtime, "my_ffi lapack_dgetrf_f", &error), &error);
  EXPECT_OK(prepare(runtime, "tridiagonal_solve_perturbed_ffi", &error), &error);
  EXPECT_STATUS(prepare(runtime, "lapack_dgetrf_ffi", &error), CYXLA_NOT_FOUND, &error);
  cyxla_runtime_destroy(runtime);
}

static void a_function_that_the_library_lacks_is_named(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime = test_fake_runtime();
  char path[1024];
  cyxla_error error;

  snprintf(path, sizeof(path), "%s/fake_lapack_lp64.so", FAKE_LAPACK_DIRECTORY);
  use_lapack(path);
  EXPECT_ERROR(prepare(runtime, "lapack_cheevd_ffi lapack_dpotrf_ffi", &error),
               CYXLA_NOT_FOUND, &error, "fake_lapack_lp64.so has no function cheevd");
  EXPECT_TRUE(fake->ffi_function("lapack_dpotrf_ffi", 3) != NULL);
  cyxla_runtime_destroy(runtime);
}

static XLA_FFI_Error *own_handler(XLA_FFI_CallFrame *frame) {
  cyxla_ffi_describe(frame);
  return NULL;
}

static void the_caller_s_own_handler_stays(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;
  const void *before;
  cyxla_error error;

  handler.name = "lapack_dpotrf_ffi";
  handler.execute = (cyxla_ffi_function *)own_handler;
  EXPECT_OK(cyxla_ffi_register(runtime, &handler, &error), &error);
  before = fake->ffi_function("lapack_dpotrf_ffi", 3);
  use_lapack(LP64_LAPACK_PATH);
  EXPECT_ERROR(prepare(runtime, "lapack_dpotrf_ffi", &error), CYXLA_INVALID_ARGUMENT,
               &error, "the name is taken by another handler");
  EXPECT_TRUE(fake->ffi_function("lapack_dpotrf_ffi", 3) == before);
  cyxla_runtime_destroy(runtime);
}

static void a_runtime_without_them_gets_none(void) {
  const test_fake *fake = test_fake_start();
  cyxla_runtime_options options = CYXLA_RUNTIME_OPTIONS_INIT;
  cyxla_runtime *runtime;
  cyxla_error error;

  options.plugin = test_fake_path();
  options.without_lapack = true;
  EXPECT_OK(cyxla_runtime_create(&options, &runtime, &error), &error);
  use_lapack("/nowhere/lapack.so");
  EXPECT_OK(prepare(runtime, "lapack_dpotrf_ffi cpu_csr_sparse_dense_ffi", &error),
            &error);
  EXPECT_NULL(fake->ffi_function("cpu_csr_sparse_dense_ffi", 3));
  cyxla_runtime_destroy(runtime);
}

static void handlers_say_that_they_were_built_with_the_oldest_version(void) {
  XLA_FFI_Metadata metadata;
  XLA_FFI_Metadata_Extension extension = {
      {sizeof(extension), XLA_FFI_Extension_Metadata, NULL}, &metadata};
  XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                             .extension_start = &extension.extension_base};

  EXPECT_EQUAL(cyxla_linalg_num_targets(), 62);
  for (size_t i = 0; i < cyxla_linalg_num_targets(); i++) {
    memset(&metadata, 0, sizeof(metadata));
    EXPECT_NULL(cyxla_linalg_handler(i)(&frame));
    EXPECT_EQUAL(metadata.api_version.minor_version, 1);
  }
}

TEST_MAIN(TEST_CASE(the_targets_that_a_program_names_get_handlers),
          TEST_CASE(programs_without_linear_algebra_load_no_lapack),
          TEST_CASE(a_function_that_the_library_lacks_is_named),
          TEST_CASE(the_caller_s_own_handler_stays),
          TEST_CASE(a_runtime_without_them_gets_none),
          TEST_CASE(handlers_say_that_they_were_built_with_the_oldest_version))
