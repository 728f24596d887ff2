/* Comparators: the functions that XLA compiles to say which of two elements of a sort
 * comes first. */
#ifndef CYXLA_DIRECT_COMPARATOR_H
#define CYXLA_DIRECT_COMPARATOR_H

#include "hlo.h"
#include "object.h"

/* A sort of more arrays at once is refused. */
enum { CYXLA_SORT_OPERANDS_MAXIMUM = 128 };

/* Whether the first of two elements comes before the second: of each array that is
 * sorted, `elements` has a pointer to the one and a pointer to the other. The rest is
 * not used. */
typedef void cyxla_comparator(unsigned char *is_first, const void *options,
                              const void **elements, const void *buffers,
                              const void *status, const void *counters);

/* Where comparators are found. */
typedef struct cyxla_comparator_source {
  const cyxla_hlo *hlo;
  const cyxla_object_set *objects;
  cyxla_wire result; /* the message xla.cpu.CompilationResultProto */
  size_t budget;     /* how much is looked at for all comparators, so that what is made
                        to take long is refused */
} cyxla_comparator_source;

/* Finds the comparator of a sort of arrays of those element types. CYXLA_UNIMPLEMENTED
 * where it is not one that takes them, or is not known to be an order: only if it is,
 * every stable sort has the same result. */
cyxla_status cyxla_comparator_find(cyxla_comparator_source *source, cyxla_wire name,
                                   const cyxla_dtype *dtypes, size_t num_arrays,
                                   cyxla_comparator **comparator, cyxla_error *error);

#endif
