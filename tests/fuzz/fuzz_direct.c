/* Fuzz target: serialized executables, whose code is taken out and never run. The first
 * byte of an input says whether the others are one, or describe one, and which inputs
 * are donated. */
#include <string.h>

#include "../c/direct_signature.h"
#include "direct/run.h"
#include "input.h"
#include "make_executable.h"
#include "memory.h"
#include "run_operations.h"

/* What a call may take here. */
enum { SCRATCH_MAXIMUM = 1 << 20 };

static void check_allocations(const cyxla_allocation_list *list,
                              const cyxla_program *program) {
  size_t num_outputs = 0;

  for (size_t i = 0; i < list->count; i++) {
    const cyxla_allocation *item = &list->items[i];
    if (item->input >= 0) {
      const cyxla_array_spec *spec = &program->inputs.specs[item->input];
      FUZZ_CHECK((size_t)item->input < program->inputs.count, "one of the inputs");
      FUZZ_CHECK(item->bytes == spec->bytes, "its size");
      FUZZ_CHECK(item->bytes == 0 || item->output == spec->aliased_output ||
                     spec->aliased_output < 0,
                 "where its output lies");
    }
    if (item->output >= 0) {
      num_outputs++;
      FUZZ_CHECK((size_t)item->output < program->outputs.count, "one of the outputs");
      FUZZ_CHECK(item->bytes == program->outputs.specs[item->output].bytes, "its size");
      FUZZ_CHECK(!item->is_constant && !item->is_thread_local, "can be written to");
    }
    FUZZ_CHECK(item->input < 0 || item->output < 0 ||
                   program->inputs.specs[item->input].aliased_output == item->output,
               "only what is donated is written over");
    FUZZ_CHECK(item->is_constant == (item->constant != NULL), "constants have values");
    FUZZ_CHECK(item->is_scratch == (item->input < 0 && item->output < 0 &&
                                    !item->is_constant && !item->is_thread_local),
               "all else is scratch");
    for (size_t k = 0; k < i; k++) {
      FUZZ_CHECK(item->input < 0 || list->items[k].input != item->input, "one place");
      FUZZ_CHECK(item->output < 0 || list->items[k].output != item->output,
                 "one place");
    }
  }
  FUZZ_CHECK(num_outputs == program->outputs.count, "a place for each output");
}

static void check_slices(const cyxla_thunks *thunks,
                         const cyxla_allocation_list *list) {
  for (size_t i = 0; i < thunks->num_slices; i++) {
    const cyxla_slice *slice = &thunks->slices[i];
    const cyxla_allocation *item;
    FUZZ_CHECK(slice->allocation < list->count, "a slice of an allocation");
    item = &list->items[slice->allocation];
    FUZZ_CHECK(
        slice->offset <= item->bytes && slice->bytes <= item->bytes - slice->offset,
        "which lies in it");
    FUZZ_CHECK(!item->is_thread_local, "of a known place");
  }
}

/* One of the list, with a slice for each of its arrays. */
static void check_custom_call(const cyxla_thunks *thunks,
                              const cyxla_operation *operation) {
  const cyxla_custom_call *call;

  FUZZ_CHECK(operation->custom_call < thunks->num_custom_calls, "a custom call");
  call = &thunks->custom_calls[operation->custom_call];
  FUZZ_CHECK(call->handler != NULL, "a handler");
  FUZZ_CHECK(operation->num_slices == call->num_arguments + call->num_results,
             "a slice for each array");
  for (size_t i = 0; i < operation->num_slices; i++) {
    const XLA_FFI_Buffer *buffer = &call->buffers[i];
    size_t slice = thunks->slices[operation->first_slice + i].bytes;
    size_t bytes = cyxla_dtype_bytes(cyxla_hlo_dtype((int64_t)buffer->dtype));
    FUZZ_CHECK(buffer->rank >= 0 && buffer->dims != NULL, "dimensions");
    for (int64_t k = 0; k < buffer->rank; k++) bytes *= (size_t)buffer->dims[k];
    FUZZ_CHECK(buffer->dtype == XLA_FFI_DataType_TOKEN || bytes == slice, "its memory");
  }
}

/* What running an operation takes for granted of its slices. */
static void check_operation_slices(const cyxla_direct *direct,
                                   const cyxla_operation *operation) {
  const cyxla_slice *slices = direct->thunks.slices; /* NULL where there are none */
  size_t left = direct->thunks.num_slices - operation->first_slice, first;
  const unsigned char *code = direct->objects.memory, *start;

  FUZZ_CHECK(operation->first_slice <= direct->thunks.num_slices &&
                 operation->num_slices <= left,
             "slices of the list");
  if (left > 0) slices += operation->first_slice;
  first = left > 0 ? slices[0].bytes : 0;
  switch (operation->kind) {
    case CYXLA_OPERATION_KERNEL:
      memcpy(&start, &operation->kernel, sizeof(start));
      FUZZ_CHECK(start >= code && start <= code + direct->objects.bytes, "its code");
      FUZZ_CHECK(operation->num_workgroups.x > 0 && operation->num_workgroups.y > 0 &&
                     operation->num_workgroups.z > 0,
                 "it runs");
      break;
    case CYXLA_OPERATION_COPY:
      FUZZ_CHECK(left >= 2 && first == slices[1].bytes, "copied as a whole");
      break;
    case CYXLA_OPERATION_WHILE: FUZZ_CHECK(left >= 1 && first == 1, "a bool"); break;
    case CYXLA_OPERATION_CONDITIONAL:
      FUZZ_CHECK(
          left >= 1 && (first == 4 || (first == 1 && operation->num_sequences == 2)),
          "an index of the branches");
      break;
    case CYXLA_OPERATION_ZERO: FUZZ_CHECK(left >= 1 && first == 4, "a uint32"); break;
    case CYXLA_OPERATION_TRANSPOSE:
      FUZZ_CHECK(left >= 2 && first == slices[1].bytes && first > 0, "as a whole");
      break;
    case CYXLA_OPERATION_SORT: FUZZ_CHECK(left >= 1, "an array"); break;
    case CYXLA_OPERATION_TOP_K: FUZZ_CHECK(left >= 3, "numbers and results"); break;
    case CYXLA_OPERATION_CUSTOM_CALL:
      check_custom_call(&direct->thunks, operation);
      break;
    case CYXLA_OPERATION_CALL: break;
  }
}

/* Operations of a sequence have only later ones inside, so that none has itself. */
static void check_sequences(const cyxla_direct *direct) {
  const cyxla_thunks *thunks = &direct->thunks;
  size_t num_inside = 1, num_reached = 0;

  FUZZ_CHECK(thunks->num_sequences >= 1, "a program");
  for (size_t i = 0; i < thunks->num_sequences; i++) {
    const cyxla_sequence *sequence = &thunks->sequences[i];
    FUZZ_CHECK(sequence->first <= thunks->num_operations &&
                   sequence->count <= thunks->num_operations - sequence->first,
               "operations of the list");
    num_reached += sequence->count;
    for (size_t k = 0; k < sequence->count; k++) {
      const cyxla_operation *operation = &thunks->operations[sequence->first + k];
      size_t count = operation->num_sequences, first = operation->first_sequence;
      size_t expected = operation->kind == CYXLA_OPERATION_CALL    ? 1
                        : operation->kind == CYXLA_OPERATION_WHILE ? 2
                                                                   : 0;
      check_operation_slices(direct, operation);
      FUZZ_CHECK(operation->kind == CYXLA_OPERATION_CONDITIONAL ? count > 0
                                                                : count == expected,
                 "as many as it needs");
      FUZZ_CHECK(
          operation->kind != CYXLA_OPERATION_WHILE || operation->trip_count >= -1,
          "a length");
      num_inside += count;
      FUZZ_CHECK(count == 0 || (first > i && first <= thunks->num_sequences &&
                                count <= thunks->num_sequences - first),
                 "sequences inside of it");
    }
  }
  FUZZ_CHECK(num_inside == thunks->num_sequences, "each is inside of one");
  FUZZ_CHECK(num_reached == thunks->num_operations, "each is in one");
}

/* A call has memory for all that its operations use. */
static void check_call(const cyxla_direct *direct, const cyxla_program *program) {
  const cyxla_thunks *thunks = &direct->thunks;
  unsigned char place[1];
  cyxla_direct_call call;
  cyxla_error error;

  FUZZ_CHECK(cyxla_direct_call_create(direct, &call, &error) == CYXLA_OK, "a call");
  for (size_t i = 0; i < thunks->num_operations; i++) {
    const cyxla_kernel_frame *frame = &call.steps[i].frame;
    if (thunks->operations[i].kind != CYXLA_OPERATION_KERNEL) continue;
    FUZZ_CHECK(
        frame->num_arguments <= thunks->num_slices && frame->arguments >= call.slices &&
            frame->arguments + frame->num_arguments <= call.slices + thunks->num_slices,
        "arguments of the list");
  }
  for (size_t i = 0; i < program->inputs.count; i++) {
    cyxla_direct_call_place_input(&call, i, place);
  }
  for (size_t i = 0; i < program->outputs.count; i++) {
    cyxla_direct_call_place_output(&call, i, place);
  }
  for (size_t i = 0; i < thunks->num_slices; i++) {
    FUZZ_CHECK(call.slices[i].data != NULL, "a place for each slice");
    FUZZ_CHECK(call.slices[i].bytes == thunks->slices[i].bytes, "its size");
  }
  cyxla_direct_call_free(&call);
}

static void check(const cyxla_direct *direct, const cyxla_program *program) {
  const cyxla_allocation_list *list = &direct->allocations;
  size_t scratch = 0;

  check_allocations(list, program);
  check_slices(&direct->thunks, list);
  check_sequences(direct);
  fuzz_run_operations(direct);
  for (size_t i = 0; i < list->count && scratch <= SCRATCH_MAXIMUM; i++) {
    if (list->items[i].bytes > SCRATCH_MAXIMUM) return;
    scratch += list->items[i].bytes;
  }
  if (scratch <= SCRATCH_MAXIMUM && direct->thunks.workspace_bytes <= SCRATCH_MAXIMUM)
    check_call(direct, program);
}

/* Which of the inputs are donated, to the outputs of the same number. */
static void donate(direct_signature *signature, size_t flags) {
  for (size_t i = 0; i < 2; i++) {
    if ((flags >> i & 1) != 0) signature->inputs[i].aliased_output = (int64_t)i;
  }
}

static void read(const uint8_t *data, size_t size, size_t flags) {
  static direct_signature signature;
  cyxla_wire serialized = {data, size};
  cyxla_direct *direct;
  cyxla_error error = {CYXLA_OK, ""};
  cyxla_status status;

  /* Where the signature is not known, whatever was read of it. */
  direct_signature_read(serialized, &signature);
  donate(&signature, flags);
  status = cyxla_direct_create(data, size, &signature.program, NULL, &direct, &error);
  FUZZ_CHECK((direct != NULL) == (status == CYXLA_OK), "code or an error");
  if (status == CYXLA_OK) {
    check(direct, &signature.program);
    cyxla_direct_destroy(direct);
  } else {
    FUZZ_CHECK(status == CYXLA_UNIMPLEMENTED, "refused");
    FUZZ_CHECK(error.status == status && error.message[0] != '\0', "with a reason");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input input = {data, size};
  const long live = cyxla_memory_live();
  size_t kind = fuzz_take_byte(&input);

  if (kind % 2 == 0) {
    read(input.data, input.size, kind >> 1);
  } else {
    cyxla_writer writer = {0};
    fuzz_make_executable(&input, &writer);
    FUZZ_CHECK(!writer.failed, "memory for the executable");
    read(writer.data, writer.size, kind >> 1);
    cyxla_writer_free(&writer);
  }
  FUZZ_CHECK(cyxla_memory_live() == live, "all memory is given back");
  return 0;
}
