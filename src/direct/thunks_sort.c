/* Thunks that put numbers in order: sorts, and the largest ones of rows. */
#include "layout.h"
#include "refusal.h"
#include "sort.h"
#include "thunks_reading.h"
#include "top_k.h"

/* Fields of the messages of xla/backends/cpu/runtime/thunk.proto. */
enum {
  SORT_DIMENSION = 1,
  SORT_IS_STABLE = 2,
  SORT_DIRECTION = 3,
  SORT_COMPARATOR = 4,
  SORT_ARRAYS = 5
};
enum { DIRECTION_VALUE = 1, DIRECTION_IS_KNOWN = 2 };
enum { ASCENDING = 1, DESCENDING = 2 };
enum {
  TOP_K_NUM_ROWS = 1,
  TOP_K_COUNT = 2,
  TOP_K_K = 3,
  TOP_K_VALUES = 4,
  TOP_K_LARGEST = 5,
  TOP_K_INDICES = 6
};

/* The plugin of PJRT API 0.115 gives each thread rows of about that many elements. */
enum { ELEMENTS_OF_A_THREAD = 32768 };

/* An array, which has to lie as the first one does. */
static cyxla_status read_array(cyxla_thunks_reading *in, cyxla_wire message,
                               cyxla_layout *first, cyxla_sort *sort,
                               cyxla_dtype *dtypes, cyxla_error *error) {
  cyxla_layout layout;
  size_t bytes;
  cyxla_status status;

  if (sort->num_arrays >= CYXLA_SORT_OPERANDS_MAXIMUM) {
    return cyxla_direct_refuse("it has a sort of too many arrays", error);
  }
  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(2)) ||
      !cyxla_layout_read(cyxla_thunks_shape_of(message), &layout)) {
    return cyxla_direct_refuse("it has a sort of an array of a kind that is not known",
                               error);
  }
  if (sort->num_arrays == 0) *first = layout;
  status = cyxla_thunks_add_slice(in, cyxla_thunks_slice_of(message), &bytes, error);
  if (status == CYXLA_OK &&
      (bytes != layout.bytes || !cyxla_layout_is_same(first, &layout))) {
    return cyxla_direct_refuse("it has a sort of arrays of different sizes", error);
  }
  sort->element_bytes[sort->num_arrays] = layout.element_bytes;
  dtypes[sort->num_arrays++] = layout.dtype;
  return status;
}

static cyxla_status read_arrays(cyxla_thunks_reading *in, cyxla_wire message,
                                cyxla_layout *first, cyxla_sort *sort,
                                cyxla_dtype *dtypes, cyxla_error *error) {
  cyxla_wire_field field;
  cyxla_status status = CYXLA_OK;

  while (status == CYXLA_OK && message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    if (field.number == SORT_ARRAYS && field.type == CYXLA_WIRE_COUNTED) {
      status = read_array(in, field.content, first, sort, dtypes, error);
    }
  }
  if (status == CYXLA_OK && sort->num_arrays == 0) {
    return cyxla_direct_refuse("it has a sort of nothing", error);
  }
  return status;
}

/* The products do not overflow: they are parts of the size of an array. */
static void find_extents(const cyxla_layout *layout, size_t dimension,
                         cyxla_sort *sort) {
  bool is_inner = true;

  sort->inner = sort->outer = 1;
  sort->count = layout->bytes > 0 ? layout->sizes[dimension] : 0;
  for (size_t i = 0; i < layout->rank; i++) {
    size_t *extent = is_inner ? &sort->inner : &sort->outer;
    if (layout->order[i] == dimension) {
      is_inner = false;
    } else if (layout->bytes > 0) {
      *extent *= layout->sizes[layout->order[i]];
    }
  }
}

static bool is_whole(cyxla_dtype dtype) {
  return dtype >= CYXLA_INT8 && dtype <= CYXLA_UINT64;
}

/* Whole numbers in a direction need no comparator, which compares the first array's.
 * XLA compares those of other types itself too where they stand alone, but not all
 * plugins in the same way where there are NaN. */
static cyxla_status choose_order(cyxla_thunks_reading *in, cyxla_wire message,
                                 cyxla_sort *sort, const cyxla_dtype *dtypes,
                                 cyxla_error *error) {
  cyxla_wire direction = cyxla_wire_content(message, SORT_DIRECTION);
  uint64_t value = cyxla_wire_value(direction, DIRECTION_VALUE);
  bool is_known = cyxla_wire_value(direction, DIRECTION_IS_KNOWN) != 0;
  bool is_by_number = is_known && is_whole(dtypes[0]);

  if (!cyxla_wire_has_only(direction, CYXLA_WIRE_BIT(DIRECTION_VALUE) |
                                          CYXLA_WIRE_BIT(DIRECTION_IS_KNOWN)) ||
      (is_known && value != ASCENDING && value != DESCENDING)) {
    return cyxla_direct_refuse("it has a sort in a direction that is not known", error);
  }
  sort->is_signed = dtypes[0] <= CYXLA_INT64;
  sort->is_descending = value == DESCENDING;
  /* Equal numbers that stand alone are not told apart. */
  if (cyxla_wire_value(message, SORT_IS_STABLE) == 0 &&
      (!is_by_number || sort->num_arrays > 1)) {
    return cyxla_direct_refuse("it has a sort that is not stable", error);
  }
  if (is_by_number) return CYXLA_OK;
  if (is_known && dtypes[0] != CYXLA_BOOL) {
    return cyxla_direct_refuse(
        "it has a sort of numbers that may be NaN by their value alone", error);
  }
  return cyxla_comparator_find(in->comparators,
                               cyxla_wire_content(message, SORT_COMPARATOR), dtypes,
                               sort->num_arrays, &sort->comparator, error);
}

static bool is_parallel(const cyxla_sort *sort) {
  size_t rows_of_a_thread =
      sort->count > 0 ? ELEMENTS_OF_A_THREAD / sort->count : ELEMENTS_OF_A_THREAD;

  return sort->outer * sort->inner > (rows_of_a_thread > 1 ? rows_of_a_thread : 1);
}

cyxla_status cyxla_thunks_read_sort(cyxla_thunks_reading *in, cyxla_wire message,
                                    size_t index, cyxla_error *error) {
  cyxla_operation *operation = &in->thunks->operations[index];
  uint64_t dimension = cyxla_wire_value(message, SORT_DIMENSION);
  cyxla_dtype dtypes[CYXLA_SORT_OPERANDS_MAXIMUM];
  cyxla_layout layout;
  cyxla_sort *sort = cyxla_thunks_add_detail(in, index, sizeof(*sort), error);
  size_t bytes;
  cyxla_status status;

  if (sort == NULL) return CYXLA_OUT_OF_MEMORY;
  operation->kind = CYXLA_OPERATION_SORT;
  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(SORT_ARRAYS))) {
    return cyxla_direct_refuse("it has a sort with a field that is not known", error);
  }
  status = read_arrays(in, message, &layout, sort, dtypes, error);
  if (status != CYXLA_OK) return status;
  if (dimension >= layout.rank) {
    return cyxla_direct_refuse("it has a sort along a dimension that is not there",
                               error);
  }
  if (cyxla_thunks_slices_overlap(in, operation->first_slice)) {
    return cyxla_direct_refuse("it has a sort of arrays that overlap", error);
  }
  find_extents(&layout, (size_t)dimension, sort);
  status = choose_order(in, message, sort, dtypes, error);
  if (status != CYXLA_OK) return status;
  if (!cyxla_sort_workspace(sort, &bytes)) {
    return cyxla_direct_refuse("it has a sort of more than fits into memory", error);
  }
  if (is_parallel(sort)) in->thunks->is_parallel = true;
  if (bytes > in->thunks->workspace_bytes) in->thunks->workspace_bytes = bytes;
  return CYXLA_OK;
}

/* Whether rows of that many numbers of 4 bytes are the bytes of a slice. */
static bool is_filled(size_t num_rows, size_t count, size_t bytes) {
  return bytes % 4 == 0 &&
         (num_rows == 0 || count == 0
              ? bytes == 0
              : bytes / 4 / num_rows == count && bytes / 4 % num_rows == 0);
}

cyxla_status cyxla_thunks_read_top_k(cyxla_thunks_reading *in, cyxla_wire message,
                                     size_t index, cyxla_error *error) {
  cyxla_operation *operation = &in->thunks->operations[index];
  uint64_t num_rows = cyxla_wire_value(message, TOP_K_NUM_ROWS);
  uint64_t count = cyxla_wire_value(message, TOP_K_COUNT);
  uint64_t k = cyxla_wire_value(message, TOP_K_K);
  cyxla_top_k *top_k = cyxla_thunks_add_detail(in, index, sizeof(*top_k), error);

  if (top_k == NULL) return CYXLA_OUT_OF_MEMORY;
  operation->kind = CYXLA_OPERATION_TOP_K;
  /* Indices are of 32 bits. */
  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(TOP_K_INDICES)) ||
      num_rows > SIZE_MAX || count > INT32_MAX || k > count) {
    return cyxla_direct_refuse("it has a top-k of a kind that is not known", error);
  }
  top_k->num_rows = (size_t)num_rows;
  top_k->count = (size_t)count;
  top_k->k = (size_t)k;
  for (uint64_t number = TOP_K_VALUES; number <= TOP_K_INDICES; number++) {
    size_t bytes;
    cyxla_status status =
        cyxla_thunks_add_slice(in, cyxla_wire_content(message, number), &bytes, error);
    if (status != CYXLA_OK) return status;
    if (!is_filled(top_k->num_rows, number == TOP_K_VALUES ? top_k->count : top_k->k,
                   bytes)) {
      return cyxla_direct_refuse("it has a top-k of arrays of other sizes", error);
    }
  }
  if (cyxla_thunks_slices_overlap(in, operation->first_slice)) {
    return cyxla_direct_refuse("it has a top-k of arrays that overlap", error);
  }
  return CYXLA_OK;
}
