/* The cyxla program: its commands, written on the public header alone. */
#include <cyxla.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

static const command *const COMMANDS[] = {&command_info, &command_compile, &command_run,
                                          &command_bench, &command_plugins};
enum { NUM_COMMANDS = sizeof(COMMANDS) / sizeof(COMMANDS[0]) };

static void print_help(FILE *stream) {
  fputs("usage: cyxla COMMAND [ARGUMENT...]\n\n", stream);
  for (int i = 0; i < NUM_COMMANDS; i++) {
    fprintf(stream, "  %-10s %s\n", COMMANDS[i]->name, COMMANDS[i]->summary);
  }
  fputs(
      "\ncyxla COMMAND --help tells more of a command, cyxla --version the version.\n"
      "Exit codes: 0 success, 1 failure, 2 wrong usage.\n",
      stream);
}

static const command *find_command(const char *name) {
  for (int i = 0; i < NUM_COMMANDS; i++) {
    if (strcmp(COMMANDS[i]->name, name) == 0) return COMMANDS[i];
  }
  return NULL;
}

/* Commands that Python has. */
static bool is_of_python(const char *name) {
  return strcmp(name, "cache") == 0 || strcmp(name, "check") == 0;
}

static bool asks_for_help(int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  }
  return false;
}

/* Output that could not be written is a failure, as on a full disk. */
static int finish(int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fputs("cyxla: the output cannot be written\n", stderr);
  return EXIT_FAILED;
}

int main(int argc, char **argv) {
  const command *found;

  if (argc < 2) {
    print_help(stderr);
    return EXIT_MISUSED;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("cyxla %s\n", cyxla_version());
    return finish(EXIT_DONE);
  }
  if (asks_for_help(1, argv + 1)) {
    print_help(stdout);
    return finish(EXIT_DONE);
  }
  found = find_command(argv[1]);
  if (found == NULL && is_of_python(argv[1])) {
    fprintf(stderr, "cyxla: %s is a command of python -m cyxla\n", argv[1]);
    return EXIT_MISUSED;
  }
  if (found == NULL) {
    fprintf(stderr, "cyxla: there is no command %s\n", argv[1]);
    print_help(stderr);
    return EXIT_MISUSED;
  }
  if (asks_for_help(argc - 2, argv + 2)) {
    fputs(found->help, stdout);
    return finish(EXIT_DONE);
  }
  return finish(found->run(argc - 2, argv + 2));
}
