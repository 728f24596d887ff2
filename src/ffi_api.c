#include "ffi_api.h"

#include <string.h>

#include "error.h"
#include "ffi_future.h"
#include "memory.h"

/* How many functions behind the end of the table can be asked for. */
enum { NUM_APPENDED = 32 };

struct XLA_FFI_Error {
  XLA_FFI_Error_Code code;
  const char *message;
};

/* Where there is no memory left to tell anything else. */
static XLA_FFI_Error no_memory = {(XLA_FFI_Error_Code)CYXLA_RESOURCE_EXHAUSTED,
                                  "there is no memory left for a handler's error"};

static XLA_FFI_Error *make_error(XLA_FFI_Error_Code code, const char *message) {
  const size_t bytes = strlen(message) + 1;
  XLA_FFI_Error *made = cyxla_allocate(sizeof(*made) + bytes);

  if (made == NULL) return &no_memory;
  made->code = code;
  made->message = memcpy(made + 1, message, bytes);
  return made;
}

static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  return make_error(args->errc, args->message != NULL ? args->message : "");
}

static void get_details(XLA_FFI_Error_GetDetails_Args *args) {
  args->message = args->error->message;
  args->errc = args->error->code;
}

static void destroy_error(XLA_FFI_Error_Destroy_Args *args) {
  if (args->error != &no_memory) cyxla_release(args->error);
}

/* A task may run in the thread that schedules it, as in any pool of one thread. */
static XLA_FFI_Error *run_task(XLA_FFI_ThreadPool_Schedule_Args *args) {
  args->task(args->data);
  return NULL;
}

static XLA_FFI_Error *count_threads(XLA_FFI_ThreadPool_NumThreads_Args *args) {
  *args->num_threads = 1;
  return NULL;
}

static XLA_FFI_Error *create_future(XLA_FFI_Future_Create_Args *args) {
  args->future = cyxla_ffi_future_create();
  return args->future != NULL ? NULL : &no_memory;
}

static XLA_FFI_Error *complete(XLA_FFI_Future *future, XLA_FFI_Error *failure) {
  XLA_FFI_Error_Destroy_Args destroy = {sizeof(destroy), NULL, failure};

  if (cyxla_ffi_future_complete(future, failure)) return NULL;
  if (failure != NULL) destroy_error(&destroy);
  return make_error((XLA_FFI_Error_Code)CYXLA_FAILED_PRECONDITION,
                    "the future has been completed before");
}

static XLA_FFI_Error *set_available(XLA_FFI_Future_SetAvailable_Args *args) {
  return complete(args->future, NULL);
}

static XLA_FFI_Error *set_future_error(XLA_FFI_Future_SetError_Args *args) {
  return complete(args->future, args->error);
}

static XLA_FFI_Error *get_run(XLA_FFI_RunId_Get_Args *args) {
  args->run_id = args->ctx->run_id;
  return NULL;
}

static XLA_FFI_Error *get_device(XLA_FFI_DeviceOrdinal_Get_Args *args) {
  args->device_ordinal = 0;
  return NULL;
}

/* In the place of functions that have nothing to give: of their arguments nothing is
 * looked at. */
#define MISSING(name, what)                                                         \
  static XLA_FFI_Error *name(void *args) {                                          \
    (void)args;                                                                     \
    return make_error(XLA_FFI_Error_Code_UNIMPLEMENTED,                             \
                      "the program is called directly, where handlers have " what); \
  }

MISSING(no_registration, "no handlers or types to register")
MISSING(no_stream, "no stream")
MISSING(no_user_data, "no user data")
MISSING(no_state, "no state")
MISSING(no_device_memory, "no memory of a device")
MISSING(no_extension, "no extension of the call's context")
MISSING(no_newer_function, "no function of a newer FFI than 0.4")

#define UNUSED(name) ((XLA_FFI_UnusedFunction *)(name))
#define REPEAT_4(name) UNUSED(name), UNUSED(name), UNUSED(name), UNUSED(name)
#define REPEAT_16(name) REPEAT_4(name), REPEAT_4(name), REPEAT_4(name), REPEAT_4(name)

static XLA_FFI_Error *register_handler(XLA_FFI_Handler_Register_Args *args) {
  return no_registration(args);
}

static XLA_FFI_Error *register_type(XLA_FFI_Type_Register_Args *args) {
  return no_registration(args);
}

static const struct {
  XLA_FFI_Api api;
  XLA_FFI_UnusedFunction *appended[NUM_APPENDED];
} table = {
    {
        .struct_size = sizeof(table),
        .api_version = {offsetof(XLA_FFI_Api_Version, minor_version) + sizeof(int),
                        NULL, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR},
        .XLA_FFI_Error_Create = create_error,
        .XLA_FFI_Error_GetDetails = get_details,
        .XLA_FFI_Error_Destroy = destroy_error,
        .XLA_FFI_Handler_Register = register_handler,
        .XLA_FFI_Stream_Get = UNUSED(no_stream),
        .XLA_FFI_Type_Register = register_type,
        .XLA_FFI_InvokeContext_Get = UNUSED(no_user_data),
        .XLA_FFI_State_Set = UNUSED(no_state),
        .XLA_FFI_State_Get = UNUSED(no_state),
        .XLA_FFI_DeviceMemory_Allocate = UNUSED(no_device_memory),
        .XLA_FFI_DeviceMemory_Free = UNUSED(no_device_memory),
        .XLA_FFI_ThreadPool_Schedule = run_task,
        .XLA_FFI_ThreadPool_NumThreads = count_threads,
        .XLA_FFI_Future_Create = create_future,
        .XLA_FFI_Future_SetAvailable = set_available,
        .XLA_FFI_Future_SetError = set_future_error,
        .XLA_FFI_RunId_Get = get_run,
        .XLA_FFI_DeviceOrdinal_Get = get_device,
        .XLA_FFI_InvokeContext_FindExtension = UNUSED(no_extension),
    },
    {REPEAT_16(no_newer_function), REPEAT_16(no_newer_function)},
};

const XLA_FFI_Api *cyxla_ffi_api_get(void) {
  return &table.api;
}

cyxla_status cyxla_ffi_api_take_error(const XLA_FFI_Api *api, XLA_FFI_Error *failure,
                                      const char *action, const char *name,
                                      cyxla_error *error) {
  XLA_FFI_Error_GetDetails_Args details;
  XLA_FFI_Error_Destroy_Args destroy = {sizeof(destroy), NULL, failure};
  cyxla_status status;

  if (failure == NULL) return CYXLA_OK;
  memset(&details, 0, sizeof(details));
  details.struct_size = sizeof(details);
  details.error = failure;
  api->XLA_FFI_Error_GetDetails(&details);
  status = (int)details.errc > CYXLA_OK && (int)details.errc <= CYXLA_UNAUTHENTICATED
               ? (cyxla_status)details.errc
               : CYXLA_UNKNOWN;
  cyxla_error_set(error, status, "cannot %s %s: %s", action, name,
                  details.message != NULL ? details.message : "");
  api->XLA_FFI_Error_Destroy(&destroy);
  return status;
}
