#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* As long as the library's longest message, with a path before it. */
enum { MESSAGE_SIZE = 8192 };

/* Prints a text with its control characters as \xNN, except those that are kept. */
static void print_except(FILE *stream, const char *text, const char *kept) {
  for (; *text != '\0'; text++) {
    unsigned char c = (unsigned char)*text;
    if ((c < 0x20 || c == 0x7f) && strchr(kept, c) == NULL) {
      fprintf(stream, "\\x%02x", c);
    } else {
      fputc(c, stream);
    }
  }
}

void report(const char *name, const char *format, ...) {
  char message[MESSAGE_SIZE];
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  fprintf(stderr, "cyxla %s: ", name);
  print_except(stderr, message, "\n\t");
  fputc('\n', stderr);
}

bool is_option(const char *argument) {
  return argument[0] == '-' && argument[1] != '\0';
}

int refuse_option(const command *self, const char *option) {
  report(self->name, "there is no option %s; see cyxla %s --help", option, self->name);
  return EXIT_MISUSED;
}

/* The option that an argument is, by itself or up to a "="; NULL if there is none. */
static const option *find_option(const option *options, size_t num_options,
                                 const char *argument) {
  for (size_t i = 0; i < num_options; i++) {
    size_t length = strlen(options[i].name);
    if (strncmp(options[i].name, argument, length) != 0) continue;
    if (argument[length] == '\0') return &options[i];
    if (argument[length] == '=' && options[i].value != NULL) return &options[i];
  }
  return NULL;
}

int take_options(const command *self, const option *options, size_t num_options,
                 int *argc, char **argv) {
  int count = 0;

  for (int i = 0; i < *argc; i++) {
    const option *found;
    if (!is_option(argv[i])) {
      argv[count++] = argv[i];
      continue;
    }
    found = find_option(options, num_options, argv[i]);
    if (found == NULL) return refuse_option(self, argv[i]);
    *found->is_given = true;
    if (found->value == NULL) continue;
    if (argv[i][strlen(found->name)] == '=') {
      *found->value = argv[i] + strlen(found->name) + 1;
    } else if (i + 1 < *argc) {
      *found->value = argv[++i];
    } else {
      report(self->name, "the option %s needs a value; see cyxla %s --help",
             found->name, self->name);
      return EXIT_MISUSED;
    }
  }
  *argc = count;
  return EXIT_DONE;
}

bool parse_count(const char *text, unsigned long long minimum,
                 unsigned long long maximum, unsigned long long *value) {
  char *end;

  if (text[0] < '0' || text[0] > '9') return false;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return errno == 0 && *end == '\0' && *value >= minimum && *value <= maximum;
}

bool parse_positive(const char *text, double maximum, double *value) {
  char *end;

  /* Without signs, names such as "nan", and hexadecimal numbers, which strtod reads. */
  if (text[strspn(text, "0123456789.eE+-")] != '\0') return false;
  if (text[0] == '+' || text[0] == '-') return false;
  *value = strtod(text, &end);
  return end != text && *end == '\0' && *value > 0 && *value <= maximum;
}

void print_escaped(FILE *stream, const char *text) {
  print_except(stream, text, "");
}

/* Bytes of the UTF-8 character that a text begins with, 0 where it begins with none. */
static int character_bytes(const unsigned char *text) {
  unsigned char first = text[0];
  int count = first < 0x80                      ? 1
              : (first >= 0xc2 && first < 0xe0) ? 2
              : (first >= 0xe0 && first < 0xf0) ? 3
              : (first >= 0xf0 && first < 0xf5) ? 4
                                                : 0;

  for (int i = 1; i < count; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0;
  }
  /* Longer than need be, surrogates, and beyond the last character. */
  if (first == 0xe0 && text[1] < 0xa0) return 0;
  if (first == 0xed && text[1] >= 0xa0) return 0;
  if (first == 0xf0 && text[1] < 0x90) return 0;
  if (first == 0xf4 && text[1] >= 0x90) return 0;
  return count;
}

void print_json_string(const char *text) {
  const unsigned char *at = (const unsigned char *)text;

  putchar('"');
  while (*at != '\0') {
    int count = character_bytes(at);
    if (count == 0) {
      fputs("\\ufffd", stdout);
      at++;
    } else if (*at == '"' || *at == '\\') {
      printf("\\%c", *at++);
    } else if (*at < 0x20) {
      printf("\\u%04x", *at++);
    } else {
      fwrite(at, 1, (size_t)count, stdout);
      at += count;
    }
  }
  putchar('"');
}
