/* Places: which slices lie in an input or output, so that an array that moves is placed
 * without a look at all slices. */
#ifndef CYXLA_DIRECT_PLACES_H
#define CYXLA_DIRECT_PLACES_H

#include "thunks.h"

typedef struct cyxla_places {
  size_t num_inputs; /* as far as they lie anywhere */
  size_t num_arrays; /* these, and behind them the outputs */
  size_t *first;     /* [num_arrays + 1] of each array's in the list */
  size_t *slices;    /* indices of slices of the thunks, array by array */
} cyxla_places;

/* Of slices that lie in allocations of the list. False where memory runs out; then
 * there is nothing to free. */
bool cyxla_places_create(const cyxla_allocation_list *list, const cyxla_thunks *thunks,
                         cyxla_places *places);
void cyxla_places_free(cyxla_places *places);

/* The list of an input's or output's slices, [count]. A donated input's are those of
 * its output alone. */
const size_t *cyxla_places_of_input(const cyxla_places *places, size_t index,
                                    size_t *count);
const size_t *cyxla_places_of_output(const cyxla_places *places, size_t index,
                                     size_t *count);

#endif
