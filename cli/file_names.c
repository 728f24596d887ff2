#include "file_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* File systems allow 255 bytes; a number and ".npy" come behind. */
enum { STEM_MAXIMUM = 200, NAME_SIZE = STEM_MAXIMUM + 32 };

static bool is_kept(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         c == '_' || c == '-' || c == '.' || c >= 0x80;
}

static void write_stem(char *stem, const char *name) {
  size_t length = strlen(name);

  if (length > STEM_MAXIMUM) {
    length = STEM_MAXIMUM;
    /* Not in the middle of a character of UTF-8. */
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) length--;
  }
  for (size_t i = 0; i < length; i++) {
    bool is_hidden = i == 0 && name[i] == '.';
    stem[i] = is_kept((unsigned char)name[i]) && !is_hidden ? name[i] : '_';
  }
  stem[length] = '\0';
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Some file systems tell no "A" from "a". */
static bool is_same(const char *a, const char *b) {
  while (*a != '\0' && lower(*a) == lower(*b)) {
    a++;
    b++;
  }
  return lower(*a) == lower(*b);
}

static bool is_taken(char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (is_same(names[i], name)) return true;
  }
  return false;
}

char **file_names_make(const cyxla_executable *executable) {
  size_t count = cyxla_executable_num_outputs(executable);
  char **names = calloc(count + 1, sizeof(*names));
  char stem[STEM_MAXIMUM + 1];

  for (size_t i = 0; names != NULL && i < count; i++) {
    write_stem(stem, cyxla_executable_output(executable, i)->name);
    names[i] = malloc(NAME_SIZE);
    if (names[i] == NULL) {
      file_names_free(names, count);
      return NULL;
    }
    snprintf(names[i], NAME_SIZE, "%s.npy", stem);
    for (size_t k = 2; is_taken(names, i, names[i]); k++) {
      snprintf(names[i], NAME_SIZE, "%s-%zu.npy", stem, k);
    }
  }
  return names;
}

void file_names_free(char **names, size_t count) {
  if (names == NULL) return;
  for (size_t i = 0; i < count; i++) free(names[i]);
  free(names);
}
