/* Rows that a comparator puts in order: short runs by insertion, which are merged to
 * ever longer ones. What it says decides what is moved where within them, and never
 * where they end. */
#include "sort_column.h"

enum { RUN = 8 };

typedef struct rows {
  cyxla_sort_column *columns;
  cyxla_comparator *comparator;
  const void *elements[2 * CYXLA_SORT_OPERANDS_MAXIMUM]; /* of the two that are compared
                                                          */
} rows;

/* Functions are given the number of columns, which the compiler knows if it is small.
 */

/* Whether the first of the two comes before the second. */
static inline bool is_before(rows *in) {
  unsigned char is_first = 0;

  in->comparator(&is_first, NULL, in->elements, NULL, NULL, NULL);
  return is_first != 0;
}

/* Sets the first or the second of the two, for 0 and 1. */
static inline void point(rows *in, size_t num_columns, size_t side, size_t row) {
  for (size_t i = 0; i < num_columns; i++) {
    const cyxla_sort_column *column = &in->columns[i];
    in->elements[2 * i + side] = column->elements + row * column->element_bytes;
  }
}

/* The row that is put in is kept in the room meanwhile. */
static inline void sort_run(rows *in, size_t num_columns, size_t first, size_t end) {
  for (size_t row = first + 1; row < end; row++) {
    size_t at = row;
    point(in, num_columns, 0, row);
    point(in, num_columns, 1, row - 1);
    if (!is_before(in)) continue;
    for (size_t i = 0; i < num_columns; i++) {
      const cyxla_sort_column *column = &in->columns[i];
      cyxla_sort_move(column->room, in->elements[2 * i], column->element_bytes);
      in->elements[2 * i] = column->room;
    }
    do {
      at--;
      for (size_t i = 0; i < num_columns; i++) {
        const size_t bytes = in->columns[i].element_bytes;
        unsigned char *elements = in->columns[i].elements;
        cyxla_sort_move(elements + (at + 1) * bytes, elements + at * bytes, bytes);
      }
      if (at > first) point(in, num_columns, 1, at - 1);
    } while (at > first && is_before(in));
    for (size_t i = 0; i < num_columns; i++) {
      const cyxla_sort_column *column = &in->columns[i];
      cyxla_sort_move(column->elements + at * column->element_bytes, column->room,
                      column->element_bytes);
    }
  }
}

static void copy_rows(const rows *in, size_t num_columns, size_t from, size_t end,
                      size_t to) {
  for (size_t i = 0; i < num_columns; i++) {
    const size_t bytes = in->columns[i].element_bytes;
    memcpy(in->columns[i].room + to * bytes, in->columns[i].elements + from * bytes,
           (end - from) * bytes);
  }
}

/* Takes the row that the one side points to, and points it to the next. */
static inline void take_row(rows *in, size_t num_columns, size_t side, size_t to) {
  for (size_t i = 0; i < num_columns; i++) {
    const size_t bytes = in->columns[i].element_bytes;
    const void **from = &in->elements[2 * i + side];
    cyxla_sort_move(in->columns[i].room + to * bytes, *from, bytes);
    *from = (const unsigned char *)*from + bytes;
  }
}

/* Merges two runs that follow one another, the second of which may be empty, into the
 * room. Rows of the second go first only where they come before those of the first. */
static inline void merge(rows *in, size_t num_columns, size_t left, size_t middle,
                         size_t end) {
  size_t right = middle, to = left;

  point(in, num_columns, 0, middle);
  point(in, num_columns, 1, middle - 1);
  /* Else they are in order as they stand. */
  if (middle < end && is_before(in)) {
    point(in, num_columns, 1, left);
    while (left < middle && right < end) {
      if (is_before(in)) {
        take_row(in, num_columns, 0, to++);
        right++;
      } else {
        take_row(in, num_columns, 1, to++);
        left++;
      }
    }
  }
  copy_rows(in, num_columns, left, middle, to);
  copy_rows(in, num_columns, right, end, to + (middle - left));
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static inline void sort_rows(rows *in, size_t num_columns, size_t count) {
  size_t first, middle, end;

  for (first = 0; first < count; first = end) {
    end = first + smaller(RUN, count - first);
    sort_run(in, num_columns, first, end);
  }
  for (size_t length = RUN; length < count; length *= 2) {
    for (first = 0; first < count; first = end) {
      middle = first + smaller(length, count - first);
      end = middle + smaller(length, count - middle);
      merge(in, num_columns, first, middle, end);
    }
    cyxla_sort_exchange(in->columns, num_columns);
  }
}

void cyxla_sort_rows(cyxla_sort_column *columns, size_t num_columns, size_t count,
                     cyxla_comparator *comparator) {
  rows in;

  /* Its pointers are set when they are needed. */
  in.columns = columns;
  in.comparator = comparator;
  switch (num_columns) {
    case 1: sort_rows(&in, 1, count); break;
    case 2: sort_rows(&in, 2, count); break;
    default: sort_rows(&in, num_columns, count); break;
  }
}
