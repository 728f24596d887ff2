#include "command.h"

#include <stdarg.h>
#include <stdio.h>

void report(const char *name, const char *format, ...) {
  va_list arguments;

  fprintf(stderr, "cyxla %s: ", name);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

bool is_option(const char *argument) {
  return argument[0] == '-' && argument[1] != '\0';
}

int refuse_option(const command *self, const char *option) {
  report(self->name, "there is no option %s; see cyxla %s --help", option, self->name);
  return EXIT_MISUSED;
}

void print_json_string(const char *text) {
  putchar('"');
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      printf("\\%c", c);
    } else if (c < 0x20) {
      printf("\\u%04x", c);
    } else {
      putchar(c);
    }
  }
  putchar('"');
}
