/* What is sorted at once, and the two ways to do it. */
#ifndef CYXLA_DIRECT_SORT_COLUMN_H
#define CYXLA_DIRECT_SORT_COLUMN_H

#include <string.h>

#include "comparator.h"

/* Elements one after the other, and room for as many. Rows are what stands at the same
 * place of all columns of a sort. */
typedef struct cyxla_sort_column {
  unsigned char *elements;
  unsigned char *room;
  size_t element_bytes;
} cyxla_sort_column;

/* Copies an element. A number of bytes that the compiler knows is a single move. */
static inline void cyxla_sort_move(unsigned char *to, const void *from, size_t bytes) {
  switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16); break;
  }
}

/* The sorted elements are in the room behind it, and the pointers are exchanged. */
static inline void cyxla_sort_exchange(cyxla_sort_column *columns, size_t num_columns) {
  for (size_t i = 0; i < num_columns; i++) {
    unsigned char *elements = columns[i].elements;
    columns[i].elements = columns[i].room;
    columns[i].room = elements;
  }
}

/* Sort rows, by what a comparator says or by the whole numbers of the first column, so
 * that `elements` of each column points to the sorted ones. */
void cyxla_sort_rows(cyxla_sort_column *columns, size_t num_columns, size_t count,
                     cyxla_comparator *comparator);
void cyxla_sort_numbers(cyxla_sort_column *columns, size_t num_columns, size_t count,
                        bool is_signed, bool is_descending);

#endif
