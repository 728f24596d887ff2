/* What the readers of thunks share: lists that grow, and how a reader of a thunk with
 * sequences inside it calls the one of sequences. */
#ifndef CYXLA_DIRECT_THUNKS_READING_H
#define CYXLA_DIRECT_THUNKS_READING_H

#include "thunks.h"

typedef struct cyxla_thunks_reading {
  const cyxla_allocation_list *list;
  const cyxla_object_set *objects;
  cyxla_comparator_source *comparators;
  const cyxla_plugin *plugin;
  cyxla_thunks *thunks;
  size_t operations_capacity;
  size_t slices_capacity;
  size_t sequences_capacity;
  size_t custom_calls_capacity;
  int depth;
} cyxla_thunks_reading;

/* Of an array, the message xla.cpu.ShapeBufferAllocationSliceProto: its shape, and the
 * slice that it lies in. */
cyxla_wire cyxla_thunks_shape_of(cyxla_wire array);
cyxla_wire cyxla_thunks_slice_of(cyxla_wire array);

/* Adds the slice that a message holds to the list; its size goes to *bytes unless that
 * is NULL. */
cyxla_status cyxla_thunks_add_slice(cyxla_thunks_reading *in, cyxla_wire message,
                                    size_t *bytes, cyxla_error *error);

/* Reserves operations, or the sequences of an operation. */
cyxla_status cyxla_thunks_reserve_operations(cyxla_thunks_reading *in, size_t count,
                                             size_t *first, cyxla_error *error);
cyxla_status cyxla_thunks_reserve_sequences(cyxla_thunks_reading *in, size_t count,
                                            size_t *first, cyxla_error *error);

/* Adds a custom call to the list. */
cyxla_status cyxla_thunks_add_custom_call(cyxla_thunks_reading *in,
                                          cyxla_custom_call **call, cyxla_error *error);

/* Reads a sequence into the one of that index. */
cyxla_status cyxla_thunks_read_sequence(cyxla_thunks_reading *in, cyxla_wire message,
                                        size_t index, cyxla_error *error);

/* Gives an operation memory for what only its kind has. */
void *cyxla_thunks_add_detail(cyxla_thunks_reading *in, size_t index, size_t bytes,
                              cyxla_error *error);

/* Whether two slices share memory, of those from that one of the list on, which are of
 * the operation that is being read. */
bool cyxla_thunks_slices_overlap(const cyxla_thunks_reading *in, size_t first);

/* Read what is in a thunk of the kind into the operation of that index. */
cyxla_status cyxla_thunks_read_call(cyxla_thunks_reading *in, cyxla_wire message,
                                    size_t index, cyxla_error *error);
cyxla_status cyxla_thunks_read_while(cyxla_thunks_reading *in, cyxla_wire message,
                                     size_t index, cyxla_error *error);
cyxla_status cyxla_thunks_read_conditional(cyxla_thunks_reading *in, cyxla_wire message,
                                           size_t index, cyxla_error *error);
cyxla_status cyxla_thunks_read_copy(cyxla_thunks_reading *in, cyxla_wire message,
                                    size_t index, cyxla_error *error);
cyxla_status cyxla_thunks_read_sort(cyxla_thunks_reading *in, cyxla_wire message,
                                    size_t index, cyxla_error *error);
cyxla_status cyxla_thunks_read_top_k(cyxla_thunks_reading *in, cyxla_wire message,
                                     size_t index, cyxla_error *error);
cyxla_status cyxla_thunks_read_custom_call(cyxla_thunks_reading *in, cyxla_wire message,
                                           size_t index, cyxla_error *error);

#endif
