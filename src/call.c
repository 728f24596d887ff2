#include "call.h"

#include <string.h>

#include "buffer.h"
#include "error.h"
#include "fpenv.h"
#include "memory.h"
#include "options.h"

static const PJRT_Api *call_api(const cyxla_call *call) {
  return call->executable->runtime->plugin->api;
}

static size_t num_inputs(const cyxla_call *call) {
  return call->executable->program->inputs.count;
}

static size_t num_outputs(const cyxla_call *call) {
  return call->executable->program->outputs.count;
}

static bool allocate_lists(cyxla_call *call) {
  call->inputs = cyxla_allocate_array(num_inputs(call), sizeof(*call->inputs));
  call->input_buffers =
      cyxla_allocate_array(num_inputs(call), sizeof(*call->input_buffers));
  call->is_input_copied =
      cyxla_allocate_array(num_inputs(call), sizeof(*call->is_input_copied));
  call->input_indices =
      cyxla_allocate_array(num_inputs(call), sizeof(*call->input_indices));
  call->outputs = cyxla_allocate_array(num_outputs(call), sizeof(*call->outputs));
  call->output_buffers =
      cyxla_allocate_array(num_outputs(call), sizeof(*call->output_buffers));
  return call->inputs != NULL && call->input_buffers != NULL &&
         call->is_input_copied != NULL && call->input_indices != NULL &&
         call->outputs != NULL && call->output_buffers != NULL;
}

/* Custom calls that look for user data crash in some plugins without a context, even an
 * empty one, so there always is one. */
static cyxla_status create_context(cyxla_call *call, cyxla_error *error) {
  const PJRT_Api *api = call_api(call);
  PJRT_ExecuteContext_Create_Args args = {sizeof(args), NULL, NULL};
  cyxla_status status;

  if (!CYXLA_PLUGIN_HAS(api, PJRT_ExecuteContext_Create) ||
      !CYXLA_PLUGIN_HAS(api, PJRT_ExecuteContext_Destroy)) {
    return CYXLA_OK;
  }
  status = cyxla_error_from_pjrt(api, api->PJRT_ExecuteContext_Create(&args),
                                 "create a context", error);
  if (status == CYXLA_OK) call->context = args.context;
  return status;
}

static cyxla_status create_input(cyxla_call *call, size_t index, cyxla_error *error) {
  const cyxla_runtime *runtime = call->executable->runtime;
  const cyxla_array_spec *spec = &call->executable->program->inputs.specs[index];
  cyxla_status status;

  call->input_indices[index] = (int64_t)index;
  call->inputs[index] = cyxla_aligned_alloc(spec->bytes);
  if (call->inputs[index] == NULL) return cyxla_error_out_of_memory(error, "an input");
  if (!runtime->zero_copy) {
    call->is_input_copied[index] = true;
    return CYXLA_OK;
  }
  status = cyxla_buffer_create(runtime, spec, call->inputs[index], true,
                               &call->input_buffers[index], error);
  if (status != CYXLA_OK) return status;
  /* An empty array has no memory to share. */
  call->is_input_copied[index] =
      spec->bytes > 0 && !cyxla_buffer_is_host_memory(
                             runtime, call->input_buffers[index], call->inputs[index]);
  return CYXLA_OK;
}

static cyxla_status fill(cyxla_call *call, cyxla_error *error) {
  cyxla_status status;

  if (!allocate_lists(call)) return cyxla_error_out_of_memory(error, "a call");
  status = create_context(call, error);
  for (size_t i = 0; status == CYXLA_OK && i < num_inputs(call); i++) {
    status = create_input(call, i, error);
  }
  call->options.struct_size = sizeof(call->options);
  call->options.context = call->context;
  /* Inputs keep their values and buffers from run to run, also donated ones. */
  call->options.non_donatable_input_indices = call->input_indices;
  call->options.num_non_donatable_input_indices = num_inputs(call);
  return status;
}

cyxla_status cyxla_call_create(cyxla_executable *executable, cyxla_call **call,
                               cyxla_error *error) {
  cyxla_call *made;
  cyxla_status status;

  CYXLA_REQUIRE(call, error);
  *call = NULL;
  CYXLA_REQUIRE(executable, error);
  made = cyxla_allocate(sizeof(*made));
  if (made == NULL) return cyxla_error_out_of_memory(error, "a call");
  made->executable = cyxla_executable_retain(executable);
  status = fill(made, error);
  if (status != CYXLA_OK) {
    cyxla_call_destroy(made);
    return status;
  }
  *call = made;
  return CYXLA_OK;
}

static void release_outputs(cyxla_call *call) {
  for (size_t i = 0; i < num_outputs(call); i++) {
    cyxla_buffer_destroy(call->executable->runtime, call->output_buffers[i]);
    call->output_buffers[i] = NULL;
    call->outputs[i].array = NULL;
  }
}

static void destroy_arrays(cyxla_call *call) {
  if (call->outputs != NULL && call->output_buffers != NULL) release_outputs(call);
  for (size_t i = 0; call->input_buffers != NULL && i < num_inputs(call); i++) {
    cyxla_buffer_destroy(call->executable->runtime, call->input_buffers[i]);
  }
  for (size_t i = 0; call->inputs != NULL && i < num_inputs(call); i++) {
    cyxla_aligned_free(call->inputs[i]);
  }
  for (size_t i = 0; call->outputs != NULL && i < num_outputs(call); i++) {
    cyxla_aligned_free(call->outputs[i].copy);
  }
}

void cyxla_call_destroy(cyxla_call *call) {
  if (call == NULL) return;
  destroy_arrays(call);
  if (call->context != NULL) {
    const PJRT_Api *api = call_api(call);
    PJRT_ExecuteContext_Destroy_Args args = {sizeof(args), NULL, call->context};
    cyxla_error_from_pjrt(api, api->PJRT_ExecuteContext_Destroy(&args),
                          "destroy a context", NULL);
  }
  cyxla_release(call->inputs);
  cyxla_release(call->input_buffers);
  cyxla_release(call->is_input_copied);
  cyxla_release(call->input_indices);
  cyxla_release(call->outputs);
  cyxla_release(call->output_buffers);
  cyxla_executable_destroy(call->executable);
  cyxla_release(call);
}

/* New buffers of the inputs that the plugin cannot use where they lie. */
static cyxla_status copy_inputs(cyxla_call *call, cyxla_error *error) {
  const cyxla_runtime *runtime = call->executable->runtime;

  for (size_t i = 0; i < num_inputs(call); i++) {
    const cyxla_array_spec *spec = &call->executable->program->inputs.specs[i];
    cyxla_status status;
    if (!call->is_input_copied[i]) continue;
    cyxla_buffer_destroy(runtime, call->input_buffers[i]);
    status = cyxla_buffer_create(runtime, spec, call->inputs[i], false,
                                 &call->input_buffers[i], error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}

static cyxla_status execute(cyxla_call *call, cyxla_error *error) {
  const cyxla_runtime *runtime = call->executable->runtime;
  const PJRT_Api *api = call_api(call);
  PJRT_Buffer *const *arguments = call->input_buffers;
  PJRT_Buffer **results = call->output_buffers;
  PJRT_Event *complete = NULL;
  PJRT_LoadedExecutable_Execute_Args args;
  cyxla_status status;

  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.executable = call->executable->loaded;
  args.options = &call->options;
  args.argument_lists = &arguments;
  args.num_devices = 1;
  args.num_args = num_inputs(call);
  args.output_lists = &results;
  args.device_complete_events = &complete;
  status = cyxla_error_from_pjrt(api, api->PJRT_LoadedExecutable_Execute(&args),
                                 "run the program", error);
  if (status != CYXLA_OK) {
    /* What a failed execution leaves in the list is nobody's. */
    memset(results, 0, num_outputs(call) * sizeof(*results));
    return status;
  }
  return cyxla_event_await(runtime, complete, "run the program", error);
}

/* Whether an output can be read where the plugin put it. Asked of the first run only,
 * since layouts belong to the executable. */
static bool is_readable_in_place(const cyxla_call *call, size_t index) {
  const cyxla_runtime *runtime = call->executable->runtime;

  return runtime->zero_copy &&
         cyxla_buffer_is_row_major(
             runtime, call->output_buffers[index],
             call->executable->program->outputs.specs[index].rank);
}

static cyxla_status copy_output(cyxla_call *call, size_t index, cyxla_error *error) {
  const cyxla_array_spec *spec = &call->executable->program->outputs.specs[index];
  cyxla_call_output_state *output = &call->outputs[index];

  if (output->copy == NULL) output->copy = cyxla_aligned_alloc(spec->bytes);
  if (output->copy == NULL) return cyxla_error_out_of_memory(error, "an output");
  output->array = output->copy;
  if (spec->bytes == 0) return CYXLA_OK;
  return cyxla_buffer_copy_to_host(call->executable->runtime,
                                   call->output_buffers[index], spec, output->copy,
                                   error);
}

static cyxla_status fetch_output(cyxla_call *call, size_t index, cyxla_error *error) {
  cyxla_call_output_state *output = &call->outputs[index];
  cyxla_status status;

  if (call->output_buffers[index] == NULL) {
    return cyxla_error_set(
        error, CYXLA_PLUGIN_INVALID,
        "the plugin %s returned no buffer for output %s and no error",
        call->executable->runtime->plugin->path,
        call->executable->program->outputs.specs[index].name);
  }
  if (!call->has_run) output->is_copied = !is_readable_in_place(call, index);
  if (output->is_copied) return copy_output(call, index, error);
  status = cyxla_buffer_pointer(call->executable->runtime, call->output_buffers[index],
                                &output->array, error);
  if (status != CYXLA_OK) return status;
  /* An empty array may lie nowhere, and a plugin's memory need not be aligned. */
  if (output->array == NULL || (uintptr_t)output->array % CYXLA_ALIGNMENT != 0) {
    return copy_output(call, index, error);
  }
  return CYXLA_OK;
}

static cyxla_status run(cyxla_call *call, cyxla_error *error) {
  cyxla_status status;

  release_outputs(call);
  status = copy_inputs(call, error);
  if (status == CYXLA_OK) status = execute(call, error);
  for (size_t i = 0; status == CYXLA_OK && i < num_outputs(call); i++) {
    status = fetch_output(call, i, error);
  }
  if (status != CYXLA_OK) {
    release_outputs(call);
    return status;
  }
  call->has_run = true;
  return CYXLA_OK;
}

cyxla_status cyxla_call_run(cyxla_call *call, cyxla_error *error) {
  cyxla_fpenv caller;
  cyxla_status status;

  CYXLA_REQUIRE(call, error);
  cyxla_fpenv_enter(&caller);
  status = run(call, error);
  cyxla_fpenv_leave(&caller);
  return status;
}

void *cyxla_call_input(cyxla_call *call, size_t index) {
  return index < num_inputs(call) ? call->inputs[index] : NULL;
}

const void *cyxla_call_output(const cyxla_call *call, size_t index) {
  return index < num_outputs(call) ? call->outputs[index].array : NULL;
}

cyxla_executable *cyxla_call_executable(const cyxla_call *call) {
  return call->executable;
}
