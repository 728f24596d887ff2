#include "sort.h"

#include "sort_column.h"

/* The next multiple of the alignment; false where there is none. */
static bool add(size_t *total, size_t count, size_t element_bytes) {
  size_t bytes;

  if (count > (SIZE_MAX - CYXLA_ALIGNMENT) / element_bytes) return false;
  bytes = count * element_bytes + CYXLA_ALIGNMENT - 1;
  bytes -= bytes % CYXLA_ALIGNMENT;
  if (bytes > SIZE_MAX - *total) return false;
  *total += bytes;
  return true;
}

static bool has_work(const cyxla_sort *sort) {
  return sort->count > 1 && sort->outer > 0 && sort->inner > 0;
}

bool cyxla_sort_workspace(const cyxla_sort *sort, size_t *bytes) {
  *bytes = 0;
  for (size_t i = 0; has_work(sort) && i < sort->num_arrays; i++) {
    if (!add(bytes, sort->count, sort->element_bytes[i])) return false;
    /* What does not lie in a row is brought into one. */
    if (sort->inner > 1 && !add(bytes, sort->count, sort->element_bytes[i]))
      return false;
  }
  return true;
}

static unsigned char *take(unsigned char **workspace, size_t bytes) {
  unsigned char *taken = *workspace;

  *workspace += bytes + (CYXLA_ALIGNMENT - bytes % CYXLA_ALIGNMENT) % CYXLA_ALIGNMENT;
  return taken;
}

static void gather(const unsigned char *from, size_t stride, unsigned char *to,
                   size_t count, size_t bytes) {
  for (size_t i = 0; i < count; i++) {
    cyxla_sort_move(to + i * bytes, from + i * stride, bytes);
  }
}

static void scatter(const unsigned char *from, unsigned char *to, size_t stride,
                    size_t count, size_t bytes) {
  for (size_t i = 0; i < count; i++) {
    cyxla_sort_move(to + i * stride, from + i * bytes, bytes);
  }
}

/* Those that begin at that element of each array. */
static void sort_at(const cyxla_sort *sort, const cyxla_kernel_argument *arrays,
                    size_t at, unsigned char *workspace) {
  cyxla_sort_column columns[CYXLA_SORT_OPERANDS_MAXIMUM];

  for (size_t i = 0; i < sort->num_arrays; i++) {
    const size_t bytes = sort->element_bytes[i];
    unsigned char *start = (unsigned char *)arrays[i].data + at * bytes;
    columns[i].element_bytes = bytes;
    columns[i].elements = start;
    columns[i].room = take(&workspace, sort->count * bytes);
    if (sort->inner == 1) continue;
    columns[i].elements = take(&workspace, sort->count * bytes);
    gather(start, sort->inner * bytes, columns[i].elements, sort->count, bytes);
  }
  if (sort->comparator != NULL) {
    cyxla_sort_rows(columns, sort->num_arrays, sort->count, sort->comparator);
  } else {
    cyxla_sort_numbers(columns, sort->num_arrays, sort->count, sort->is_signed,
                       sort->is_descending);
  }
  for (size_t i = 0; i < sort->num_arrays; i++) {
    const size_t bytes = sort->element_bytes[i];
    unsigned char *start = (unsigned char *)arrays[i].data + at * bytes;
    if (sort->inner > 1) {
      scatter(columns[i].elements, start, sort->inner * bytes, sort->count, bytes);
    } else if (columns[i].elements != start) {
      memcpy(start, columns[i].elements, sort->count * bytes);
    }
  }
}

void cyxla_sort_run(const cyxla_sort *sort, const cyxla_kernel_argument *arrays,
                    void *workspace) {
  if (!has_work(sort)) return;
  for (size_t i = 0; i < sort->outer; i++) {
    for (size_t k = 0; k < sort->inner; k++) {
      sort_at(sort, arrays, i * sort->count * sort->inner + k, workspace);
    }
  }
}
