/* Objects: the ELF files that XLA compiles kernels to, made ready to be called. */
#ifndef CYXLA_DIRECT_OBJECT_H
#define CYXLA_DIRECT_OBJECT_H

#include "cyxla.h"
#include "wire.h"

/* What a kernel is called with, as XLA declares it. Arguments come before results. */
typedef struct cyxla_kernel_dimensions {
  uint64_t x, y, z;
} cyxla_kernel_dimensions;

typedef struct cyxla_kernel_argument {
  void *data;
  size_t bytes;
} cyxla_kernel_argument;

typedef struct cyxla_kernel_frame {
  const cyxla_kernel_dimensions *num_workgroups;
  const cyxla_kernel_dimensions *workgroup;
  size_t num_arguments;
  const cyxla_kernel_argument *arguments; /* [num_arguments] */
} cyxla_kernel_frame;

/* Returns NULL where it worked. */
typedef void *cyxla_kernel(const cyxla_kernel_frame *frame);

typedef struct cyxla_object_symbol {
  char *name;
  void *address;
  size_t bytes;
} cyxla_object_symbol;

struct cyxla_debug_entry;

/* Objects that were loaded together, whose names differ. */
typedef struct cyxla_object_set {
  void *memory; /* code, readable and executable; NULL if there is none */
  size_t bytes;
  cyxla_object_symbol *symbols; /* [num_symbols] of functions, ordered by name */
  size_t num_symbols;
  struct cyxla_debug_entry *debug; /* what debuggers are told; NULL: nothing */
} cyxla_object_set;

/* Loads objects, each the content of an ELF file that may lie at any address. All that
 * they say is checked before it is used. CYXLA_UNIMPLEMENTED for what is not known,
 * with the reason. The code is never writable and executable at once. */
cyxla_status cyxla_object_set_load(const cyxla_wire *objects, size_t num_objects,
                                   cyxla_object_set *set, cyxla_error *error);
void cyxla_object_set_free(cyxla_object_set *set);

/* The kernel of that name, NULL if there is none. */
cyxla_kernel *cyxla_object_set_find(const cyxla_object_set *set, const char *name);

#endif
