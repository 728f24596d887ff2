/* Calls: one thread's input and output arrays, and all that a run needs, made ahead. */
#ifndef CYXLA_CALL_H
#define CYXLA_CALL_H

#include "executable.h"

typedef struct cyxla_call_output_state {
  const void *array; /* what the caller reads; NULL before a run */
  void *copy;        /* the call's own memory, made when an output has to be copied */
  bool is_copied;    /* the plugin's memory cannot be read where it lies */
} cyxla_call_output_state;

struct cyxla_call {
  cyxla_executable *executable;
  void **inputs;               /* [num_inputs] the arrays that the caller fills in */
  PJRT_Buffer **input_buffers; /* [num_inputs] */
  bool *is_input_copied; /* [num_inputs] the plugin does not use the array itself */
  cyxla_call_output_state *outputs; /* [num_outputs] */
  PJRT_Buffer **output_buffers;     /* [num_outputs] */
  int64_t *input_indices;           /* [num_inputs] 0, 1, 2, ... */
  bool has_run;                     /* whether a run has looked at the layouts */
  PJRT_ExecuteContext *context;
  PJRT_ExecuteOptions options;
};

#endif
