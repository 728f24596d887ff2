#include "buffer.h"

#include <string.h>

#include "error.h"

/* The memory of a view or of an immutable buffer is copied before an output is written
 * to it, so a donated one is mutable. */
static const PJRT_HostBufferSemantics PJRT_SEMANTICS[] = {
    [CYXLA_BUFFER_COPIED] = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
    [CYXLA_BUFFER_SHARED] = PJRT_HostBufferSemantics_kImmutableZeroCopy,
    [CYXLA_BUFFER_DONATED] = PJRT_HostBufferSemantics_kMutableZeroCopy,
};

static void destroy_event(const cyxla_runtime *runtime, PJRT_Event *event) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Event_Destroy_Args args = {sizeof(args), NULL, event};

  if (event == NULL) return;
  cyxla_error_from_pjrt(api, api->PJRT_Event_Destroy(&args), "destroy an event", NULL);
}

cyxla_status cyxla_buffer_create(const cyxla_runtime *runtime,
                                 const cyxla_array_spec *spec, const void *memory,
                                 cyxla_buffer_semantics semantics, PJRT_Buffer **buffer,
                                 cyxla_error *error) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Client_BufferFromHostBuffer_Args args;
  cyxla_status status;

  *buffer = NULL;
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.client = runtime->client;
  args.data = memory;
  args.type = (PJRT_Buffer_Type)spec->dtype;
  args.dims = spec->shape;
  args.num_dims = spec->rank;
  args.host_buffer_semantics = PJRT_SEMANTICS[semantics];
  args.device = runtime->device;
  status = cyxla_error_from_pjrt(api, api->PJRT_Client_BufferFromHostBuffer(&args),
                                 "make a buffer of an input", error);
  if (status != CYXLA_OK) return status;
  /* Of shared memory this event happens when the buffer is freed: waiting would hang.
   */
  destroy_event(runtime, args.done_with_host_buffer);
  *buffer = args.buffer;
  return CYXLA_OK;
}

void cyxla_buffer_destroy(const cyxla_runtime *runtime, PJRT_Buffer *buffer) {
  PJRT_Buffer_Destroy_Args args = {sizeof(args), NULL, buffer};
  const PJRT_Api *api;

  if (buffer == NULL || !cyxla_runtime_is_usable(runtime)) return;
  api = runtime->plugin->api;
  cyxla_error_from_pjrt(api, api->PJRT_Buffer_Destroy(&args), "destroy a buffer", NULL);
}

cyxla_status cyxla_buffer_pointer(const cyxla_runtime *runtime, PJRT_Buffer *buffer,
                                  const void **pointer, cyxla_error *error) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Buffer_UnsafePointer_Args args = {sizeof(args), NULL, buffer, 0};
  cyxla_status status =
      cyxla_error_from_pjrt(api, api->PJRT_Buffer_UnsafePointer(&args),
                            "tell where a buffer's memory is", error);

  *pointer = (const void *)args.buffer_pointer;
  return status;
}

bool cyxla_buffer_is_on_cpu(const cyxla_runtime *runtime, PJRT_Buffer *buffer) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Buffer_IsOnCpu_Args args = {sizeof(args), NULL, buffer, false};

  return cyxla_error_from_pjrt(api, api->PJRT_Buffer_IsOnCpu(&args),
                               "tell where a buffer is", NULL) == CYXLA_OK &&
         args.is_on_cpu;
}

bool cyxla_buffer_is_host_memory(const cyxla_runtime *runtime, PJRT_Buffer *buffer,
                                 const void *memory) {
  const void *pointer = NULL;

  return cyxla_buffer_is_on_cpu(runtime, buffer) &&
         cyxla_buffer_pointer(runtime, buffer, &pointer, NULL) == CYXLA_OK &&
         pointer == memory;
}

bool cyxla_buffer_is_row_major(const cyxla_runtime *runtime, PJRT_Buffer *buffer,
                               size_t rank) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Buffer_GetMemoryLayout_Args args;

  if (!CYXLA_PLUGIN_HAS(api, PJRT_Buffer_GetMemoryLayout)) return true;
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.buffer = buffer;
  args.layout.struct_size = sizeof(args.layout);
  /* In doubt it is not: a copy is right whatever the layout. */
  if (cyxla_error_from_pjrt(api, api->PJRT_Buffer_GetMemoryLayout(&args),
                            "tell a buffer's layout", NULL) != CYXLA_OK ||
      args.layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled) {
    return false;
  }
  const PJRT_Buffer_MemoryLayout_Tiled *tiled = &args.layout.layout.tiled;
  if (tiled->num_tiles > 0 || tiled->minor_to_major_size != rank) return false;
  for (size_t i = 0; i < rank; i++) {
    if (tiled->minor_to_major[i] != (int64_t)(rank - 1 - i)) return false;
  }
  return true;
}

cyxla_status cyxla_event_await(const cyxla_runtime *runtime, PJRT_Event *event,
                               const char *action, cyxla_error *error) {
  const PJRT_Api *api = runtime->plugin->api;
  PJRT_Event_Await_Args args = {sizeof(args), NULL, event};
  cyxla_status status;

  if (event == NULL) return CYXLA_OK;
  status = cyxla_error_from_pjrt(api, api->PJRT_Event_Await(&args), action, error);
  destroy_event(runtime, event);
  return status;
}

/* The CPU plugin of version 0.81 copies as the buffer lies, whatever layout is asked
 * for; that of 0.106 does as it is told. */
enum { CONVERTS_LAYOUTS_SINCE = 106 };

static cyxla_status check_layout(const cyxla_runtime *runtime, PJRT_Buffer *buffer,
                                 const cyxla_array_spec *spec, cyxla_error *error) {
  const cyxla_plugin *plugin = runtime->plugin;

  if (plugin->api->pjrt_api_version.minor_version >= CONVERTS_LAYOUTS_SINCE ||
      cyxla_buffer_is_row_major(runtime, buffer, spec->rank)) {
    return CYXLA_OK;
  }
  return cyxla_error_set(
      error, CYXLA_UNIMPLEMENTED,
      "output %s is not in row-major order, and the plugin %s is too "
      "old to convert it; use a newer build of it",
      spec->name, plugin->path);
}

cyxla_status cyxla_buffer_copy_to_host(const cyxla_runtime *runtime,
                                       PJRT_Buffer *buffer,
                                       const cyxla_array_spec *spec, void *memory,
                                       cyxla_error *error) {
  const PJRT_Api *api = runtime->plugin->api;
  int64_t minor_to_major[CYXLA_RANK_MAXIMUM];
  PJRT_Buffer_MemoryLayout layout;
  PJRT_Buffer_ToHostBuffer_Args args;
  cyxla_status status = check_layout(runtime, buffer, spec, error);

  if (status != CYXLA_OK) return status;
  memset(&layout, 0, sizeof(layout));
  layout.struct_size = sizeof(layout);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.layout.tiled.struct_size = sizeof(layout.layout.tiled);
  layout.layout.tiled.minor_to_major = minor_to_major;
  layout.layout.tiled.minor_to_major_size = spec->rank;
  for (size_t i = 0; i < spec->rank; i++) {
    minor_to_major[i] = (int64_t)(spec->rank - 1 - i);
  }
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.src = buffer;
  args.host_layout = &layout;
  args.dst = memory;
  args.dst_size = spec->bytes;
  status = cyxla_error_from_pjrt(api, api->PJRT_Buffer_ToHostBuffer(&args),
                                 "copy an output to the host", error);
  if (status != CYXLA_OK) return status;
  return cyxla_event_await(runtime, args.event, "copy an output to the host", error);
}
