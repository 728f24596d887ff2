#include "prepare.h"

#include <string.h>

#include "progress.h"

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
  code = inputs_place(self, made->program, argc - 1, argv + 1, &made->inputs);
  if (code == EXIT_DONE) {
    code = size_pick(self, options->size, made->program, &made->inputs, &made->size);
  }
  if (code != EXIT_DONE) return code;
  return inputs_read(self, made->size.program, missing, seed, &made->inputs);
}

int prepare_executable(const command *self, const prepare_options *options,
                       prepared *made) {
  cyxla_error error;
  progress *shown = progress_begin("compiling", made->file);
  bool done = size_open(made->file, options->plugin, false, &made->size,
                        &made->executable, &error);

  progress_end(shown);
  if (done) return EXIT_DONE;
  report(self->name, "%s", error.message);
  return EXIT_FAILED;
}

void prepared_free(prepared *made) {
  cyxla_executable_destroy(made->executable);
  cyxla_program_destroy(made->program);
  inputs_free(&made->inputs);
}
