/* Call frames for fuzz targets: whatever the bytes of an input say, with all storage
 * exactly as large as it has to be, so that the address sanitizer sees what is read
 * behind it. */
#ifndef FUZZ_FRAME_H
#define FUZZ_FRAME_H

#include <stdbool.h>

#include "abi/ffi.h"
#include "input.h"

typedef struct fuzz_frame {
  XLA_FFI_CallFrame *frame;
  XLA_FFI_Metadata *metadata; /* of the first extension that asks for it, else NULL */
  void **blocks;              /* [num_blocks] all memory, to be freed */
  size_t num_blocks;
} fuzz_frame;

typedef struct fuzz_frame_options {
  /* Only what XLA makes of a program: sizes of 0 or more, arrays with the memory that
   * they call for, aligned values, names that differ, known types and dtypes. Else also
   * numbers that no program has, and NULL for the memory of arrays of them. In both, a
   * result may lie in the memory of an argument that is like it. */
  bool is_as_by_xla;
  const char *const *names; /* [num_names] which attributes may have, among others */
  size_t num_names;
} fuzz_frame_options;

/* The frame of an input, to be freed. Equal bytes make equal frames. An error that a
 * handler makes with the frame's API is any pointer but NULL. */
fuzz_frame fuzz_frame_build(fuzz_input *input, const fuzz_frame_options *options);
void fuzz_frame_free(fuzz_frame *built);

/* The message of the error that was made last, "" if none was made since the last
 * frame was built. */
const char *fuzz_frame_message(void);

/* The bytes of an element, 0 for what is no dtype. */
size_t fuzz_dtype_bytes(XLA_FFI_DataType dtype);

#endif
