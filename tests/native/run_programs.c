/* Runs saved programs in a process without Python, for tests/python.
 *
 * usage: run_programs < LIST
 *
 * Each line of the list names three files: a program, the bytes of its inputs one after
 * another, and where to write those of its outputs. Prints for each line "ok" or the
 * error, which ends that program and no other. */
#include <cyxla.h>
#include <stdio.h>
#include <stdlib.h>

static void give_up(const char *what, const char *path) {
  fprintf(stderr, "cannot %s %s\n", what, path);
  exit(1);
}

static void read_inputs(const cyxla_executable *executable, cyxla_call *call,
                        const char *path) {
  FILE *file = fopen(path, "rb");

  if (file == NULL) give_up("open", path);
  for (size_t i = 0; i < cyxla_executable_num_inputs(executable); i++) {
    size_t bytes = cyxla_executable_input(executable, i)->bytes;
    if (fread(cyxla_call_input(call, i), 1, bytes, file) != bytes) {
      give_up("read", path);
    }
  }
  fclose(file);
}

static void write_outputs(const cyxla_executable *executable, const cyxla_call *call,
                          const char *path) {
  FILE *file = fopen(path, "wb");

  if (file == NULL) give_up("open", path);
  for (size_t i = 0; i < cyxla_executable_num_outputs(executable); i++) {
    size_t bytes = cyxla_executable_output(executable, i)->bytes;
    if (fwrite(cyxla_call_output(call, i), 1, bytes, file) != bytes) {
      give_up("write", path);
    }
  }
  if (fclose(file) != 0) give_up("write", path);
}

static cyxla_status run(const char *program, const char *inputs, const char *outputs,
                        cyxla_error *error) {
  cyxla_executable *executable = NULL;
  cyxla_call *call = NULL;
  cyxla_status status = cyxla_open(program, NULL, &executable, error);

  if (status == CYXLA_OK) status = cyxla_call_create(executable, &call, error);
  if (status == CYXLA_OK) {
    read_inputs(executable, call, inputs);
    status = cyxla_call_run(call, error);
  }
  if (status == CYXLA_OK) write_outputs(executable, call, outputs);
  cyxla_call_destroy(call);
  cyxla_executable_destroy(executable);
  return status;
}

int main(void) {
  char program[1024], inputs[1024], outputs[1024];
  cyxla_error error;

  while (scanf("%1023s %1023s %1023s", program, inputs, outputs) == 3) {
    cyxla_status status = run(program, inputs, outputs, &error);
    printf("%s\n", status == CYXLA_OK ? "ok" : error.message);
    fflush(stdout);
  }
  return 0;
}
