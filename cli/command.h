/* What the commands of the cyxla program share. */
#ifndef CYXLA_CLI_COMMAND_H
#define CYXLA_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

extern const command command_bench;
extern const command command_compile;
extern const command command_info;
extern const command command_plugins;
extern const command command_run;

/* Prints "cyxla NAME: " and a message on standard error. Control characters in it,
 * which come from files, are shown as \xNN and do not reach the terminal. */
void report(const char *name, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Whether an argument is an option, that is, begins with "-" and is not "-" itself. */
bool is_option(const char *argument);

/* Reports an option that the command does not have and returns EXIT_MISUSED. */
int refuse_option(const command *self, const char *option);

/* An option of a command. One with a value is written "NAME VALUE" or "NAME=VALUE". */
typedef struct option {
  const char *name;
  bool *is_given;
  const char **value; /* NULL: the option has none */
} option;

/* Takes the options out of the arguments, so that those that are left are the others.
 * Reports what is wrong and returns EXIT_MISUSED, or EXIT_DONE. */
int take_options(const command *self, const option *options, size_t num_options,
                 int *argc, char **argv);

/* Reads a whole number from minimum to maximum, or a number above 0 and up to maximum,
 * with a point and an exponent or without; both decimal. False for anything else. */
bool parse_count(const char *text, unsigned long long minimum,
                 unsigned long long maximum, unsigned long long *value);
bool parse_positive(const char *text, double maximum, double *value);

/* Prints a text with its control characters as \xNN. */
void print_escaped(FILE *stream, const char *text);

/* Prints a text as a JSON string, with its quotes; what is not UTF-8 becomes U+FFFD. */
void print_json_string(const char *text);

#endif
