/* The largest numbers of rows, as XLA's own function for it finds them. */
#ifndef CYXLA_DIRECT_TOP_K_H
#define CYXLA_DIRECT_TOP_K_H

#include <stddef.h>

typedef struct cyxla_top_k {
  size_t num_rows;
  size_t count; /* of numbers in a row */
  size_t k;     /* at most count */
} cyxla_top_k;

/* Rows of float32, and for each its k largest with their int32 indices. Numbers are in
 * the order of their bits: NaN whose sign is plus before infinity, 0 before -0, and NaN
 * whose sign is minus last; of equal ones the first comes first. The three arrays do
 * not overlap. */
void cyxla_top_k_run(const cyxla_top_k *top_k, const void *values, void *largest,
                     void *indices);

#endif
