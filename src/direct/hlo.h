/* HLO: of the module that an executable was made of, what tells where inputs, outputs
 * and constants are. */
#ifndef CYXLA_DIRECT_HLO_H
#define CYXLA_DIRECT_HLO_H

#include "cyxla.h"
#include "wire.h"

/* Places in nested tuples deeper than this are not followed. */
enum { CYXLA_HLO_DEPTH_MAXIMUM = 8 };

typedef struct cyxla_hlo_instruction {
  int64_t id;
  int64_t computation; /* its id */
  cyxla_wire message;
} cyxla_hlo_instruction;

typedef struct cyxla_hlo_computation {
  int64_t id;
  int64_t root;                        /* id of an instruction */
  const cyxla_hlo_instruction *caller; /* NULL: none */
  bool has_callers;                    /* more than one */
  cyxla_wire message;
} cyxla_hlo_computation;

/* Points into the serialized executable. */
typedef struct cyxla_hlo {
  cyxla_hlo_instruction *instructions; /* [num_instructions], in the order of ids */
  size_t num_instructions;
  cyxla_hlo_computation *computations; /* [num_computations], in the order of ids */
  size_t num_computations;
  int64_t entry;         /* id of a computation */
  cyxla_wire parameters; /* the message xla.ProgramShapeProto */
} cyxla_hlo;

/* A part of an instruction's result, which may be a tuple of tuples. */
typedef struct cyxla_hlo_place {
  int64_t instruction;
  size_t depth;
  int64_t index[CYXLA_HLO_DEPTH_MAXIMUM]; /* [depth] */
} cyxla_hlo_place;

/* An array's or tuple's type. */
typedef struct cyxla_hlo_shape {
  int64_t element_type; /* of xla.PrimitiveType */
  size_t rank;
  int64_t sizes[CYXLA_RANK_MAXIMUM];
  bool is_row_major;
} cyxla_hlo_shape;

enum { CYXLA_HLO_TUPLE = 13 };

/* Reads the message xla.HloModuleProto. */
cyxla_status cyxla_hlo_read(cyxla_wire module, cyxla_hlo *hlo, cyxla_error *error);
void cyxla_hlo_free(cyxla_hlo *hlo);

/* NULL if there is none of that id. */
const cyxla_hlo_instruction *cyxla_hlo_find(const cyxla_hlo *hlo, int64_t id);
const cyxla_hlo_computation *cyxla_hlo_find_computation(const cyxla_hlo *hlo,
                                                        int64_t id);

/* Whether an instruction has that opcode. */
bool cyxla_hlo_is(const cyxla_hlo_instruction *instruction, const char *opcode);

/* Takes a step from a place to the one that it has its value from; false where it is a
 * value of its own, or what it is from is not known. */
bool cyxla_hlo_step(const cyxla_hlo *hlo, cyxla_hlo_place *place);

/* Whether a custom call says of itself that it does more than give results. */
bool cyxla_hlo_has_side_effects(const cyxla_hlo *hlo);

/* Reads the message xla.ShapeProto; false for more than CYXLA_RANK_MAXIMUM dimensions.
 */
bool cyxla_hlo_shape_read(cyxla_wire message, cyxla_hlo_shape *shape);

/* The dtype of a number of xla.PrimitiveType, 0 if there is none. */
cyxla_dtype cyxla_hlo_dtype(int64_t element_type);

/* The literal of a constant instruction as bytes in row-major order, of which there
 * have to be that many. */
bool cyxla_hlo_literal(cyxla_wire instruction, void *memory, size_t bytes);

#endif
