/* Attributes of custom calls: XLA keeps them as the text of a dictionary of MLIR, and
 * handlers see them as the FFI's structs. */
#ifndef CYXLA_DIRECT_ATTRIBUTES_H
#define CYXLA_DIRECT_ATTRIBUTES_H

#include "abi/ffi.h"
#include "cyxla.h"
#include "wire.h"

/* In the order of names, as XLA hands them over. Starts as {0}. */
typedef struct cyxla_attributes {
  XLA_FFI_Attrs list;
  void *memory;       /* a list of all blocks */
  size_t array_bytes; /* of all elements of arrays */
} cyxla_attributes;

/* Reads the text. What MLIR writes of integers, floating-point numbers, bools, strings,
 * arrays and dictionaries is known, of the types that XLA hands to handlers.
 * CYXLA_UNIMPLEMENTED for anything else, with where it begins. */
cyxla_status cyxla_attributes_read(cyxla_wire text, cyxla_attributes *attributes,
                                   cyxla_error *error);
void cyxla_attributes_free(cyxla_attributes *attributes);

#endif
