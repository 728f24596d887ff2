/* Programs: StableHLO with its signature, compile options and metadata. */
#ifndef CYXLA_PROGRAM_H
#define CYXLA_PROGRAM_H

#include "compiled.h"

typedef struct cyxla_program_arrays {
  cyxla_array_spec *specs; /* [count]; names and shapes are owned */
  size_t count;
} cyxla_program_arrays;

/* A function that was saved at several sizes is a list of programs, which has one
 * count of references and lives as a whole. */
struct cyxla_program {
  volatile long references; /* to the list; counted in its first program */
  cyxla_program *first;     /* of the list: itself where there is one size */
  cyxla_program *next;      /* NULL: the last of the list */
  cyxla_program *last;      /* of the list; kept in its first program */
  size_t num_sizes;         /* of the list; kept in its first program */
  uint64_t shapes_hash;     /* of the inputs' ranks and sizes */
  char *platform;
  unsigned char *code;
  size_t code_bytes;
  uint64_t code_hash;
  bool has_custom_calls; /* the code may call functions from outside of XLA */
  unsigned char *compile_options;
  size_t compile_options_bytes;
  uint64_t compile_options_hash;
  cyxla_program_arrays inputs;
  cyxla_program_arrays outputs;
  char *metadata;
  cyxla_compiled_list compiled; /* that it was read with from a file */
};

/* Another reference to a program, given back with cyxla_program_destroy. */
cyxla_program *cyxla_program_retain(cyxla_program *program);

/* Makes a program the last of a list. It may have no other references or sizes. */
void cyxla_program_append(cyxla_program *first, cyxla_program *program);

/* Frees the names, the shapes and the list of specs. */
void cyxla_program_arrays_free(cyxla_program_arrays *arrays);

/* The index of the array of that name, (size_t)-1 if there is none. */
size_t cyxla_program_arrays_find(const cyxla_program_arrays *arrays, const char *name);

#endif
