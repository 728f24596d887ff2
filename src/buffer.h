/* Buffers of a plugin, made from arrays in host memory. */
#ifndef CYXLA_BUFFER_H
#define CYXLA_BUFFER_H

#include "runtime.h"

/* What the plugin may do with the memory that a buffer is made from. */
typedef enum cyxla_buffer_semantics {
  CYXLA_BUFFER_COPIED = 0, /* copies the array before the buffer is there */
  CYXLA_BUFFER_SHARED = 1, /* uses the memory for as long as the buffer lives, and sees
                              what is written there */
  CYXLA_BUFFER_DONATED = 2 /* uses the memory, and writes an output to it */
} cyxla_buffer_semantics;

/* Makes a buffer from the array at memory. */
cyxla_status cyxla_buffer_create(const cyxla_runtime *runtime,
                                 const cyxla_array_spec *spec, const void *memory,
                                 cyxla_buffer_semantics semantics, PJRT_Buffer **buffer,
                                 cyxla_error *error);

/* Destroys a buffer; NULL is allowed. */
void cyxla_buffer_destroy(const cyxla_runtime *runtime, PJRT_Buffer *buffer);

/* Whether the buffer lies in the host's memory. False where the plugin does not tell.
 */
bool cyxla_buffer_is_on_cpu(const cyxla_runtime *runtime, PJRT_Buffer *buffer);

/* Whether the buffer's memory is the host memory at `memory`. False where the plugin
 * does not tell. */
bool cyxla_buffer_is_host_memory(const cyxla_runtime *runtime, PJRT_Buffer *buffer,
                                 const void *memory);

/* The address of a buffer that lies in host memory. */
cyxla_status cyxla_buffer_pointer(const cyxla_runtime *runtime, PJRT_Buffer *buffer,
                                  const void **pointer, cyxla_error *error);

/* Whether the buffer's elements are known to lie densely in row-major order; true for a
 * plugin without a function that tells. */
bool cyxla_buffer_is_row_major(const cyxla_runtime *runtime, PJRT_Buffer *buffer,
                               size_t rank);

/* Copies a buffer's elements, in row-major order, to the array at memory. */
cyxla_status cyxla_buffer_copy_to_host(const cyxla_runtime *runtime,
                                       PJRT_Buffer *buffer,
                                       const cyxla_array_spec *spec, void *memory,
                                       cyxla_error *error);

/* Waits for an event and destroys it; a NULL event is one that has happened. */
cyxla_status cyxla_event_await(const cyxla_runtime *runtime, PJRT_Event *event,
                               const char *action, cyxla_error *error);

#endif
