/* A fuzz target with mistakes to be found, for the tests of the driver: those that an
 * input asks for by name, and one that changes of an input come upon. */
#include <string.h>
#include <unistd.h>

#include "input.h"

static volatile int sink;
static void *volatile lost;

static int is_word(const uint8_t *data, size_t size, const char *word) {
  return size == strlen(word) && memcmp(data, word, size) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size >= 2 && data[0] == 0xff && data[1] == 0xff) abort();
  if (is_word(data, size, "read")) sink = data[size];
  if (is_word(data, size, "overflow")) sink = (int)size * (INT32_MAX / 2);
  if (is_word(data, size, "exit")) exit(0);
  if (is_word(data, size, "refuse")) return 1;
  if (is_word(data, size, "leak")) {
    lost = malloc(64);
    lost = NULL;
  }
  while (is_word(data, size, "hang")) pause();
  FUZZ_CHECK(!is_word(data, size, "check"), "a promise");
  return 0;
}
