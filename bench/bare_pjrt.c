#define _POSIX_C_SOURCE 200809L

#include "bare_pjrt.h"

#include <abi/pjrt.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

struct bare_pjrt {
  const cyxla_program *program;
  const PJRT_Api *api;
  PJRT_Client *client;
  PJRT_Device *device;
  PJRT_LoadedExecutable *executable;
  size_t num_inputs;
  size_t num_outputs;
  void **inputs;                /* [num_inputs] arrays */
  PJRT_Buffer **input_buffers;  /* [num_inputs] over these arrays */
  PJRT_Buffer **output_buffers; /* [num_outputs] of the last run */
  const void **outputs;         /* [num_outputs] arrays of the last run */
};

static cyxla_status fail(cyxla_error *error, cyxla_status status, const char *action,
                         const char *reason, size_t reason_bytes) {
  error->status = status;
  snprintf(error->message, sizeof(error->message), "cannot %s: %.*s", action,
           (int)reason_bytes, reason);
  return status;
}

/* Turns a plugin's error into ours and destroys it. */
static cyxla_status check(const bare_pjrt *bare, PJRT_Error *error, const char *action,
                          cyxla_error *result) {
  if (error == NULL) return CYXLA_OK;
  PJRT_Error_Message_Args message = {sizeof(message), NULL, error, NULL, 0};
  PJRT_Error_Destroy_Args destroy = {sizeof(destroy), NULL, error};
  bare->api->PJRT_Error_Message(&message);
  fail(result, CYXLA_INTERNAL, action, message.message, message.message_size);
  bare->api->PJRT_Error_Destroy(&destroy);
  return result->status;
}

static cyxla_status load_plugin(bare_pjrt *bare, const char *path, cyxla_error *error) {
  PJRT_GetPjrtApi *get_api = NULL;
  PJRT_Plugin_Initialize_Args initialize = {sizeof(initialize), NULL};
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library == NULL ? NULL : dlsym(library, "GetPjrtApi");

  if (symbol == NULL) {
    const char *reason = dlerror();
    return fail(error, CYXLA_INTERNAL, "load the plugin", reason, strlen(reason));
  }
  memcpy(&get_api, &symbol, sizeof(symbol));
  bare->api = get_api();
  return check(bare, bare->api->PJRT_Plugin_Initialize(&initialize),
               "initialize the plugin", error);
}

static PJRT_NamedValue option(const char *name, PJRT_NamedValue_Type type) {
  PJRT_NamedValue option;

  memset(&option, 0, sizeof(option));
  option.struct_size = sizeof(option);
  option.name = name;
  option.name_size = strlen(name);
  option.type = type;
  option.value_size = 1;
  return option;
}

static cyxla_status create_client(bare_pjrt *bare, cyxla_error *error) {
  PJRT_NamedValue options[2] = {
      option("cpu_device_count", PJRT_NamedValue_kInt64),
      option("asynchronous", PJRT_NamedValue_kBool),
  };
  PJRT_Client_Create_Args create;
  PJRT_Client_AddressableDevices_Args devices;
  cyxla_status status;

  options[0].value.int64_value = 1;
  options[1].value.bool_value = false;
  memset(&create, 0, sizeof(create));
  create.struct_size = sizeof(create);
  create.create_options = options;
  create.num_options = 2;
  status = check(bare, bare->api->PJRT_Client_Create(&create), "make a client", error);
  if (status != CYXLA_OK) return status;
  bare->client = create.client;

  memset(&devices, 0, sizeof(devices));
  devices.struct_size = sizeof(devices);
  devices.client = bare->client;
  status = check(bare, bare->api->PJRT_Client_AddressableDevices(&devices),
                 "list the devices", error);
  if (status == CYXLA_OK) bare->device = devices.addressable_devices[0];
  return status;
}

static cyxla_status compile(bare_pjrt *bare, cyxla_error *error) {
  PJRT_Program program = {sizeof(program), NULL, NULL, 0, "mlir", 4};
  PJRT_Client_Compile_Args args;
  cyxla_status status;
  /* The plugin does not write to the code, although the struct's type allows it. */
  const void *code = cyxla_program_code(bare->program, &program.code_size);

  memcpy(&program.code, &code, sizeof(code));
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.client = bare->client;
  args.program = &program;
  args.compile_options =
      cyxla_program_compile_options(bare->program, &args.compile_options_size);
  status = check(bare, bare->api->PJRT_Client_Compile(&args), "compile", error);
  if (status == CYXLA_OK) bare->executable = args.executable;
  return status;
}

/* Makes a buffer that lasts over the array of an input. */
static cyxla_status create_input(bare_pjrt *bare, size_t index, cyxla_error *error) {
  const cyxla_array_spec *spec = cyxla_program_input(bare->program, index);
  PJRT_Client_BufferFromHostBuffer_Args args;
  PJRT_Event_Destroy_Args destroy = {sizeof(destroy), NULL, NULL};
  cyxla_status status;

  bare->inputs[index] = cyxla_aligned_alloc(spec->bytes);
  if (bare->inputs[index] == NULL) {
    return fail(error, CYXLA_OUT_OF_MEMORY, "make an input", "no memory is left", 17);
  }
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.client = bare->client;
  args.data = bare->inputs[index];
  args.type = (PJRT_Buffer_Type)spec->dtype;
  args.dims = spec->shape;
  args.num_dims = spec->rank;
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  args.device = bare->device;
  status = check(bare, bare->api->PJRT_Client_BufferFromHostBuffer(&args),
                 "make a buffer of an input", error);
  if (status != CYXLA_OK) return status;
  bare->input_buffers[index] = args.buffer;
  destroy.event = args.done_with_host_buffer;
  return check(bare, bare->api->PJRT_Event_Destroy(&destroy), "destroy an event",
               error);
}

static cyxla_status create_arrays(bare_pjrt *bare, cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  bare->num_inputs = cyxla_program_num_inputs(bare->program);
  bare->num_outputs = cyxla_program_num_outputs(bare->program);
  bare->inputs = calloc(bare->num_inputs + 1, sizeof(*bare->inputs));
  bare->input_buffers = calloc(bare->num_inputs + 1, sizeof(*bare->input_buffers));
  bare->output_buffers = calloc(bare->num_outputs + 1, sizeof(*bare->output_buffers));
  bare->outputs = calloc(bare->num_outputs + 1, sizeof(*bare->outputs));
  if (bare->inputs == NULL || bare->input_buffers == NULL ||
      bare->output_buffers == NULL || bare->outputs == NULL) {
    return fail(error, CYXLA_OUT_OF_MEMORY, "make arrays", "no memory is left", 17);
  }
  for (size_t i = 0; status == CYXLA_OK && i < bare->num_inputs; i++) {
    status = create_input(bare, i, error);
  }
  return status;
}

cyxla_status bare_pjrt_create(const char *plugin, const cyxla_program *program,
                              bare_pjrt **result, cyxla_error *error) {
  bare_pjrt *bare = calloc(1, sizeof(*bare));
  cyxla_status status;

  *result = NULL;
  if (bare == NULL) {
    return fail(error, CYXLA_OUT_OF_MEMORY, "begin", "no memory is left", 17);
  }
  bare->program = program;
  status = load_plugin(bare, plugin, error);
  if (status == CYXLA_OK) status = create_client(bare, error);
  if (status == CYXLA_OK) status = compile(bare, error);
  if (status == CYXLA_OK) status = create_arrays(bare, error);
  if (status != CYXLA_OK) {
    bare_pjrt_destroy(bare);
    return status;
  }
  *result = bare;
  return CYXLA_OK;
}

static cyxla_status destroy_buffer(const bare_pjrt *bare, PJRT_Buffer **buffer,
                                   cyxla_error *error) {
  PJRT_Buffer_Destroy_Args args = {sizeof(args), NULL, *buffer};

  if (*buffer == NULL) return CYXLA_OK;
  *buffer = NULL;
  return check(bare, bare->api->PJRT_Buffer_Destroy(&args), "destroy a buffer", error);
}

void bare_pjrt_destroy(bare_pjrt *bare) {
  cyxla_error ignored;

  if (bare == NULL) return;
  for (size_t i = 0; bare->outputs != NULL && i < bare->num_outputs; i++) {
    destroy_buffer(bare, &bare->output_buffers[i], &ignored);
  }
  for (size_t i = 0; bare->outputs != NULL && i < bare->num_inputs; i++) {
    destroy_buffer(bare, &bare->input_buffers[i], &ignored);
    cyxla_aligned_free(bare->inputs[i]);
  }
  if (bare->executable != NULL) {
    PJRT_LoadedExecutable_Destroy_Args args = {sizeof(args), NULL, bare->executable};
    check(bare, bare->api->PJRT_LoadedExecutable_Destroy(&args), "destroy", &ignored);
  }
  if (bare->client != NULL) {
    PJRT_Client_Destroy_Args args = {sizeof(args), NULL, bare->client};
    check(bare, bare->api->PJRT_Client_Destroy(&args), "destroy", &ignored);
  }
  free(bare->inputs);
  free(bare->input_buffers);
  free(bare->output_buffers);
  free(bare->outputs);
  free(bare);
}

void *bare_pjrt_input(bare_pjrt *bare, size_t index) {
  return bare->inputs[index];
}

const void *bare_pjrt_output(const bare_pjrt *bare, size_t index) {
  return bare->outputs[index];
}

/* Waits until the execution whose event it is has ended. */
static cyxla_status await(const bare_pjrt *bare, PJRT_Event *event,
                          cyxla_error *error) {
  PJRT_Event_Await_Args wait = {sizeof(wait), NULL, event};
  PJRT_Event_Destroy_Args destroy = {sizeof(destroy), NULL, event};
  cyxla_status status =
      check(bare, bare->api->PJRT_Event_Await(&wait), "wait for the program", error);
  cyxla_status destroyed =
      check(bare, bare->api->PJRT_Event_Destroy(&destroy), "destroy an event", error);

  return status != CYXLA_OK ? status : destroyed;
}

/* Executes, waits, and reads where the outputs are. */
static cyxla_status run(bare_pjrt *bare, PJRT_LoadedExecutable_Execute_Args *execute,
                        cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  for (size_t i = 0; status == CYXLA_OK && i < bare->num_outputs; i++) {
    status = destroy_buffer(bare, &bare->output_buffers[i], error);
  }
  if (status != CYXLA_OK) return status;
  status = check(bare, bare->api->PJRT_LoadedExecutable_Execute(execute),
                 "run the program", error);
  if (status != CYXLA_OK) return status;
  status = await(bare, execute->device_complete_events[0], error);
  for (size_t i = 0; status == CYXLA_OK && i < bare->num_outputs; i++) {
    PJRT_Buffer_UnsafePointer_Args pointer = {sizeof(pointer), NULL,
                                              bare->output_buffers[i], 0};
    status = check(bare, bare->api->PJRT_Buffer_UnsafePointer(&pointer),
                   "tell where an output is", error);
    bare->outputs[i] = (const void *)pointer.buffer_pointer;
  }
  return status;
}

cyxla_status bare_pjrt_time(bare_pjrt *bare, long count, double *nanoseconds,
                            cyxla_error *error) {
  PJRT_ExecuteOptions options;
  PJRT_Buffer *const *arguments = bare->input_buffers;
  PJRT_Buffer **results = bare->output_buffers;
  PJRT_Event *complete = NULL;
  PJRT_LoadedExecutable_Execute_Args execute;
  cyxla_status status = CYXLA_OK;
  double start;

  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  memset(&execute, 0, sizeof(execute));
  execute.struct_size = sizeof(execute);
  execute.executable = bare->executable;
  execute.options = &options;
  execute.argument_lists = &arguments;
  execute.num_devices = 1;
  execute.num_args = bare->num_inputs;
  execute.output_lists = &results;
  execute.device_complete_events = &complete;
  start = clock_nanoseconds();
  for (long i = 0; status == CYXLA_OK && i < count; i++) {
    status = run(bare, &execute, error);
  }
  *nanoseconds = clock_nanoseconds() - start;
  return status;
}
