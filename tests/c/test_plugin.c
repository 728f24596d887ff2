#define _XOPEN_SOURCE 700
#include "plugin.h"

#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "test.h"
#include "test_fake.h"

static void expect_refused(const char *path, cyxla_status status, const char *message) {
  const cyxla_plugin *plugin = (const cyxla_plugin *)&plugin;
  cyxla_error error;

  EXPECT_ERROR(cyxla_plugin_load(path, &plugin, &error), status, &error, message);
  EXPECT_NULL(plugin);
}

static const cyxla_plugin *load(void) {
  const cyxla_plugin *plugin;
  cyxla_error error;

  EXPECT_OK(cyxla_plugin_load(test_fake_path(), &plugin, &error), &error);
  return plugin;
}

static void a_plugin_is_loaded_once(void) {
  const test_fake *fake = test_fake_start();
  const cyxla_plugin *plugin = load();

  EXPECT_TRUE(load() == plugin);
  EXPECT_EQUAL(fake->calls_of("PJRT_Plugin_Initialize"), 1);
  EXPECT_EQUAL(plugin->api->pjrt_api_version.minor_version, 114);
}

static void another_name_of_the_same_file_is_the_same_plugin(void) {
  const test_fake *fake = test_fake_start();
  const cyxla_plugin *plugin = load(), *linked;
  const char *link = test_temporary_path("link.so");
  cyxla_error error;

  EXPECT_EQUAL(symlink(test_fake_path(), link), 0);
  EXPECT_OK(cyxla_plugin_load(link, &linked, &error), &error);
  EXPECT_TRUE(linked == plugin);
  EXPECT_EQUAL(fake->calls_of("PJRT_Plugin_Initialize"), 1);
}

static void two_plugins_live_side_by_side(void) {
  const char *path = test_fake_copy("copy.so");
  const cyxla_plugin *first, *second;
  cyxla_error error;

  test_fake_start();
  first = load();
  EXPECT_OK(cyxla_plugin_load(path, &second, &error), &error);
  EXPECT_TRUE(first != second);
  EXPECT_TRUE(first->api != second->api);
  EXPECT_TRUE(load() == first);
}

static void a_path_without_a_directory_is_a_file_here(void) {
  const char *path = test_fake_copy("plugin.so");
  const cyxla_plugin *plugin;
  char directory[4096], before[4096];
  cyxla_error error;
  cyxla_status status;

  EXPECT_TRUE(getcwd(before, sizeof(before)) != NULL);
  EXPECT_TRUE(strlen(path) < sizeof(directory));
  strcpy(directory, path);
  *strrchr(directory, '/') = '\0';
  EXPECT_EQUAL(chdir(directory), 0);
  status = cyxla_plugin_load("plugin.so", &plugin, &error);
  EXPECT_EQUAL(chdir(before), 0);
  EXPECT_OK(status, &error);
}

static void what_is_no_plugin_is_refused(void) {
  const char *text = test_temporary_path("text.so");

  test_write_file(text, "text", 4);
  expect_refused("/nowhere/missing.so", CYXLA_PLUGIN_UNLOADABLE,
                 "the plugin /nowhere/missing.so cannot be read: No such file");
  expect_refused("/", CYXLA_PLUGIN_UNLOADABLE,
                 "the plugin / is a directory, expected a file");
  expect_refused(text, CYXLA_PLUGIN_UNLOADABLE, "is not a library that can be loaded");
  expect_refused(test_broken_no_symbol_path(), CYXLA_PLUGIN_UNLOADABLE,
                 "is no PJRT plugin: it has no function GetPjrtApi");
  expect_refused(test_broken_null_api_path(), CYXLA_PLUGIN_INVALID,
                 "returned no function table from GetPjrtApi");
}

static void other_major_versions_are_refused(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_API_MAJOR, 1);
  expect_refused(test_fake_path(), CYXLA_PLUGIN_INVALID,
                 "implements version 1.114 of the PJRT API");
  EXPECT_EQUAL(fake->calls(), 0);
}

static void old_minor_versions_are_refused_and_new_ones_are_not(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_API_MINOR, 10);
  expect_refused(test_fake_path(), CYXLA_PLUGIN_TOO_OLD,
                 "implements version 0.10 of the PJRT API, and cyxla needs 0.");
  fake->set(FAKE_API_MINOR, CYXLA_PJRT_API_MINOR_MINIMUM - 1);
  expect_refused(test_fake_path(), CYXLA_PLUGIN_TOO_OLD, "install a newer build");
  fake->set(FAKE_API_MINOR, CYXLA_PJRT_API_MINOR_MINIMUM);
  load();
  cyxla_plugin_forget_all();
  fake->set(FAKE_API_MINOR, 1000);
  fake->set(FAKE_API_STRUCT_SIZE, sizeof(PJRT_Api) + 80);
  load();
}

static void missing_functions_are_named(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_API_STRUCT_SIZE, offsetof(PJRT_Api, PJRT_Executable_OutputDimensions));
  expect_refused(
      test_fake_path(), CYXLA_PLUGIN_TOO_OLD,
      "lacks the function PJRT_Executable_OutputDimensions, which cyxla needs");
  fake->set(FAKE_API_STRUCT_SIZE, offsetof(PJRT_Api, PJRT_Error_Destroy));
  expect_refused(test_fake_path(), CYXLA_PLUGIN_TOO_OLD, "PJRT_Error_Destroy");
  fake->set(FAKE_API_STRUCT_SIZE, sizeof(PJRT_Api));
  fake->remove_function("PJRT_Client_Compile");
  expect_refused(test_fake_path(), CYXLA_PLUGIN_TOO_OLD, "PJRT_Client_Compile");
  EXPECT_EQUAL(fake->calls(), 0);
}

static void every_function_that_is_needed_has_to_be_there(void) {
  static const char *const needed[] = {"PJRT_Error_Destroy",
                                       "PJRT_Error_Message",
                                       "PJRT_Error_GetCode",
                                       "PJRT_Plugin_Initialize",
                                       "PJRT_Event_Destroy",
                                       "PJRT_Event_Await",
                                       "PJRT_Client_Create",
                                       "PJRT_Client_Destroy",
                                       "PJRT_Client_PlatformName",
                                       "PJRT_Client_PlatformVersion",
                                       "PJRT_Client_AddressableDevices",
                                       "PJRT_Client_Compile",
                                       "PJRT_Client_BufferFromHostBuffer",
                                       "PJRT_DeviceDescription_Kind",
                                       "PJRT_Device_GetDescription",
                                       "PJRT_Executable_Destroy",
                                       "PJRT_Executable_NumReplicas",
                                       "PJRT_Executable_NumPartitions",
                                       "PJRT_Executable_OutputElementTypes",
                                       "PJRT_Executable_OutputDimensions",
                                       "PJRT_LoadedExecutable_Destroy",
                                       "PJRT_LoadedExecutable_GetExecutable",
                                       "PJRT_LoadedExecutable_Execute",
                                       "PJRT_Buffer_Destroy",
                                       "PJRT_Buffer_ToHostBuffer"};
  const test_fake *fake = test_fake_start();

  for (size_t i = 0; i < TEST_COUNT(needed); i++) {
    fake->remove_function(NULL);
    fake->remove_function(needed[i]);
    expect_refused(test_fake_path(), CYXLA_PLUGIN_TOO_OLD, needed[i]);
  }
}

static void the_stablehlo_version_is_read(void) {
  const cyxla_plugin *plugin;

  test_fake_start();
  plugin = load();
  EXPECT_EQUAL(plugin->stablehlo_version[0], 1);
  EXPECT_EQUAL(plugin->stablehlo_version[1], 18);
  EXPECT_EQUAL(plugin->stablehlo_version[2], 1);
}

static void an_unknown_stablehlo_version_is_0(void) {
  static const fake_attributes kinds[] = {
      FAKE_ATTRIBUTES_NONE, FAKE_ATTRIBUTES_WRONG_TYPE, FAKE_ATTRIBUTES_SHORT_LIST};
  const test_fake *fake = test_fake_start();

  for (size_t i = 0; i <= TEST_COUNT(kinds); i++) {
    if (i < TEST_COUNT(kinds)) {
      fake->set(FAKE_ATTRIBUTES, (long)kinds[i]);
    } else {
      fake->remove_function("PJRT_Plugin_Attributes");
    }
    const cyxla_plugin *plugin = load();
    for (int j = 0; j < 3; j++) EXPECT_EQUAL(plugin->stablehlo_version[j], 0);
    cyxla_plugin_forget_all();
  }
}

static void a_plugin_that_fails_to_start_can_be_tried_again(void) {
  const test_fake *fake = test_fake_start();

  fake->set(FAKE_ERROR_CODE, CYXLA_UNAVAILABLE);
  fake->fail_function("PJRT_Plugin_Initialize");
  expect_refused(test_fake_path(), CYXLA_UNAVAILABLE,
                 "fake_plugin.so cannot initialize itself: injected failure");
  fake->fail_function("PJRT_Plugin_Attributes");
  expect_refused(test_fake_path(), CYXLA_UNAVAILABLE,
                 "fake_plugin.so cannot tell its attributes: injected failure");
  fake->fail_function(NULL);
  load();
}

static void no_memory_is_an_error(void) {
  test_fake_start();
  for (long n = 0; n < 3; n++) {
    cyxla_memory_fail_after(n);
    expect_refused(test_fake_path(), CYXLA_OUT_OF_MEMORY, "no memory left");
  }
  load();
}

static void a_plugin_is_inspected_without_a_client(void) {
  const test_fake *fake = test_fake_start();
  cyxla_plugin_info info = CYXLA_PLUGIN_INFO_INIT;
  cyxla_error error;

  EXPECT_OK(cyxla_plugin_inspect(test_fake_path(), &info, &error), &error);
  EXPECT_EQUAL(info.struct_size, sizeof(info));
  EXPECT_EQUAL(info.pjrt_api_major, 0);
  EXPECT_EQUAL(info.pjrt_api_minor, 114);
  EXPECT_EQUAL(info.stablehlo_version[1], 18);
  EXPECT_EQUAL(info.stablehlo_minimum_version[1], 9);
  EXPECT_EQUAL(info.num_extensions, 2);
  EXPECT_TEXT(cyxla_extension_name(info.extensions[0]), "FFI");
  EXPECT_TEXT(cyxla_extension_name(info.extensions[1]), "unrecognized");
  EXPECT_TEXT(cyxla_extension_name(-1), "unrecognized");
  EXPECT_EQUAL(fake->calls_of("PJRT_Client_Create"), 0);
}

static void extensions_are_counted_to_an_end(void) {
  const test_fake *fake = test_fake_start();
  cyxla_plugin_info info = CYXLA_PLUGIN_INFO_INIT;
  cyxla_error error;

  fake->set(FAKE_EXTENSIONS, FAKE_EXTENSIONS_NONE);
  EXPECT_OK(cyxla_plugin_inspect(test_fake_path(), &info, &error), &error);
  EXPECT_EQUAL(info.num_extensions, 0);
  fake->set(FAKE_EXTENSIONS, FAKE_EXTENSIONS_ENDLESS);
  EXPECT_OK(cyxla_plugin_inspect(test_fake_path(), &info, &error), &error);
  EXPECT_EQUAL(info.num_extensions, CYXLA_EXTENSIONS_MAXIMUM);
}

static void what_is_known_of_a_failing_plugin_is_told(void) {
  const test_fake *fake = test_fake_start();
  cyxla_plugin_info info = CYXLA_PLUGIN_INFO_INIT;
  cyxla_error error;

  fake->fail_function("PJRT_Plugin_Initialize");
  EXPECT_ERROR(cyxla_plugin_inspect(test_fake_path(), &info, &error), CYXLA_INTERNAL,
               &error, "cannot initialize itself");
  EXPECT_EQUAL(info.pjrt_api_minor, 114);
  EXPECT_EQUAL(info.stablehlo_version[1], 0);
  fake->fail_function(NULL);
  EXPECT_OK(cyxla_plugin_inspect(test_fake_path(), &info, &error), &error);
  EXPECT_EQUAL(info.stablehlo_version[1], 18);
  EXPECT_ERROR(cyxla_plugin_inspect("/nowhere.so", &info, &error),
               CYXLA_PLUGIN_UNLOADABLE, &error, "/nowhere.so cannot be read");
  EXPECT_EQUAL(info.pjrt_api_minor, 0);
}

static void an_inspection_needs_its_arguments(void) {
  cyxla_plugin_info info = CYXLA_PLUGIN_INFO_INIT;
  cyxla_error error;

  test_fake_start();
  EXPECT_ERROR(cyxla_plugin_inspect(NULL, &info, &error), CYXLA_INVALID_ARGUMENT,
               &error, "path");
  EXPECT_ERROR(cyxla_plugin_inspect(test_fake_path(), NULL, &error),
               CYXLA_INVALID_ARGUMENT, &error, "info");
  info.struct_size = 0;
  EXPECT_ERROR(cyxla_plugin_inspect(test_fake_path(), &info, &error),
               CYXLA_INVALID_ARGUMENT, &error, "struct_size of cyxla_plugin_info is 0");
}

TEST_MAIN(TEST_CASE(a_plugin_is_inspected_without_a_client),
          TEST_CASE(extensions_are_counted_to_an_end),
          TEST_CASE(what_is_known_of_a_failing_plugin_is_told),
          TEST_CASE(an_inspection_needs_its_arguments),
          TEST_CASE(a_plugin_is_loaded_once),
          TEST_CASE(another_name_of_the_same_file_is_the_same_plugin),
          TEST_CASE(two_plugins_live_side_by_side),
          TEST_CASE(a_path_without_a_directory_is_a_file_here),
          TEST_CASE(what_is_no_plugin_is_refused),
          TEST_CASE(other_major_versions_are_refused),
          TEST_CASE(old_minor_versions_are_refused_and_new_ones_are_not),
          TEST_CASE(missing_functions_are_named),
          TEST_CASE(every_function_that_is_needed_has_to_be_there),
          TEST_CASE(the_stablehlo_version_is_read),
          TEST_CASE(an_unknown_stablehlo_version_is_0),
          TEST_CASE(a_plugin_that_fails_to_start_can_be_tried_again),
          TEST_CASE(no_memory_is_an_error))
