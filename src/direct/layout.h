/* Layouts: where in memory the elements of an array lie. */
#ifndef CYXLA_DIRECT_LAYOUT_H
#define CYXLA_DIRECT_LAYOUT_H

#include "cyxla.h"
#include "wire.h"

typedef struct cyxla_layout {
  cyxla_dtype dtype;
  size_t element_bytes;
  size_t bytes; /* of the array */
  size_t rank;
  size_t sizes[CYXLA_RANK_MAXIMUM];
  size_t order[CYXLA_RANK_MAXIMUM]; /* dimensions; along the first one, elements lie
                                       next to each other */
} cyxla_layout;

/* Reads the message xla.ShapeProto of a dense array. False for anything else, and where
 * sizes make no sense. */
bool cyxla_layout_read(cyxla_wire shape, cyxla_layout *layout);

/* Whether a size of the message xla.ShapeProto is only known when a program runs. */
bool cyxla_layout_has_dynamic_sizes(cyxla_wire shape);

/* Whether both have the same sizes. */
bool cyxla_layout_has_same_sizes(const cyxla_layout *a, const cyxla_layout *b);

/* Whether both have the same sizes in the same order in memory. */
bool cyxla_layout_is_same(const cyxla_layout *a, const cyxla_layout *b);

#endif
