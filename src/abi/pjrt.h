/* The PJRT C API: the function table that a plugin returns from GetPjrtApi.
 *
 * Our own declarations of a foreign binary interface. The order of the table is the
 * interface: functions are only ever appended, and struct_size tells how many bytes
 * of the table a plugin has filled in. Functions that neither cyxla nor its examples
 * call are declared without their arguments. See pjrt_types.h.
 */
#ifndef CYXLA_ABI_PJRT_H
#define CYXLA_ABI_PJRT_H

#include "abi/pjrt_args.h"
#include "abi/pjrt_types.h"

/* The version whose table is written out below; older and newer plugins work as long
 * as the major version is the same. */
#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 114

typedef void PJRT_UnusedFunction(void);

typedef struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Api_Version pjrt_api_version;

  void (*PJRT_Error_Destroy)(PJRT_Error_Destroy_Args *args);
  void (*PJRT_Error_Message)(PJRT_Error_Message_Args *args);
  PJRT_Error *(*PJRT_Error_GetCode)(PJRT_Error_GetCode_Args *args);
  PJRT_Error *(*PJRT_Plugin_Initialize)(PJRT_Plugin_Initialize_Args *args);
  PJRT_Error *(*PJRT_Plugin_Attributes)(PJRT_Plugin_Attributes_Args *args);
  PJRT_Error *(*PJRT_Event_Destroy)(PJRT_Event_Destroy_Args *args);
  PJRT_Error *(*PJRT_Event_IsReady)(PJRT_Event_IsReady_Args *args);
  PJRT_UnusedFunction *PJRT_Event_Error;
  PJRT_Error *(*PJRT_Event_Await)(PJRT_Event_Await_Args *args);
  PJRT_UnusedFunction *PJRT_Event_OnReady;
  PJRT_Error *(*PJRT_Client_Create)(PJRT_Client_Create_Args *args);
  PJRT_Error *(*PJRT_Client_Destroy)(PJRT_Client_Destroy_Args *args);
  PJRT_Error *(*PJRT_Client_PlatformName)(PJRT_Client_PlatformName_Args *args);
  PJRT_UnusedFunction *PJRT_Client_ProcessIndex;
  PJRT_Error *(*PJRT_Client_PlatformVersion)(PJRT_Client_PlatformVersion_Args *args);
  PJRT_Error *(*PJRT_Client_Devices)(PJRT_Client_Devices_Args *args);
  PJRT_Error *(*PJRT_Client_AddressableDevices)(
      PJRT_Client_AddressableDevices_Args *args);
  PJRT_UnusedFunction *PJRT_Client_LookupDevice;
  PJRT_UnusedFunction *PJRT_Client_LookupAddressableDevice;
  PJRT_UnusedFunction *PJRT_Client_AddressableMemories;
  PJRT_Error *(*PJRT_Client_Compile)(PJRT_Client_Compile_Args *args);
  PJRT_UnusedFunction *PJRT_Client_DefaultDeviceAssignment;
  PJRT_Error *(*PJRT_Client_BufferFromHostBuffer)(
      PJRT_Client_BufferFromHostBuffer_Args *args);
  PJRT_Error *(*PJRT_DeviceDescription_Id)(PJRT_DeviceDescription_Id_Args *args);
  PJRT_UnusedFunction *PJRT_DeviceDescription_ProcessIndex;
  PJRT_UnusedFunction *PJRT_DeviceDescription_Attributes;
  PJRT_Error *(*PJRT_DeviceDescription_Kind)(PJRT_DeviceDescription_Kind_Args *args);
  PJRT_UnusedFunction *PJRT_DeviceDescription_DebugString;
  PJRT_UnusedFunction *PJRT_DeviceDescription_ToString;
  PJRT_Error *(*PJRT_Device_GetDescription)(PJRT_Device_GetDescription_Args *args);
  PJRT_UnusedFunction *PJRT_Device_IsAddressable;
  PJRT_UnusedFunction *PJRT_Device_LocalHardwareId;
  PJRT_UnusedFunction *PJRT_Device_AddressableMemories;
  PJRT_UnusedFunction *PJRT_Device_DefaultMemory;
  PJRT_UnusedFunction *PJRT_Device_MemoryStats;
  PJRT_UnusedFunction *PJRT_Memory_Id;
  PJRT_UnusedFunction *PJRT_Memory_Kind;
  PJRT_UnusedFunction *PJRT_Memory_DebugString;
  PJRT_UnusedFunction *PJRT_Memory_ToString;
  PJRT_UnusedFunction *PJRT_Memory_AddressableByDevices;
  PJRT_Error *(*PJRT_Executable_Destroy)(PJRT_Executable_Destroy_Args *args);
  PJRT_UnusedFunction *PJRT_Executable_Name;
  PJRT_Error *(*PJRT_Executable_NumReplicas)(PJRT_Executable_NumReplicas_Args *args);
  PJRT_Error *(*PJRT_Executable_NumPartitions)(
      PJRT_Executable_NumPartitions_Args *args);
  PJRT_Error *(*PJRT_Executable_NumOutputs)(PJRT_Executable_NumOutputs_Args *args);
  PJRT_Error *(*PJRT_Executable_SizeOfGeneratedCodeInBytes)(
      PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *args);
  PJRT_UnusedFunction *PJRT_Executable_GetCostAnalysis;
  PJRT_UnusedFunction *PJRT_Executable_OutputMemoryKinds;
  PJRT_UnusedFunction *PJRT_Executable_OptimizedProgram;
  PJRT_Error *(*PJRT_Executable_Serialize)(PJRT_Executable_Serialize_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_Destroy)(
      PJRT_LoadedExecutable_Destroy_Args *args);
  PJRT_Error *(*PJRT_LoadedExecutable_GetExecutable)(
      PJRT_LoadedExecutable_GetExecutable_Args *args);
  PJRT_UnusedFunction *PJRT_LoadedExecutable_AddressableDevices;
  PJRT_UnusedFunction *PJRT_LoadedExecutable_Delete;
  PJRT_UnusedFunction *PJRT_LoadedExecutable_IsDeleted;
  PJRT_Error *(*PJRT_LoadedExecutable_Execute)(
      PJRT_LoadedExecutable_Execute_Args *args);
  PJRT_Error *(*PJRT_Executable_DeserializeAndLoad)(
      PJRT_Executable_DeserializeAndLoad_Args *args);
  PJRT_UnusedFunction *PJRT_LoadedExecutable_Fingerprint;
  PJRT_Error *(*PJRT_Buffer_Destroy)(PJRT_Buffer_Destroy_Args *args);
  PJRT_UnusedFunction *PJRT_Buffer_ElementType;
  PJRT_UnusedFunction *PJRT_Buffer_Dimensions;
  PJRT_UnusedFunction *PJRT_Buffer_UnpaddedDimensions;
  PJRT_UnusedFunction *PJRT_Buffer_DynamicDimensionIndices;
  PJRT_Error *(*PJRT_Buffer_GetMemoryLayout)(PJRT_Buffer_GetMemoryLayout_Args *args);
  PJRT_UnusedFunction *PJRT_Buffer_OnDeviceSizeInBytes;
  PJRT_UnusedFunction *PJRT_Buffer_Device;
  PJRT_UnusedFunction *PJRT_Buffer_Memory;
  PJRT_UnusedFunction *PJRT_Buffer_Delete;
  PJRT_UnusedFunction *PJRT_Buffer_IsDeleted;
  PJRT_UnusedFunction *PJRT_Buffer_CopyToDevice;
  PJRT_Error *(*PJRT_Buffer_ToHostBuffer)(PJRT_Buffer_ToHostBuffer_Args *args);
  PJRT_Error *(*PJRT_Buffer_IsOnCpu)(PJRT_Buffer_IsOnCpu_Args *args);
  PJRT_Error *(*PJRT_Buffer_ReadyEvent)(PJRT_Buffer_ReadyEvent_Args *args);
  PJRT_Error *(*PJRT_Buffer_UnsafePointer)(PJRT_Buffer_UnsafePointer_Args *args);
  PJRT_UnusedFunction *PJRT_Buffer_IncreaseExternalReferenceCount;
  PJRT_UnusedFunction *PJRT_Buffer_DecreaseExternalReferenceCount;
  PJRT_UnusedFunction *PJRT_Buffer_OpaqueDeviceMemoryDataPointer;
  PJRT_UnusedFunction *PJRT_CopyToDeviceStream_Destroy;
  PJRT_UnusedFunction *PJRT_CopyToDeviceStream_AddChunk;
  PJRT_UnusedFunction *PJRT_CopyToDeviceStream_TotalBytes;
  PJRT_UnusedFunction *PJRT_CopyToDeviceStream_GranuleSize;
  PJRT_UnusedFunction *PJRT_CopyToDeviceStream_CurrentBytes;
  PJRT_UnusedFunction *PJRT_TopologyDescription_Create;
  PJRT_UnusedFunction *PJRT_TopologyDescription_Destroy;
  PJRT_UnusedFunction *PJRT_TopologyDescription_PlatformName;
  PJRT_UnusedFunction *PJRT_TopologyDescription_PlatformVersion;
  PJRT_UnusedFunction *PJRT_TopologyDescription_GetDeviceDescriptions;
  PJRT_UnusedFunction *PJRT_TopologyDescription_Serialize;
  PJRT_UnusedFunction *PJRT_TopologyDescription_Attributes;
  PJRT_UnusedFunction *PJRT_Compile;
  PJRT_Error *(*PJRT_Executable_OutputElementTypes)(
      PJRT_Executable_OutputElementTypes_Args *args);
  PJRT_Error *(*PJRT_Executable_OutputDimensions)(
      PJRT_Executable_OutputDimensions_Args *args);
  PJRT_UnusedFunction *PJRT_Buffer_CopyToMemory;
  PJRT_UnusedFunction *PJRT_Client_CreateViewOfDeviceBuffer;
  PJRT_UnusedFunction *PJRT_Executable_Fingerprint;
  PJRT_UnusedFunction *PJRT_Client_TopologyDescription;
  PJRT_UnusedFunction *PJRT_Executable_GetCompiledMemoryStats;
  PJRT_UnusedFunction *PJRT_Memory_Kind_Id;
  PJRT_Error *(*PJRT_ExecuteContext_Create)(PJRT_ExecuteContext_Create_Args *args);
  PJRT_Error *(*PJRT_ExecuteContext_Destroy)(PJRT_ExecuteContext_Destroy_Args *args);
  PJRT_UnusedFunction *PJRT_Buffer_CopyRawToHost;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_Destroy;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_TransferData;
  PJRT_UnusedFunction *PJRT_Client_CreateBuffersForAsyncHostToDevice;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_Device;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_BufferCount;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_BufferSize;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_SetBufferError;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_AddMetadata;
  PJRT_UnusedFunction *PJRT_Client_DmaMap;
  PJRT_UnusedFunction *PJRT_Client_DmaUnmap;
  PJRT_UnusedFunction *PJRT_Client_CreateUninitializedBuffer;
  PJRT_UnusedFunction *PJRT_Client_UpdateGlobalProcessInfo;
  PJRT_UnusedFunction *PJRT_TopologyDescription_Deserialize;
  PJRT_UnusedFunction *PJRT_Client_CreateAliasBuffer;
  PJRT_UnusedFunction *PJRT_Client_FulfillAliasBuffer;
  PJRT_UnusedFunction *PJRT_LoadedExecutable_GetDeviceAssignment;
  PJRT_UnusedFunction *PJRT_Client_CreateErrorBuffer;
  PJRT_UnusedFunction *PJRT_AsyncHostToDeviceTransferManager_TransferLiteral;
  PJRT_UnusedFunction *PJRT_Buffer_CopyRawToHostFuture;
  PJRT_UnusedFunction *PJRT_Device_PoisonExecution;
  PJRT_UnusedFunction *PJRT_Device_CreateAsyncTrackingEvent;
  PJRT_UnusedFunction *PJRT_AsyncTrackingEvent_Destroy;
  PJRT_UnusedFunction *PJRT_Executable_GetCompileOptions;
  PJRT_UnusedFunction *PJRT_Buffer_DonateWithControlDependency;
  PJRT_UnusedFunction *PJRT_Event_Create;
  PJRT_UnusedFunction *PJRT_Event_Set;
  PJRT_UnusedFunction *PJRT_Device_GetAttributes;
  PJRT_UnusedFunction *PJRT_Client_Load;
  PJRT_UnusedFunction *PJRT_LoadedExecutable_AddressableDeviceLogicalIds;
  PJRT_UnusedFunction *PJRT_Buffer_Bitcast;
  PJRT_UnusedFunction *PJRT_Error_ForEachPayload;
  PJRT_UnusedFunction *PJRT_TopologyDescription_Fingerprint;
  PJRT_UnusedFunction *PJRT_Executable_ParameterMemoryKinds;
  PJRT_UnusedFunction *PJRT_Device_ClearMemoryStats;
  PJRT_UnusedFunction *PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace;
  PJRT_UnusedFunction *PJRT_TopologyDescription_GetMemorySpaceKindIds;
} PJRT_Api;

/* The one symbol that a plugin exports under the name "GetPjrtApi". */
typedef const PJRT_Api *PJRT_GetPjrtApi(void);

#endif
