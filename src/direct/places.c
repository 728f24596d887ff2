#include "places.h"

#include <string.h>

#include "memory.h"

enum { NOWHERE = -1 };

/* The number of the array that a slice lies in, or NOWHERE. */
static int64_t array_of(const cyxla_allocation_list *list, const cyxla_slice *slice,
                        size_t num_inputs) {
  const cyxla_allocation *item = &list->items[slice->allocation];

  if (item->output >= 0) return (int64_t)num_inputs + item->output;
  return item->input >= 0 ? item->input : NOWHERE;
}

static void count_arrays(const cyxla_allocation_list *list, cyxla_places *places) {
  size_t num_outputs = 0;

  places->num_inputs = 0;
  for (size_t i = 0; i < list->count; i++) {
    const cyxla_allocation *item = &list->items[i];
    if (item->input >= (int64_t)places->num_inputs) {
      places->num_inputs = (size_t)item->input + 1;
    }
    if (item->output >= (int64_t)num_outputs) num_outputs = (size_t)item->output + 1;
  }
  places->num_arrays = places->num_inputs + num_outputs;
}

bool cyxla_places_create(const cyxla_allocation_list *list, const cyxla_thunks *thunks,
                         cyxla_places *places) {
  size_t *first;

  count_arrays(list, places);
  first = places->first =
      cyxla_allocate_array(places->num_arrays + 1, sizeof(*places->first));
  places->slices = cyxla_allocate_array(thunks->num_slices, sizeof(*places->slices));
  if (places->first == NULL || places->slices == NULL) {
    cyxla_places_free(places);
    return false;
  }
  /* How many each has, then where those of each end, and from there back to where they
   * begin as they are listed. */
  for (size_t i = 0; i < thunks->num_slices; i++) {
    int64_t array = array_of(list, &thunks->slices[i], places->num_inputs);
    if (array != NOWHERE) first[array]++;
  }
  for (size_t i = 1; i <= places->num_arrays; i++) first[i] += first[i - 1];
  for (size_t i = thunks->num_slices; i-- > 0;) {
    int64_t array = array_of(list, &thunks->slices[i], places->num_inputs);
    if (array != NOWHERE) places->slices[--first[array]] = i;
  }
  return true;
}

void cyxla_places_free(cyxla_places *places) {
  cyxla_release(places->first);
  cyxla_release(places->slices);
  memset(places, 0, sizeof(*places));
}

static const size_t *list_of(const cyxla_places *places, size_t array, size_t *count) {
  *count = places->first[array + 1] - places->first[array];
  return places->slices + places->first[array];
}

const size_t *cyxla_places_of_input(const cyxla_places *places, size_t index,
                                    size_t *count) {
  *count = 0;
  return index < places->num_inputs ? list_of(places, index, count) : NULL;
}

const size_t *cyxla_places_of_output(const cyxla_places *places, size_t index,
                                     size_t *count) {
  *count = 0;
  return index < places->num_arrays - places->num_inputs
             ? list_of(places, places->num_inputs + index, count)
             : NULL;
}
