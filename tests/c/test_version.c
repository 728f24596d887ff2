#include <stdio.h>

#include "test.h"

static void the_version_is_that_of_the_header(void) {
  char expected[64];

  snprintf(expected, sizeof(expected), "%d.%d.%d", CYXLA_VERSION_MAJOR,
           CYXLA_VERSION_MINOR, CYXLA_VERSION_PATCH);
  EXPECT_TEXT(cyxla_version(), expected);
}

TEST_MAIN(TEST_CASE(the_version_is_that_of_the_header))
