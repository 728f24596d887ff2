/* Running a call. Nothing here allocates on a runtime that shares the host's memory,
 * but an output that has to be copied, once. */
#include <string.h>

#include "buffer.h"
#include "call.h"
#include "error.h"
#include "fpenv.h"
#include "inlining.h"
#include "memory.h"
#include "options.h"

/* What the inputs need whose lasting buffer is not all there is to do. */
static cyxla_status prepare_inputs(cyxla_call *call, cyxla_error *error) {
  const cyxla_runtime *runtime = call->executable->runtime;

  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    const cyxla_call_input_state *input = &call->inputs[i];
    cyxla_buffer_semantics semantics = CYXLA_BUFFER_COPIED;
    cyxla_status status;
    if (input->mode == CYXLA_INPUT_SHARED) continue;
    if (input->mode == CYXLA_INPUT_STAGED) {
      memcpy(input->staging, input->array, cyxla_call_input_spec(call, i)->bytes);
      continue;
    }
    if (input->mode == CYXLA_INPUT_DONATED) semantics = CYXLA_BUFFER_DONATED;
    cyxla_buffer_destroy(runtime, call->input_buffers[i]);
    status = cyxla_buffer_create(runtime, cyxla_call_input_spec(call, i), input->array,
                                 semantics, &call->input_buffers[i], error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}

#if defined(_MSC_VER)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL __thread
#endif

/* Runs that a thread is in: more than one where a handler or callback runs a call. */
static THREAD_LOCAL int depth;

/* XLA's CPU client runs 32 executions at once and has others wait, for ever where those
 * 32 wait for them. Two threads that nest as deep as this do not get there. */
enum { DEPTH_MAXIMUM = 16 };

static cyxla_status execute(cyxla_call *call, cyxla_error *error) {
  const cyxla_runtime *runtime = call->executable->runtime;
  const PJRT_Api *api = runtime->plugin->api;
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
  args.num_args = cyxla_call_num_inputs(call);
  args.output_lists = &results;
  args.device_complete_events = &complete;
  status = cyxla_error_from_pjrt(api, api->PJRT_LoadedExecutable_Execute(&args),
                                 "run the program", error);
  if (status != CYXLA_OK) {
    /* What a failed execution leaves in the list is nobody's. */
    memset(results, 0, cyxla_call_num_outputs(call) * sizeof(*results));
    return status;
  }
  return cyxla_event_await(runtime, complete, "run the program", error);
}

/* Whether an output can be read where the plugin put it. Asked of the first run only,
 * since layouts belong to the executable. */
static bool is_readable_in_place(const cyxla_call *call, size_t index) {
  const cyxla_runtime *runtime = call->executable->runtime;

  return runtime->zero_copy &&
         cyxla_buffer_is_row_major(runtime, call->output_buffers[index],
                                   cyxla_call_output_spec(call, index)->rank);
}

/* Where an output goes that is not read where the plugin put it. */
static cyxla_status choose_target(cyxla_call *call, size_t index, void **target,
                                  cyxla_error *error) {
  cyxla_call_output_state *output = &call->outputs[index];

  *target = output->bound;
  if (*target != NULL) return CYXLA_OK;
  if (output->copy == NULL) {
    output->copy = cyxla_aligned_alloc(cyxla_call_output_spec(call, index)->bytes);
  }
  *target = output->copy;
  if (*target != NULL) return CYXLA_OK;
  return cyxla_error_out_of_memory(error, "an output");
}

/* Copies an output from `source`, or through the plugin where that is NULL. */
static cyxla_status copy_output(cyxla_call *call, size_t index, const void *source,
                                cyxla_error *error) {
  const cyxla_array_spec *spec = cyxla_call_output_spec(call, index);
  void *target;
  cyxla_status status = choose_target(call, index, &target, error);

  if (status != CYXLA_OK) return status;
  call->outputs[index].array = target;
  call->outputs[index].is_copied = true;
  if (spec->bytes == 0) return CYXLA_OK;
  if (source != NULL) {
    memcpy(target, source, spec->bytes);
    return CYXLA_OK;
  }
  return cyxla_buffer_copy_to_host(call->executable->runtime,
                                   call->output_buffers[index], spec, target, error);
}

static cyxla_status fetch_output(cyxla_call *call, size_t index, cyxla_error *error) {
  const cyxla_runtime *runtime = call->executable->runtime;
  cyxla_call_output_state *output = &call->outputs[index];
  const void *pointer = NULL;
  cyxla_status status;

  output->is_bound = output->bound != NULL;
  if (call->output_buffers[index] == NULL) {
    return cyxla_error_set(
        error, CYXLA_PLUGIN_INVALID,
        "the plugin %s returned no buffer for output %s and no error",
        runtime->plugin->path, cyxla_call_output_spec(call, index)->name);
  }
  if (!call->has_run) output->is_unreadable = !is_readable_in_place(call, index);
  if (output->is_unreadable) return copy_output(call, index, NULL, error);
  status = cyxla_buffer_pointer(runtime, call->output_buffers[index], &pointer, error);
  if (status != CYXLA_OK) return status;
  if (output->bound != NULL ? pointer != output->bound
                            : pointer == NULL || /* as of an empty array */
                                  (uintptr_t)pointer % CYXLA_ALIGNMENT != 0) {
    return copy_output(call, index, pointer, error);
  }
  output->array = pointer;
  output->is_copied = false;
  return CYXLA_OK;
}

static cyxla_status check_depth(cyxla_error *error) {
  if (depth < DEPTH_MAXIMUM) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_FAILED_PRECONDITION,
                         "this thread is in %d runs already, each started by a handler "
                         "or callback of the one before, which is the limit; check for "
                         "a recursion without an end",
                         DEPTH_MAXIMUM);
}

static cyxla_status run(cyxla_call *call, cyxla_error *error) {
  cyxla_status status;

  cyxla_call_release_outputs(call);
  status = prepare_inputs(call, error);
  if (status == CYXLA_OK) status = execute(call, error);
  for (size_t i = 0; status == CYXLA_OK && i < cyxla_call_num_outputs(call); i++) {
    status = fetch_output(call, i, error);
  }
  if (status != CYXLA_OK) {
    cyxla_call_release_outputs(call);
    return status;
  }
  call->has_run = true;
  return CYXLA_OK;
}

static CYXLA_NOT_INLINED cyxla_status run_through_plugin(cyxla_call *call,
                                                         cyxla_error *error) {
  cyxla_fpenv caller;
  cyxla_status status;

  if (!cyxla_runtime_is_usable(call->executable->runtime)) {
    cyxla_call_release_outputs(call);
    return cyxla_runtime_check_process(call->executable->runtime, error);
  }
  status = check_depth(error);
  if (status != CYXLA_OK) {
    cyxla_call_release_outputs(call);
    return status;
  }
  cyxla_fpenv_enter(&caller);
  depth++;
  status = run(call, error);
  depth--;
  cyxla_fpenv_leave(&caller);
  return status;
}

/* Handlers see what kernels do, as in the plugin, and may use the x87 unit. Only they
 * can begin a run inside of one. */
static CYXLA_NOT_INLINED cyxla_status run_with_handlers(cyxla_call *call,
                                                        cyxla_error *error) {
  cyxla_fpenv caller;
  cyxla_status status = check_depth(error);

  if (status != CYXLA_OK) {
    cyxla_call_release_outputs(call);
    return status;
  }
  cyxla_custom_call_start(call->direct->seats);
  cyxla_fpenv_enter(&caller);
  depth++;
  status = cyxla_call_direct_run(call, error);
  depth--;
  cyxla_fpenv_leave(&caller);
  return status;
}

cyxla_status cyxla_call_run_directly(cyxla_call *call, cyxla_error *error) {
  if (call->direct->seats != NULL) return run_with_handlers(call, error);
  return cyxla_call_direct_run(call, error);
}

cyxla_status cyxla_call_run(cyxla_call *call, cyxla_error *error) {
  CYXLA_REQUIRE(call, error);
  if (call->witness != NULL) return cyxla_call_run_on_trial(call, error);
  if (call->direct != NULL) return cyxla_call_run_directly(call, error);
  return run_through_plugin(call, error);
}
