#include "run.h"

#include <string.h>

#include "clock.h"
#include "error.h"
#include "inlining.h"
#include "memory.h"
#include "sort.h"
#include "top_k.h"
#include "transpose.h"

static const cyxla_kernel_dimensions FIRST_WORKGROUP = {0, 0, 0};

static bool provide_scratch(cyxla_direct_call *call) {
  const cyxla_allocation_list *list = &call->direct->allocations;

  for (size_t i = 0; i < list->count; i++) {
    if (!list->items[i].is_scratch) continue;
    call->scratch[i] = cyxla_aligned_alloc(list->items[i].bytes);
    if (call->scratch[i] == NULL) return false;
  }
  if (call->direct->thunks.workspace_bytes == 0) return true;
  call->workspace = cyxla_aligned_alloc(call->direct->thunks.workspace_bytes);
  return call->workspace != NULL;
}

/* Of all slices at once: there may be as many allocations as slices. */
static void place_scratch_and_constants(cyxla_direct_call *call) {
  const cyxla_thunks *thunks = &call->direct->thunks;

  for (size_t i = 0; i < thunks->num_slices; i++) {
    const cyxla_slice *slice = &thunks->slices[i];
    const cyxla_allocation *item = &call->direct->allocations.items[slice->allocation];
    unsigned char *memory =
        item->is_constant ? item->constant : call->scratch[slice->allocation];
    if (memory != NULL) call->slices[i].data = memory + slice->offset;
  }
}

/* Whether a kernel does all of its work when it is called once. */
static bool is_called_once(const cyxla_operation *operation) {
  const cyxla_kernel_dimensions *count = &operation->num_workgroups;

  return operation->kind == CYXLA_OPERATION_KERNEL && count->x == 1 && count->y == 1 &&
         count->z == 1;
}

static void fill_steps(cyxla_direct_call *call) {
  const cyxla_thunks *thunks = &call->direct->thunks;

  for (size_t i = 0; i < thunks->num_slices; i++) {
    call->slices[i].bytes = thunks->slices[i].bytes;
  }
  for (size_t i = 0; i < thunks->num_operations; i++) {
    const cyxla_operation *operation = &thunks->operations[i];
    cyxla_kernel_frame *frame = &call->steps[i].frame;
    call->steps[i].kernel = is_called_once(operation) ? operation->kernel : NULL;
    frame->num_workgroups = &operation->num_workgroups;
    frame->workgroup = &FIRST_WORKGROUP;
    frame->num_arguments = operation->num_slices;
    frame->arguments = call->slices + operation->first_slice;
  }
}

cyxla_status cyxla_direct_call_create(const cyxla_direct *direct,
                                      cyxla_direct_call *call, cyxla_error *error) {
  const cyxla_thunks *thunks = &direct->thunks;

  call->direct = direct;
  call->program = thunks->sequences[0];
  call->workspace = NULL;
  call->seats = NULL;
  call->deadline = 0;
  memset(&call->places, 0, sizeof(call->places));
  call->slices = cyxla_allocate_array(thunks->num_slices, sizeof(*call->slices));
  call->steps = cyxla_allocate_array(thunks->num_operations, sizeof(*call->steps));
  call->scratch =
      cyxla_allocate_array(direct->allocations.count, sizeof(*call->scratch));
  if (call->slices == NULL || call->steps == NULL || call->scratch == NULL ||
      !cyxla_places_create(&direct->allocations, thunks, &call->places) ||
      !provide_scratch(call)) {
    cyxla_direct_call_free(call);
    return cyxla_error_out_of_memory(error, "a call");
  }
  place_scratch_and_constants(call);
  fill_steps(call);
  if (thunks->num_custom_calls > 0) {
    cyxla_status status = cyxla_custom_call_seats_create(
        thunks->custom_calls, thunks->num_custom_calls, &call->seats, error);
    if (status != CYXLA_OK) cyxla_direct_call_free(call);
    return status;
  }
  return CYXLA_OK;
}

void cyxla_direct_call_free(cyxla_direct_call *call) {
  for (size_t i = 0; call->scratch != NULL && i < call->direct->allocations.count;
       i++) {
    cyxla_aligned_free(call->scratch[i]);
  }
  cyxla_aligned_free(call->workspace);
  cyxla_custom_call_seats_free(call->seats);
  cyxla_places_free(&call->places);
  cyxla_release(call->slices);
  cyxla_release(call->steps);
  cyxla_release(call->scratch);
  memset(call, 0, sizeof(*call));
}

/* Puts an array into all its slices. */
static void place(cyxla_direct_call *call, const size_t *slices, size_t count,
                  void *memory) {
  for (size_t i = 0; i < count; i++) {
    call->slices[slices[i]].data =
        (unsigned char *)memory + call->direct->thunks.slices[slices[i]].offset;
  }
}

void cyxla_direct_call_place_input(cyxla_direct_call *call, size_t index,
                                   void *memory) {
  size_t count;
  const size_t *slices = cyxla_places_of_input(&call->places, index, &count);

  place(call, slices, count, memory);
}

void cyxla_direct_call_place_output(cyxla_direct_call *call, size_t index,
                                    void *memory) {
  size_t count;
  const size_t *slices = cyxla_places_of_output(&call->places, index, &count);

  place(call, slices, count, memory);
}

static bool run_workgroups(const cyxla_operation *operation,
                           const cyxla_kernel_frame *frame) {
  const cyxla_kernel_dimensions *count = &operation->num_workgroups;
  cyxla_kernel_dimensions at;
  cyxla_kernel_frame own = *frame;

  own.workgroup = &at;
  for (at.z = 0; at.z < count->z; at.z++) {
    for (at.y = 0; at.y < count->y; at.y++) {
      for (at.x = 0; at.x < count->x; at.x++) {
        if (operation->kernel(&own) != NULL) return false;
      }
    }
  }
  return true;
}

static bool run_sequence(const cyxla_direct_call *call, size_t index);

static bool is_late(const cyxla_direct_call *call) {
  return call->deadline != 0 && cyxla_clock_seconds() > call->deadline;
}

static bool run_while(const cyxla_direct_call *call, const cyxla_operation *operation,
                      const unsigned char *condition) {
  size_t first = operation->first_sequence;

  for (int64_t i = 0; i < operation->trip_count; i++) {
    if (is_late(call) || !run_sequence(call, first + 1)) return false;
  }
  if (operation->trip_count != CYXLA_TRIP_COUNT_UNKNOWN) return true;
  if (!run_sequence(call, first)) return false;
  while (*condition != 0) {
    if (is_late(call) || !run_sequence(call, first + 1) || !run_sequence(call, first)) {
      return false;
    }
  }
  return true;
}

/* As XLA does: a bool chooses the first branch where it is true, and a number that is
 * no branch the last one. */
static size_t choose_branch(const cyxla_operation *operation,
                            const cyxla_kernel_argument *index) {
  int32_t number;

  if (index->bytes == 1) return *(const unsigned char *)index->data != 0 ? 0 : 1;
  memcpy(&number, index->data, sizeof(number));
  if (number < 0 || (size_t)number >= operation->num_sequences) {
    return operation->num_sequences - 1;
  }
  return (size_t)number;
}

static CYXLA_NOT_INLINED bool run_operation(const cyxla_direct_call *call,
                                            size_t index) {
  const cyxla_operation *operation = &call->direct->thunks.operations[index];
  const cyxla_kernel_argument *slices = call->slices + operation->first_slice;

  switch (operation->kind) {
    case CYXLA_OPERATION_KERNEL:
      return run_workgroups(operation, &call->steps[index].frame);
    case CYXLA_OPERATION_COPY:
      if (slices[0].bytes > 0) memmove(slices[0].data, slices[1].data, slices[0].bytes);
      return true;
    case CYXLA_OPERATION_CALL: return run_sequence(call, operation->first_sequence);
    case CYXLA_OPERATION_WHILE: return run_while(call, operation, slices[0].data);
    case CYXLA_OPERATION_CONDITIONAL:
      return run_sequence(call,
                          operation->first_sequence + choose_branch(operation, slices));
    case CYXLA_OPERATION_CUSTOM_CALL:
      return cyxla_custom_call_run(call->seats, operation->custom_call, slices);
    case CYXLA_OPERATION_ZERO: memset(slices[0].data, 0, slices[0].bytes); return true;
    case CYXLA_OPERATION_TRANSPOSE:
      cyxla_transpose_run(operation->detail, slices[1].data, slices[0].data);
      return true;
    case CYXLA_OPERATION_SORT:
      cyxla_sort_run(operation->detail, slices, call->workspace);
      return true;
    case CYXLA_OPERATION_TOP_K:
      cyxla_top_k_run(operation->detail, slices[0].data, slices[1].data,
                      slices[2].data);
      return true;
  }
  return false;
}

static bool run_steps(const cyxla_direct_call *call, const cyxla_sequence *sequence) {
  const cyxla_direct_step *step = call->steps + sequence->first;
  const cyxla_direct_step *end = step + sequence->count;

  for (; step < end; step++) {
    /* Most are no more than this. */
    if (step->kernel != NULL) {
      if (step->kernel(&step->frame) != NULL) return false;
    } else if (!run_operation(call, (size_t)(step - call->steps))) {
      return false;
    }
  }
  return true;
}

static bool run_sequence(const cyxla_direct_call *call, size_t index) {
  return run_steps(call, &call->direct->thunks.sequences[index]);
}

bool cyxla_direct_run(const cyxla_direct_call *call) {
  return run_steps(call, &call->program);
}
