#define _XOPEN_SOURCE 700
#include "environment.h"

#include <stdlib.h>

#include "hardware.h"
#include "memory.h"
#include "test.h"

static void the_plugin_is_read(void) {
  test_set_environment("CYXLA_PLUGIN", "/some/plugin.so");
  EXPECT_TEXT(cyxla_environment_plugin(), "/some/plugin.so");
}

static void an_unset_or_empty_plugin_is_none(void) {
  test_set_environment("CYXLA_PLUGIN", NULL);
  EXPECT_NULL(cyxla_environment_plugin());
  test_set_environment("CYXLA_PLUGIN", "");
  EXPECT_NULL(cyxla_environment_plugin());
}

static void the_places_of_the_cache_are_read(void) {
  test_set_environment("CYXLA_CACHE_DIR", "/some/cache");
  EXPECT_TEXT(cyxla_environment_cache_directory(), "/some/cache");
  test_set_environment("CYXLA_CACHE_DIR", "");
  EXPECT_NULL(cyxla_environment_cache_directory());
  test_set_environment("XDG_CACHE_HOME", "/some/caches");
  EXPECT_TEXT(cyxla_environment_user_caches(), "/some/caches");
  test_set_environment("XDG_CACHE_HOME", NULL);
  EXPECT_NULL(cyxla_environment_user_caches());
  test_set_environment("HOME", "/some/home");
  EXPECT_TEXT(cyxla_environment_home(), "/some/home");
  test_set_environment("HOME", NULL);
  EXPECT_NULL(cyxla_environment_home());
}

static void what_tools_are_told_is_asked_for(void) {
  test_set_environment("CYXLA_CODE_DIR", "/some/code");
  EXPECT_TEXT(cyxla_environment_code_directory(), "/some/code");
  test_set_environment("CYXLA_CODE_DIR", "");
  EXPECT_NULL(cyxla_environment_code_directory());
  test_set_environment("CYXLA_PERF_MAP", NULL);
  EXPECT_TRUE(!cyxla_environment_perf_map());
  test_set_environment("CYXLA_PERF_MAP", "0");
  EXPECT_TRUE(!cyxla_environment_perf_map());
  test_set_environment("CYXLA_PERF_MAP", "1");
  EXPECT_TRUE(cyxla_environment_perf_map());
}

static void the_flags_of_xla_are_read(void) {
  test_set_environment("XLA_FLAGS", "--xla_some_flag=1");
  EXPECT_TEXT(cyxla_environment_xla_flags(), "--xla_some_flag=1");
  test_set_environment("XLA_FLAGS", NULL);
  EXPECT_TEXT(cyxla_environment_xla_flags(), "");
}

static void the_number_of_threads_that_is_asked_for_is_read(void) {
  test_set_environment("PJRT_NPROC", "5");
  test_set_environment("NPROC", "6");
  EXPECT_TEXT(cyxla_environment_num_threads(), "5");
  test_set_environment("PJRT_NPROC", "");
  EXPECT_TEXT(cyxla_environment_num_threads(), "6");
  test_set_environment("NPROC", NULL);
  EXPECT_NULL(cyxla_environment_num_threads());
}

static void handlers_are_mirrored_unless_0_is_set(void) {
  test_set_environment("CYXLA_MIRROR_JAX", NULL);
  EXPECT_TRUE(cyxla_environment_mirror_jax());
  test_set_environment("CYXLA_MIRROR_JAX", "1");
  EXPECT_TRUE(cyxla_environment_mirror_jax());
  test_set_environment("CYXLA_MIRROR_JAX", "0");
  EXPECT_TRUE(!cyxla_environment_mirror_jax());
  test_set_environment("CYXLA_MIRROR_JAX", NULL);
}

static void xla_is_quiet_by_default_also_where_jax_has_set_a_level(void) {
  static const char *const levels[] = {NULL, "", "1"};

  for (size_t i = 0; i < TEST_COUNT(levels); i++) {
    test_set_environment("CYXLA_LOG", NULL);
    test_set_environment("TF_CPP_MIN_LOG_LEVEL", levels[i]);
    cyxla_environment_prepare_plugins();
    EXPECT_TEXT(getenv("TF_CPP_MIN_LOG_LEVEL"), "3");
  }
}

static void the_log_level_is_passed_on(void) {
  test_set_environment("CYXLA_LOG", "0");
  test_set_environment("TF_CPP_MIN_LOG_LEVEL", "2");
  cyxla_environment_prepare_plugins();
  EXPECT_TEXT(getenv("TF_CPP_MIN_LOG_LEVEL"), "0");
}

static void the_user_s_own_log_level_stays(void) {
  test_set_environment("CYXLA_LOG", NULL);
  test_set_environment("TF_CPP_MIN_LOG_LEVEL", "2");
  cyxla_environment_prepare_plugins();
  EXPECT_TEXT(getenv("TF_CPP_MIN_LOG_LEVEL"), "2");
}

static void without_a_tpu_libtpu_asks_no_server(void) {
  test_set_environment("TPU_SKIP_MDS_QUERY", NULL);
  cyxla_environment_prepare_plugins();
  if (!cyxla_hardware_has_tpu()) EXPECT_TEXT(getenv("TPU_SKIP_MDS_QUERY"), "1");
  test_set_environment("TPU_SKIP_MDS_QUERY", "0");
  cyxla_environment_prepare_plugins();
  EXPECT_TEXT(getenv("TPU_SKIP_MDS_QUERY"), "0");
}

static void threads_are_set_and_given_back(void) {
  cyxla_environment_threads saved;

  test_set_environment("PJRT_NPROC", "5");
  test_set_environment("NPROC", NULL);
  EXPECT_TRUE(cyxla_environment_set_threads(2, &saved));
  EXPECT_TEXT(getenv("PJRT_NPROC"), "2");
  EXPECT_TEXT(getenv("NPROC"), "2");
  cyxla_environment_restore_threads(&saved);
  EXPECT_TEXT(getenv("PJRT_NPROC"), "5");
  EXPECT_NULL(getenv("NPROC"));
}

static void without_memory_threads_stay_as_they_are(void) {
  test_set_environment("PJRT_NPROC", "5");
  test_set_environment("NPROC", "6");
  for (long n = 0; n < 2; n++) {
    cyxla_environment_threads saved;
    cyxla_memory_fail_after(n);
    EXPECT_TRUE(!cyxla_environment_set_threads(2, &saved));
    EXPECT_TEXT(getenv("PJRT_NPROC"), "5");
    EXPECT_TEXT(getenv("NPROC"), "6");
  }
}

TEST_MAIN(TEST_CASE(the_places_of_the_cache_are_read),
          TEST_CASE(what_tools_are_told_is_asked_for),
          TEST_CASE(the_flags_of_xla_are_read),
          TEST_CASE(the_number_of_threads_that_is_asked_for_is_read),
          TEST_CASE(handlers_are_mirrored_unless_0_is_set),
          TEST_CASE(threads_are_set_and_given_back),
          TEST_CASE(without_memory_threads_stay_as_they_are),
          TEST_CASE(the_plugin_is_read), TEST_CASE(an_unset_or_empty_plugin_is_none),
          TEST_CASE(xla_is_quiet_by_default_also_where_jax_has_set_a_level),
          TEST_CASE(the_log_level_is_passed_on),
          TEST_CASE(the_user_s_own_log_level_stays),
          TEST_CASE(without_a_tpu_libtpu_asks_no_server))
