#include "library.h"

#include <string.h>

#include "memory.h"
#include "test.h"
#include "test_fake.h"

static void a_library_is_opened_and_its_functions_are_found(void) {
  cyxla_library *library;
  cyxla_error error;

  EXPECT_OK(cyxla_library_open("plugin", test_fake_path(), &library, &error), &error);
  EXPECT_TRUE(cyxla_library_find(library, "GetPjrtApi") != NULL);
  EXPECT_TRUE(cyxla_library_find(library, "no_such_function") == NULL);
  cyxla_library_close(library);
}

static void a_missing_library_is_named_with_the_loader_s_text(void) {
  cyxla_library *library = (cyxla_library *)&library;
  cyxla_error error;

  EXPECT_ERROR(cyxla_library_open("plugin", "/nowhere/missing.so", &library, &error),
               CYXLA_PLUGIN_UNLOADABLE, &error, "the plugin /nowhere/missing.so");
  EXPECT_CONTAINS(error.message, "cannot open shared object file");
  EXPECT_NULL(library);
}

static void a_file_that_is_no_library_is_named(void) {
  const char *path = test_temporary_path("text.so");
  cyxla_library *library = (cyxla_library *)&library;
  cyxla_error error;

  test_write_file(path, "text", 4);
  EXPECT_ERROR(cyxla_library_open("plugin", path, &library, &error),
               CYXLA_PLUGIN_UNLOADABLE, &error, path);
  EXPECT_NULL(library);
}

static void no_library_may_be_closed(void) {
  cyxla_library_close(NULL);
}

static void the_library_s_own_path_is_that_of_this_program(void) {
  char *path = cyxla_library_own_path();

  EXPECT_CONTAINS(path, "test_library");
  cyxla_release(path);
  cyxla_memory_fail_after(0);
  EXPECT_NULL(cyxla_library_own_path());
}

TEST_MAIN(TEST_CASE(a_library_is_opened_and_its_functions_are_found),
          TEST_CASE(a_missing_library_is_named_with_the_loader_s_text),
          TEST_CASE(a_file_that_is_no_library_is_named),
          TEST_CASE(no_library_may_be_closed),
          TEST_CASE(the_library_s_own_path_is_that_of_this_program))
