#include "run_operations.h"

#include <string.h>

#include "direct/sort.h"
#include "direct/top_k.h"
#include "direct/transpose.h"
#include "input.h"

/* Of all operations together, so that an input takes no time. */
enum { BYTES_MAXIMUM = 1 << 16 };

static uint32_t state;

/* By chance. */
static void compare(unsigned char *is_first, const void *options, const void **elements,
                    const void *buffers, const void *status, const void *counters) {
  (void)options, (void)buffers, (void)status, (void)counters;
  state = state * 1664525u + 1013904223u;
  *is_first = (unsigned char)((state >> 24 & 1) ^ *(const unsigned char *)elements[0]);
}

static void sort(const cyxla_operation *operation, const cyxla_kernel_argument *arrays,
                 size_t workspace_bytes) {
  cyxla_sort changed = *(const cyxla_sort *)operation->detail;
  void *workspace = malloc(workspace_bytes + 1);
  size_t needed;

  FUZZ_CHECK(changed.num_arrays == operation->num_slices, "a slice for each array");
  FUZZ_CHECK(cyxla_sort_workspace(&changed, &needed) && needed <= workspace_bytes,
             "memory to work with");
  FUZZ_CHECK(workspace != NULL, "memory for the target");
  if (changed.comparator != NULL) changed.comparator = compare;
  cyxla_sort_run(&changed, arrays, workspace);
  free(workspace);
}

static void run(const cyxla_operation *operation, const cyxla_kernel_argument *arrays,
                size_t workspace_bytes) {
  switch (operation->kind) {
    case CYXLA_OPERATION_TRANSPOSE:
      cyxla_transpose_run(operation->detail, arrays[1].data, arrays[0].data);
      break;
    case CYXLA_OPERATION_SORT: sort(operation, arrays, workspace_bytes); break;
    default:
      cyxla_top_k_run(operation->detail, arrays[0].data, arrays[1].data,
                      arrays[2].data);
  }
}

void fuzz_run_operations(const cyxla_direct *direct) {
  const cyxla_thunks *thunks = &direct->thunks;
  size_t bytes = 0;

  for (size_t i = 0; i < thunks->num_operations; i++) {
    const cyxla_operation *operation = &thunks->operations[i];
    cyxla_kernel_argument arrays[CYXLA_SORT_OPERANDS_MAXIMUM];
    if (operation->detail == NULL) continue;
    FUZZ_CHECK(operation->num_slices <= CYXLA_SORT_OPERANDS_MAXIMUM, "a few slices");
    for (size_t k = 0; k < operation->num_slices; k++) {
      arrays[k].bytes = thunks->slices[operation->first_slice + k].bytes;
      if (arrays[k].bytes > BYTES_MAXIMUM - bytes) return;
      bytes += arrays[k].bytes;
    }
    if (thunks->workspace_bytes > BYTES_MAXIMUM) return;
    for (size_t k = 0; k < operation->num_slices; k++) {
      arrays[k].data = malloc(arrays[k].bytes);
      FUZZ_CHECK(arrays[k].data != NULL || arrays[k].bytes == 0,
                 "memory for the target");
      if (arrays[k].bytes > 0) memset(arrays[k].data, (int)k, arrays[k].bytes);
    }
    run(operation, arrays, thunks->workspace_bytes);
    for (size_t k = 0; k < operation->num_slices; k++) free(arrays[k].data);
  }
}
