#include "custom_call.h"

#include <limits.h>
#include <string.h>

#include "atomic.h"
#include "error.h"
#include "ffi_future.h"
#include "memory.h"

/* From a number on that a plugin, which counts from 1, does not get to: handlers may
 * keep something for each run. */
static volatile long num_runs = LONG_MAX / 2;

void cyxla_custom_call_free(cyxla_custom_call *call) {
  for (size_t i = 0;
       call->buffers != NULL && i < call->num_arguments + call->num_results; i++) {
    cyxla_release(call->buffers[i].dims);
  }
  cyxla_release(call->buffers);
  cyxla_attributes_free(&call->attributes);
  memset(call, 0, sizeof(*call));
}

/* The struct of each argument and result, and how the frame refers to them. */
static bool fill_seat(cyxla_custom_call_seat *seat, const cyxla_custom_call *call,
                      cyxla_custom_call_seats *seats) {
  const size_t count = call->num_arguments + call->num_results;
  int *types = cyxla_allocate_array(count, sizeof(*types));

  seat->types = types;
  seat->buffers = cyxla_allocate_array(count, sizeof(*seat->buffers));
  seat->pointers = cyxla_allocate_array(count, sizeof(*seat->pointers));
  if (types == NULL || seat->buffers == NULL || seat->pointers == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    types[i] = i < call->num_arguments ? (int)XLA_FFI_ArgType_BUFFER
                                       : (int)XLA_FFI_RetType_BUFFER;
    seat->buffers[i] = call->buffers[i];
    seat->pointers[i] = &seat->buffers[i];
  }
  seat->num_buffers = count;
  seat->handler = call->handler;
  seat->frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  seat->frame.api = cyxla_ffi_api_get();
  seat->frame.ctx = &seats->context;
  seat->frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  seat->frame.args.struct_size = sizeof(seat->frame.args);
  seat->frame.args.size = (int64_t)call->num_arguments;
  seat->frame.args.types = (XLA_FFI_ArgType *)types;
  seat->frame.args.args = seat->pointers;
  seat->frame.rets.struct_size = sizeof(seat->frame.rets);
  seat->frame.rets.size = (int64_t)call->num_results;
  seat->frame.rets.types = (XLA_FFI_RetType *)(types + call->num_arguments);
  seat->frame.rets.rets = seat->pointers + call->num_arguments;
  seat->frame.attrs = call->attributes.list;
  return true;
}

cyxla_status cyxla_custom_call_seats_create(const cyxla_custom_call *calls,
                                            size_t count,
                                            cyxla_custom_call_seats **seats,
                                            cyxla_error *error) {
  cyxla_custom_call_seats *made = cyxla_allocate(sizeof(*made));
  bool is_filled;

  *seats = NULL;
  if (made == NULL) return cyxla_error_out_of_memory(error, "a call");
  made->items = cyxla_allocate_array(count, sizeof(*made->items));
  is_filled = made->items != NULL;
  for (; is_filled && made->count < count; made->count++) {
    is_filled = fill_seat(&made->items[made->count], &calls[made->count], made);
  }
  if (!is_filled) {
    cyxla_custom_call_seats_free(made);
    return cyxla_error_out_of_memory(error, "a call");
  }
  *seats = made;
  return CYXLA_OK;
}

void cyxla_custom_call_seats_free(cyxla_custom_call_seats *seats) {
  if (seats == NULL) return;
  cyxla_custom_call_take_error(seats, NULL);
  for (size_t i = 0; i < seats->count; i++) {
    cyxla_release(seats->items[i].types);
    cyxla_release(seats->items[i].buffers);
    cyxla_release(seats->items[i].pointers);
  }
  cyxla_release(seats->items);
  cyxla_release(seats);
}

void cyxla_custom_call_start(cyxla_custom_call_seats *seats) {
  seats->context.run_id = cyxla_atomic_add(&num_runs, 1);
}

bool cyxla_custom_call_run(cyxla_custom_call_seats *seats, size_t index,
                           const cyxla_kernel_argument *slices) {
  cyxla_custom_call_seat *seat = &seats->items[index];
  /* Handlers built with a later version write what they have to tell into it. */
  XLA_FFI_CallFrame frame = seat->frame;

  for (size_t i = 0; i < seat->num_buffers; i++) {
    seat->buffers[i].data = slices[i].data;
  }
  seats->failure = seat->handler(&frame);
  /* It goes on elsewhere. A future beside an error nobody can wait for: who would
   * complete it may have failed. */
  if (seats->failure == NULL && frame.future != NULL) {
    seats->failure = cyxla_ffi_future_take(frame.future);
  }
  return seats->failure == NULL;
}

cyxla_status cyxla_custom_call_take_error(cyxla_custom_call_seats *seats,
                                          cyxla_error *error) {
  XLA_FFI_Error *failure = seats->failure;

  seats->failure = NULL;
  return cyxla_ffi_api_take_error(cyxla_ffi_api_get(), failure, "run", "the program",
                                  error);
}
