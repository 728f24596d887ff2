/* Copies, between arrays of one layout or of two. */
#include <string.h>

#include "refusal.h"
#include "thunks_reading.h"
#include "transpose.h"

/* Fields of the messages of xla/backends/cpu/runtime/thunk.proto. */
enum { COPY_SOURCE = 1, COPY_DESTINATION = 2 };
enum { SHAPE_LAYOUT = 5, LAYOUT_MINOR_TO_MAJOR = 1 };

/* The order of the dimensions; how many there are. */
static size_t read_order(cyxla_wire side, int64_t *order) {
  cyxla_wire shape = cyxla_thunks_shape_of(side);

  return cyxla_wire_numbers(cyxla_wire_content(shape, SHAPE_LAYOUT),
                            LAYOUT_MINOR_TO_MAJOR, order, CYXLA_RANK_MAXIMUM);
}

static bool has_same_order(cyxla_wire source, cyxla_wire destination) {
  int64_t a[CYXLA_RANK_MAXIMUM], b[CYXLA_RANK_MAXIMUM];
  size_t rank = read_order(source, a);

  return read_order(destination, b) == rank && rank <= CYXLA_RANK_MAXIMUM &&
         memcmp(a, b, rank * sizeof(a[0])) == 0;
}

/* Of arrays of that many bytes, whose slices are the last two of the list. */
static cyxla_status read_transpose(cyxla_thunks_reading *in, cyxla_wire source,
                                   cyxla_wire destination, size_t index, size_t bytes,
                                   cyxla_error *error) {
  cyxla_operation *operation = &in->thunks->operations[index];
  cyxla_layout from, to;
  cyxla_transpose planned, *transpose;

  if (!cyxla_layout_read(cyxla_thunks_shape_of(source), &from) ||
      !cyxla_layout_read(cyxla_thunks_shape_of(destination), &to) ||
      from.dtype != to.dtype || !cyxla_layout_has_same_sizes(&from, &to) ||
      from.bytes != bytes) {
    return cyxla_direct_refuse(
        "it has a copy that changes the layout in a way that is not known", error);
  }
  cyxla_transpose_plan(&from, &to, &planned);
  if (planned.rank == 0) return CYXLA_OK;
  if (cyxla_thunks_slices_overlap(in, operation->first_slice)) {
    return cyxla_direct_refuse("it has a copy that changes the layout in place", error);
  }
  transpose = cyxla_thunks_add_detail(in, index, sizeof(*transpose), error);
  if (transpose == NULL) return CYXLA_OUT_OF_MEMORY;
  *transpose = planned;
  operation->kind = CYXLA_OPERATION_TRANSPOSE;
  return CYXLA_OK;
}

cyxla_status cyxla_thunks_read_copy(cyxla_thunks_reading *in, cyxla_wire message,
                                    size_t index, cyxla_error *error) {
  cyxla_wire source = cyxla_wire_content(message, COPY_SOURCE);
  cyxla_wire destination = cyxla_wire_content(message, COPY_DESTINATION);
  size_t from, to;
  cyxla_status status;

  in->thunks->operations[index].kind = CYXLA_OPERATION_COPY;
  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(COPY_DESTINATION)) ||
      !cyxla_wire_has_only(source, CYXLA_WIRE_BITS_UP_TO(2)) ||
      !cyxla_wire_has_only(destination, CYXLA_WIRE_BITS_UP_TO(2))) {
    return cyxla_direct_refuse("it has a copy with a field that is not known", error);
  }
  status = cyxla_thunks_add_slice(in, cyxla_thunks_slice_of(destination), &to, error);
  if (status != CYXLA_OK) return status;
  status = cyxla_thunks_add_slice(in, cyxla_thunks_slice_of(source), &from, error);
  if (status == CYXLA_OK && from != to) {
    return cyxla_direct_refuse("it has a copy between arrays of different sizes",
                               error);
  }
  if (status != CYXLA_OK || has_same_order(source, destination)) return status;
  return read_transpose(in, source, destination, index, from, error);
}
