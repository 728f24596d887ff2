#include "call.h"

#include "atomic.h"
#include "buffer.h"
#include "error.h"
#include "fpenv.h"
#include "memory.h"
#include "options.h"

static const PJRT_Api *call_api(const cyxla_call *call) {
  return call->executable->runtime->plugin->api;
}

static bool allocate_lists(cyxla_call *call) {
  size_t num_inputs = cyxla_call_num_inputs(call);
  size_t num_outputs = cyxla_call_num_outputs(call);

  call->inputs = cyxla_allocate_array(num_inputs, sizeof(*call->inputs));
  call->input_buffers = cyxla_allocate_array(num_inputs, sizeof(*call->input_buffers));
  call->kept_inputs = cyxla_allocate_array(num_inputs, sizeof(*call->kept_inputs));
  call->outputs = cyxla_allocate_array(num_outputs, sizeof(*call->outputs));
  call->output_buffers =
      cyxla_allocate_array(num_outputs, sizeof(*call->output_buffers));
  return call->inputs != NULL && call->input_buffers != NULL &&
         call->kept_inputs != NULL && call->outputs != NULL &&
         call->output_buffers != NULL;
}

/* Custom calls that look for user data crash in some plugins without a context, even an
 * empty one. Other programs have none: it would cost each run 60 nanoseconds. */
static cyxla_status create_context(cyxla_call *call, cyxla_error *error) {
  const PJRT_Api *api = call_api(call);
  PJRT_ExecuteContext_Create_Args args = {sizeof(args), NULL, NULL};
  cyxla_status status;

  if (!call->executable->program->has_custom_calls ||
      !CYXLA_PLUGIN_HAS(api, PJRT_ExecuteContext_Create) ||
      !CYXLA_PLUGIN_HAS(api, PJRT_ExecuteContext_Destroy)) {
    return CYXLA_OK;
  }
  status = cyxla_error_from_pjrt(api, api->PJRT_ExecuteContext_Create(&args),
                                 "create a context", error);
  if (status == CYXLA_OK) call->context = args.context;
  return status;
}

static cyxla_status create_input(cyxla_call *call, size_t index, cyxla_error *error) {
  cyxla_call_input_state *input = &call->inputs[index];

  input->own =
      cyxla_aligned_alloc(call->executable->program->inputs.specs[index].bytes);
  if (input->own == NULL) return cyxla_error_out_of_memory(error, "an input");
  input->array = input->own;
  return cyxla_call_prepare_input(call, index, error);
}

void cyxla_call_list_kept_inputs(cyxla_call *call) {
  size_t count = 0;

  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    if (call->inputs[i].mode != CYXLA_INPUT_DONATED) {
      call->kept_inputs[count++] = (int64_t)i;
    }
  }
  call->options.non_donatable_input_indices = call->kept_inputs;
  call->options.num_non_donatable_input_indices = count;
}

static cyxla_status fill(cyxla_call *call, const cyxla_direct *direct,
                         cyxla_error *error) {
  cyxla_status status;

  if (!allocate_lists(call)) return cyxla_error_out_of_memory(error, "a call");
  if (direct != NULL) return cyxla_call_direct_create(call, direct, error);
  status = create_context(call, error);
  for (size_t i = 0; status == CYXLA_OK && i < cyxla_call_num_inputs(call); i++) {
    status = create_input(call, i, error);
  }
  call->options.struct_size = sizeof(call->options);
  call->options.context = call->context;
  cyxla_call_list_kept_inputs(call);
  return status;
}

cyxla_status cyxla_call_make(cyxla_executable *executable, const cyxla_direct *direct,
                             cyxla_call **call, cyxla_error *error) {
  cyxla_call *made;
  cyxla_fpenv caller;
  cyxla_status status;

  *call = NULL;
  /* Direct code needs no plugin, and so runs in a forked process too. */
  if (direct == NULL) {
    status = cyxla_runtime_check_process(executable->runtime, error);
    if (status != CYXLA_OK) return status;
  }
  made = cyxla_allocate(sizeof(*made));
  if (made == NULL) return cyxla_error_out_of_memory(error, "a call");
  made->executable = cyxla_executable_retain(executable);
  cyxla_fpenv_enter(&caller);
  status = fill(made, direct, error);
  cyxla_fpenv_leave(&caller);
  if (status != CYXLA_OK) {
    cyxla_call_destroy(made);
    return status;
  }
  *call = made;
  return CYXLA_OK;
}

cyxla_status cyxla_call_create(cyxla_executable *executable, cyxla_call **call,
                               cyxla_error *error) {
  long trials;
  cyxla_status status;

  CYXLA_REQUIRE(call, error);
  *call = NULL;
  CYXLA_REQUIRE(executable, error);
  trials = cyxla_atomic_load(&executable->trials);
  status = cyxla_call_make(executable,
                           trials == CYXLA_TRIALS_FAILED ? NULL : executable->direct,
                           call, error);
  if (status != CYXLA_OK || executable->direct == NULL || trials <= 0) return status;
  status = cyxla_call_make(executable, NULL, &(*call)->witness, error);
  if (status == CYXLA_OK) return CYXLA_OK;
  cyxla_call_destroy(*call);
  *call = NULL;
  return status;
}

void cyxla_call_release_outputs(cyxla_call *call) {
  call->keeps_outputs = false;
  for (size_t i = 0; i < cyxla_call_num_outputs(call); i++) {
    cyxla_buffer_destroy(call->executable->runtime, call->output_buffers[i]);
    call->output_buffers[i] = NULL;
    call->outputs[i].array = NULL;
  }
}

static void destroy_arrays(cyxla_call *call) {
  if (call->outputs != NULL && call->output_buffers != NULL) {
    cyxla_call_release_outputs(call);
  }
  for (size_t i = 0; call->input_buffers != NULL && i < cyxla_call_num_inputs(call);
       i++) {
    cyxla_buffer_destroy(call->executable->runtime, call->input_buffers[i]);
  }
  for (size_t i = 0; call->inputs != NULL && i < cyxla_call_num_inputs(call); i++) {
    cyxla_aligned_free(call->inputs[i].own);
    cyxla_aligned_free(call->inputs[i].staging);
  }
  for (size_t i = 0; call->outputs != NULL && i < cyxla_call_num_outputs(call); i++) {
    cyxla_aligned_free(call->outputs[i].copy);
  }
}

static void destroy_context(cyxla_call *call) {
  PJRT_ExecuteContext_Destroy_Args args = {sizeof(args), NULL, call->context};
  const PJRT_Api *api;

  if (call->context == NULL || !cyxla_runtime_is_usable(call->executable->runtime)) {
    return;
  }
  api = call_api(call);
  cyxla_error_from_pjrt(api, api->PJRT_ExecuteContext_Destroy(&args),
                        "destroy a context", NULL);
}

void cyxla_call_destroy(cyxla_call *call) {
  cyxla_fpenv caller;

  if (call == NULL) return;
  cyxla_call_destroy(call->witness);
  cyxla_fpenv_enter(&caller);
  destroy_arrays(call);
  destroy_context(call);
  cyxla_call_direct_destroy(call);
  cyxla_fpenv_leave(&caller);
  cyxla_release(call->inputs);
  cyxla_release(call->input_buffers);
  cyxla_release(call->kept_inputs);
  cyxla_release(call->outputs);
  cyxla_release(call->output_buffers);
  cyxla_executable_destroy(call->executable);
  cyxla_release(call);
}

void *cyxla_call_input(cyxla_call *call, size_t index) {
  return index < cyxla_call_num_inputs(call) ? call->inputs[index].array : NULL;
}

const void *cyxla_call_output(const cyxla_call *call, size_t index) {
  return index < cyxla_call_num_outputs(call) ? call->outputs[index].array : NULL;
}

bool cyxla_call_input_is_copied(const cyxla_call *call, size_t index) {
  if (index >= cyxla_call_num_inputs(call)) return false;
  /* The witness of direct code on trial reads a copy. */
  if (call->witness != NULL && cyxla_atomic_load(&call->executable->trials) != 0) {
    return cyxla_call_input_spec(call, index)->bytes > 0;
  }
  if (call->direct != NULL) return cyxla_call_direct_copies_input(call, index);
  return call->inputs[index].mode == CYXLA_INPUT_STAGED ||
         call->inputs[index].mode == CYXLA_INPUT_COPIED;
}

bool cyxla_call_output_is_copied(const cyxla_call *call, size_t index) {
  return index < cyxla_call_num_outputs(call) && call->outputs[index].is_copied;
}

cyxla_executable *cyxla_call_executable(const cyxla_call *call) {
  return call->executable;
}
