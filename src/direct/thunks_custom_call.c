/* Thunks of custom calls. */
#include <string.h>

#include "error.h"
#include "ffi_registry.h"
#include "layout.h"
#include "linalg/targets.h"
#include "memory.h"
#include "thunks_reading.h"

/* Fields of the message CustomCallThunkProto of xla/backends/cpu/runtime/thunk.proto.
 */
enum {
  CUSTOM_CALL_API_VERSION = 1,
  CUSTOM_CALL_TARGET = 2,
  CUSTOM_CALL_ATTRIBUTES = 3,
  CUSTOM_CALL_BUFFERS = 4
};
enum { BUFFERS_ARGUMENTS = 1, BUFFERS_RESULTS = 2 };
enum { TYPED_FFI = 4 };

static cyxla_status refuse(cyxla_wire target, const char *what, cyxla_error *error) {
  return cyxla_error_set(error, CYXLA_UNIMPLEMENTED, "its custom call %.*s has %s",
                         (int)(target.bytes < 128 ? target.bytes : 128),
                         target.bytes > 0 ? (const char *)target.data : "", what);
}

/* The bytes of an array; false where it is none that programs have. Tokens, which order
 * custom calls, have none. */
static bool count_bytes(const cyxla_hlo_shape *shape, size_t *bytes) {
  cyxla_dtype dtype = cyxla_hlo_dtype(shape->element_type);

  *bytes = 0;
  if (shape->element_type == XLA_FFI_DataType_TOKEN) return shape->rank == 0;
  if (dtype == 0) return false;
  *bytes = cyxla_dtype_bytes(dtype);
  for (size_t i = 0; i < shape->rank; i++) {
    int64_t size = shape->sizes[i];
    if (size < 0 || (size > 0 && *bytes > SIZE_MAX / 2 / (size_t)size)) return false;
    *bytes *= (size_t)size;
  }
  return true;
}

/* Reads a shape and a slice into the next buffer. XLA hands the logical dimensions
 * over; the layout is one that the program has asked for. The numbers of types are
 * those of the FFI. */
static cyxla_status read_buffer(cyxla_thunks_reading *in, cyxla_wire target,
                                cyxla_wire message, XLA_FFI_Buffer *buffer,
                                cyxla_error *error) {
  cyxla_wire shape_message = cyxla_thunks_shape_of(message);
  cyxla_hlo_shape shape;
  size_t bytes, expected;
  cyxla_status status;

  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BIT(1) | CYXLA_WIRE_BIT(2)) ||
      !cyxla_hlo_shape_read(shape_message, &shape) ||
      cyxla_layout_has_dynamic_sizes(shape_message) ||
      !count_bytes(&shape, &expected)) {
    return refuse(target, "an argument or result of a type that is not known", error);
  }
  status = cyxla_thunks_add_slice(in, cyxla_thunks_slice_of(message), &bytes, error);
  if (status != CYXLA_OK) return status;
  if (bytes != expected && shape.element_type != XLA_FFI_DataType_TOKEN) {
    return refuse(target, "an argument or result of another size than its memory",
                  error);
  }
  buffer->struct_size = sizeof(*buffer);
  buffer->dtype = (XLA_FFI_DataType)shape.element_type;
  buffer->rank = (int64_t)shape.rank;
  buffer->dims = cyxla_allocate_array(shape.rank, sizeof(*buffer->dims));
  if (buffer->dims == NULL) return cyxla_error_out_of_memory(error, "code");
  memcpy(buffer->dims, shape.sizes, shape.rank * sizeof(*buffer->dims));
  return CYXLA_OK;
}

static cyxla_status read_buffers(cyxla_thunks_reading *in, cyxla_wire target,
                                 cyxla_wire message, uint64_t number,
                                 XLA_FFI_Buffer *buffers, cyxla_error *error) {
  cyxla_wire_field field;
  cyxla_status status = CYXLA_OK;

  while (status == CYXLA_OK && message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    if (field.number == number && field.type == CYXLA_WIRE_COUNTED) {
      status = read_buffer(in, target, field.content, buffers++, error);
    }
  }
  return status;
}

static cyxla_status read_attributes(cyxla_wire target, cyxla_wire text,
                                    cyxla_custom_call *call, cyxla_error *error) {
  cyxla_error reason;
  cyxla_status status = cyxla_attributes_read(text, &call->attributes, &reason);

  if (status == CYXLA_UNIMPLEMENTED) return refuse(target, reason.message, error);
  return status == CYXLA_OK ? CYXLA_OK : cyxla_error_out_of_memory(error, "code");
}

/* What running the program on inputs that are made up would do: places that are made up
 * may lie outside of an array. */
static void note_target(cyxla_thunks *thunks, cyxla_wire target) {
  const char *name = (const char *)target.data;

  if (cyxla_linalg_is_target(name, target.bytes)) {
    thunks->has_linear_algebra = true;
  } else {
    thunks->has_handlers = true;
  }
  if (thunks->has_handlers || cyxla_linalg_takes_places(name, target.bytes)) {
    thunks->always_ends = false;
  }
}

cyxla_status cyxla_thunks_read_custom_call(cyxla_thunks_reading *in, cyxla_wire message,
                                           size_t index, cyxla_error *error) {
  cyxla_wire target = cyxla_wire_content(message, CUSTOM_CALL_TARGET);
  cyxla_wire buffers = cyxla_wire_content(message, CUSTOM_CALL_BUFFERS);
  cyxla_custom_call *call;
  cyxla_status status;

  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BIT(1) | CYXLA_WIRE_BIT(2) |
                                        CYXLA_WIRE_BIT(3) | CYXLA_WIRE_BIT(4)) ||
      !cyxla_wire_has_only(buffers,
                           CYXLA_WIRE_BIT(1) | CYXLA_WIRE_BIT(2) | CYXLA_WIRE_BIT(3))) {
    return refuse(target, "a field that is not known", error);
  }
  if (cyxla_wire_value(message, CUSTOM_CALL_API_VERSION) != TYPED_FFI) {
    return refuse(target, "a handler that is not of the typed FFI", error);
  }
  in->thunks->operations[index].kind = CYXLA_OPERATION_CUSTOM_CALL;
  in->thunks->operations[index].custom_call = in->thunks->num_custom_calls;
  status = cyxla_thunks_add_custom_call(in, &call, error);
  if (status == CYXLA_OK) {
    status = cyxla_ffi_find(in->plugin, (const char *)target.data, target.bytes,
                            &call->handler, error);
  }
  if (status == CYXLA_OK) {
    status = read_attributes(
        target, cyxla_wire_content(message, CUSTOM_CALL_ATTRIBUTES), call, error);
  }
  if (status != CYXLA_OK) return status;
  note_target(in->thunks, target);
  call->num_arguments = cyxla_wire_count(buffers, BUFFERS_ARGUMENTS);
  call->num_results = cyxla_wire_count(buffers, BUFFERS_RESULTS);
  call->buffers = cyxla_allocate_array(call->num_arguments + call->num_results,
                                       sizeof(*call->buffers));
  if (call->buffers == NULL) return cyxla_error_out_of_memory(error, "code");
  status = read_buffers(in, target, buffers, BUFFERS_ARGUMENTS, call->buffers, error);
  if (status != CYXLA_OK) return status;
  return read_buffers(in, target, buffers, BUFFERS_RESULTS,
                      call->buffers + call->num_arguments, error);
}
