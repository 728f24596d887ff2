/* XLA's typed FFI: how a program calls a native function, its handler.
 *
 * Declarations of a foreign binary interface in our own words, of version 0.4 of the
 * interface. tests/python/test_abi_ffi.py compares them with the official header. Every
 * struct begins with its size, and fields are only appended.
 */
#ifndef CYXLA_ABI_FFI_H
#define CYXLA_ABI_FFI_H

#include <stddef.h>
#include <stdint.h>

#define XLA_FFI_API_MAJOR 0
#define XLA_FFI_API_MINOR 4

typedef struct XLA_FFI_Error XLA_FFI_Error;
typedef struct XLA_FFI_InvokeContext XLA_FFI_InvokeContext;
typedef struct XLA_FFI_Future XLA_FFI_Future;
typedef struct XLA_FFI_InternalApi XLA_FFI_InternalApi;
typedef struct XLA_FFI_Api XLA_FFI_Api;

typedef enum { XLA_FFI_Extension_Metadata = 1 } XLA_FFI_InternalExtension_Type;

typedef struct XLA_FFI_InternalExtension {
  size_t struct_size;
  XLA_FFI_InternalExtension_Type type;
  struct XLA_FFI_InternalExtension *next;
} XLA_FFI_InternalExtension;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  int major_version;
  int minor_version;
} XLA_FFI_Api_Version;

/* The numbers are those of Abseil's status codes, as in PJRT. */
typedef enum {
  XLA_FFI_Error_Code_OK = 0,
  XLA_FFI_Error_Code_INVALID_ARGUMENT = 3,
  XLA_FFI_Error_Code_UNIMPLEMENTED = 12,
  XLA_FFI_Error_Code_INTERNAL = 13
} XLA_FFI_Error_Code;

/* Not the numbers of PJRT_Buffer_Type from BF16 on. */
typedef enum {
  XLA_FFI_DataType_INVALID = 0,
  XLA_FFI_DataType_PRED = 1,
  XLA_FFI_DataType_S8 = 2,
  XLA_FFI_DataType_S16 = 3,
  XLA_FFI_DataType_S32 = 4,
  XLA_FFI_DataType_S64 = 5,
  XLA_FFI_DataType_U8 = 6,
  XLA_FFI_DataType_U16 = 7,
  XLA_FFI_DataType_U32 = 8,
  XLA_FFI_DataType_U64 = 9,
  XLA_FFI_DataType_F16 = 10,
  XLA_FFI_DataType_F32 = 11,
  XLA_FFI_DataType_F64 = 12,
  XLA_FFI_DataType_C64 = 15,
  XLA_FFI_DataType_BF16 = 16,
  XLA_FFI_DataType_TOKEN = 17,
  XLA_FFI_DataType_C128 = 18
} XLA_FFI_DataType;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_DataType dtype;
  void *data;
  int64_t rank;
  int64_t *dims; /* [rank] */
} XLA_FFI_Buffer;

typedef enum { XLA_FFI_ArgType_BUFFER = 1 } XLA_FFI_ArgType;
typedef enum { XLA_FFI_RetType_BUFFER = 1 } XLA_FFI_RetType;

typedef enum {
  XLA_FFI_AttrType_ARRAY = 1,
  XLA_FFI_AttrType_DICTIONARY = 2,
  XLA_FFI_AttrType_SCALAR = 3,
  XLA_FFI_AttrType_STRING = 4
} XLA_FFI_AttrType;

typedef struct {
  const char *ptr; /* not terminated */
  size_t len;
} XLA_FFI_ByteSpan;

typedef struct {
  XLA_FFI_DataType dtype;
  void *value;
} XLA_FFI_Scalar;

typedef struct {
  XLA_FFI_DataType dtype;
  size_t size; /* elements */
  void *data;
} XLA_FFI_Array;

typedef struct {
  int64_t type_id; /* 0: none */
} XLA_FFI_TypeId;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  void (*deleter)(void *object);
} XLA_FFI_TypeInfo;

typedef enum {
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  XLA_FFI_ExecutionStage_PREPARE = 1,
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  XLA_FFI_ExecutionStage_EXECUTE = 3,
  XLA_FFI_ExecutionStage_RECORD = 4
} XLA_FFI_ExecutionStage;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  int64_t size;
  XLA_FFI_ArgType *types; /* [size] */
  void **args;            /* [size] XLA_FFI_Buffer * */
} XLA_FFI_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  int64_t size;
  XLA_FFI_RetType *types; /* [size] */
  void **rets;            /* [size] XLA_FFI_Buffer * */
} XLA_FFI_Rets;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  int64_t size;
  XLA_FFI_AttrType *types;  /* [size] */
  XLA_FFI_ByteSpan **names; /* [size] */
  void **attrs;             /* [size] XLA_FFI_Scalar *, XLA_FFI_Array * and so on */
} XLA_FFI_Attrs;

/* All that a handler is called with. If a metadata extension is chained to it, the
 * handler is only asked what it is. */
typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  const XLA_FFI_Api *api;
  XLA_FFI_InvokeContext *ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
  XLA_FFI_Future *future; /* out */
} XLA_FFI_CallFrame;

/* What struct_size of a frame says. The official header counts to the end of attrs, and
 * handlers that were built with it refuse any other size. */
#define XLA_FFI_CallFrame_STRUCT_SIZE offsetof(XLA_FFI_CallFrame, future)

typedef XLA_FFI_Error *XLA_FFI_Handler(XLA_FFI_CallFrame *frame);

typedef uint32_t XLA_FFI_Handler_Traits;

typedef struct {
  size_t struct_size;
  XLA_FFI_Api_Version api_version;
  XLA_FFI_Handler_Traits traits;
  XLA_FFI_TypeId state_type_id;
} XLA_FFI_Metadata;

/* Likewise: the official header counts to the end of traits. */
#define XLA_FFI_Metadata_STRUCT_SIZE \
  (offsetof(XLA_FFI_Metadata, traits) + sizeof(XLA_FFI_Handler_Traits))

typedef struct {
  XLA_FFI_InternalExtension extension_base;
  XLA_FFI_Metadata *metadata;
} XLA_FFI_Metadata_Extension;

/* The functions of the stages; all but execute may be NULL. */
typedef struct {
  XLA_FFI_Handler *instantiate;
  XLA_FFI_Handler *prepare;
  XLA_FFI_Handler *initialize;
  XLA_FFI_Handler *execute;
  XLA_FFI_Handler *record;
} XLA_FFI_Handler_Bundle;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  const char *message;
  XLA_FFI_Error_Code errc;
} XLA_FFI_Error_Create_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_Error *error;
  const char *message;     /* out, lives as long as error */
  XLA_FFI_Error_Code errc; /* out */
} XLA_FFI_Error_GetDetails_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_Error *error;
} XLA_FFI_Error_Destroy_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  XLA_FFI_Handler_Bundle bundle;
  XLA_FFI_Handler_Traits traits;
} XLA_FFI_Handler_Register_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_TypeId *type_id; /* in and out; 0 asks for a new one */
  const XLA_FFI_TypeInfo *type_info;
} XLA_FFI_Type_Register_Args;

typedef void XLA_FFI_Task(void *data);

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_InvokeContext *ctx;
  XLA_FFI_Task *task;
  void *data;
} XLA_FFI_ThreadPool_Schedule_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_InvokeContext *ctx;
  int64_t *num_threads; /* out */
} XLA_FFI_ThreadPool_NumThreads_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_Future *future; /* out */
} XLA_FFI_Future_Create_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_Future *future;
} XLA_FFI_Future_SetAvailable_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_Future *future;
  XLA_FFI_Error *error; /* which goes to the callee */
} XLA_FFI_Future_SetError_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_InvokeContext *ctx;
  int64_t run_id; /* out */
} XLA_FFI_RunId_Get_Args;

typedef struct {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_InvokeContext *ctx;
  int32_t device_ordinal; /* out */
} XLA_FFI_DeviceOrdinal_Get_Args;

typedef void XLA_FFI_UnusedFunction(void);

struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_InternalExtension *extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi *internal_api;
  XLA_FFI_Error *(*XLA_FFI_Error_Create)(XLA_FFI_Error_Create_Args *args);
  void (*XLA_FFI_Error_GetDetails)(XLA_FFI_Error_GetDetails_Args *args);
  void (*XLA_FFI_Error_Destroy)(XLA_FFI_Error_Destroy_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Handler_Register)(XLA_FFI_Handler_Register_Args *args);
  XLA_FFI_UnusedFunction *XLA_FFI_Stream_Get;
  XLA_FFI_Error *(*XLA_FFI_Type_Register)(XLA_FFI_Type_Register_Args *args);
  XLA_FFI_UnusedFunction *XLA_FFI_InvokeContext_Get;
  XLA_FFI_UnusedFunction *XLA_FFI_State_Set;
  XLA_FFI_UnusedFunction *XLA_FFI_State_Get;
  XLA_FFI_UnusedFunction *XLA_FFI_DeviceMemory_Allocate;
  XLA_FFI_UnusedFunction *XLA_FFI_DeviceMemory_Free;
  XLA_FFI_Error *(*XLA_FFI_ThreadPool_Schedule)(XLA_FFI_ThreadPool_Schedule_Args *args);
  XLA_FFI_Error *(*XLA_FFI_ThreadPool_NumThreads)(
      XLA_FFI_ThreadPool_NumThreads_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Future_Create)(XLA_FFI_Future_Create_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Future_SetAvailable)(XLA_FFI_Future_SetAvailable_Args *args);
  XLA_FFI_Error *(*XLA_FFI_Future_SetError)(XLA_FFI_Future_SetError_Args *args);
  XLA_FFI_Error *(*XLA_FFI_RunId_Get)(XLA_FFI_RunId_Get_Args *args);
  XLA_FFI_Error *(*XLA_FFI_DeviceOrdinal_Get)(XLA_FFI_DeviceOrdinal_Get_Args *args);
  XLA_FFI_UnusedFunction *XLA_FFI_InvokeContext_FindExtension;
};

#endif
