/* Calls: one thread's input and output arrays, and all that a run needs, made ahead. */
#ifndef CYXLA_CALL_H
#define CYXLA_CALL_H

#include "direct/run.h"
#include "executable.h"

/* How the plugin gets at an input. */
typedef enum cyxla_input_mode {
  CYXLA_INPUT_SHARED, /* a lasting buffer over the array itself */
  CYXLA_INPUT_STAGED, /* a lasting buffer over staging memory, filled by each run */
  CYXLA_INPUT_COPIED, /* a buffer that each run makes of the array, copying it */
  CYXLA_INPUT_DONATED /* a buffer that each run makes over the array and gives away */
} cyxla_input_mode;

typedef struct cyxla_call_input_state {
  cyxla_input_mode mode;
  void *array;   /* what the caller fills in: own, or bound memory */
  void *own;     /* the call's aligned array, which is the caller's to bind elsewhere */
  void *staging; /* aligned memory that only runs write to; NULL if not staged */
} cyxla_call_input_state;

typedef struct cyxla_call_output_state {
  const void *array;  /* what the caller reads; NULL before a run */
  void *bound;        /* the caller's memory, NULL where none is bound */
  void *copy;         /* the call's own memory, made when an output has to be copied */
  bool is_copied;     /* the array is not the memory that the plugin wrote */
  bool is_bound;      /* the array is memory that was bound when the run wrote it */
  bool is_unreadable; /* the plugin's memory cannot be read where it lies */
} cyxla_call_output_state;

struct cyxla_call {
  cyxla_executable *executable;
  cyxla_call_input_state *inputs;   /* [num_inputs] */
  PJRT_Buffer **input_buffers;      /* [num_inputs] */
  cyxla_call_output_state *outputs; /* [num_outputs] */
  PJRT_Buffer **output_buffers;     /* [num_outputs] */
  int64_t *kept_inputs; /* [num_kept] indices of the inputs that are not given away */
  bool has_run;         /* whether a run has looked at the layouts */
  cyxla_direct_call *direct;   /* NULL: runs go through the plugin */
  unsigned int caller_control; /* what the caller of a direct run last ran with, */
  unsigned int kernel_control; /* and what kernels run with then */
  bool copies_inputs;          /* direct code reads an input elsewhere */
  bool keeps_outputs;          /* direct code has written where the caller reads */
  cyxla_call *witness; /* runs through the plugin while direct code is on trial; NULL:
                          it is not */
  PJRT_ExecuteContext *context;
  PJRT_ExecuteOptions options;
};

/* Whether memory can be used where it lies. */
static inline bool cyxla_call_is_aligned(const void *memory) {
  return (uintptr_t)memory % CYXLA_ALIGNMENT == 0;
}

static inline size_t cyxla_call_num_inputs(const cyxla_call *call) {
  return call->executable->program->inputs.count;
}

static inline size_t cyxla_call_num_outputs(const cyxla_call *call) {
  return call->executable->program->outputs.count;
}

static inline const cyxla_array_spec *cyxla_call_input_spec(const cyxla_call *call,
                                                            size_t index) {
  return &call->executable->program->inputs.specs[index];
}

static inline const cyxla_array_spec *cyxla_call_output_spec(const cyxla_call *call,
                                                             size_t index) {
  return &call->executable->program->outputs.specs[index];
}

/* Makes a call that runs an executable's direct code, or one through the plugin where
 * that is NULL. */
cyxla_status cyxla_call_make(cyxla_executable *executable, const cyxla_direct *direct,
                             cyxla_call **call, cyxla_error *error);

/* Chooses an input's mode by where its array lies and makes the buffer that lasts. */
cyxla_status cyxla_call_prepare_input(cyxla_call *call, size_t index,
                                      cyxla_error *error);

/* Lists the inputs that keep their memory, for the plugin. */
void cyxla_call_list_kept_inputs(cyxla_call *call);

/* Destroys the buffers of the last run's outputs. */
void cyxla_call_release_outputs(cyxla_call *call);

/* Of calls that run machine code directly: makes one's outputs and places all arrays,
 * places one again after it was bound, and runs. */
cyxla_status cyxla_call_direct_create(cyxla_call *call, const cyxla_direct *direct,
                                      cyxla_error *error);
void cyxla_call_direct_destroy(cyxla_call *call);
cyxla_status cyxla_call_direct_place_input(cyxla_call *call, size_t index,
                                           cyxla_error *error);
void cyxla_call_direct_place_output(cyxla_call *call, size_t index);
cyxla_status cyxla_call_direct_run(cyxla_call *call, cyxla_error *error);

/* Whether runs have to copy an input to where direct code reads it. */
bool cyxla_call_direct_copies_input(const cyxla_call *call, size_t index);

/* The same, but for calls inside of one another that go too deep. */
cyxla_status cyxla_call_run_directly(cyxla_call *call, cyxla_error *error);

/* Gives an output of a run that lies elsewhere the place where the caller reads it. */
void cyxla_call_direct_fetch(cyxla_call *call, size_t index, const void *source);

/* Runs a call with a witness: both ways while direct code is on trial, else the way
 * that the trial has come to. */
cyxla_status cyxla_call_run_on_trial(cyxla_call *call, cyxla_error *error);

/* Whether the outputs of two calls are the same, bit for bit; the number of the first
 * that is not goes to *different. */
bool cyxla_call_has_same_outputs(const cyxla_call *call, const cyxla_call *other,
                                 size_t *different);

#endif
