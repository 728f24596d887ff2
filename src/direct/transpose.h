/* Transposes: copies between arrays of one shape that lie differently in memory. */
#ifndef CYXLA_DIRECT_TRANSPOSE_H
#define CYXLA_DIRECT_TRANSPOSE_H

#include "layout.h"

typedef struct cyxla_transpose_dimension {
  size_t size;
  size_t from_stride; /* bytes from one element to the next */
  size_t to_stride;
} cyxla_transpose_dimension;

/* The dimensions are in the order in which they lie in the destination, the last being
 * the one whose elements lie next to each other; those of the source do so along
 * `inner`. */
typedef struct cyxla_transpose {
  size_t element_bytes;
  size_t rank;
  size_t inner;
  cyxla_transpose_dimension dimensions[CYXLA_RANK_MAXIMUM]; /* [rank] */
} cyxla_transpose;

/* Layouts of the same sizes and element type. A rank of 0 is a copy of all bytes as
 * they are. */
void cyxla_transpose_plan(const cyxla_layout *from, const cyxla_layout *to,
                          cyxla_transpose *transpose);

/* Arrays that do not overlap, and a rank above 0. */
void cyxla_transpose_run(const cyxla_transpose *transpose, const void *from, void *to);

#endif
