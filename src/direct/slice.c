/* Slices: parts of allocations that operations work on. */
#include "buffers.h"

/* Fields of the message xla.buffer_assignment.BufferAllocationSliceProto. */
enum { SLICE_OFFSET = 1, SLICE_SIZE = 2, SLICE_ALLOCATION = 3, SLICE_ELEMENT_TYPE = 4 };

bool cyxla_slice_read(cyxla_wire message, const cyxla_allocation_list *list,
                      cyxla_slice *slice) {
  cyxla_wire rest = message;
  cyxla_wire_field field;
  uint64_t numbers[SLICE_ELEMENT_TYPE + 1] = {0};

  while (rest.bytes > 0) {
    if (!cyxla_wire_next(&rest, &field) || field.type != CYXLA_WIRE_VARINT ||
        field.number > SLICE_ELEMENT_TYPE) {
      return false;
    }
    numbers[field.number] = field.value;
  }
  if (numbers[SLICE_ALLOCATION] >= list->count) return false;
  slice->allocation = (size_t)numbers[SLICE_ALLOCATION];
  slice->offset = (size_t)numbers[SLICE_OFFSET];
  slice->bytes = (size_t)numbers[SLICE_SIZE];
  return !list->items[slice->allocation].is_thread_local &&
         numbers[SLICE_OFFSET] <= list->items[slice->allocation].bytes &&
         numbers[SLICE_SIZE] <=
             list->items[slice->allocation].bytes - numbers[SLICE_OFFSET];
}

bool cyxla_slice_overlaps(const cyxla_slice *a, const cyxla_slice *b) {
  return a->allocation == b->allocation && a->bytes > 0 && b->bytes > 0 &&
         a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}
