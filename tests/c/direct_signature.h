/* The program that a serialized executable is of, as far as its HLO module tells. */
#ifndef DIRECT_SIGNATURE_H
#define DIRECT_SIGNATURE_H

#include "program.h"
#include "wire.h"

enum { DIRECT_ARRAYS_MAXIMUM = 32 };

typedef struct direct_signature {
  cyxla_program program; /* with inputs and outputs alone */
  cyxla_array_spec inputs[DIRECT_ARRAYS_MAXIMUM], outputs[DIRECT_ARRAYS_MAXIMUM];
  int64_t input_shapes[DIRECT_ARRAYS_MAXIMUM][CYXLA_RANK_MAXIMUM];
  int64_t output_shapes[DIRECT_ARRAYS_MAXIMUM][CYXLA_RANK_MAXIMUM];
} direct_signature;

/* Points into itself. False where the module does not tell, or there are more arrays
 * than fit. No input is donated: which ones are is not read. */
bool direct_signature_read(cyxla_wire serialized, direct_signature *signature);

#endif
