/* A plugin that is another one, but whose compiler waits until a file is there. If a
 * second file is named, it is made when the compiler begins to wait. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/pjrt.h"

static const PJRT_Api *other;

/* The table of the other plugin, which may be longer than the one that is known here.
 */
static union {
  PJRT_Api api;
  char bytes[65536];
} table;

static PJRT_Error *compile(PJRT_Client_Compile_Args *args) {
  const struct timespec moment = {0, 10000000};
  const char *begun = getenv("SLOW_PLUGIN_BEGUN");
  FILE *stream = begun != NULL ? fopen(begun, "w") : NULL;

  if (stream != NULL) fclose(stream);
  while (access(getenv("SLOW_PLUGIN_FILE"), F_OK) != 0) nanosleep(&moment, NULL);
  return other->PJRT_Client_Compile(args);
}

const PJRT_Api *GetPjrtApi(void) {
  void *library = dlopen(getenv("SLOW_PLUGIN_OTHER"), RTLD_NOW);
  const PJRT_Api *(*get)(void);

  if (library == NULL) return NULL;
  *(void **)&get = dlsym(library, "GetPjrtApi");
  other = get();
  if (other->struct_size > sizeof(table)) return NULL;
  memcpy(&table, other, other->struct_size);
  table.api.PJRT_Client_Compile = compile;
  return &table.api;
}
