/* Running direct code: one thread's seat at it, whose pointers are set before a run. */
#ifndef CYXLA_DIRECT_RUN_H
#define CYXLA_DIRECT_RUN_H

#include "direct.h"
#include "places.h"

/* A kernel beside its frame, so that to call it takes no look at its operation. */
typedef struct cyxla_direct_step {
  cyxla_kernel *kernel; /* NULL: the operation is more than one call of a kernel */
  cyxla_kernel_frame frame;
} cyxla_direct_step;

typedef struct cyxla_direct_call {
  const cyxla_direct *direct;
  cyxla_sequence program;         /* the first of the thunks, near at hand */
  cyxla_kernel_argument *slices;  /* [num_slices], as in the list of the thunks */
  cyxla_places places;            /* where in them inputs and outputs are */
  cyxla_direct_step *steps;       /* [num_operations]; frames are those of kernels */
  void **scratch;                 /* [num_allocations]; NULL where it is none */
  void *workspace;                /* what operations work with; NULL where none does */
  cyxla_custom_call_seats *seats; /* NULL: it has no custom calls */
  double deadline; /* in clock seconds, after which loops fail; 0: none */
} cyxla_direct_call;

/* Makes a call with memory for all but inputs and outputs. */
cyxla_status cyxla_direct_call_create(const cyxla_direct *direct,
                                      cyxla_direct_call *call, cyxla_error *error);
void cyxla_direct_call_free(cyxla_direct_call *call);

/* Says where an input or output is: memory that is aligned to CYXLA_ALIGNMENT and that
 * no other input or output shares, but for a donated input, which lies where its output
 * does and is not given a place of its own. */
void cyxla_direct_call_place_input(cyxla_direct_call *call, size_t index, void *memory);
void cyxla_direct_call_place_output(cyxla_direct_call *call, size_t index,
                                    void *memory);

/* Runs the code in the floating-point environment of the caller. No memory is
 * allocated, no lock is taken and the system is not called, but by handlers of custom
 * calls. False where a kernel or a handler fails, whose error the seats have. */
bool cyxla_direct_run(const cyxla_direct_call *call);

#endif
