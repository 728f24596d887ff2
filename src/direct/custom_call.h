/* Custom calls: operations that call a handler of XLA's typed FFI. */
#ifndef CYXLA_DIRECT_CUSTOM_CALL_H
#define CYXLA_DIRECT_CUSTOM_CALL_H

#include "attributes.h"
#include "ffi_api.h"
#include "object.h"

/* What does not change from call to call. */
typedef struct cyxla_custom_call {
  XLA_FFI_Handler *handler;
  cyxla_attributes attributes;
  size_t num_arguments;
  size_t num_results;
  XLA_FFI_Buffer *buffers; /* [num_arguments + num_results], without data */
} cyxla_custom_call;

void cyxla_custom_call_free(cyxla_custom_call *call);

/* One seat at a custom call: the frame that the handler is called with. */
typedef struct cyxla_custom_call_seat {
  XLA_FFI_Handler *handler;
  XLA_FFI_CallFrame frame;
  XLA_FFI_Buffer *buffers; /* [num_buffers], arguments before results */
  size_t num_buffers;
  void **pointers; /* [num_buffers] to them */
  void *types;     /* of all of them */
} cyxla_custom_call_seat;

/* Those of a call of the program. */
typedef struct cyxla_custom_call_seats {
  cyxla_custom_call_seat *items; /* [count] */
  size_t count;
  struct XLA_FFI_InvokeContext context;
  XLA_FFI_Error *failure; /* the one that ended the last run; NULL: none */
} cyxla_custom_call_seats;

/* Makes seats at custom calls; without memory all of them go. */
cyxla_status cyxla_custom_call_seats_create(const cyxla_custom_call *calls,
                                            size_t count,
                                            cyxla_custom_call_seats **seats,
                                            cyxla_error *error);
void cyxla_custom_call_seats_free(cyxla_custom_call_seats *seats);

/* Begins a run, which has a number of its own. */
void cyxla_custom_call_start(cyxla_custom_call_seats *seats);

/* Calls the handler of a custom call on memory that its slices say. False where it
 * fails. */
bool cyxla_custom_call_run(cyxla_custom_call_seats *seats, size_t index,
                           const cyxla_kernel_argument *slices);

/* The error of the handler that failed, which is taken away; CYXLA_OK if none did. */
cyxla_status cyxla_custom_call_take_error(cyxla_custom_call_seats *seats,
                                          cyxla_error *error);

#endif
