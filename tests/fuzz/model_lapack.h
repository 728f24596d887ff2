/* A model of LAPACK for fuzz targets: its functions check their arguments as LAPACK
 * does, and write to all memory that they may write to and read what they may read, for
 * the address sanitizer to see. They compute nothing. */
#ifndef FUZZ_MODEL_LAPACK_H
#define FUZZ_MODEL_LAPACK_H

#include "library.h"
#include "linalg/call.h"

/* The function for a routine, by the index of one of its targets. Its integers are as
 * wide as `integer_bytes` says from then on, its numbers of the target's dtype. `asked`
 * is what it wants for its work array beyond the least. */
cyxla_library_function *model_lapack_function(size_t target, size_t integer_bytes,
                                              size_t asked);

#endif
