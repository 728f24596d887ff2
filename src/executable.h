/* Executables: a program compiled for a runtime. */
#ifndef CYXLA_EXECUTABLE_H
#define CYXLA_EXECUTABLE_H

#include "atomic.h"
#include "direct/direct.h"
#include "plugin_record.h"
#include "program.h"
#include "runtime.h"

struct cyxla_executable {
  volatile long references;
  cyxla_program *program;
  cyxla_runtime *runtime; /* NULL: it needs none */
  PJRT_LoadedExecutable *loaded;
  double compile_seconds; /* or seconds that loading took */
  bool is_deserialized;
  bool is_from_file;               /* it was loaded from one of the program's */
  bool is_trusted;                 /* which was called directly before it was saved */
  const unsigned char *serialized; /* what it was loaded from */
  size_t serialized_bytes;
  unsigned char *serialized_copy; /* NULL: the program has it, or it was compiled */
  int64_t code_bytes;             /* -1: the plugin does not tell */
  cyxla_direct *direct;           /* NULL: calls run through the plugin */
  volatile long trials;           /* runs that still compare it with the plugin's, or
                                     CYXLA_TRIALS_FAILED */
  volatile long num_trying;       /* runs that want to compare just now */
  char *tier_reason;              /* why they do; NULL: they were asked to */
  cyxla_plugin_record record;     /* of the file, where there is no runtime */
};

/* How many real runs direct code is compared on that was not on made-up inputs, and
 * what stands in their place where one bit of a result differed. */
enum { CYXLA_TRIALS = 3, CYXLA_TRIALS_FAILED = -1 };

/* Whether calls run machine code directly, without the plugin. */
static inline bool cyxla_executable_is_direct(const cyxla_executable *executable) {
  return executable->direct != NULL && cyxla_atomic_load(&executable->trials) == 0;
}

/* What a tier that is asked for means: the default is what the environment says. */
cyxla_status cyxla_tier_resolve(cyxla_tier *tier, cyxla_error *error);

/* Makes an executable of code that the program's file holds and that is called
 * directly, without a runtime. *executable stays NULL where there is none for this
 * machine, and the error says why, which is CYXLA_UNIMPLEMENTED. */
cyxla_status cyxla_executable_create_without_plugin(cyxla_program *program,
                                                    cyxla_executable **executable,
                                                    cyxla_error *error);

/* Makes the error of that more exact where the file has no code that is called
 * directly: what of the code that it has is not known, or that it was not compared. To
 * find that out loads the code, so that it is for errors that are told. */
void cyxla_executable_explain(const cyxla_program *program, cyxla_error *refusal);

/* Lets calls run the machine code itself, if the tier asks for that and all of it is
 * known. Only CYXLA_TIER_DIRECT makes it a failure where it is not. */
cyxla_status cyxla_executable_choose_tier(cyxla_executable *executable,
                                          const cyxla_executable_options *options,
                                          cyxla_error *error);

/* Another reference, given back with cyxla_executable_destroy. */
cyxla_executable *cyxla_executable_retain(cyxla_executable *executable);

#endif
