#include "prepare.h"

#include <string.h>

#include "describe.h"
#include "progress.h"

/* Whether the file that was compiled still holds the program whose inputs were read. */
static bool has_same_inputs(const cyxla_program *program,
                            const cyxla_executable *executable) {
  size_t count = cyxla_program_num_inputs(program);

  if (cyxla_executable_num_inputs(executable) != count) return false;
  for (size_t i = 0; i < count; i++) {
    const cyxla_array_spec *a = cyxla_program_input(program, i);
    const cyxla_array_spec *b = cyxla_executable_input(executable, i);
    if (strcmp(describe_spec(a).text, describe_spec(b).text) != 0) return false;
    if (strcmp(a->name, b->name) != 0) return false;
  }
  return true;
}

static int check_usage(const command *self, const prepare_options *options, int argc,
                       unsigned long long *seed) {
  if (argc == 0) {
    report(self->name, "a FILE is missing; see cyxla %s --help", self->name);
    return EXIT_MISUSED;
  }
  if (options->has_zeros && options->has_random) {
    report(self->name, "--zeros and --random exclude each other");
    return EXIT_MISUSED;
  }
  *seed = 0;
  if (options->has_random && !parse_count(options->seed, 0, 4294967295u, seed)) {
    report(self->name, "the seed of --random is %s, expected a number from 0 to %u",
           options->seed, 4294967295u);
    return EXIT_MISUSED;
  }
  return EXIT_DONE;
}

int prepare_inputs(const command *self, const prepare_options *options, int argc,
                   char **argv, prepared *made) {
  cyxla_error error;
  unsigned long long seed;
  fill missing = options->has_zeros    ? FILL_ZEROS
                 : options->has_random ? FILL_RANDOM
                                       : options->missing;
  int code;

  memset(made, 0, sizeof(*made));
  code = check_usage(self, options, argc, &seed);
  if (code != EXIT_DONE) return code;
  made->file = argv[0];
  if (cyxla_program_load(made->file, &made->program, &error) != CYXLA_OK) {
    report(self->name, "%s", error.message);
    return EXIT_FAILED;
  }
  return inputs_read(self, made->program, argc - 1, argv + 1, missing, seed,
                     &made->inputs);
}

int prepare_executable(const command *self, const prepare_options *options,
                       prepared *made) {
  cyxla_open_options how = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_error error;
  cyxla_status status;
  progress *shown = progress_begin("compiling", made->file);

  how.plugin = options->plugin;
  status = cyxla_open(made->file, &how, &made->executable, &error);
  progress_end(shown);
  if (status != CYXLA_OK) {
    report(self->name, "%s", error.message);
    return EXIT_FAILED;
  }
  if (has_same_inputs(made->program, made->executable)) return EXIT_DONE;
  report(self->name, "%s was changed while its program was read; try again",
         made->file);
  return EXIT_FAILED;
}

void prepared_free(prepared *made) {
  cyxla_executable_destroy(made->executable);
  cyxla_program_destroy(made->program);
  inputs_free(&made->inputs);
}
