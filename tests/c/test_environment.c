#define _XOPEN_SOURCE 700
#include "environment.h"

#include <stdlib.h>

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

static void xla_reports_errors_only_by_default(void) {
  test_set_environment("CYXLA_LOG", NULL);
  test_set_environment("TF_CPP_MIN_LOG_LEVEL", NULL);
  cyxla_environment_set_log_level();
  EXPECT_TEXT(getenv("TF_CPP_MIN_LOG_LEVEL"), "2");
}

static void the_log_level_is_passed_on(void) {
  test_set_environment("CYXLA_LOG", "0");
  test_set_environment("TF_CPP_MIN_LOG_LEVEL", NULL);
  cyxla_environment_set_log_level();
  EXPECT_TEXT(getenv("TF_CPP_MIN_LOG_LEVEL"), "0");
}

static void the_user_s_own_log_level_stays(void) {
  test_set_environment("CYXLA_LOG", "0");
  test_set_environment("TF_CPP_MIN_LOG_LEVEL", "3");
  cyxla_environment_set_log_level();
  EXPECT_TEXT(getenv("TF_CPP_MIN_LOG_LEVEL"), "3");
}

TEST_MAIN(TEST_CASE(the_plugin_is_read), TEST_CASE(an_unset_or_empty_plugin_is_none),
          TEST_CASE(xla_reports_errors_only_by_default),
          TEST_CASE(the_log_level_is_passed_on),
          TEST_CASE(the_user_s_own_log_level_stays))
