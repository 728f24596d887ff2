/* The lists of thunks, while they are read. */
#include <string.h>

#include "error.h"
#include "memory.h"
#include "thunks_reading.h"

/* Fields of the messages of xla/backends/cpu/runtime/thunk.proto. */
enum { SHAPE_AND_SLICE_SHAPE = 1, SHAPE_AND_SLICE_SLICE = 2 };

cyxla_wire cyxla_thunks_shape_of(cyxla_wire array) {
  return cyxla_wire_content(array, SHAPE_AND_SLICE_SHAPE);
}

cyxla_wire cyxla_thunks_slice_of(cyxla_wire array) {
  return cyxla_wire_content(array, SHAPE_AND_SLICE_SLICE);
}

static bool grow(void **items, size_t *capacity, size_t needed, size_t item_bytes) {
  size_t larger = *capacity > 0 ? *capacity : 16;
  void *moved;

  if (needed <= *capacity) return true;
  while (larger < needed) larger *= 2;
  moved = cyxla_allocate_array(larger, item_bytes);
  if (moved == NULL) return false;
  if (*capacity > 0) memcpy(moved, *items, *capacity * item_bytes);
  cyxla_release(*items);
  *items = moved;
  *capacity = larger;
  return true;
}

cyxla_status cyxla_thunks_reserve_operations(cyxla_thunks_reading *in, size_t count,
                                             size_t *first, cyxla_error *error) {
  cyxla_thunks *thunks = in->thunks;

  *first = thunks->num_operations;
  if (!grow((void **)&thunks->operations, &in->operations_capacity, *first + count,
            sizeof(*thunks->operations))) {
    return cyxla_error_out_of_memory(error, "code");
  }
  thunks->num_operations += count;
  return CYXLA_OK;
}

cyxla_status cyxla_thunks_reserve_sequences(cyxla_thunks_reading *in, size_t count,
                                            size_t *first, cyxla_error *error) {
  cyxla_thunks *thunks = in->thunks;

  *first = thunks->num_sequences;
  if (!grow((void **)&thunks->sequences, &in->sequences_capacity, *first + count,
            sizeof(*thunks->sequences))) {
    return cyxla_error_out_of_memory(error, "code");
  }
  thunks->num_sequences += count;
  return CYXLA_OK;
}

cyxla_status cyxla_thunks_add_slice(cyxla_thunks_reading *in, cyxla_wire message,
                                    size_t *bytes, cyxla_error *error) {
  cyxla_thunks *thunks = in->thunks;
  cyxla_slice slice;

  if (!cyxla_slice_read(message, in->list, &slice)) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "it uses memory outside of its allocations");
  }
  if (!grow((void **)&thunks->slices, &in->slices_capacity, thunks->num_slices + 1,
            sizeof(*thunks->slices))) {
    return cyxla_error_out_of_memory(error, "code");
  }
  thunks->slices[thunks->num_slices++] = slice;
  if (bytes != NULL) *bytes = slice.bytes;
  return CYXLA_OK;
}

void *cyxla_thunks_add_detail(cyxla_thunks_reading *in, size_t index, size_t bytes,
                              cyxla_error *error) {
  void *detail = cyxla_allocate(bytes);

  if (detail == NULL) cyxla_error_out_of_memory(error, "code");
  in->thunks->operations[index].detail = detail;
  return detail;
}

bool cyxla_thunks_slices_overlap(const cyxla_thunks_reading *in, size_t first) {
  const cyxla_slice *slices = in->thunks->slices;

  for (size_t i = first; i < in->thunks->num_slices; i++) {
    for (size_t k = first; k < i; k++) {
      if (cyxla_slice_overlaps(&slices[i], &slices[k])) return true;
    }
  }
  return false;
}

cyxla_status cyxla_thunks_add_custom_call(cyxla_thunks_reading *in,
                                          cyxla_custom_call **call,
                                          cyxla_error *error) {
  cyxla_thunks *thunks = in->thunks;

  if (!grow((void **)&thunks->custom_calls, &in->custom_calls_capacity,
            thunks->num_custom_calls + 1, sizeof(*thunks->custom_calls))) {
    return cyxla_error_out_of_memory(error, "code");
  }
  *call = &thunks->custom_calls[thunks->num_custom_calls++];
  return CYXLA_OK;
}
