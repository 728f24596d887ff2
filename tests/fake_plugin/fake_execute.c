/* Execution: checks of the arguments, donation, and results. */
#include <stdlib.h>
#include <string.h>

#include "fake_internal.h"

PJRT_Error *fake_ExecuteContext_Create(PJRT_ExecuteContext_Create_Args *args) {
  FAKE_ENTER(ExecuteContext_Create, args);
  args->context = fake_allocate(sizeof *args->context);
  fake_count(FAKE_EXECUTE_CONTEXT, 1);
  return NULL;
}

PJRT_Error *fake_ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args *args) {
  free(args->context);
  fake_count(FAKE_EXECUTE_CONTEXT, -1);
  FAKE_ENTER(ExecuteContext_Destroy, args);
  return NULL;
}

static PJRT_Error *check_arguments(const PJRT_LoadedExecutable_Execute_Args *args) {
  const fake_program *program = args->executable->program;
  if (args->options == NULL || args->options->struct_size < sizeof *args->options) {
    fake_violate("the execute options' struct_size is smaller than the struct");
  }
  if (args->num_devices != 1) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                      "Attempted to execute with %zu argument lists when local device "
                      "count is 1",
                      args->num_devices);
  }
  if (args->num_args != program->num_inputs) {
    return fake_error(
        PJRT_Error_Code_INVALID_ARGUMENT,
        "Execution supplied %zu buffers but compiled program expected %zu "
        "buffers",
        args->num_args, program->num_inputs);
  }
  for (size_t i = 0; i < args->num_args; i++) {
    const PJRT_Buffer *buffer = args->argument_lists[0][i];
    if (buffer->deleted) {
      return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                        "Buffer has been deleted or donated.");
    }
    if (!fake_same_array(&buffer->array, &program->inputs[i])) {
      return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                        "Executable expected parameter %zu of another type", i);
    }
  }
  return NULL;
}

static bool is_donatable(const PJRT_LoadedExecutable_Execute_Args *args, size_t input) {
  const PJRT_ExecuteOptions *options = args->options;
  for (size_t i = 0; i < options->num_non_donatable_input_indices; i++) {
    if (options->non_donatable_input_indices[i] == (int64_t)input) return false;
  }
  return true;
}

/* The memory of an output: that of a donated input, where the plugin may write to it,
 * else new memory. */
static fake_storage *place_output(const PJRT_LoadedExecutable_Execute_Args *args,
                                  const fake_output *output) {
  size_t offset = fake_get(FAKE_MISALIGNED_OUTPUT) != 0 ? 4 : 0;
  if (output->donates && is_donatable(args, output->donated)) {
    PJRT_Buffer *input = args->argument_lists[0][output->donated];
    bool writable = !input->zero_copy ||
                    input->semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
    input->deleted = true;
    if (writable && offset == 0) {
      input->storage->refs++;
      return input->storage;
    }
  }
  return fake_storage_create(NULL, fake_array_bytes(&output->array), offset);
}

static PJRT_Buffer *create_output(const PJRT_LoadedExecutable_Execute_Args *args,
                                  const fake_output *output, void *elements) {
  PJRT_Buffer *buffer = fake_buffer_create(&output->array, place_output(args, output));
  buffer->is_output = true;
  buffer->pending = fake_allocate(fake_array_bytes(&output->array));
  fake_copy_elements(&output->array, elements, buffer->pending, false,
                     fake_buffer_is_column_major(buffer));
  if (fake_get(FAKE_EVENTS_PENDING) == 0) {
    fake_buffer_materialize(buffer);
  } else {
    /* Whoever does not wait reads this. */
    memset(buffer->storage->data, 0x7e, fake_array_bytes(&output->array));
  }
  return buffer;
}

static void compute_all(const PJRT_LoadedExecutable_Execute_Args *args,
                        void **elements) {
  const fake_program *program = args->executable->program;
  for (size_t i = 0; i < program->num_outputs; i++) {
    const fake_output *output = &program->outputs[i];
    PJRT_Buffer *const *arguments = args->argument_lists[0];
    for (size_t j = 0; j < args->num_args; j++) fake_buffer_materialize(arguments[j]);
    elements[i] = fake_allocate(fake_array_bytes(&output->array));
    if (args->num_args == 0) continue; /* it is all zeros */
    fake_compute(output, arguments[output->operands[0]]->storage->data,
                 arguments[output->operands[1]]->storage->data, elements[i]);
  }
}

PJRT_Error *fake_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args *args) {
  FAKE_ENTER(LoadedExecutable_Execute, args);
  PJRT_Error *error = check_arguments(args);
  if (error != NULL) return error;
  fake_call_in_execution();
  const fake_program *program = args->executable->program;
  void *elements[FAKE_MAX_ARRAYS];
  PJRT_Buffer *outputs[FAKE_MAX_ARRAYS];
  compute_all(args, elements);
  for (size_t i = 0; i < program->num_outputs; i++) {
    outputs[i] = create_output(args, &program->outputs[i], elements[i]);
    free(elements[i]);
  }
  if (args->device_complete_events != NULL) {
    PJRT_Event *event = fake_event_create(outputs, program->num_outputs);
    event->fails = fake_get(FAKE_AWAIT_FAILS) != 0;
    args->device_complete_events[0] = event;
  }
  for (size_t i = 0; i < program->num_outputs; i++) {
    args->output_lists[0][i] = outputs[i];
    if (fake_get(FAKE_NULL_OUTPUT) == 0) continue;
    fake_buffer_release(outputs[i]);
    fake_count(FAKE_BUFFER, -1);
    args->output_lists[0][i] = NULL;
  }
  return NULL;
}
