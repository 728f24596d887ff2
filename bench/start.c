/* Opens a file and runs its program once, as the programs of users start. How long that
 * takes, from before the process is there to after its end, is measured from outside.
 *
 * More files are then opened in the same process and stay open. Printed is how many
 * nanoseconds that took, and by how many bytes the resident memory grew.
 *
 * It fails where a program is compiled that should be loaded, or the other way round,
 * or where a plugin is loaded that direct code does not need. With `peak` in the place
 * of `direct` the most memory that was in use is printed.
 *
 * usage: start loaded|compiled|direct|peak FILE [MORE_FILES...]
 */
#define _POSIX_C_SOURCE 200809L

#include <cyxla.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "peak.h"

static cyxla_error error;

static int complain(const char *what) {
  fprintf(stderr, "start: %s\n", what);
  return EXIT_FAILURE;
}

static bool is_of_kind(const cyxla_executable *executable, const char *kind) {
  bool is_loaded = cyxla_executable_is_deserialized(executable);

  if (strcmp(kind, "compiled") == 0) return !is_loaded;
  return is_loaded && (cyxla_executable_runtime(executable) != NULL) ==
                          (strcmp(kind, "loaded") == 0);
}

/* Opens a file, whose program has to be loaded or compiled as `kind` says. */
static cyxla_status open_file(const char *file, const char *kind,
                              cyxla_executable **executable) {
  cyxla_status status = cyxla_open(file, NULL, executable, &error);

  if (status == CYXLA_OK && !is_of_kind(*executable, kind)) {
    snprintf(error.message, sizeof(error.message), "%s is not %s", file, kind);
    status = error.status = CYXLA_UNKNOWN;
  }
  return status;
}

/* The memory that the process has in use, which other files of /proc round; -1 where
 * that is not told. */
static long resident_bytes(void) {
  FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long kibibytes = -1;

  if (rollup == NULL) return -1;
  while (kibibytes < 0 && fgets(line, sizeof(line), rollup) != NULL) {
    if (sscanf(line, "Rss: %ld kB", &kibibytes) != 1) kibibytes = -1;
  }
  fclose(rollup);
  return kibibytes < 0 ? -1 : kibibytes * 1024;
}

/* Opens files and prints what that takes. The executables stay until the process ends,
 * so that what they take is seen. */
static int open_more(char **files, int num_files, const char *kind) {
  cyxla_status status = CYXLA_OK;
  long before = resident_bytes(), after;
  double start = clock_nanoseconds(), nanoseconds;

  for (int i = 0; status == CYXLA_OK && i < num_files; i++) {
    cyxla_executable *executable;

    status = open_file(files[i], kind, &executable);
  }
  nanoseconds = clock_nanoseconds() - start;
  if (status != CYXLA_OK) return complain(error.message);
  after = resident_bytes();
  if (before < 0 || after < 0) return complain("smaps_rollup does not tell the memory");
  printf("%.0f %ld\n", nanoseconds, after - before);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  cyxla_executable *executable = NULL;
  cyxla_call *call = NULL;
  cyxla_status status;
  int result = EXIT_SUCCESS;

  if (argc < 3) {
    return complain("usage: start loaded|compiled|direct|peak FILE [MORE_FILES...]");
  }
  status = open_file(argv[2], argv[1], &executable);
  if (status == CYXLA_OK) status = cyxla_call_create(executable, &call, &error);
  if (status == CYXLA_OK) status = cyxla_call_run(call, &error);
  if (status != CYXLA_OK) {
    result = complain(error.message);
  } else if (argc > 3) {
    result = open_more(argv + 3, argc - 3, argv[1]);
  }
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
  if (result == EXIT_SUCCESS && strcmp(argv[1], "peak") == 0) result = print_peak();
  return result;
}
