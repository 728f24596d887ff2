/* Buffers and the memory they lie in. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fake_internal.h"

#define ALIGNMENT 64

fake_storage *fake_storage_create(void *host, size_t bytes, size_t offset) {
  fake_storage *storage = fake_allocate(sizeof *storage);
  storage->refs = 1;
  storage->data = host;
  if (host == NULL) {
    if (posix_memalign(&storage->owned, ALIGNMENT, bytes + offset + 1) != 0) abort();
    storage->data = (char *)storage->owned + offset;
  }
  return storage;
}

void fake_storage_release(fake_storage *storage) {
  if (--storage->refs > 0) return;
  free(storage->owned);
  free(storage);
}

PJRT_Buffer *fake_buffer_create(const fake_array *array, fake_storage *storage) {
  PJRT_Buffer *buffer = fake_allocate(sizeof *buffer);
  buffer->refs = 1;
  buffer->array = *array;
  buffer->storage = storage;
  fake_count(FAKE_BUFFER, 1);
  return buffer;
}

void fake_buffer_release(PJRT_Buffer *buffer) {
  if (--buffer->refs > 0) return;
  fake_storage_release(buffer->storage);
  free(buffer->pending);
  free(buffer);
}

void fake_buffer_materialize(PJRT_Buffer *buffer) {
  if (buffer->pending == NULL) return;
  memcpy(buffer->storage->data, buffer->pending, fake_array_bytes(&buffer->array));
  free(buffer->pending);
  buffer->pending = NULL;
}

bool fake_buffer_is_column_major(const PJRT_Buffer *buffer) {
  fake_layout layout = (fake_layout)fake_get(FAKE_LAYOUT);
  return buffer->is_output && (layout == FAKE_LAYOUT_COLUMN_MAJOR ||
                               layout == FAKE_LAYOUT_STRIDES_COLUMN_MAJOR);
}

/* Where an element of row-major position i lies in column-major order. */
static size_t column_major_position(const fake_array *array, size_t i) {
  size_t position = 0;
  size_t stride = fake_num_elements(array);
  for (size_t d = array->rank; d-- > 0;) {
    stride /= (size_t)array->dims[d];
    position += i % (size_t)array->dims[d] * stride;
    i /= (size_t)array->dims[d];
  }
  return position;
}

void fake_copy_elements(const fake_array *array, const void *from, void *to,
                        bool from_column_major, bool to_column_major) {
  size_t bytes = fake_type_bytes(array->type);
  for (size_t i = 0; i < fake_num_elements(array); i++) {
    size_t column_major = column_major_position(array, i);
    memcpy((char *)to + (to_column_major ? column_major : i) * bytes,
           (const char *)from + (from_column_major ? column_major : i) * bytes, bytes);
  }
}

static bool is_dense(const PJRT_Client_BufferFromHostBuffer_Args *args,
                     const fake_array *array) {
  if (args->byte_strides == NULL) return true;
  int64_t stride = (int64_t)fake_type_bytes(array->type);
  for (size_t d = array->rank; d-- > 0;) {
    if (args->byte_strides[d] != stride) return false;
    stride *= array->dims[d];
  }
  return args->num_byte_strides == array->rank;
}

PJRT_Error *fake_Client_BufferFromHostBuffer(
    PJRT_Client_BufferFromHostBuffer_Args *args) {
  FAKE_ENTER(Client_BufferFromHostBuffer, args);
  fake_array array = {.type = args->type, .rank = args->num_dims};
  if (fake_type_bytes(args->type) == 0 || args->num_dims > FAKE_MAX_RANK) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "cannot hold such an array");
  }
  if (array.rank > 0) memcpy(array.dims, args->dims, array.rank * sizeof array.dims[0]);
  if (!is_dense(args, &array)) {
    return fake_error(PJRT_Error_Code_UNIMPLEMENTED, "only dense arrays are taken");
  }
  if (args->device == NULL) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "no device is given");
  }
  bool wants_zero_copy =
      args->host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
      args->host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
  bool zero_copy = wants_zero_copy && (uintptr_t)args->data % ALIGNMENT == 0 &&
                   fake_get(FAKE_ZERO_COPY) != 0 && fake_get(FAKE_ON_CPU) != 0;
  size_t bytes = fake_array_bytes(&array);
  /* XLA only writes to the memory if it may. */
  void *host = (void *)(uintptr_t)args->data;
  fake_storage *storage = fake_storage_create(zero_copy ? host : NULL, bytes, 0);
  if (!zero_copy && bytes > 0) memcpy(storage->data, args->data, bytes);
  PJRT_Buffer *buffer = fake_buffer_create(&array, storage);
  buffer->semantics = args->host_buffer_semantics;
  buffer->zero_copy = zero_copy;
  args->buffer = buffer;
  args->done_with_host_buffer = fake_event_create(&buffer, 1);
  args->done_with_host_buffer->host_buffer = zero_copy;
  return NULL;
}

PJRT_Error *fake_Buffer_Destroy(PJRT_Buffer_Destroy_Args *args) {
  args->buffer->freed = true;
  fake_buffer_release(args->buffer);
  fake_count(FAKE_BUFFER, -1);
  FAKE_ENTER(Buffer_Destroy, args);
  return NULL;
}

static void fill_strides(PJRT_Buffer *buffer, bool column_major) {
  int64_t stride = (int64_t)fake_type_bytes(buffer->array.type);
  size_t rank = buffer->array.rank;
  for (size_t i = 0; i < rank; i++) {
    size_t d = column_major ? i : rank - 1 - i;
    buffer->strides[d] = stride;
    stride *= buffer->array.dims[d];
  }
}

PJRT_Error *fake_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args *args) {
  static const int64_t tile_dims[1] = {128};
  static const size_t tile_dim_sizes[1] = {1};
  FAKE_ENTER(Buffer_GetMemoryLayout, args);
  PJRT_Buffer *buffer = args->buffer;
  size_t rank = buffer->array.rank;
  bool column_major = fake_buffer_is_column_major(buffer);
  fake_layout kind = (fake_layout)fake_get(FAKE_LAYOUT);
  PJRT_Buffer_MemoryLayout *layout = &args->layout;
  memset(layout, 0, sizeof *layout);
  layout->struct_size = sizeof *layout;
  if (kind == FAKE_LAYOUT_STRIDES_ROW_MAJOR ||
      kind == FAKE_LAYOUT_STRIDES_COLUMN_MAJOR) {
    fill_strides(buffer, column_major);
    layout->type = PJRT_Buffer_MemoryLayout_Type_Strides;
    layout->layout.strides.struct_size = sizeof layout->layout.strides;
    layout->layout.strides.byte_strides = buffer->strides;
    layout->layout.strides.num_byte_strides = rank;
    return NULL;
  }
  for (size_t i = 0; i < rank; i++) {
    buffer->order[i] = (int64_t)(column_major ? i : rank - 1 - i);
  }
  layout->type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout->layout.tiled.struct_size = sizeof layout->layout.tiled;
  layout->layout.tiled.minor_to_major = buffer->order;
  layout->layout.tiled.minor_to_major_size = kind == FAKE_LAYOUT_NO_ORDER ? 0 : rank;
  if (kind == FAKE_LAYOUT_TILED) {
    layout->layout.tiled.tile_dims = tile_dims;
    layout->layout.tiled.tile_dim_sizes = tile_dim_sizes;
    layout->layout.tiled.num_tiles = 1;
  }
  return NULL;
}

/* Tells which order a layout asks for; NULL is the buffer's own. */
static bool wants_column_major(const PJRT_Buffer *buffer,
                               const PJRT_Buffer_MemoryLayout *layout) {
  size_t rank = buffer->array.rank;
  if (layout == NULL) return fake_buffer_is_column_major(buffer);
  if (rank < 2) return false;
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    return layout->layout.strides.byte_strides[0] <
           layout->layout.strides.byte_strides[rank - 1];
  }
  return layout->layout.tiled.minor_to_major[0] == 0;
}

PJRT_Error *fake_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args *args) {
  FAKE_ENTER(Buffer_ToHostBuffer, args);
  PJRT_Buffer *buffer = args->src;
  size_t bytes = fake_array_bytes(&buffer->array);
  if (args->dst == NULL) {
    args->dst_size = bytes;
    return NULL;
  }
  if (args->dst_size < bytes) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                      "ToHostBuffer got %zu bytes for %zu", args->dst_size, bytes);
  }
  PJRT_Event *event = fake_event_create(&buffer, 1);
  event->destination = args->dst;
  event->column_major = wants_column_major(buffer, args->host_layout);
  args->event = event;
  if (event->ready) {
    event->destination = NULL;
    fake_copy_elements(&buffer->array, buffer->storage->data, args->dst,
                       fake_buffer_is_column_major(buffer), event->column_major);
  }
  return NULL;
}

PJRT_Error *fake_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args *args) {
  FAKE_ENTER(Buffer_IsOnCpu, args);
  args->is_on_cpu = fake_get(FAKE_ON_CPU) != 0;
  return NULL;
}

PJRT_Error *fake_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args *args) {
  FAKE_ENTER(Buffer_ReadyEvent, args);
  args->event = fake_event_create(&args->buffer, 1);
  args->event->fails = args->buffer->is_output && fake_get(FAKE_AWAIT_FAILS) != 0;
  return NULL;
}

PJRT_Error *fake_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args *args) {
  FAKE_ENTER(Buffer_UnsafePointer, args);
  args->buffer_pointer = (uintptr_t)args->buffer->storage->data;
  if (fake_get(FAKE_ON_CPU) == 0) args->buffer_pointer = 0x1000;
  if (fake_get(FAKE_NULL_EMPTY) != 0 && fake_array_bytes(&args->buffer->array) == 0) {
    args->buffer_pointer = 0;
  }
  return NULL;
}
