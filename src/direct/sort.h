/* Sorting: arrays that are put in order in place, along one of their dimensions, as
 * XLA's thunk does it. */
#ifndef CYXLA_DIRECT_SORT_H
#define CYXLA_DIRECT_SORT_H

#include "comparator.h"

/* Of arrays [outer][count][inner], each [count] is sorted for itself. Elements of equal
 * rank stay in the order in which they are. */
typedef struct cyxla_sort {
  cyxla_comparator *comparator; /* NULL: the first array's whole numbers */
  bool is_signed;
  bool is_descending;
  size_t outer;
  size_t count;
  size_t inner;
  size_t num_arrays;
  size_t
      element_bytes[CYXLA_SORT_OPERANDS_MAXIMUM]; /* [num_arrays]: 1, 2, 4, 8 or 16 */
} cyxla_sort;

/* How much memory a run works with, aligned to CYXLA_ALIGNMENT; false where it is more
 * than there can be. */
bool cyxla_sort_workspace(const cyxla_sort *sort, size_t *bytes);

/* Sorts arrays that do not overlap. Whatever a comparator says, nothing else is
 * touched, and it ends. */
void cyxla_sort_run(const cyxla_sort *sort, const cyxla_kernel_argument *arrays,
                    void *workspace);

#endif
