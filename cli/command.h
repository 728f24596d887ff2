/* What the commands of the cyxla program share. */
#ifndef CYXLA_CLI_COMMAND_H
#define CYXLA_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* Exit codes: 0 success, 1 the command could not do its work, 2 it was called wrongly.
 */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

typedef struct command {
  const char *name;
  const char *summary; /* one line for the list of commands */
  const char *help;    /* what --help prints */
  /* Runs with the arguments behind the command's name and returns the exit code. */
  int (*run)(int argc, char **argv);
} command;

extern const command command_plugins;

/* Prints "cyxla NAME: " and a message on standard error. */
void report(const char *name, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Whether an argument is an option, that is, begins with "-" and is not "-" itself. */
bool is_option(const char *argument);

/* Reports an option that the command does not have and returns EXIT_MISUSED. */
int refuse_option(const command *self, const char *option);

/* Prints a text as a JSON string, with its quotes. */
void print_json_string(const char *text);

#endif
