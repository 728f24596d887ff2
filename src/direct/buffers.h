/* Buffers: the memory that an executable works on, as XLA's buffer assignment lays it
 * out in allocations: inputs, outputs, constants, and scratch. */
#ifndef CYXLA_DIRECT_BUFFERS_H
#define CYXLA_DIRECT_BUFFERS_H

#include "hlo.h"
#include "program.h"

/* A part of an allocation. */
typedef struct cyxla_slice {
  size_t allocation;
  size_t offset;
  size_t bytes;
} cyxla_slice;

typedef struct cyxla_allocation {
  size_t bytes;
  int64_t input;  /* the input that lies there, -1: none */
  int64_t output; /* the output that lies there, -1: none; both: it is donated */
  bool is_thread_local;
  bool is_constant;
  bool is_scratch; /* each call has its own */
  void *constant;  /* aligned; NULL where it is none */
} cyxla_allocation;

typedef struct cyxla_allocation_list {
  cyxla_allocation *items; /* [count] */
  size_t count;
} cyxla_allocation_list;

/* Reads the message xla.BufferAssignmentProto, and finds out with the module where the
 * program's inputs and outputs are. CYXLA_UNIMPLEMENTED for what is not known, with the
 * reason. */
cyxla_status cyxla_buffers_read(cyxla_wire assignment, const cyxla_hlo *hlo,
                                const cyxla_program *program,
                                cyxla_allocation_list *list, cyxla_error *error);
void cyxla_buffers_free(cyxla_allocation_list *list);

/* Reads the message xla.buffer_assignment.BufferAllocationSliceProto. False where the
 * slice is not in its allocation, or that is of one thread's own. */
bool cyxla_slice_read(cyxla_wire message, const cyxla_allocation_list *list,
                      cyxla_slice *slice);

/* Whether two slices share a byte. */
bool cyxla_slice_overlaps(const cyxla_slice *a, const cyxla_slice *b);

#endif
