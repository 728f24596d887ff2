/* cyxla compile: a program is compiled now, so that opening its file later is quick. */
#include <cyxla.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "progress.h"
#include "size.h"

typedef const void *part_getter(const cyxla_program *program, size_t *bytes);

static bool has_same_part(const cyxla_program *a, const cyxla_program *b,
                          part_getter *get) {
  size_t a_bytes, b_bytes;
  const void *a_part = get(a, &a_bytes), *b_part = get(b, &b_bytes);

  return a_bytes == b_bytes && memcmp(a_part, b_part, a_bytes) == 0;
}

static bool is_same_size(const cyxla_program *a, const cyxla_program *b) {
  return has_same_part(a, b, cyxla_program_code) &&
         has_same_part(a, b, cyxla_program_compile_options) &&
         strcmp(cyxla_program_metadata(a), cyxla_program_metadata(b)) == 0;
}

/* Whether the file still holds the program that was compiled, at all its sizes, so that
 * saving replaces nothing that somebody else has written meanwhile. */
static bool is_unchanged(const char *file, const cyxla_program *compiled,
                         size_t num_sizes) {
  cyxla_program *now = NULL;
  bool is_same_program;

  if (cyxla_program_load(file, &now, NULL) != CYXLA_OK) return false;
  is_same_program = cyxla_program_num_sizes(now) == num_sizes;
  for (size_t i = 0; i < num_sizes && is_same_program; i++) {
    is_same_program =
        is_same_size(cyxla_program_size(now, i), cyxla_program_size(compiled, i));
  }
  cyxla_program_destroy(now);
  return is_same_program;
}

/* The sizes of a file that are compiled: all, or one of them. */
typedef struct compilation {
  const char *file;
  size_t num_sizes; /* of the file's program */
  size_t first;     /* the number of the size that is compiled first */
  size_t count;
  cyxla_executable **executables; /* [count] */
  size_t *bytes; /* [count] of machine code of those that the file did not hold */
} compilation;

static bool report_failure(const compilation *self, size_t index,
                           const cyxla_error *error) {
  if (self->num_sizes > 1) {
    report(command_compile.name, "size %zu of %s: %s", self->first + index, self->file,
           error->message);
  } else {
    report(command_compile.name, "%s", error->message);
  }
  return false;
}

/* Makes room for the sizes and puts the one that was opened first. */
static bool begin(compilation *self, cyxla_executable *first, size_t count) {
  self->executables = calloc(count, sizeof(*self->executables));
  self->bytes = calloc(count, sizeof(*self->bytes));
  if (self->executables == NULL || self->bytes == NULL) {
    report(command_compile.name, "there is no memory left");
    cyxla_executable_destroy(first);
    return false;
  }
  self->executables[0] = first;
  self->count = count;
  return true;
}

/* Shows what is compiled, by a text for which there has to be room. */
enum { SHOWN_SIZE = 64 };

static progress *show(const compilation *self, size_t index, char *text) {
  if (self->num_sizes > 1) {
    snprintf(text, SHOWN_SIZE, "compiling size %zu of", self->first + index);
  } else {
    snprintf(text, SHOWN_SIZE, "compiling");
  }
  return progress_begin(text, self->file);
}

/* Compiles a size, or all where that is one of several; the others are those of the
 * file as it was read for the first, with the plugin that was found for it. */
static bool compile(compilation *self, const char *plugin, const numbered_size *size,
                    bool is_alone) {
  char text[SHOWN_SIZE];
  progress *shown = show(self, 0, text);
  cyxla_executable *first;
  cyxla_program *program;
  cyxla_error error;
  bool done = size_open(self->file, plugin, true, size, &first, &error);

  progress_end(shown);
  if (!done) return report_failure(self, 0, &error);
  program = cyxla_executable_program(first);
  self->num_sizes = cyxla_program_num_sizes(program);
  if (!begin(self, first, is_alone ? 1 : self->num_sizes)) return false;
  for (size_t i = 1; i < self->count; i++) {
    cyxla_program *next = cyxla_program_size(program, i);
    cyxla_status status;
    shown = show(self, i, text);
    status = cyxla_executable_create(cyxla_executable_runtime(first), next,
                                     &self->executables[i], &error);
    progress_end(shown);
    if (status != CYXLA_OK) return report_failure(self, i, &error);
  }
  return true;
}

/* Counts the machine code that is new. Where a plugin cannot serialize, saving leaves
 * the executable out without an error, and that is all that is wanted here. */
static bool serialize(compilation *self, bool *is_any) {
  cyxla_error error;

  *is_any = false;
  for (size_t i = 0; i < self->count; i++) {
    const cyxla_executable *executable = self->executables[i];
    void *data = NULL;
    if (cyxla_executable_is_deserialized(executable)) continue;
    if (cyxla_executable_serialize(executable, &data, &self->bytes[i], &error) !=
        CYXLA_OK) {
      return report_failure(self, i, &error);
    }
    cyxla_aligned_free(data);
    *is_any = true;
  }
  return true;
}

static bool save(const compilation *self) {
  cyxla_error error;

  if (!is_unchanged(self->file, cyxla_executable_program(self->executables[0]),
                    self->num_sizes)) {
    report(command_compile.name,
           "%s was changed while its program was compiled; "
           "try again",
           self->file);
    return false;
  }
  if (cyxla_executable_save_all((const cyxla_executable *const *)self->executables,
                                self->count, self->file, &error) == CYXLA_OK) {
    return true;
  }
  report(command_compile.name, "%s", error.message);
  return false;
}

static void print_result(const compilation *self, size_t index) {
  const cyxla_executable *executable = self->executables[index];
  cyxla_runtime_info info = CYXLA_RUNTIME_INFO_INIT;

  if (self->num_sizes > 1) printf("size %zu of ", self->first + index);
  print_escaped(stdout, self->file);
  if (cyxla_executable_is_deserialized(executable)) {
    printf(" has been compiled before, by this plugin: ");
  } else {
    printf(" now holds %zu bytes of machine code, compiled in %.3g s by ",
           self->bytes[index], cyxla_executable_compile_seconds(executable));
  }
  if (cyxla_runtime_get_info(cyxla_executable_runtime(executable), &info, NULL) ==
      CYXLA_OK) {
    print_escaped(stdout, info.plugin_path);
  }
  putchar('\n');
}

static int compile_file(const char *file, const char *plugin, const char *number) {
  compilation self = {file, 0, 0, 0, NULL, NULL};
  cyxla_program *program = NULL;
  numbered_size size = {NULL, 0};
  cyxla_error error;
  bool done, is_any;
  int code = EXIT_DONE;

  if (cyxla_program_load(file, &program, &error) != CYXLA_OK) {
    report(command_compile.name, "%s", error.message);
    return EXIT_FAILED;
  }
  self.num_sizes = cyxla_program_num_sizes(program);
  size.program = program;
  if (number != NULL) code = size_by_number(&command_compile, number, program, &size);
  if (code == EXIT_DONE) {
    self.first = size.number;
    done = compile(&self, plugin, &size, number != NULL) && serialize(&self, &is_any) &&
           (!is_any || save(&self));
    for (size_t i = 0; i < self.count && done; i++) print_result(&self, i);
    code = done ? EXIT_DONE : EXIT_FAILED;
  }
  for (size_t i = 0; i < self.count; i++) cyxla_executable_destroy(self.executables[i]);
  free(self.executables);
  free(self.bytes);
  cyxla_program_destroy(program);
  return code;
}

static int run(int argc, char **argv) {
  bool has_plugin = false, has_size = false;
  const char *plugin = NULL, *size = NULL;
  const option options[] = {{"--plugin", &has_plugin, &plugin},
                            {"--size", &has_size, &size}};
  int code = take_options(&command_compile, options, 2, &argc, argv);

  if (code != EXIT_DONE) return code;
  if (argc != 1) {
    report(command_compile.name,
           "there are %d files, expected one; see cyxla compile --help", argc);
    return EXIT_MISUSED;
  }
  return compile_file(argv[0], plugin, size);
}

const command command_compile = {
    "compile",
    "write compiled code into a .cyxla file",
    "usage: cyxla compile [OPTION...] FILE\n\n"
    "Compiles the program of a .cyxla file and writes the machine code into the file, "
    "so\n"
    "that this build of the plugin opens it without compiling, on this machine and on\n"
    "others whose processor has all that this one has. What other plugins and "
    "machines\n"
    "compiled stays in the file, and nothing is done where the code is there already.\n"
    "A function at several sizes is compiled at each, and all are written in one "
    "step.\n"
    "cyxla info lists what a file holds.\n\n"
    "  --size N           only this size, as cyxla info numbers them from 0\n"
    "  --plugin LIBRARY   the plugin; otherwise it is looked for, CYXLA_PLUGIN "
    "first\n\n"
    "Exit codes: 0 success; 1 a file is wrong, or compiling or writing fails; 2 wrong\n"
    "usage.\n",
    run,
};
