/* Fuzz target: what handlers and plugins say of their versions, and how far a plugin's
 * table of functions goes. */
#include <string.h>

/* With its tables, which go on growing in a process, to be emptied after each input. */
#include "../../src/ffi_wrapper.c"
#include "ffi.h"
#include "input.h"

enum { NUM_PLUGINS = 3, NUM_STEPS_MAXIMUM = 40, NUM_HANDLERS = 2 };

struct XLA_FFI_Error {
  const char *message;
  XLA_FFI_Error_Code code;
};

/* What the handlers do and see, in the step that runs. */
static struct {
  fuzz_input *input;
  const XLA_FFI_Api *api;
  size_t slot; /* where in the table the function lies that a handler calls */
  XLA_FFI_Error *failure;
  int handler;
} step;

static struct {
  XLA_FFI_Api *api;
  size_t size;
} plugins[NUM_PLUGINS];

static XLA_FFI_Error missing = {"a function is missing", XLA_FFI_Error_Code_OK};
static XLA_FFI_Error failed;
static int live_errors;

static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  missing.code = args->errc;
  return &missing;
}

static void get_details(XLA_FFI_Error_GetDetails_Args *args) {
  args->message = args->error->message;
  args->errc = args->error->code;
}

static void destroy_error(XLA_FFI_Error_Destroy_Args *args) {
  FUZZ_CHECK(args->error == &failed, "the error that the handler made");
  live_errors--;
}

/* In each other place of a plugin's table. */
static XLA_FFI_Error *known_function(void *args) {
  (void)args;
  return NULL;
}

static int take_number(fuzz_input *input) {
  static const int numbers[] = {0, 1,         2,         3,  4,    5,     6,
                                7, INT32_MAX, INT32_MIN, -1, 1000, 65536, 255};

  return numbers[fuzz_take_below(input, sizeof(numbers) / sizeof(numbers[0]))];
}

/* A handler as odd as can be: it writes any version, and fails in any way. */
static XLA_FFI_Error *describe(XLA_FFI_CallFrame *frame) {
  XLA_FFI_Metadata *metadata = cyxla_ffi_metadata_of(frame);

  FUZZ_CHECK(frame->struct_size == XLA_FFI_CallFrame_STRUCT_SIZE, "a whole frame");
  metadata->api_version.major_version =
      fuzz_take_byte(step.input) < 0xe0 ? XLA_FFI_API_MAJOR : take_number(step.input);
  metadata->api_version.minor_version = take_number(step.input);
  metadata->traits = fuzz_take_byte(step.input);
  if (fuzz_take_byte(step.input) < 0xc0) return NULL;
  failed.message = fuzz_take_byte(step.input) % 2 == 0 ? NULL : "no";
  failed.code = (XLA_FFI_Error_Code)take_number(step.input);
  live_errors++;
  return &failed;
}

static XLA_FFI_Error *handle(XLA_FFI_CallFrame *frame, int number) {
  XLA_FFI_Error *(*function)(void *args);

  step.handler = number;
  if (frame->extension_start != NULL) return describe(frame);
  step.api = frame->api;
  if (step.slot + sizeof(function) > frame->api->struct_size) return NULL;
  memcpy(&function, (const char *)frame->api + step.slot, sizeof(function));
  return step.failure = function(NULL);
}

static XLA_FFI_Error *handle_0(XLA_FFI_CallFrame *frame) {
  return handle(frame, 0);
}

static XLA_FFI_Error *handle_1(XLA_FFI_CallFrame *frame) {
  return handle(frame, 1);
}

static XLA_FFI_Handler *const HANDLERS[NUM_HANDLERS] = {handle_0, handle_1};

/* A table of just its size, which holds the functions that are called without a look
 * at the size at least. */
static void take_plugin(fuzz_input *input, size_t index) {
  XLA_FFI_Error *(*known)(void *) = known_function;
  size_t least = offsetof(XLA_FFI_Api, XLA_FFI_InvokeContext_Get);
  size_t size = least + fuzz_take_byte(input);
  XLA_FFI_Api whole;
  char *table = (char *)malloc(size);

  if (table == NULL) abort();
  for (size_t at = offsetof(XLA_FFI_Api, XLA_FFI_Handler_Register); at < size;
       at += sizeof(known)) {
    memcpy(table + at, &known, size - at < sizeof(known) ? size - at : sizeof(known));
  }
  memset(&whole, 0, sizeof(whole));
  whole.struct_size = size;
  whole.api_version.struct_size = sizeof(whole.api_version);
  whole.api_version.major_version =
      fuzz_take_byte(input) < 0xe0 ? XLA_FFI_API_MAJOR : take_number(input);
  whole.api_version.minor_version = take_number(input);
  whole.XLA_FFI_Error_Create = create_error;
  whole.XLA_FFI_Error_GetDetails = get_details;
  whole.XLA_FFI_Error_Destroy = destroy_error;
  memcpy(table, &whole, offsetof(XLA_FFI_Api, XLA_FFI_Handler_Register));
  plugins[index].api = (XLA_FFI_Api *)table;
  plugins[index].size = size;
}

/* A call with a plugin's frame, of a function somewhere in the table. */
static void call(fuzz_input *input, size_t index, XLA_FFI_Handler *handler, int number,
                 bool is_wrapped) {
  XLA_FFI_CallFrame frame;
  XLA_FFI_Error *error;
  bool is_known;

  memset(&frame, 0, sizeof(frame));
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = plugins[index].api;
  step.slot = offsetof(XLA_FFI_Api, XLA_FFI_Stream_Get) +
              sizeof(void *) * fuzz_take_below(input, 64);
  step.failure = NULL;
  step.handler = -1;
  error = handler(&frame);
  is_known = step.slot + sizeof(void *) <= plugins[index].size;
  FUZZ_CHECK(step.handler == number, "the wrapper is that of its handler");
  FUZZ_CHECK(error == step.failure, "the handler's error is returned");
  FUZZ_CHECK(frame.api == plugins[index].api, "the frame is as it was");
  FUZZ_CHECK((step.api != frame.api) == is_wrapped, "a wrapper has a table of its own");
  if (!is_wrapped) return;
  FUZZ_CHECK(step.api->struct_size > sizeof(XLA_FFI_Api), "the table has no end");
  if (step.slot < sizeof(XLA_FFI_Api)) {
    FUZZ_CHECK((error == NULL) == is_known, "only a missing function is an error");
  }
}

/* What the wrapper says that its handler is. */
static void check_described(size_t index, XLA_FFI_Handler *wrapped) {
  XLA_FFI_Metadata metadata;
  cyxla_error error;

  if (cyxla_ffi_inspect(plugins[index].api, wrapped, &metadata, &error) != CYXLA_OK) {
    return;
  }
  FUZZ_CHECK(metadata.api_version.minor_version ==
                 plugins[index].api->api_version.minor_version,
             "a wrapper has the plugin's version");
}

static void take_step(fuzz_input *input) {
  const size_t index = fuzz_take_below(input, NUM_PLUGINS);
  const int number = (int)fuzz_take_below(input, NUM_HANDLERS);
  const XLA_FFI_Api_Version *plugin = &plugins[index].api->api_version;
  XLA_FFI_Handler *handler = HANDLERS[number];
  XLA_FFI_Metadata metadata;
  const XLA_FFI_Api_Version *version = &metadata.api_version;
  cyxla_error error;
  cyxla_status status =
      cyxla_ffi_inspect(plugins[index].api, handler, &metadata, &error);
  bool fits, is_wrapped;

  FUZZ_CHECK(live_errors == 0, "errors are given back");
  if (status != CYXLA_OK) {
    FUZZ_CHECK(error.status == status && error.message[0] != '\0', "an error");
    return;
  }
  fits = version->major_version == plugin->major_version &&
         version->minor_version <= plugin->minor_version;
  status = cyxla_ffi_wrap(plugins[index].api, "fuzz", version, &handler, &error);
  is_wrapped = handler != HANDLERS[number];
  FUZZ_CHECK(is_wrapped == (status == CYXLA_OK && !fits), "wrapped where needed");
  if (status != CYXLA_OK) {
    FUZZ_CHECK(!fits && (version->major_version != plugin->major_version ||
                         version->minor_version > CYXLA_FFI_MINOR_MAXIMUM),
               "only what cannot be brought together is refused");
    return;
  }
  call(input, index, handler, number, is_wrapped);
  if (is_wrapped) check_described(index, handler);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input input = {data, size};

  step.input = &input;
  live_errors = 0;
  for (size_t i = 0; i < NUM_PLUGINS; i++) take_plugin(&input, i);
  for (int i = 0; i < NUM_STEPS_MAXIMUM && input.size > 0; i++) take_step(&input);
  for (size_t i = 0; i < NUM_PLUGINS; i++) free(plugins[i].api);
  memset(apis, 0, sizeof(apis));
  memset(wrappers, 0, sizeof(wrappers));
  num_apis = num_wrappers = 0;
  return 0;
}
