/* Thunks: the steps of an executable, as a flat list of operations. */
#ifndef CYXLA_DIRECT_THUNKS_H
#define CYXLA_DIRECT_THUNKS_H

#include "buffers.h"
#include "comparator.h"
#include "custom_call.h"
#include "object.h"
#include "plugin.h"

typedef enum cyxla_operation_kind {
  CYXLA_OPERATION_KERNEL,
  CYXLA_OPERATION_COPY,
  CYXLA_OPERATION_CALL,
  CYXLA_OPERATION_WHILE,
  CYXLA_OPERATION_CONDITIONAL,
  CYXLA_OPERATION_CUSTOM_CALL,
  CYXLA_OPERATION_ZERO, /* the number of the replica or partition, of which there is
                           one */
  CYXLA_OPERATION_TRANSPOSE,
  CYXLA_OPERATION_SORT,
  CYXLA_OPERATION_TOP_K
} cyxla_operation_kind;

/* Operations that follow one another. */
typedef struct cyxla_sequence {
  size_t first;
  size_t count;
} cyxla_sequence;

/* The trip count of a loop whose condition has to be asked. */
enum { CYXLA_TRIP_COUNT_UNKNOWN = -1 };

typedef struct cyxla_operation {
  cyxla_operation_kind kind;
  cyxla_kernel *kernel;
  cyxla_kernel_dimensions num_workgroups;
  size_t first_slice; /* of the list of slices: arguments, or destination and source, or
                         the condition, or what is sorted, or numbers, the largest of
                         them and their indices */
  size_t num_slices;
  size_t first_sequence; /* of the list of sequences: what is called, condition and
                            body, or the branches */
  size_t num_sequences;
  int64_t trip_count;
  void *detail;       /* a cyxla_transpose, cyxla_sort or cyxla_top_k; else NULL */
  size_t custom_call; /* of the list of custom calls */
} cyxla_operation;

typedef struct cyxla_thunks {
  cyxla_operation *operations; /* [num_operations] */
  size_t num_operations;
  cyxla_slice *slices; /* [num_slices] */
  size_t num_slices;
  cyxla_sequence *sequences; /* [num_sequences]; the first is the program */
  size_t num_sequences;
  cyxla_custom_call *custom_calls; /* [num_custom_calls] */
  size_t num_custom_calls;
  size_t num_kernels;
  size_t workspace_bytes;  /* what operations of a run work with, one after the other */
  bool always_ends;        /* on any inputs: no loop depends on data, no handler is
                              unknown, and none is told places in arrays */
  bool has_handlers;       /* of custom calls that are not known */
  bool has_linear_algebra; /* custom calls of LAPACK and the like */
  bool is_parallel;        /* a kernel has several workgroups, or a sort many rows */
} cyxla_thunks;

/* Reads the message xla.cpu.ThunkSequenceProto, whose kernels are where its comparators
 * are. The plugin, which may be NULL, has the handlers of custom calls.
 * CYXLA_UNIMPLEMENTED for what is not known, with the reason. */
cyxla_status cyxla_thunks_read(cyxla_wire sequence, const cyxla_allocation_list *list,
                               cyxla_comparator_source *comparators,
                               const cyxla_plugin *plugin, cyxla_thunks *thunks,
                               cyxla_error *error);
void cyxla_thunks_free(cyxla_thunks *thunks);

#endif
