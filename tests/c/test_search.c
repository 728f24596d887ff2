#define _XOPEN_SOURCE 700
#include "search.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "library.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"

/* The path that a search finds, which lives as long as the test. */
static const char *find(const char *platform, const char *file,
                        const cyxla_plugin_record *record) {
  static char found[4096];
  char *plugin;
  cyxla_error error;

  EXPECT_OK(cyxla_search_plugin(platform, file, record, &plugin, &error), &error);
  snprintf(found, sizeof(found), "%s", plugin);
  cyxla_release(plugin);
  return found;
}

static void expect_nothing(const char *platform, const char *file,
                           const cyxla_plugin_record *record, const char *message) {
  char *plugin = (char *)platform;
  cyxla_error error;

  EXPECT_ERROR(cyxla_search_plugin(platform, file, record, &plugin, &error),
               CYXLA_PLUGIN_NOT_FOUND, &error, message);
  EXPECT_NULL(plugin);
}

static cyxla_plugin_record record_of(const char *path) {
  cyxla_plugin_record record;
  cyxla_error error;

  EXPECT_OK(cyxla_plugin_record_create(path, &record, &error), &error);
  return record;
}

static void the_environment_comes_first(void) {
  const char *beside = test_temporary_path("pjrt_cpu.so");
  const char *file = test_temporary_path("x.cyxla");

  test_write_file(beside, "x", 1);
  test_set_environment("CYXLA_PLUGIN", "/some/plugin.so");
  EXPECT_TEXT(find("cpu", file, NULL), "/some/plugin.so");
}

static void a_plugin_beside_the_file_comes_next(void) {
  static const char *const names[] = {"pjrt_c_api_tpu_plugin.so", "xla_tpu_pjrt.so",
                                      "xla_tpu_plugin.so", "libpjrt_tpu.so",
                                      "pjrt_tpu.so"};
  const char *recorded = test_temporary_path("recorded.so");
  const char *file = test_temporary_path("x.cyxla");

  test_set_environment("CYXLA_PLUGIN", NULL);
  test_write_file(recorded, "x", 1);
  cyxla_plugin_record record = record_of(recorded);
  for (size_t i = 0; i < TEST_COUNT(names); i++) {
    const char *beside = test_temporary_path(names[i]);
    test_write_file(beside, "x", 1);
    EXPECT_TEXT(find("tpu", file, &record), beside);
    EXPECT_EQUAL(remove(beside), 0);
  }
  EXPECT_TEXT(find("tpu", file, &record), recorded);
  cyxla_plugin_record_free(&record);
}

static void directories_are_no_plugins(void) {
  const char *file = test_temporary_path("x.cyxla");

  test_set_environment("CYXLA_PLUGIN", NULL);
  EXPECT_EQUAL(mkdir(test_temporary_path("pjrt_tpu.so"), 0700), 0);
  expect_nothing("tpu", file, NULL, ", none lies beside ");
}

static void a_recorded_plugin_has_to_be_unchanged(void) {
  const char *path = test_temporary_path("recorded.so");

  test_set_environment("CYXLA_PLUGIN", NULL);
  test_write_file(path, "one", 3);
  cyxla_plugin_record record = record_of(path);
  EXPECT_TEXT(find("tpu", NULL, &record), path);
  test_write_file(path, "two", 3);
  expect_nothing("tpu", NULL, &record, "recorded.so is not there unchanged");
  test_write_file(path, "one.", 4);
  expect_nothing("tpu", NULL, &record, "recorded.so is not there unchanged");
  EXPECT_EQUAL(remove(path), 0);
  expect_nothing("tpu", NULL, &record, "recorded.so is not there unchanged");
  cyxla_plugin_record_free(&record);
}

static void removes(void *path) {
  remove(path);
}

static void the_library_s_own_directory_comes_last(void) {
  static char directory[4096], plugins[4200], plugin[4300];
  char *own = cyxla_library_own_path();

  test_set_environment("CYXLA_PLUGIN", NULL);
  snprintf(directory, sizeof(directory), "%.*s/cyxla", (int)(strrchr(own, '/') - own),
           own);
  cyxla_release(own);
  snprintf(plugins, sizeof(plugins), "%s/plugins", directory);
  snprintf(plugin, sizeof(plugin), "%s/pjrt_quantum.so", plugins);
  EXPECT_EQUAL(mkdir(directory, 0700), 0);
  test_defer(removes, directory);
  EXPECT_EQUAL(mkdir(plugins, 0700), 0);
  test_defer(removes, plugins);
  test_write_file(plugin, "x", 1);
  test_defer(removes, plugin);
  EXPECT_TEXT(find("quantum", NULL, NULL), plugin);
  EXPECT_TEXT(find("quantum", "/nowhere/x.cyxla", NULL), plugin);
}

static void the_error_lists_the_places(void) {
  cyxla_plugin_record record = {
      .path = (char *)"/nowhere/plugin.so", .bytes = 1, .hash = 2};
  cyxla_plugin_record none = {.path = NULL};

  test_set_environment("CYXLA_PLUGIN", NULL);
  expect_nothing(
      "tpu", NULL, NULL,
      "no plugin for the platform tpu was found: CYXLA_PLUGIN is not set, and "
      "the library's plugin directory has none; install a plugin");
  expect_nothing("tpu", "/a/x.cyxla", &none,
                 "is not set, none lies beside /a/x.cyxla, and the library's");
  expect_nothing("tpu", "/a/x.cyxla", &record,
                 "beside /a/x.cyxla, the recorded /nowhere/plugin.so is not there "
                 "unchanged, and the library's");
}

static void platforms_of_any_length_are_looked_for(void) {
  char platform[1000];

  test_set_environment("CYXLA_PLUGIN", NULL);
  memset(platform, 'p', sizeof(platform));
  platform[sizeof(platform) - 1] = '\0';
  expect_nothing(platform, "/nowhere/x.cyxla", NULL, platform);
}

static void no_memory_is_an_error(void) {
  const char *file = test_temporary_path("x.cyxla");
  const char *beside = test_temporary_path("pjrt_c_api_cpu_plugin.so");
  const char *recorded = test_temporary_path("recorded.so");
  cyxla_plugin_record record;
  cyxla_error error;
  char *plugin;

  test_set_environment("CYXLA_PLUGIN", "/some/plugin.so");
  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_search_plugin("cpu", NULL, NULL, &plugin, &error),
               CYXLA_OUT_OF_MEMORY, &error, "no memory left");
  test_set_environment("CYXLA_PLUGIN", NULL);
  test_write_file(beside, "x", 1);
  cyxla_memory_fail_after(0);
  EXPECT_ERROR(cyxla_search_plugin("cpu", file, NULL, &plugin, &error),
               CYXLA_OUT_OF_MEMORY, &error, "no memory left");
  test_write_file(recorded, "x", 1);
  record = record_of(recorded);
  for (long n = 0; n < 2; n++) {
    cyxla_memory_fail_after(n);
    EXPECT_ERROR(cyxla_search_plugin("cpu", NULL, &record, &plugin, &error),
                 CYXLA_OUT_OF_MEMORY, &error, "no memory left");
  }
  cyxla_plugin_record_free(&record);
}

static void a_plugin_for_gpus_serves_cuda_and_rocm(void) {
  const char *file = test_temporary_path("x.cyxla");
  const char *gpu = test_temporary_path("pjrt_c_api_gpu_plugin.so");
  const char *cuda = test_temporary_path("xla_cuda_plugin.so");

  test_set_environment("CYXLA_PLUGIN", NULL);
  test_write_file(gpu, "x", 1);
  EXPECT_TEXT(find("rocm", file, NULL), gpu);
  EXPECT_TEXT(find("cuda", file, NULL), gpu);
  test_write_file(cuda, "x", 1);
  EXPECT_TEXT(find("cuda", file, NULL), cuda);
  expect_nothing("tpu", file, NULL, "none lies beside");
}

TEST_MAIN(TEST_CASE(a_plugin_for_gpus_serves_cuda_and_rocm),
          TEST_CASE(the_environment_comes_first),
          TEST_CASE(a_plugin_beside_the_file_comes_next),
          TEST_CASE(directories_are_no_plugins),
          TEST_CASE(a_recorded_plugin_has_to_be_unchanged),
          TEST_CASE(the_library_s_own_directory_comes_last),
          TEST_CASE(the_error_lists_the_places),
          TEST_CASE(platforms_of_any_length_are_looked_for),
          TEST_CASE(no_memory_is_an_error))
