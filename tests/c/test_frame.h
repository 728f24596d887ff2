/* Call frames of XLA's FFI, as a plugin would make them, and calls of cyxla's handlers
 * with them. */
#ifndef TEST_FRAME_H
#define TEST_FRAME_H

#include "abi/ffi.h"

enum { TEST_FRAME_BUFFERS = 8, TEST_FRAME_ATTRIBUTES = 4, TEST_FRAME_RANK = 3 };

typedef struct test_frame_buffers {
  XLA_FFI_Buffer buffers[TEST_FRAME_BUFFERS];
  int64_t dims[TEST_FRAME_BUFFERS][TEST_FRAME_RANK];
  void *pointers[TEST_FRAME_BUFFERS];
  int64_t count;
} test_frame_buffers;

typedef struct test_frame {
  XLA_FFI_CallFrame frame;
  test_frame_buffers arguments, results;
  XLA_FFI_Scalar scalars[TEST_FRAME_ATTRIBUTES];
  int32_t values[TEST_FRAME_ATTRIBUTES];
  XLA_FFI_ByteSpan names[TEST_FRAME_ATTRIBUTES];
  XLA_FFI_ByteSpan *name_pointers[TEST_FRAME_ATTRIBUTES];
  void *attribute_pointers[TEST_FRAME_ATTRIBUTES];
  int64_t num_attributes;
} test_frame;

/* A frame without anything. */
void test_frame_begin(test_frame *frame);

/* Adds an array, whose memory is borrowed, of at most 3 dimensions. */
void test_frame_argument(test_frame *frame, XLA_FFI_DataType dtype, const void *data,
                         int rank, const int64_t *dims);
void test_frame_result(test_frame *frame, XLA_FFI_DataType dtype, void *data, int rank,
                       const int64_t *dims);

/* Adds a scalar attribute: a character (U8), a bool (PRED) or an int32 (S32). */
void test_frame_attribute(test_frame *frame, const char *name, XLA_FFI_DataType dtype,
                          int32_t value);

/* Calls cyxla's handler of a target. Returns the error's text, which lives until the
 * next one, or NULL. */
const char *test_frame_run(test_frame *frame, const char *target);

#endif
