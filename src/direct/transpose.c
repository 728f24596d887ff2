#include "transpose.h"

#include <string.h>

/* Elements along each side of what is copied at once, so that the lines of the cache
 * that it touches are used up before they are gone. */
enum { BLOCK = 16 };

void cyxla_transpose_plan(const cyxla_layout *from, const cyxla_layout *to,
                          cyxla_transpose *transpose) {
  size_t from_strides[CYXLA_RANK_MAXIMUM], from_stride = from->element_bytes;
  size_t to_stride = to->element_bytes, rank = 0;
  cyxla_transpose_dimension *dimensions = transpose->dimensions;

  transpose->element_bytes = to->element_bytes;
  transpose->rank = transpose->inner = 0;
  if (to->bytes == 0) return;
  for (size_t i = 0; i < from->rank; i++) {
    from_strides[from->order[i]] = from_stride;
    from_stride *= from->sizes[from->order[i]];
  }
  /* Found from the last to the first. Neighbours in both arrays are one dimension, and
   * those of size 1 are none. */
  for (size_t i = 0; i < to->rank; i++) {
    const size_t size = to->sizes[to->order[i]], stride = from_strides[to->order[i]];
    if (size == 1) continue;
    if (rank > 0 &&
        stride == dimensions[rank - 1].size * dimensions[rank - 1].from_stride) {
      dimensions[rank - 1].size *= size;
    } else {
      dimensions[rank].size = size;
      dimensions[rank].from_stride = stride;
      dimensions[rank++].to_stride = to_stride;
    }
    to_stride *= size;
  }
  if (rank <= 1) return;
  for (size_t i = 0; i < rank / 2; i++) {
    cyxla_transpose_dimension moved = dimensions[i];
    dimensions[i] = dimensions[rank - 1 - i];
    dimensions[rank - 1 - i] = moved;
  }
  transpose->rank = rank;
  while (dimensions[transpose->inner].from_stride != from->element_bytes) {
    transpose->inner++;
  }
}

/* `bytes` is a number that the compiler knows. */
static inline void copy_block(const cyxla_transpose_dimension *row,
                              const cyxla_transpose_dimension *column, size_t num_rows,
                              size_t num_columns, const unsigned char *from,
                              unsigned char *to, size_t bytes) {
  for (size_t i = 0; i < num_rows; i++) {
    for (size_t k = 0; k < num_columns; k++) {
      memcpy(to + i * row->to_stride + k * bytes,
             from + i * bytes + k * column->from_stride, bytes);
    }
  }
}

/* Rows are those of the destination: elements of the source lie next to each other
 * across them. */
static inline void copy_blocks(const cyxla_transpose_dimension *row,
                               const cyxla_transpose_dimension *column,
                               const unsigned char *from, unsigned char *to,
                               size_t bytes) {
  for (size_t i = 0; i < row->size; i += BLOCK) {
    const size_t num_rows = row->size - i < BLOCK ? row->size - i : BLOCK;
    for (size_t k = 0; k < column->size; k += BLOCK) {
      const size_t num_columns = column->size - k < BLOCK ? column->size - k : BLOCK;
      copy_block(row, column, num_rows, num_columns,
                 from + i * bytes + k * column->from_stride,
                 to + i * row->to_stride + k * bytes, bytes);
    }
  }
}

static void copy_plane(const cyxla_transpose *transpose, const unsigned char *from,
                       unsigned char *to) {
  const cyxla_transpose_dimension *row = &transpose->dimensions[transpose->inner];
  const cyxla_transpose_dimension *column = &transpose->dimensions[transpose->rank - 1];

  if (row == column) {
    memcpy(to, from, row->size * transpose->element_bytes);
    return;
  }
  switch (transpose->element_bytes) {
    case 1: copy_blocks(row, column, from, to, 1); break;
    case 2: copy_blocks(row, column, from, to, 2); break;
    case 4: copy_blocks(row, column, from, to, 4); break;
    case 8: copy_blocks(row, column, from, to, 8); break;
    default: copy_blocks(row, column, from, to, 16); break;
  }
}

void cyxla_transpose_run(const cyxla_transpose *transpose, const void *from, void *to) {
  const cyxla_transpose_dimension *dimensions = transpose->dimensions;
  size_t at[CYXLA_RANK_MAXIMUM] = {0}, from_offset = 0, to_offset = 0, i;

  do {
    copy_plane(transpose, (const unsigned char *)from + from_offset,
               (unsigned char *)to + to_offset);
    /* On to the next plane, counting like a clock along the other dimensions. */
    for (i = transpose->rank - 1; i-- > 0;) {
      if (i == transpose->inner) continue;
      from_offset += dimensions[i].from_stride;
      to_offset += dimensions[i].to_stride;
      if (++at[i] < dimensions[i].size) break;
      from_offset -= at[i] * dimensions[i].from_stride;
      to_offset -= at[i] * dimensions[i].to_stride;
      at[i] = 0;
    }
  } while (i != SIZE_MAX);
}
