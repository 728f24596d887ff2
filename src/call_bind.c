/* Binding: the caller's own memory in the place of a call's arrays. */
#include "buffer.h"
#include "call.h"
#include "error.h"
#include "fpenv.h"
#include "memory.h"
#include "options.h"

/* Whether the output that takes over a donated input is bound to the input's memory. */
static bool is_updated_in_place(const cyxla_call *call, size_t input) {
  int64_t output = cyxla_call_input_spec(call, input)->aliased_output;

  return output >= 0 && call->outputs[output].bound == call->inputs[input].array;
}

static cyxla_input_mode choose_mode(const cyxla_call *call, size_t index) {
  const cyxla_call_input_state *input = &call->inputs[index];

  if (!call->executable->runtime->zero_copy) return CYXLA_INPUT_COPIED;
  if (!cyxla_call_is_aligned(input->array)) return CYXLA_INPUT_STAGED;
  return is_updated_in_place(call, index) ? CYXLA_INPUT_DONATED : CYXLA_INPUT_SHARED;
}

/* The call's own array cannot serve: it may be bound to another input. */
static bool provide_staging(cyxla_call_input_state *input, size_t bytes) {
  if (input->mode != CYXLA_INPUT_STAGED) {
    cyxla_aligned_free(input->staging);
    input->staging = NULL;
    return true;
  }
  if (input->staging == NULL) input->staging = cyxla_aligned_alloc(bytes);
  return input->staging != NULL;
}

cyxla_status cyxla_call_prepare_input(cyxla_call *call, size_t index,
                                      cyxla_error *error) {
  const cyxla_runtime *runtime = call->executable->runtime;
  const cyxla_array_spec *spec = cyxla_call_input_spec(call, index);
  cyxla_call_input_state *input = &call->inputs[index];
  const void *memory;
  cyxla_status status;

  if (call->direct != NULL) return cyxla_call_direct_place_input(call, index, error);
  input->mode = choose_mode(call, index);
  cyxla_buffer_destroy(runtime, call->input_buffers[index]);
  call->input_buffers[index] = NULL;
  if (!provide_staging(input, spec->bytes)) {
    input->mode = CYXLA_INPUT_COPIED;
    return cyxla_error_out_of_memory(error, "an input");
  }
  if (input->mode == CYXLA_INPUT_COPIED || input->mode == CYXLA_INPUT_DONATED) {
    return CYXLA_OK; /* each run makes a buffer */
  }
  memory = input->mode == CYXLA_INPUT_STAGED ? input->staging : input->array;
  status = cyxla_buffer_create(runtime, spec, memory, CYXLA_BUFFER_SHARED,
                               &call->input_buffers[index], error);
  /* An empty array has no memory to share. */
  if (status == CYXLA_OK && spec->bytes > 0 &&
      !cyxla_buffer_is_host_memory(runtime, call->input_buffers[index], memory)) {
    input->mode = CYXLA_INPUT_COPIED;
  }
  /* Without a buffer that lasts, each run makes one. */
  if (status != CYXLA_OK) input->mode = CYXLA_INPUT_COPIED;
  return status;
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  uintptr_t a_start = (uintptr_t)a;
  uintptr_t b_start = (uintptr_t)b;

  return a_bytes > 0 && b_bytes > 0 && a_start < b_start + b_bytes &&
         b_start < a_start + a_bytes;
}

/* An output may lie where an input lies only if the two are a donated pair and lie at
 * the same place, since the program may write the one before it has read the other. */
static cyxla_status check_pair(const cyxla_call *call, size_t input, size_t output,
                               cyxla_error *error) {
  const cyxla_array_spec *in = cyxla_call_input_spec(call, input);
  const cyxla_array_spec *out = cyxla_call_output_spec(call, output);
  const void *array = call->inputs[input].array;
  const void *bound = call->outputs[output].bound;

  if (bound == NULL || !overlap(array, in->bytes, bound, out->bytes)) return CYXLA_OK;
  if (in->aliased_output == (int64_t)output && array == bound) return CYXLA_OK;
  if (in->aliased_output < 0) {
    return cyxla_error_set(
        error, CYXLA_INVALID_ARGUMENT,
        "the memory of output %s overlaps that of input %s, which is not donated; "
        "lower "
        "the function with donate_argnums or bind memory that does not overlap",
        out->name, in->name);
  }
  return cyxla_error_set(
      error, CYXLA_INVALID_ARGUMENT,
      "the memory of output %s overlaps that of input %s, which is donated to output "
      "%s; "
      "bind that output to exactly the input's memory, or memory that does not overlap",
      out->name, in->name,
      cyxla_call_output_spec(call, (size_t)in->aliased_output)->name);
}

/* Memory that a run writes to must not be another input's as well. */
static cyxla_status check_inputs(const cyxla_call *call, size_t a, size_t b,
                                 cyxla_error *error) {
  if (a == b || (!is_updated_in_place(call, a) && !is_updated_in_place(call, b)) ||
      !overlap(call->inputs[a].array, cyxla_call_input_spec(call, a)->bytes,
               call->inputs[b].array, cyxla_call_input_spec(call, b)->bytes)) {
    return CYXLA_OK;
  }
  return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                         "the memory of input %s overlaps that of input %s, and one of "
                         "them is updated in place; bind memory that does not overlap",
                         cyxla_call_input_spec(call, a)->name,
                         cyxla_call_input_spec(call, b)->name);
}

static cyxla_status check_input(const cyxla_call *call, size_t index,
                                cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  for (size_t i = 0; status == CYXLA_OK && i < cyxla_call_num_outputs(call); i++) {
    status = check_pair(call, index, i, error);
  }
  for (size_t i = 0; status == CYXLA_OK && i < cyxla_call_num_inputs(call); i++) {
    status = check_inputs(call, index, i, error);
  }
  return status;
}

static cyxla_status check_output(const cyxla_call *call, size_t index,
                                 cyxla_error *error) {
  const cyxla_array_spec *spec = cyxla_call_output_spec(call, index);
  const void *bound = call->outputs[index].bound;
  cyxla_status status = CYXLA_OK;

  for (size_t i = 0; i < cyxla_call_num_outputs(call); i++) {
    const void *other = call->outputs[i].bound;
    if (i != index && bound != NULL && other != NULL &&
        overlap(bound, spec->bytes, other, cyxla_call_output_spec(call, i)->bytes)) {
      return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                             "the memory of output %s overlaps that of output %s; bind "
                             "memory that does not overlap",
                             spec->name, cyxla_call_output_spec(call, i)->name);
    }
  }
  for (size_t i = 0; status == CYXLA_OK && i < cyxla_call_num_inputs(call); i++) {
    status = check_pair(call, i, index, error);
    if (status == CYXLA_OK &&
        cyxla_call_input_spec(call, i)->aliased_output == (int64_t)index) {
      status = check_input(call, i, error);
    }
  }
  return status;
}

/* The arrays of outputs end with the next run, which would read or write them. */
static cyxla_status check_lifetime(const cyxla_call *call, const void *memory,
                                   size_t bytes, cyxla_error *error) {
  for (size_t i = 0; memory != NULL && i < cyxla_call_num_outputs(call); i++) {
    const cyxla_call_output_state *output = &call->outputs[i];
    const cyxla_array_spec *spec = cyxla_call_output_spec(call, i);
    if (output->array != NULL && !output->is_bound &&
        overlap(memory, bytes, output->array, spec->bytes)) {
      return cyxla_error_set(
          error, CYXLA_INVALID_ARGUMENT,
          "the memory is the array of output %s, which ends with the next run; bind "
          "that output to memory of your own with cyxla_call_bind_output, or copy it",
          spec->name);
    }
  }
  return CYXLA_OK;
}

/* Direct code needs no plugin, and so runs in a forked process too. */
static cyxla_status check_process(const cyxla_call *call, cyxla_error *error) {
  if (call->direct != NULL) return CYXLA_OK;
  return cyxla_runtime_check_process(call->executable->runtime, error);
}

static cyxla_status check_index(const char *what, size_t index,
                                const cyxla_program_arrays *arrays,
                                cyxla_error *error) {
  if (index < arrays->count) return CYXLA_OK;
  if (index != (size_t)-1) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "there is no %s %zu, the program has %zu", what, index,
                           arrays->count);
  }
  cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                  "there is no %s of the name that was looked for; the program has",
                  what);
  for (size_t i = 0; i < arrays->count; i++) {
    cyxla_error_append(error, i > 0 ? ", " : " ");
    cyxla_error_append(error, arrays->specs[i].name);
  }
  if (arrays->count == 0) cyxla_error_append(error, " none");
  return CYXLA_INVALID_ARGUMENT;
}

cyxla_status cyxla_call_bind_input(cyxla_call *call, size_t index, const void *memory,
                                   cyxla_error *error) {
  cyxla_call_input_state *input;
  void *previous;
  cyxla_fpenv caller;
  cyxla_status status;

  CYXLA_REQUIRE(call, error);
  status = check_index("input", index, &call->executable->program->inputs, error);
  if (status != CYXLA_OK) return status;
  status = check_process(call, error);
  if (status != CYXLA_OK) return status;
  status =
      check_lifetime(call, memory, cyxla_call_input_spec(call, index)->bytes, error);
  if (status != CYXLA_OK) return status;
  input = &call->inputs[index];
  previous = input->array;
  input->array = memory != NULL ? (void *)memory : input->own;
  cyxla_fpenv_enter(&caller);
  status = check_input(call, index, error);
  if (status == CYXLA_OK) status = cyxla_call_prepare_input(call, index, error);
  if (status != CYXLA_OK) {
    input->array = previous;
    cyxla_call_prepare_input(call, index, NULL);
  }
  cyxla_fpenv_leave(&caller);
  cyxla_call_list_kept_inputs(call);
  return status;
}

/* The mode of an input depends on where the output lies that takes it over. */
static cyxla_status prepare_donors(cyxla_call *call, size_t output,
                                   cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  if (call->direct != NULL) {
    cyxla_call_direct_place_output(call, output);
    return CYXLA_OK;
  }
  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    if (cyxla_call_input_spec(call, i)->aliased_output == (int64_t)output) {
      cyxla_status prepared = cyxla_call_prepare_input(call, i, error);
      if (prepared != CYXLA_OK) status = prepared;
    }
  }
  cyxla_call_list_kept_inputs(call);
  return status;
}

cyxla_status cyxla_call_bind_output(cyxla_call *call, size_t index, void *memory,
                                    cyxla_error *error) {
  cyxla_call_output_state *output;
  void *previous;
  cyxla_fpenv caller;
  cyxla_status status;

  CYXLA_REQUIRE(call, error);
  status = check_index("output", index, &call->executable->program->outputs, error);
  if (status != CYXLA_OK) return status;
  status = check_process(call, error);
  if (status != CYXLA_OK) return status;
  status =
      check_lifetime(call, memory, cyxla_call_output_spec(call, index)->bytes, error);
  if (status != CYXLA_OK) return status;
  output = &call->outputs[index];
  previous = output->bound;
  output->bound = memory;
  cyxla_fpenv_enter(&caller);
  status = check_output(call, index, error);
  if (status == CYXLA_OK) status = prepare_donors(call, index, error);
  if (status != CYXLA_OK) {
    output->bound = previous;
    prepare_donors(call, index, NULL);
  }
  cyxla_fpenv_leave(&caller);
  return status;
}
