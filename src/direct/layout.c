#include "layout.h"

#include <string.h>

#include "hlo.h"

/* Fields of the messages of xla/xla_data.proto. */
enum {
  SHAPE_ELEMENT_TYPE = 2,
  SHAPE_SIZES = 3,
  SHAPE_LAYOUT = 5,
  SHAPE_IS_DYNAMIC = 6
};
enum { LAYOUT_MINOR_TO_MAJOR = 1, LAYOUT_TAIL_ALIGNMENT = 16 };

bool cyxla_layout_has_dynamic_sizes(cyxla_wire shape) {
  int64_t is_dynamic[CYXLA_RANK_MAXIMUM];
  size_t count =
      cyxla_wire_numbers(shape, SHAPE_IS_DYNAMIC, is_dynamic, CYXLA_RANK_MAXIMUM);

  for (size_t i = 0; i < count && i < CYXLA_RANK_MAXIMUM; i++) {
    if (is_dynamic[i] != 0) return true;
  }
  return count > CYXLA_RANK_MAXIMUM;
}

/* Sizes are known, and elements are padded to nothing but one of them. */
static bool is_dense(cyxla_wire shape, cyxla_wire layout) {
  return cyxla_wire_has_only(shape, CYXLA_WIRE_BIT(SHAPE_ELEMENT_TYPE) |
                                        CYXLA_WIRE_BIT(SHAPE_SIZES) |
                                        CYXLA_WIRE_BIT(SHAPE_LAYOUT) |
                                        CYXLA_WIRE_BIT(SHAPE_IS_DYNAMIC)) &&
         cyxla_wire_has_only(layout, CYXLA_WIRE_BIT(LAYOUT_MINOR_TO_MAJOR) |
                                         CYXLA_WIRE_BIT(LAYOUT_TAIL_ALIGNMENT)) &&
         cyxla_wire_value(layout, LAYOUT_TAIL_ALIGNMENT) <= 1 &&
         !cyxla_layout_has_dynamic_sizes(shape);
}

/* Each dimension once. */
static bool read_order(cyxla_wire message, cyxla_layout *layout) {
  int64_t order[CYXLA_RANK_MAXIMUM];
  bool is_there[CYXLA_RANK_MAXIMUM] = {false};

  if (cyxla_wire_numbers(message, LAYOUT_MINOR_TO_MAJOR, order, CYXLA_RANK_MAXIMUM) !=
      layout->rank) {
    return false;
  }
  for (size_t i = 0; i < layout->rank; i++) {
    if (order[i] < 0 || (size_t)order[i] >= layout->rank || is_there[order[i]]) {
      return false;
    }
    is_there[order[i]] = true;
    layout->order[i] = (size_t)order[i];
  }
  return true;
}

static bool read_sizes(cyxla_wire shape, cyxla_layout *layout) {
  int64_t sizes[CYXLA_RANK_MAXIMUM];

  layout->rank = cyxla_wire_numbers(shape, SHAPE_SIZES, sizes, CYXLA_RANK_MAXIMUM);
  if (layout->rank > CYXLA_RANK_MAXIMUM) return false;
  layout->bytes = layout->element_bytes;
  for (size_t i = 0; i < layout->rank; i++) {
    if (sizes[i] < 0 || (uint64_t)sizes[i] > SIZE_MAX) return false;
    layout->sizes[i] = (size_t)sizes[i];
    if (layout->sizes[i] > 0 && layout->bytes > SIZE_MAX / layout->sizes[i]) {
      return false;
    }
    layout->bytes *= layout->sizes[i];
  }
  return true;
}

bool cyxla_layout_read(cyxla_wire shape, cyxla_layout *layout) {
  cyxla_wire message = cyxla_wire_content(shape, SHAPE_LAYOUT);

  layout->dtype = cyxla_hlo_dtype((int64_t)cyxla_wire_value(shape, SHAPE_ELEMENT_TYPE));
  if (layout->dtype == 0 || !is_dense(shape, message)) return false;
  layout->element_bytes = cyxla_dtype_bytes(layout->dtype);
  return read_sizes(shape, layout) && read_order(message, layout);
}

bool cyxla_layout_has_same_sizes(const cyxla_layout *a, const cyxla_layout *b) {
  return a->rank == b->rank &&
         memcmp(a->sizes, b->sizes, a->rank * sizeof(a->sizes[0])) == 0;
}

bool cyxla_layout_is_same(const cyxla_layout *a, const cyxla_layout *b) {
  return cyxla_layout_has_same_sizes(a, b) &&
         memcmp(a->order, b->order, a->rank * sizeof(a->order[0])) == 0;
}
