#include <cyxla.h>
#include <stdio.h>

int main(void) {
  cyxla_error error;
  cyxla_executable *step = NULL;
  cyxla_call *call = NULL;

  if (cyxla_open("step.cyxla", NULL, &step, &error) != CYXLA_OK ||
      cyxla_call_create(step, &call, &error) != CYXLA_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  double *state = cyxla_call_input(call, 0); /* 64-byte aligned; fill in place */
  state[0] = 1.0;
  for (int i = 0; i < 1000; i++) {
    if (cyxla_call_run(call, &error) != CYXLA_OK) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
    const double *next = cyxla_call_output(call, 0); /* valid until the next run */
    state[0] = next[0];
  }
  printf("%g\n", state[0]);
  cyxla_call_destroy(call);
  cyxla_executable_destroy(step);
}
