#include "test_frame.h"

#include <stdio.h>
#include <string.h>

#include "linalg/targets.h"
#include "test.h"

static char message[1024];

static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  snprintf(message, sizeof(message), "%s", args->message);
  return (XLA_FFI_Error *)message;
}

static const XLA_FFI_Api api = {.struct_size = sizeof(XLA_FFI_Api),
                                .XLA_FFI_Error_Create = create_error};

void test_frame_begin(test_frame *frame) {
  memset(frame, 0, sizeof(*frame));
  frame->frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame->frame.api = &api;
  frame->frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
}

static void add(test_frame_buffers *buffers, XLA_FFI_DataType dtype, const void *data,
                int rank, const int64_t *dims) {
  int64_t i = buffers->count++;
  union {
    const void *constant;
    void *data;
  } pointer = {data};

  EXPECT_TRUE(i < TEST_FRAME_BUFFERS && rank <= TEST_FRAME_RANK);
  if (rank > 0) memcpy(buffers->dims[i], dims, (size_t)rank * sizeof(int64_t));
  buffers->buffers[i] = (XLA_FFI_Buffer){
      sizeof(XLA_FFI_Buffer), NULL, dtype, pointer.data, rank, buffers->dims[i]};
  buffers->pointers[i] = &buffers->buffers[i];
}

void test_frame_argument(test_frame *frame, XLA_FFI_DataType dtype, const void *data,
                         int rank, const int64_t *dims) {
  add(&frame->arguments, dtype, data, rank, dims);
}

void test_frame_result(test_frame *frame, XLA_FFI_DataType dtype, void *data, int rank,
                       const int64_t *dims) {
  add(&frame->results, dtype, data, rank, dims);
}

void test_frame_attribute(test_frame *frame, const char *name, XLA_FFI_DataType dtype,
                          int32_t value) {
  int64_t i = frame->num_attributes++;

  EXPECT_TRUE(i < TEST_FRAME_ATTRIBUTES);
  frame->values[i] = value;
  frame->scalars[i] = (XLA_FFI_Scalar){dtype, &frame->values[i]};
  frame->names[i] = (XLA_FFI_ByteSpan){name, strlen(name)};
  frame->name_pointers[i] = &frame->names[i];
  frame->attribute_pointers[i] = &frame->scalars[i];
}

static XLA_FFI_Handler *find_handler(const char *target) {
  char name[64];

  for (size_t i = 0; i < cyxla_linalg_num_targets(); i++) {
    if (strcmp(cyxla_linalg_target_name(i, name, sizeof(name)), target) == 0) {
      return cyxla_linalg_handler(i);
    }
  }
  test_fail(__FILE__, __LINE__, "there is no target %s", target);
}

const char *test_frame_run(test_frame *frame, const char *target) {
  XLA_FFI_ArgType argument_types[TEST_FRAME_BUFFERS];
  XLA_FFI_RetType result_types[TEST_FRAME_BUFFERS];
  XLA_FFI_AttrType attribute_types[TEST_FRAME_ATTRIBUTES];

  for (int i = 0; i < TEST_FRAME_BUFFERS; i++) {
    argument_types[i] = XLA_FFI_ArgType_BUFFER;
    result_types[i] = XLA_FFI_RetType_BUFFER;
  }
  for (int i = 0; i < TEST_FRAME_ATTRIBUTES; i++) {
    attribute_types[i] = XLA_FFI_AttrType_SCALAR;
  }
  frame->frame.args = (XLA_FFI_Args){sizeof(XLA_FFI_Args), NULL, frame->arguments.count,
                                     argument_types, frame->arguments.pointers};
  frame->frame.rets = (XLA_FFI_Rets){sizeof(XLA_FFI_Rets), NULL, frame->results.count,
                                     result_types, frame->results.pointers};
  frame->frame.attrs =
      (XLA_FFI_Attrs){sizeof(XLA_FFI_Attrs), NULL,
                      frame->num_attributes, attribute_types,
                      frame->name_pointers,  frame->attribute_pointers};
  return (const char *)find_handler(target)(&frame->frame);
}
