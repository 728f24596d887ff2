/* What the files of the fake plugin share. */
#ifndef FAKE_INTERNAL_H
#define FAKE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/pjrt.h"
#include "fake_plugin.h"

#define FAKE_MAX_ARRAYS 64
#define FAKE_MAX_RANK 8
#define FAKE_MAX_DEVICES 8

/* The functions of the table that are there. Those that cannot fail come first. */
#define FAKE_INFALLIBLE_FUNCTIONS(F) \
  F(Error_Destroy)                   \
  F(Error_Message)

#define FAKE_FALLIBLE_FUNCTIONS(F)         \
  F(Error_GetCode)                         \
  F(Plugin_Initialize)                     \
  F(Plugin_Attributes)                     \
  F(Event_Destroy)                         \
  F(Event_IsReady)                         \
  F(Event_Await)                           \
  F(Client_Create)                         \
  F(Client_Destroy)                        \
  F(Client_PlatformName)                   \
  F(Client_PlatformVersion)                \
  F(Client_Devices)                        \
  F(Client_AddressableDevices)             \
  F(Client_Compile)                        \
  F(Client_BufferFromHostBuffer)           \
  F(DeviceDescription_Id)                  \
  F(DeviceDescription_Kind)                \
  F(Device_GetDescription)                 \
  F(Executable_Destroy)                    \
  F(Executable_Serialize)                  \
  F(Executable_DeserializeAndLoad)         \
  F(Executable_NumReplicas)                \
  F(Executable_NumPartitions)              \
  F(Executable_NumOutputs)                 \
  F(Executable_SizeOfGeneratedCodeInBytes) \
  F(Executable_OutputElementTypes)         \
  F(Executable_OutputDimensions)           \
  F(LoadedExecutable_Destroy)              \
  F(LoadedExecutable_GetExecutable)        \
  F(LoadedExecutable_Execute)              \
  F(ExecuteContext_Create)                 \
  F(ExecuteContext_Destroy)                \
  F(Buffer_Destroy)                        \
  F(Buffer_GetMemoryLayout)                \
  F(Buffer_ToHostBuffer)                   \
  F(Buffer_IsOnCpu)                        \
  F(Buffer_ReadyEvent)                     \
  F(Buffer_UnsafePointer)

#define FAKE_NUMBER(name) FAKE_##name,
typedef enum {
  FAKE_INFALLIBLE_FUNCTIONS(FAKE_NUMBER) FAKE_FALLIBLE_FUNCTIONS(FAKE_NUMBER)
      FAKE_NUM_FUNCTIONS
} fake_function;

void fake_Error_Destroy(PJRT_Error_Destroy_Args *args);
void fake_Error_Message(PJRT_Error_Message_Args *args);
#define FAKE_DECLARE(name) PJRT_Error *fake_##name(PJRT_##name##_Args *args);
FAKE_FALLIBLE_FUNCTIONS(FAKE_DECLARE)

/* Begins a function that can fail: counts the call and returns if it is to fail, or if
 * the caller's struct is smaller than the one we know. */
#define FAKE_ENTER(name, args)                                                    \
  do {                                                                            \
    PJRT_Error *failure =                                                         \
        fake_enter(FAKE_##name, (args)->struct_size, sizeof(PJRT_##name##_Args)); \
    if (failure != NULL) return failure;                                          \
  } while (0)

/* State and counters; any thread may call these. */
PJRT_Error *fake_enter(fake_function function, size_t given_bytes, size_t known_bytes);
long fake_get(fake_knob knob);
const char *fake_get_text(fake_text which);
void fake_call_in_execution(void);
void fake_count(fake_kind kind, long change);
long fake_count_live(fake_kind kind);
void fake_violate(const char *rule);
void fake_record_options(const PJRT_NamedValue *options, size_t num_options);
void fake_record_compile_options(const void *options, size_t bytes);
bool fake_is_removed(fake_function function);
const char *fake_function_name(fake_function function);

/* The extension of PJRT that takes handlers of custom calls, and forgetting them. */
PJRT_Extension_Base *fake_ffi_extension(void);
void fake_ffi_forget(void);

/* Never returns NULL: a fake that runs out of memory ends the process. */
void *fake_allocate(size_t bytes);

/* A new error whose message is formatted as by printf. */
PJRT_Error *fake_error(PJRT_Error_Code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fills in the function table as the knobs say. */
void fake_fill_table(void);

/* ---- Programs ---- */

typedef enum { FAKE_ARGUMENT, FAKE_NEGATE, FAKE_SUM, FAKE_ZEROS } fake_operation;

typedef struct {
  PJRT_Buffer_Type type;
  size_t rank;
  int64_t dims[FAKE_MAX_RANK];
} fake_array;

typedef struct {
  fake_array array;
  fake_operation operation;
  size_t operands[2];
  bool donates; /* the memory of input donated is taken over */
  size_t donated;
} fake_output;

typedef struct {
  int refs;
  char *code; /* what it was parsed from */
  size_t code_bytes;
  size_t num_inputs;
  size_t num_outputs;
  fake_array inputs[FAKE_MAX_ARRAYS];
  fake_output outputs[FAKE_MAX_ARRAYS];
} fake_program;

size_t fake_type_bytes(PJRT_Buffer_Type type);
const char *fake_type_name(PJRT_Buffer_Type type);
size_t fake_num_elements(const fake_array *array);
size_t fake_array_bytes(const fake_array *array);
bool fake_same_array(const fake_array *a, const fake_array *b);
PJRT_Error *fake_parse(const char *code, size_t bytes, fake_program **program);
void fake_program_release(fake_program *program);

/* The element-wise operation; false where it has none for the type. Without memory it
 * only tells. */
bool fake_compute(const fake_output *output, const void *left, const void *right,
                  void *result);

/* ---- Objects ---- */

/* Memory that one or more buffers lie in. */
typedef struct {
  int refs;
  void *data;  /* the caller's, or where owned begins plus an offset */
  void *owned; /* NULL: the memory is the caller's */
} fake_storage;

struct PJRT_Device {
  PJRT_Client *client;
  int id;
};

struct PJRT_Client {
  char *platform; /* exactly its characters, no zero byte */
  size_t platform_bytes;
  size_t num_devices;
  struct PJRT_Device devices[FAKE_MAX_DEVICES];
  PJRT_Device *device_list[FAKE_MAX_DEVICES];
};

struct PJRT_Executable {
  fake_program *program;
  PJRT_Buffer_Type *types;
  int64_t *dims;
  size_t *ranks;
};

struct PJRT_LoadedExecutable {
  fake_program *program;
};

struct PJRT_ExecuteContext {
  int unused;
};

struct PJRT_Buffer {
  int refs; /* one of the caller's handle, one of each event that waits for it */
  fake_array array;
  fake_storage *storage;
  PJRT_HostBufferSemantics semantics;
  bool is_output;
  bool zero_copy; /* the storage is the caller's */
  bool deleted;   /* donated to an execution */
  bool freed;     /* the caller's handle is gone */
  void *pending;  /* the elements, until an event is awaited; NULL: they are there */
  int64_t order[FAKE_MAX_RANK]; /* what the layout points to */
  int64_t strides[FAKE_MAX_RANK];
};

struct PJRT_Event {
  PJRT_Buffer *buffers[FAKE_MAX_ARRAYS]; /* that are there once it is awaited */
  size_t num_buffers;
  bool ready;
  bool fails;        /* when it is awaited */
  bool host_buffer;  /* it waits for the end of the buffer's use of host memory */
  void *destination; /* what buffer 0 is copied to; NULL: nothing */
  bool column_major; /* the order to copy in */
};

fake_storage *fake_storage_create(void *host, size_t bytes, size_t offset);
void fake_storage_release(fake_storage *storage);
PJRT_Buffer *fake_buffer_create(const fake_array *array, fake_storage *storage);
void fake_buffer_release(PJRT_Buffer *buffer);
void fake_buffer_materialize(PJRT_Buffer *buffer);
bool fake_buffer_is_column_major(const PJRT_Buffer *buffer);
/* Copies elements, turning the order of the dimensions around where transpose says. */
void fake_copy_elements(const fake_array *array, const void *from, void *to,
                        bool from_column_major, bool to_column_major);
PJRT_Event *fake_event_create(PJRT_Buffer *const *buffers, size_t num_buffers);

#endif
