/* Runs trend.cyxla, whose function calls the handler smooth, without Python.
 *
 * usage: trend FILE
 *
 * The handler is linked into this program and registered with the plugin before the
 * file is opened, since its program is compiled then.
 */
#include <cyxla.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From smooth.c; its real type is that of all handlers, which cyxla.h does not know. */
void smooth(void);

static void check(cyxla_status status, const cyxla_error *error) {
  if (status == CYXLA_OK) return;
  fprintf(stderr, "trend: %s\n", error->message);
  exit(1);
}

static cyxla_executable *open_with_handler(const char *path) {
  cyxla_open_options open = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;
  cyxla_executable *executable;
  cyxla_runtime *runtime;
  cyxla_error error;

  /* The plugin is that of CYXLA_PLUGIN, which the Makefile sets. */
  check(cyxla_runtime_create(NULL, &runtime, &error), &error);
  handler.name = "smooth";
  handler.execute = smooth;
  check(cyxla_ffi_register(runtime, &handler, &error), &error);
  open.runtime = runtime;
  check(cyxla_open(path, &open, &executable, &error), &error);
  cyxla_runtime_destroy(runtime); /* the executable keeps it */
  return executable;
}

int main(int argc, char **argv) {
  static const double series[] = {1, 4, 2, 6, 3, 8, 5, 9};
  cyxla_executable *trend;
  cyxla_call *call;
  cyxla_error error;

  if (argc != 2) {
    fprintf(stderr, "usage: trend FILE\n");
    return 2;
  }
  trend = open_with_handler(argv[1]);
  if (cyxla_executable_input(trend, 0)->bytes != sizeof(series)) {
    fprintf(stderr, "trend: %s takes another input than 8 numbers\n", argv[1]);
    return 1;
  }
  check(cyxla_call_create(trend, &call, &error), &error);
  memcpy(cyxla_call_input(call, 0), series, sizeof(series));
  check(cyxla_call_run(call, &error), &error);
  printf("slope in C     %.6f\n", *(const double *)cyxla_call_output(call, 0));
  cyxla_call_destroy(call);
  cyxla_executable_destroy(trend);
  return 0;
}
