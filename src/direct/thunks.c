#include "refusal.h"
#include "thunks_reading.h"

#include <string.h>

#include "error.h"
#include "memory.h"

/* Fields of the messages of xla/backends/cpu/runtime/thunk.proto. */
enum { SEQUENCE_THUNKS = 1 };
enum {
  THUNK_KIND = 1,
  THUNK_INFO = 2,
  THUNK_CALL = 3,
  THUNK_CONDITIONAL = 4,
  THUNK_SORT = 5,
  THUNK_TOP_K = 9,
  THUNK_WHILE = 10,
  THUNK_KERNEL = 11,
  THUNK_COPY = 12,
  THUNK_CUSTOM_CALL = 16,
  THUNK_PARTITION_ID = 19,
  THUNK_REPLICA_ID = 20
};
enum {
  KERNEL_NAME = 1,
  KERNEL_NUM_WORKGROUPS = 2,
  KERNEL_MIN_ALIGNMENT = 4,
  KERNEL_ARGUMENTS = 5,
  KERNEL_RESULTS = 6
};
enum { WORKGROUPS_X = 1, WORKGROUPS_Y = 2, WORKGROUPS_Z = 3 };
enum { ALIGNMENT_VALUE = 1 };
enum { SHAPED_SLICE = 1 }; /* of a kernel */
enum { ID_SLICE = 1 };

enum { DEPTH_MAXIMUM = 64, NAME_BYTES = 512 };

/* Plugins of PJRT API 0.81 give a kernel's slice as it is, later ones within a message.
 */
static cyxla_wire kernel_slice(cyxla_wire message) {
  cyxla_wire rest = message;
  cyxla_wire_field field;

  while (rest.bytes > 0 && cyxla_wire_next(&rest, &field)) {
    if (field.type == CYXLA_WIRE_COUNTED)
      return cyxla_wire_content(message, SHAPED_SLICE);
  }
  return message;
}

static cyxla_status add_kernel_slices(cyxla_thunks_reading *in, cyxla_wire message,
                                      uint64_t number, cyxla_error *error) {
  cyxla_wire_field field;
  cyxla_status status = CYXLA_OK;

  while (status == CYXLA_OK && message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    if (field.number == number && field.type == CYXLA_WIRE_COUNTED) {
      status = cyxla_thunks_add_slice(in, kernel_slice(field.content), NULL, error);
    }
  }
  return status;
}

static cyxla_status read_kernel(cyxla_thunks_reading *in, cyxla_wire message,
                                size_t index, cyxla_error *error) {
  cyxla_wire name = cyxla_wire_content(message, KERNEL_NAME);
  cyxla_wire groups = cyxla_wire_content(message, KERNEL_NUM_WORKGROUPS);
  cyxla_wire alignment = cyxla_wire_content(message, KERNEL_MIN_ALIGNMENT);
  cyxla_operation *operation = &in->thunks->operations[index];
  char text[NAME_BYTES];
  cyxla_status status;

  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(KERNEL_RESULTS)) ||
      !cyxla_wire_has_only(groups, CYXLA_WIRE_BIT(WORKGROUPS_X) |
                                       CYXLA_WIRE_BIT(WORKGROUPS_Y) |
                                       CYXLA_WIRE_BIT(WORKGROUPS_Z)) ||
      cyxla_wire_value(alignment, ALIGNMENT_VALUE) > CYXLA_ALIGNMENT) {
    return cyxla_direct_refuse("it has a kernel with a field that is not known", error);
  }
  operation->kind = CYXLA_OPERATION_KERNEL;
  operation->num_workgroups.x = cyxla_wire_value(groups, WORKGROUPS_X);
  operation->num_workgroups.y = cyxla_wire_value(groups, WORKGROUPS_Y);
  operation->num_workgroups.z = cyxla_wire_value(groups, WORKGROUPS_Z);
  /* Of which it would not run at all. */
  if (operation->num_workgroups.x == 0 || operation->num_workgroups.y == 0 ||
      operation->num_workgroups.z == 0) {
    return cyxla_direct_refuse("it has a kernel without workgroups", error);
  }
  if (!cyxla_wire_text(name, text, sizeof(text))) {
    return cyxla_direct_refuse("it has a kernel with a long name", error);
  }
  operation->kernel = cyxla_object_set_find(in->objects, text);
  if (operation->kernel == NULL) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED, "its kernel %s is not there",
                           text);
  }
  in->thunks->num_kernels++;
  if (operation->num_workgroups.x > 1 || operation->num_workgroups.y > 1 ||
      operation->num_workgroups.z > 1) {
    in->thunks->is_parallel = true;
  }
  status = add_kernel_slices(in, message, KERNEL_ARGUMENTS, error);
  if (status != CYXLA_OK) return status;
  return add_kernel_slices(in, message, KERNEL_RESULTS, error);
}

static cyxla_status read_zero(cyxla_thunks_reading *in, cyxla_wire message,
                              size_t index, cyxla_error *error) {
  size_t bytes;
  cyxla_status status =
      cyxla_thunks_add_slice(in, cyxla_wire_content(message, ID_SLICE), &bytes, error);

  in->thunks->operations[index].kind = CYXLA_OPERATION_ZERO;
  if (status == CYXLA_OK &&
      (bytes != 4 || !cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(ID_SLICE)))) {
    return cyxla_direct_refuse("it has the number of a replica that is no uint32",
                               error);
  }
  return status;
}

/* What XLA gives to a library unless it is told to make kernels. */
static bool is_avoidable(cyxla_wire name) {
  static const char *const names[] = {"dot", "ynn-fusion", "xnn-fusion", "convolution"};

  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (name.bytes == strlen(names[i]) && memcmp(name.data, names[i], name.bytes) == 0)
      return true;
  }
  return false;
}

static cyxla_status refuse_kind(cyxla_wire thunk, cyxla_error *error) {
  cyxla_wire name = cyxla_wire_content(thunk, THUNK_KIND);

  return cyxla_error_set(
      error, CYXLA_UNIMPLEMENTED, "it has an operation of the kind %.*s%s",
      (int)(name.bytes < 64 ? name.bytes : 64),
      name.bytes > 0 ? (const char *)name.data : "",
      is_avoidable(name) ? ", a library's for products, convolutions or sums: "
                           "small ones of real numbers become kernels with "
                           "optimize_for=\"latency\" in Python"
                         : "");
}

static cyxla_status read_thunk(cyxla_thunks_reading *in, cyxla_wire thunk, size_t index,
                               cyxla_error *error) {
  cyxla_wire rest = thunk, content = {NULL, 0};
  cyxla_wire_field field;
  uint64_t kind = 0;
  cyxla_status status;

  while (rest.bytes > 0) {
    if (!cyxla_wire_next(&rest, &field)) {
      return cyxla_direct_refuse("it has an operation that is cut off", error);
    }
    if (field.number == THUNK_KIND || field.number == THUNK_INFO) continue;
    if (field.type != CYXLA_WIRE_COUNTED || kind != 0) return refuse_kind(thunk, error);
    kind = field.number;
    content = field.content;
  }
  in->thunks->operations[index].first_slice = in->thunks->num_slices;
  switch (kind) {
    case THUNK_KERNEL: status = read_kernel(in, content, index, error); break;
    case THUNK_COPY: status = cyxla_thunks_read_copy(in, content, index, error); break;
    case THUNK_SORT: status = cyxla_thunks_read_sort(in, content, index, error); break;
    case THUNK_TOP_K:
      status = cyxla_thunks_read_top_k(in, content, index, error);
      break;
    case THUNK_CALL: status = cyxla_thunks_read_call(in, content, index, error); break;
    case THUNK_WHILE:
      status = cyxla_thunks_read_while(in, content, index, error);
      break;
    case THUNK_CONDITIONAL:
      status = cyxla_thunks_read_conditional(in, content, index, error);
      break;
    case THUNK_CUSTOM_CALL:
      status = cyxla_thunks_read_custom_call(in, content, index, error);
      break;
    case THUNK_PARTITION_ID:
    case THUNK_REPLICA_ID: status = read_zero(in, content, index, error); break;
    default: status = refuse_kind(thunk, error); break;
  }
  return status;
}

static cyxla_status read_thunks(cyxla_thunks_reading *in, cyxla_wire message,
                                size_t first, cyxla_error *error) {
  cyxla_wire_field field;
  cyxla_status status = CYXLA_OK;

  while (status == CYXLA_OK && message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    size_t begin = in->thunks->num_slices;
    if (field.type != CYXLA_WIRE_COUNTED) {
      return cyxla_direct_refuse("it has a sequence with a field that is not known",
                                 error);
    }
    status = read_thunk(in, field.content, first, error);
    /* Those of the operations inside of it come behind its own. */
    if (status == CYXLA_OK && in->thunks->operations[first].num_sequences == 0) {
      in->thunks->operations[first].num_slices = in->thunks->num_slices - begin;
    }
    first++;
  }
  return status;
}

cyxla_status cyxla_thunks_read_sequence(cyxla_thunks_reading *in, cyxla_wire message,
                                        size_t index, cyxla_error *error) {
  size_t count = cyxla_wire_count(message, SEQUENCE_THUNKS), first;
  cyxla_status status;

  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BIT(SEQUENCE_THUNKS)) ||
      in->depth >= DEPTH_MAXIMUM) {
    return cyxla_direct_refuse("it has a sequence with a field that is not known",
                               error);
  }
  status = cyxla_thunks_reserve_operations(in, count, &first, error);
  if (status != CYXLA_OK) return status;
  in->thunks->sequences[index].first = first;
  in->thunks->sequences[index].count = count;
  in->depth++;
  status = read_thunks(in, message, first, error);
  in->depth--;
  return status;
}

cyxla_status cyxla_thunks_read(cyxla_wire sequence, const cyxla_allocation_list *list,
                               cyxla_comparator_source *comparators,
                               const cyxla_plugin *plugin, cyxla_thunks *thunks,
                               cyxla_error *error) {
  cyxla_thunks_reading in = {
      list, comparators->objects, comparators, plugin, thunks, 0, 0, 0, 0, 0};
  cyxla_status status;
  size_t first;

  memset(thunks, 0, sizeof(*thunks));
  thunks->always_ends = true;
  status = cyxla_thunks_reserve_sequences(&in, 1, &first, error);
  if (status == CYXLA_OK)
    status = cyxla_thunks_read_sequence(&in, sequence, first, error);
  if (status != CYXLA_OK) cyxla_thunks_free(thunks);
  return status;
}

void cyxla_thunks_free(cyxla_thunks *thunks) {
  for (size_t i = 0; i < thunks->num_operations; i++) {
    cyxla_release(thunks->operations[i].detail);
  }
  cyxla_release(thunks->operations);
  cyxla_release(thunks->slices);
  cyxla_release(thunks->sequences);
  for (size_t i = 0; i < thunks->num_custom_calls; i++) {
    cyxla_custom_call_free(&thunks->custom_calls[i]);
  }
  cyxla_release(thunks->custom_calls);
  memset(thunks, 0, sizeof(*thunks));
}
