/* Runs a serialized executable with nothing but the PJRT C API.
 *
 * usage: bare_pjrt PLUGIN FILE
 *
 * PLUGIN is the library of the plugin that compiled the function, and FILE what
 * make_foo.py saved: a function of two arrays of four float32 each that returns one
 * such array. Exits with 0 if the function ran, with 1, having said why, if something
 * failed, and with 2 if it is called wrongly.
 */
#define _POSIX_C_SOURCE 200112L /* setenv */

#include <abi/pjrt.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 4, NUM_INPUTS = 2 };

/* The PJRT API of the oldest plugin that this program was tried with. */
enum { OLDEST_MINOR = 81 };

static const int64_t SHAPE[] = {ELEMENTS};
static const float INPUTS[NUM_INPUTS][ELEMENTS] = {
    {1.0F, 2.0F, 3.0F, 4.0F},
    {5.5F, 6.6F, 7.7F, 8.8F},
};

/* What there is so far; NULL for what is still missing. */
typedef struct session {
  const PJRT_Api *api;
  PJRT_Client *client;
  PJRT_Device *device; /* belongs to the client */
  PJRT_LoadedExecutable *executable;
  PJRT_Buffer *inputs[NUM_INPUTS];
  PJRT_Buffer *output;
} session;

static bool fail(const char *action, const char *reason) {
  fprintf(stderr, "bare_pjrt: cannot %s: %s\n", action, reason);
  return false;
}

/* Whether a function of the plugin succeeded. An error is printed and destroyed; its
 * text does not end with a zero byte. */
static bool check(const session *s, PJRT_Error *error, const char *action) {
  PJRT_Error_Message_Args text = {.struct_size = sizeof(text), .error = error};
  PJRT_Error_Destroy_Args destroy = {.struct_size = sizeof(destroy), .error = error};

  if (error == NULL) return true;
  s->api->PJRT_Error_Message(&text);
  fprintf(stderr, "bare_pjrt: cannot %s: %.*s\n", action, (int)text.message_size,
          text.message);
  s->api->PJRT_Error_Destroy(&destroy);
  return false;
}

/* Waits for what the plugin may do on another thread, and destroys the event. */
static bool await(const session *s, PJRT_Event *event, const char *action) {
  PJRT_Event_Await_Args wait = {.struct_size = sizeof(wait), .event = event};
  PJRT_Event_Destroy_Args destroy = {.struct_size = sizeof(destroy), .event = event};
  bool succeeded = check(s, s->api->PJRT_Event_Await(&wait), action);

  return check(s, s->api->PJRT_Event_Destroy(&destroy), "destroy an event") &&
         succeeded;
}

/* Whether the plugin's table is one that this program can read and holds the functions
 * that it calls. A table may end early, and a plugin may leave functions out. */
static bool check_table(const PJRT_Api *api) {
  char reason[128];

  if (api == NULL) return fail("use the plugin", "GetPjrtApi returned NULL");
  if (api->pjrt_api_version.major_version != PJRT_API_MAJOR ||
      api->pjrt_api_version.minor_version < OLDEST_MINOR) {
    snprintf(reason, sizeof(reason), "its PJRT API is %d.%d, expected %d.%d or later",
             api->pjrt_api_version.major_version, api->pjrt_api_version.minor_version,
             PJRT_API_MAJOR, OLDEST_MINOR);
    return fail("use the plugin", reason);
  }
  /* Of the functions that are called, this one comes last in the table. */
  if (api->struct_size < offsetof(PJRT_Api, PJRT_Executable_OutputDimensions) +
                             sizeof(api->PJRT_Executable_OutputDimensions)) {
    return fail("use the plugin", "its table of functions is too short");
  }
  if (api->PJRT_Executable_DeserializeAndLoad == NULL) {
    return fail("use the plugin", "it does not load serialized executables");
  }
  return true;
}

/* Loads the library for good: it has threads of its own and must not be unloaded. */
static bool load_plugin(session *s, const char *path) {
  PJRT_Plugin_Initialize_Args initialize = {.struct_size = sizeof(initialize)};
  PJRT_GetPjrtApi *get_api;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library == NULL ? NULL : dlsym(library, "GetPjrtApi");

  if (symbol == NULL) return fail("load the plugin", dlerror());
  /* ISO C has no cast from a pointer to data to a pointer to a function. */
  memcpy(&get_api, &symbol, sizeof(symbol));
  s->api = get_api();
  return check_table(s->api) &&
         check(s, s->api->PJRT_Plugin_Initialize(&initialize), "initialize the plugin");
}

/* A client of one device that runs small programs on the thread that asks for it. */
static bool create_client(session *s) {
  PJRT_NamedValue options[] = {
      {.struct_size = sizeof(PJRT_NamedValue),
       .name = "asynchronous",
       .name_size = strlen("asynchronous"),
       .type = PJRT_NamedValue_kBool,
       .value.bool_value = false,
       .value_size = 1},
      {.struct_size = sizeof(PJRT_NamedValue),
       .name = "cpu_device_count",
       .name_size = strlen("cpu_device_count"),
       .type = PJRT_NamedValue_kInt64,
       .value.int64_value = 1,
       .value_size = 1},
  };
  PJRT_Client_Create_Args create = {
      .struct_size = sizeof(create),
      .create_options = options,
      .num_options = sizeof(options) / sizeof(options[0]),
  };
  PJRT_Client_AddressableDevices_Args devices = {.struct_size = sizeof(devices)};

  if (!check(s, s->api->PJRT_Client_Create(&create), "create a client")) return false;
  s->client = create.client;
  devices.client = s->client;
  if (!check(s, s->api->PJRT_Client_AddressableDevices(&devices), "list devices")) {
    return false;
  }
  if (devices.num_addressable_devices == 0) {
    return fail("use the plugin", "its client has no device");
  }
  s->device = devices.addressable_devices[0];
  return true;
}

/* What is left of an open file, to be freed; NULL, with errno set, if it cannot be
 * read. */
static char *read_rest(FILE *file, size_t *size) {
  enum { PIECE = 1 << 16 };
  char *contents = NULL;
  size_t room = 0;

  *size = 0;
  while (*size == room) {
    char *larger = realloc(contents, room + PIECE);
    if (larger == NULL) {
      free(contents);
      return NULL;
    }
    contents = larger;
    room += PIECE;
    *size += fread(contents + *size, 1, room - *size, file);
  }
  if (ferror(file)) {
    free(contents);
    return NULL;
  }
  return contents;
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *contents = file == NULL ? NULL : read_rest(file, size);

  if (contents == NULL) fail("read the file", strerror(errno));
  if (file != NULL) fclose(file);
  return contents;
}

/* Whether the executable returns one array of the type and shape that main prints. A
 * plugin writes as many outputs as there are, whatever room it is given. */
static bool check_outputs(const session *s, PJRT_Executable *described) {
  PJRT_Executable_NumOutputs_Args count = {.struct_size = sizeof(count),
                                           .executable = described};
  PJRT_Executable_OutputElementTypes_Args types = {.struct_size = sizeof(types),
                                                   .executable = described};
  PJRT_Executable_OutputDimensions_Args shapes = {.struct_size = sizeof(shapes),
                                                  .executable = described};

  if (!check(s, s->api->PJRT_Executable_NumOutputs(&count), "count the outputs") ||
      !check(s, s->api->PJRT_Executable_OutputElementTypes(&types),
             "tell the output's type") ||
      !check(s, s->api->PJRT_Executable_OutputDimensions(&shapes),
             "tell the output's shape")) {
    return false;
  }
  if (count.num_outputs != 1 || types.num_output_types != 1 ||
      types.output_types[0] != PJRT_Buffer_Type_F32 || shapes.num_outputs != 1 ||
      shapes.dim_sizes[0] != 1 || shapes.dims[0] != ELEMENTS) {
    return fail("run the function", "it does not return one array of four float32");
  }
  return true;
}

/* Describing an executable makes an object that has to be destroyed, too. */
static bool check_signature(const session *s) {
  PJRT_LoadedExecutable_GetExecutable_Args get = {.struct_size = sizeof(get),
                                                  .loaded_executable = s->executable};
  PJRT_Executable_Destroy_Args destroy = {.struct_size = sizeof(destroy)};
  bool fits;

  if (!check(s, s->api->PJRT_LoadedExecutable_GetExecutable(&get),
             "describe the executable")) {
    return false;
  }
  fits = check_outputs(s, get.executable);
  destroy.executable = get.executable;
  return check(s, s->api->PJRT_Executable_Destroy(&destroy), "destroy a description") &&
         fits;
}

static bool load_executable(session *s, const char *path) {
  PJRT_Executable_DeserializeAndLoad_Args load = {.struct_size = sizeof(load),
                                                  .client = s->client};
  char *contents = read_file(path, &load.serialized_executable_size);
  bool loaded;

  if (contents == NULL) return false;
  load.serialized_executable = contents;
  loaded = check(s, s->api->PJRT_Executable_DeserializeAndLoad(&load),
                 "load the serialized executable");
  free(contents);
  if (!loaded) return false;
  s->executable = load.loaded_executable;
  return check_signature(s);
}

/* Copies an input to the device. The plugin has what it needs when the call returns;
 * the event, which other semantics need, is there all the same. */
static bool create_input(session *s, size_t index) {
  PJRT_Client_BufferFromHostBuffer_Args create = {
      .struct_size = sizeof(create),
      .client = s->client,
      .data = INPUTS[index],
      .type = PJRT_Buffer_Type_F32,
      .dims = SHAPE,
      .num_dims = sizeof(SHAPE) / sizeof(SHAPE[0]),
      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = s->device,
  };

  if (!check(s, s->api->PJRT_Client_BufferFromHostBuffer(&create), "copy an input")) {
    return false;
  }
  s->inputs[index] = create.buffer;
  return await(s, create.done_with_host_buffer, "copy an input");
}

/* Runs the function. That the call returned does not say that it has ended, nor that
 * it succeeded: the event does. */
static bool execute(session *s) {
  PJRT_ExecuteOptions options = {.struct_size = sizeof(options)};
  PJRT_Buffer *const *arguments = s->inputs;
  PJRT_Buffer **results = &s->output;
  PJRT_Event *complete = NULL;
  PJRT_LoadedExecutable_Execute_Args run = {
      .struct_size = sizeof(run),
      .executable = s->executable,
      .options = &options,
      .argument_lists = &arguments, /* a list for each device, and there is one */
      .num_devices = 1,
      .num_args = NUM_INPUTS,
      .output_lists = &results,
      .device_complete_events = &complete,
  };

  return check(s, s->api->PJRT_LoadedExecutable_Execute(&run), "run the function") &&
         await(s, complete, "run the function");
}

static bool copy_output(const session *s, float output[ELEMENTS]) {
  PJRT_Buffer_ToHostBuffer_Args copy = {
      .struct_size = sizeof(copy),
      .src = s->output,
      .dst = output,
      .dst_size = ELEMENTS * sizeof(output[0]),
  };

  return check(s, s->api->PJRT_Buffer_ToHostBuffer(&copy), "copy the output") &&
         await(s, copy.event, "copy the output");
}

static bool destroy_buffer(const session *s, PJRT_Buffer *buffer) {
  PJRT_Buffer_Destroy_Args destroy = {.struct_size = sizeof(destroy), .buffer = buffer};

  return buffer == NULL ||
         check(s, s->api->PJRT_Buffer_Destroy(&destroy), "destroy a buffer");
}

/* Destroys what there is, the client last, since everything else was made by it. */
static bool destroy_all(const session *s) {
  PJRT_LoadedExecutable_Destroy_Args executable = {.struct_size = sizeof(executable),
                                                   .executable = s->executable};
  PJRT_Client_Destroy_Args client = {.struct_size = sizeof(client),
                                     .client = s->client};
  bool succeeded = destroy_buffer(s, s->output);

  for (size_t i = 0; i < NUM_INPUTS; i++) {
    succeeded = destroy_buffer(s, s->inputs[i]) && succeeded;
  }
  if (s->executable != NULL) {
    succeeded = check(s, s->api->PJRT_LoadedExecutable_Destroy(&executable),
                      "destroy the executable") &&
                succeeded;
  }
  if (s->client != NULL) {
    succeeded = check(s, s->api->PJRT_Client_Destroy(&client), "destroy the client") &&
                succeeded;
  }
  return succeeded;
}

static bool print_output(const float output[ELEMENTS]) {
  int printed =
      printf("[%.1f, %.1f, %.1f, %.1f]\n", output[0], output[1], output[2], output[3]);

  if (printed < 0 || fflush(stdout) != 0) {
    return fail("print the output", strerror(errno));
  }
  return true;
}

int main(int argc, char **argv) {
  session s = {0};
  float output[ELEMENTS];
  bool ran, destroyed;

  if (argc != 3) {
    fprintf(stderr, "usage: bare_pjrt PLUGIN FILE\n");
    return 2;
  }
  /* XLA's log goes to standard error; this is read when the plugin is loaded. */
  setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
  ran = load_plugin(&s, argv[1]) && create_client(&s) && load_executable(&s, argv[2]) &&
        create_input(&s, 0) && create_input(&s, 1) && execute(&s) &&
        copy_output(&s, output);
  destroyed = destroy_all(&s);
  return ran && destroyed && print_output(output) ? 0 : 1;
}
