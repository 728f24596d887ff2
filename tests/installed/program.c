/* What a user's program does: it is built against the installed library, and runs the
 * function that save_function.py saved.
 *
 * usage: program FILE */
#include <abi/pjrt.h>
#include <cyxla.h>
#include <stdio.h>
#include <string.h>

/* Whether the function scales and adds up the numbers 1, 2 and 3. */
static bool is_right(cyxla_executable *scale, cyxla_error *error) {
  size_t scaled = cyxla_executable_find_output(scale, "scaled");
  size_t total = cyxla_executable_find_output(scale, "total");
  cyxla_call *call;
  float *values, *factor;
  const float *results, *sum;
  bool right;

  if (cyxla_call_create(scale, &call, error) != CYXLA_OK) return false;
  values = cyxla_call_input(call, cyxla_executable_find_input(scale, "values"));
  factor = cyxla_call_input(call, cyxla_executable_find_input(scale, "factor"));
  for (int i = 0; i < 3; i++) values[i] = 1.0F + (float)i;
  *factor = 10.0F;
  if (cyxla_call_run(call, error) != CYXLA_OK) {
    cyxla_call_destroy(call);
    return false;
  }
  results = cyxla_call_output(call, scaled);
  sum = cyxla_call_output(call, total);
  right = results[0] == 10.0F && results[1] == 20.0F && results[2] == 30.0F;
  right = right && *sum == 6.0F;
  snprintf(error->message, sizeof(error->message), "scaled %g %g %g, total %g",
           results[0], results[1], results[2], *sum);
  cyxla_call_destroy(call);
  return right;
}

int main(int argc, char **argv) {
  cyxla_error error;
  cyxla_executable *scale = NULL;
  bool right;

  if (argc != 2) return 2;
  if (strcmp(cyxla_version(), EXPECTED_VERSION) != 0) {
    fprintf(stderr, "version %s, expected %s\n", cyxla_version(), EXPECTED_VERSION);
    return 1;
  }
  if (cyxla_open("missing.cyxla", NULL, &scale, &error) != CYXLA_FILE_UNREADABLE) {
    fprintf(stderr, "a missing file was opened\n");
    return 1;
  }
  if (cyxla_open(argv[1], NULL, &scale, &error) != CYXLA_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  right = is_right(scale, &error);
  printf("cyxla %s, PJRT API %d.%d: %s\n", cyxla_version(), PJRT_API_MAJOR,
         PJRT_API_MINOR, error.message);
  cyxla_executable_destroy(scale);
  return right ? 0 : 1;
}
