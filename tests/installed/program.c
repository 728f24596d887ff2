/* What a user's program does first: it is built against the installed library. */
#include <abi/pjrt.h>
#include <cyxla.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  cyxla_error error;
  cyxla_executable *executable = NULL;

  if (strcmp(cyxla_version(), EXPECTED_VERSION) != 0) {
    fprintf(stderr, "version %s, expected %s\n", cyxla_version(), EXPECTED_VERSION);
    return 1;
  }
  if (cyxla_open("missing.cyxla", NULL, &executable, &error) != CYXLA_FILE_UNREADABLE) {
    fprintf(stderr, "a missing file was opened\n");
    return 1;
  }
  printf("cyxla %s, PJRT API %d.%d: %s\n", cyxla_version(), PJRT_API_MAJOR,
         PJRT_API_MINOR, error.message);
  return 0;
}
