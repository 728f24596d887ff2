/* cyxla run: one run of a program, on arrays from files. */
#include <cyxla.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "describe.h"
#include "file_names.h"
#include "npy.h"
#include "prepare.h"
#include "print.h"
#include "system.h"

static void print_heading(const cyxla_array_spec *spec) {
  print_escaped(stdout, spec->name);
  printf("  %s", describe_spec(spec).text);
}

static void print_outputs(const cyxla_executable *executable, const cyxla_call *call) {
  for (size_t i = 0; i < cyxla_executable_num_outputs(executable); i++) {
    const cyxla_array_spec *spec = cyxla_executable_output(executable, i);
    print_heading(spec);
    putchar('\n');
    print_array(spec, cyxla_call_output(call, i));
  }
}

static int save_output(const char *directory, const char *name,
                       const cyxla_array_spec *spec, const void *memory) {
  size_t size = strlen(directory) + strlen(name) + 2;
  char *path = malloc(size);
  npy_problem problem;
  bool done;

  if (path == NULL) {
    report(command_run.name, "there is no memory left");
    return EXIT_FAILED;
  }
  snprintf(path, size, "%s/%s", directory, name);
  done = npy_write(path, spec, memory, &problem);
  if (done) {
    print_heading(spec);
    fputs("  ", stdout);
    print_escaped(stdout, path);
    putchar('\n');
  } else {
    report(command_run.name, "%s %s", path, problem.text);
  }
  free(path);
  return done ? EXIT_DONE : EXIT_FAILED;
}

static int save_outputs(const cyxla_executable *executable, const cyxla_call *call,
                        const char *directory) {
  size_t count = cyxla_executable_num_outputs(executable);
  char **names = file_names_make(executable);
  int code = EXIT_DONE;

  if (names == NULL) {
    report(command_run.name, "there is no memory left");
    return EXIT_FAILED;
  }
  for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
    code = save_output(directory, names[i], cyxla_executable_output(executable, i),
                       cyxla_call_output(call, i));
  }
  file_names_free(names, count);
  return code;
}

static int run_once(const prepared *made, const char *directory) {
  cyxla_call *call = NULL;
  cyxla_error error;
  int code = EXIT_FAILED;

  if (cyxla_call_create(made->executable, &call, &error) != CYXLA_OK) {
    report(command_run.name, "%s", error.message);
    return EXIT_FAILED;
  }
  if (inputs_bind(&command_run, &made->inputs, call)) {
    if (cyxla_call_run(call, &error) != CYXLA_OK) {
      report(command_run.name, "%s", error.message);
    } else if (directory != NULL) {
      code = save_outputs(made->executable, call, directory);
    } else {
      print_outputs(made->executable, call);
      code = EXIT_DONE;
    }
  }
  cyxla_call_destroy(call);
  return code;
}

static int run(int argc, char **argv) {
  prepare_options how = {false, false, false, false, NULL, NULL, NULL, FILL_NOTHING};
  bool has_directory = false;
  const char *directory = NULL;
  const option options[] = {{"-o", &has_directory, &directory},
                            {"--zeros", &how.has_zeros, NULL},
                            {"--random", &how.has_random, &how.seed},
                            {"--plugin", &how.has_plugin, &how.plugin},
                            {"--size", &how.has_size, &how.size}};
  prepared made;
  int code = take_options(&command_run, options, 5, &argc, argv);

  if (code != EXIT_DONE) return code;
  code = prepare_inputs(&command_run, &how, argc, argv, &made);
  if (code == EXIT_DONE && directory != NULL && !make_directory(directory)) {
    report(command_run.name, "the directory %s cannot be made: %s", directory,
           strerror(errno));
    code = EXIT_FAILED;
  }
  if (code == EXIT_DONE) code = prepare_executable(&command_run, &how, &made);
  if (code == EXIT_DONE) code = run_once(&made, directory);
  prepared_free(&made);
  return code;
}

const command command_run = {
    "run",
    "run the program of a .cyxla file once",
    "usage: cyxla run [OPTION...] FILE [ARRAY.npy | NAME=ARRAY.npy]...\n\n"
    "Runs the program of a .cyxla file once. Inputs are read from NumPy's .npy files, "
    "in\n"
    "the order of the program's inputs or by name; cyxla info lists the names. "
    "Outputs\n"
    "are printed, or written to .npy files.\n\n"
    "  -o DIRECTORY       write the outputs to files there, which are listed; the\n"
    "                     directory is made, and files of these names are replaced\n"
    "  --zeros            inputs that are not given are zero\n"
    "  --random SEED      inputs that are not given are random numbers: from 0 to 1,\n"
    "                     whole ones from 0 to 9\n"
    "  --size N           the size, as cyxla info numbers them from 0; otherwise the\n"
    "                     shapes of the arrays that are given tell which one\n"
    "  --plugin LIBRARY   the plugin; otherwise it is looked for, CYXLA_PLUGIN "
    "first\n\n"
    "Exit codes: 0 success; 1 a file is wrong, or compiling, running or writing "
    "fails;\n"
    "2 wrong usage, also where an input or a size is missing or unknown.\n",
    run,
};
