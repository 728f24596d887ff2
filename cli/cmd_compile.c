/* cyxla compile: a program is compiled now, so that opening its file later is quick. */
#include <cyxla.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "progress.h"

static bool is_same(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  return a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0;
}

/* Whether the file still holds the program that was compiled, so that saving replaces
 * nothing that somebody else has written meanwhile. */
static bool is_unchanged(const char *file, const cyxla_program *compiled) {
  cyxla_program *now = NULL;
  size_t code[2], options[2];
  bool is_same_program;

  if (cyxla_program_load(file, &now, NULL) != CYXLA_OK) return false;
  is_same_program =
      is_same(cyxla_program_code(now, &code[0]), code[0],
              cyxla_program_code(compiled, &code[1]), code[1]) &&
      is_same(cyxla_program_compile_options(now, &options[0]), options[0],
              cyxla_program_compile_options(compiled, &options[1]), options[1]) &&
      strcmp(cyxla_program_metadata(now), cyxla_program_metadata(compiled)) == 0;
  cyxla_program_destroy(now);
  return is_same_program;
}

/* Where a plugin cannot serialize, saving leaves the executable out without an error,
 * and that is all that is wanted here. */
static int save(const cyxla_executable *executable, const char *file, size_t *bytes) {
  cyxla_error error;
  void *data = NULL;

  if (cyxla_executable_serialize(executable, &data, bytes, &error) != CYXLA_OK) {
    report(command_compile.name, "%s", error.message);
    return EXIT_FAILED;
  }
  cyxla_aligned_free(data);
  if (!is_unchanged(file, cyxla_executable_program(executable))) {
    report(command_compile.name,
           "%s was changed while its program was compiled; "
           "try again",
           file);
    return EXIT_FAILED;
  }
  if (cyxla_executable_save(executable, file, &error) != CYXLA_OK) {
    report(command_compile.name, "%s", error.message);
    return EXIT_FAILED;
  }
  return EXIT_DONE;
}

static void print_result(const cyxla_executable *executable, const char *file,
                         bool was_there, size_t bytes) {
  cyxla_runtime_info info = CYXLA_RUNTIME_INFO_INIT;
  const cyxla_runtime *runtime = cyxla_executable_runtime(executable);

  print_escaped(stdout, file);
  if (was_there) {
    printf(" has been compiled before, by this plugin: ");
  } else {
    printf(" now holds %zu bytes of machine code, compiled in %.3g s by ", bytes,
           cyxla_executable_compile_seconds(executable));
  }
  if (cyxla_runtime_get_info(runtime, &info, NULL) == CYXLA_OK) {
    print_escaped(stdout, info.plugin_path);
  }
  putchar('\n');
}

static int compile(const char *file, const char *plugin) {
  cyxla_open_options how = CYXLA_OPEN_OPTIONS_INIT;
  cyxla_executable *executable = NULL;
  cyxla_error error;
  cyxla_status status;
  size_t bytes = 0;
  bool was_there;
  int code = EXIT_DONE;
  progress *shown = progress_begin("compiling", file);

  how.plugin = plugin;
  status = cyxla_open(file, &how, &executable, &error);
  progress_end(shown);
  if (status != CYXLA_OK) {
    report(command_compile.name, "%s", error.message);
    return EXIT_FAILED;
  }
  was_there = cyxla_executable_is_deserialized(executable);
  if (!was_there) code = save(executable, file, &bytes);
  if (code == EXIT_DONE) print_result(executable, file, was_there, bytes);
  cyxla_executable_destroy(executable);
  return code;
}

static int run(int argc, char **argv) {
  bool has_plugin = false;
  const char *plugin = NULL;
  const option options[] = {{"--plugin", &has_plugin, &plugin}};
  int code = take_options(&command_compile, options, 1, &argc, argv);

  if (code != EXIT_DONE) return code;
  if (argc != 1) {
    report(command_compile.name,
           "there are %d files, expected one; see cyxla compile --help", argc);
    return EXIT_MISUSED;
  }
  return compile(argv[0], plugin);
}

const command command_compile = {
    "compile",
    "write compiled code into a .cyxla file",
    "usage: cyxla compile [--plugin LIBRARY] FILE\n\n"
    "Compiles the program of a .cyxla file and writes the machine code into the file, "
    "so\n"
    "that this build of the plugin opens it without compiling, on this machine and on\n"
    "others whose processor has all that this one has. What other plugins and "
    "machines\n"
    "compiled stays in the file, and nothing is done where the code is there already.\n"
    "cyxla info lists what a file holds.\n\n"
    "  --plugin LIBRARY   the plugin; otherwise it is looked for, CYXLA_PLUGIN "
    "first\n\n"
    "Exit codes: 0 success; 1 a file is wrong, or compiling or writing fails; 2 wrong\n"
    "usage.\n",
    run,
};
