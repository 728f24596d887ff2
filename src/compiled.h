/* What a plugin made of a program, as it stands in a file: machine code, and a label
 * that says where it can run. A plugin takes the code of another build without an error
 * and computes wrong numbers, so the label decides before a plugin sees the code. */
#ifndef CYXLA_COMPILED_H
#define CYXLA_COMPILED_H

#include "encoding.h"
#include "plugin.h"

typedef struct cyxla_compiled {
  uint64_t plugin_bytes; /* of the library of the plugin that compiled */
  uint64_t plugin_hash;
  char plugin_identity[CYXLA_PLUGIN_IDENTITY_BYTES]; /* the two as text */
  uint32_t pjrt_api_major;
  uint32_t pjrt_api_minor;
  char *platform;
  char *device_kind;       /* of the device that it was compiled for */
  char *cpu_features;      /* of the machine that compiled, see cyxla_cpu_features */
  uint64_t code_hash;      /* of the program's StableHLO */
  uint64_t options_hash;   /* of its compile options */
  uint64_t xla_flags_hash; /* of the variable XLA_FLAGS as the plugin found it */
  unsigned char *data;     /* as the plugin serialized it */
  size_t bytes;
  bool is_direct; /* its code is called directly, without a plugin */
} cyxla_compiled;

typedef struct cyxla_compiled_list {
  cyxla_compiled *items; /* [capacity], of which count are there */
  size_t count;
  size_t capacity;
} cyxla_compiled_list;

void cyxla_compiled_free(cyxla_compiled *compiled);
/* False where memory runs out. */
bool cyxla_compiled_copy(const cyxla_compiled *compiled, cyxla_compiled *copy);

/* The list owns it from then on; false where memory runs out. */
bool cyxla_compiled_list_add(cyxla_compiled_list *list, const cyxla_compiled *compiled);
void cyxla_compiled_list_free(cyxla_compiled_list *list);

/* Labels a copy of what a runtime's plugin made of a program. */
cyxla_status cyxla_compiled_create(const cyxla_runtime *runtime,
                                   const cyxla_program *program, const void *data,
                                   size_t bytes, cyxla_compiled *compiled,
                                   cyxla_error *error);

/* Reads one; false where the bytes are none, or memory ran out, which is_out_of_memory
 * tells apart. */
bool cyxla_compiled_read(cyxla_reader *reader, cyxla_compiled *compiled,
                         bool *is_out_of_memory);

void cyxla_compiled_write(cyxla_writer *writer, const cyxla_compiled *compiled);

/* Whether it was made of this program's code and compile options. */
bool cyxla_compiled_belongs(const cyxla_compiled *compiled,
                            const cyxla_program *program);

/* Whether one is of the same program and for the same plugin, device and machine as
 * another, so that a file needs only one of them. One that may be called directly is
 * only replaced by such a one. */
bool cyxla_compiled_replaces(const cyxla_compiled *compiled, const cyxla_compiled *old);

/* The one of a program's that a runtime can load, NULL if there is none: of this very
 * plugin, for its kind of device, and for a machine that has no feature which this one
 * lacks. Of several, the one with the most features, which is the fastest. Fails only
 * where memory runs out. */
cyxla_status cyxla_compiled_find(const cyxla_program *program,
                                 const cyxla_runtime *runtime,
                                 const cyxla_compiled **found, cyxla_error *error);

/* Whether this machine's processor has all that the code may need. */
bool cyxla_compiled_fits_processor(const cyxla_compiled *compiled);

/* The one of a program's that can be called directly on this machine, of several the
 * one with the most features; NULL if there is none, for which the error says why. */
const cyxla_compiled *cyxla_compiled_find_direct(const cyxla_program *program,
                                                 cyxla_error *error);

#endif
