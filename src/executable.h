/* Executables: a program compiled for a runtime. */
#ifndef CYXLA_EXECUTABLE_H
#define CYXLA_EXECUTABLE_H

#include "direct/direct.h"
#include "program.h"
#include "runtime.h"

struct cyxla_executable {
  volatile long references;
  cyxla_program *program;
  cyxla_runtime *runtime;
  PJRT_LoadedExecutable *loaded;
  double compile_seconds; /* or seconds that loading took */
  bool is_deserialized;
  bool is_from_file;               /* it was loaded from one of the program's */
  const unsigned char *serialized; /* what it was loaded from */
  size_t serialized_bytes;
  unsigned char *serialized_copy; /* NULL: the program has it, or it was compiled */
  int64_t code_bytes;             /* -1: the plugin does not tell */
  cyxla_direct *direct;           /* NULL: calls run through the plugin */
  char *tier_reason;              /* why they do; NULL: they were asked to */
};

/* Lets calls run the machine code itself, if the tier asks for that and all of it is
 * known. Only CYXLA_TIER_DIRECT makes it a failure where it is not. */
cyxla_status cyxla_executable_choose_tier(cyxla_executable *executable,
                                          const cyxla_executable_options *options,
                                          cyxla_error *error);

/* Another reference, given back with cyxla_executable_destroy. */
cyxla_executable *cyxla_executable_retain(cyxla_executable *executable);

#endif
