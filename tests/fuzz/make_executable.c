#include "make_executable.h"

#include "make_message.h"
#include "make_sort.h"

#include <stdbool.h>
#include <string.h>

enum { DEPTH_MAXIMUM = 4, THUNKS_MAXIMUM = 5 };

/* A small object with a function k: a header, the code, a table of two symbols, the
 * strings and a table of four sections. */
enum {
  CODE = 64,
  SYMBOLS = 72,
  STRINGS = 120,
  SECTIONS = 144,
  OBJECT_BYTES = SECTIONS + 4 * 64
};

static void put_literal(fuzz_input *input, cyxla_writer *writer) {
  static const unsigned char data[64] = {1, 2, 3};
  cyxla_writer literal = {0};

  fuzz_put_shape(input, &literal, 1);
  if (fuzz_take_below(input, 2) == 0) {
    fuzz_put_bytes(&literal, 8, data, 4 * fuzz_take_below(input, 9));
  } else {
    fuzz_put_bytes(&literal, fuzz_take_below(input, 20), data,
                   fuzz_take_below(input, 65));
  }
  fuzz_put_message(writer, 8, &literal);
}

static void put_instruction(fuzz_input *input, cyxla_writer *computation, uint64_t id) {
  static const char *const opcodes[] = {
      "tuple",       "get-tuple-element", "bitcast",  "while", "call",
      "conditional", "parameter",         "constant", "add",   "opt-barrier"};
  cyxla_writer instruction = {0};
  size_t num_operands;

  fuzz_put_text(&instruction, 2, opcodes[fuzz_take_below(input, 10)]);
  fuzz_put_number(&instruction, 9, fuzz_take_below(input, 4));
  fuzz_put_number(&instruction, 13, fuzz_take_number(input));
  fuzz_put_number(&instruction, 35, id);
  num_operands = fuzz_take_below(input, 4);
  for (size_t i = 0; i < num_operands; i++) {
    fuzz_put_number(&instruction, 36, fuzz_take_below(input, 16));
  }
  if (fuzz_take_below(input, 2) == 1) {
    fuzz_put_number(&instruction, 38, fuzz_take_below(input, 4));
  }
  if (fuzz_take_below(input, 4) == 1) put_literal(input, &instruction);
  fuzz_put_message(computation, 2, &instruction);
}

static void put_module(fuzz_input *input, cyxla_writer *module) {
  cyxla_writer program = {0}, returned = {0};
  size_t num_computations = 1 + fuzz_take_below(input, 3), num_arrays;
  uint64_t id = 0;

  for (size_t i = 0; i < num_computations; i++) {
    cyxla_writer computation = {0};
    size_t count = 1 + fuzz_take_below(input, 5);
    for (size_t k = 0; k < count; k++) put_instruction(input, &computation, id++);
    fuzz_put_number(&computation, 5, i);
    fuzz_put_number(&computation, 6, fuzz_take_below(input, 16));
    fuzz_put_message(module, 3, &computation);
  }
  fuzz_put_number(module, 6, fuzz_take_below(input, 3));
  num_arrays = fuzz_take_below(input, 3);
  for (size_t i = 0; i < num_arrays; i++) fuzz_put_shape(input, &program, 1);
  if (fuzz_take_below(input, 2) == 0) {
    fuzz_put_shape(input, &program, 2);
  } else {
    num_arrays = fuzz_take_below(input, 4);
    fuzz_put_number(&returned, 2, 13);
    for (size_t i = 0; i < num_arrays; i++) fuzz_put_shape(input, &returned, 4);
    fuzz_put_message(&program, 2, &returned);
  }
  fuzz_put_message(module, 4, &program);
}

static void put_allocation(fuzz_input *input, cyxla_writer *assignment, size_t index) {
  cyxla_writer allocation = {0};
  size_t flags = fuzz_take_byte(input), num_assigned = fuzz_take_below(input, 3);

  fuzz_put_number(&allocation, 1, index);
  fuzz_put_number(&allocation, 2, fuzz_take_number(input));
  if ((flags & 0x0f) == 1) fuzz_put_number(&allocation, 3, 1);
  if ((flags & 0x10) != 0) fuzz_put_number(&allocation, 5, 1);
  if ((flags & 0x10) != 0) fuzz_put_number(&allocation, 6, fuzz_take_below(input, 3));
  if ((flags & 0x20) != 0) fuzz_put_number(&allocation, 7, 1);
  if ((flags & 0x0f) == 2) fuzz_put_number(&allocation, 11, 1);
  if ((flags & 0x40) != 0) fuzz_put_number(&allocation, 12, 1);
  for (size_t i = 0; i < num_assigned; i++) {
    cyxla_writer assigned = {0};
    fuzz_put_number(&assigned, 1, fuzz_take_below(input, 8));
    if (fuzz_take_below(input, 8) == 1)
      fuzz_put_number(&assigned, 2, fuzz_take_number(input));
    fuzz_put_message(&allocation, 9, &assigned);
  }
  fuzz_put_message(assignment, 3, &allocation);
}

static void put_assignment(fuzz_input *input, cyxla_writer *result) {
  cyxla_writer assignment = {0};
  size_t num_buffers = fuzz_take_below(input, 8);
  size_t num_allocations = fuzz_take_below(input, 6);

  for (size_t i = 0; i < num_buffers; i++) {
    cyxla_writer buffer = {0}, location = {0};
    size_t depth = fuzz_take_below(input, 10);
    fuzz_put_number(&location, 4, fuzz_take_below(input, 16));
    for (size_t k = 7; k < depth; k++) {
      fuzz_put_number(&location, 3, fuzz_take_below(input, 3));
    }
    fuzz_put_number(&buffer, 1, i);
    fuzz_put_message(&buffer, 3, &location);
    fuzz_put_message(&assignment, 1, &buffer);
  }
  for (size_t i = 0; i < num_allocations; i++) put_allocation(input, &assignment, i);
  fuzz_put_message(result, 2, &assignment);
}

static void put_kernel(fuzz_input *input, cyxla_writer *kernel) {
  cyxla_writer groups = {0};
  size_t num_slices = fuzz_take_below(input, 4);

  fuzz_put_text(kernel, 1, fuzz_take_below(input, 8) == 1 ? "j" : "k");
  for (uint64_t i = 1; i <= 3; i++) {
    fuzz_put_number(&groups, i, 1 + fuzz_take_below(input, 3));
  }
  fuzz_put_message(kernel, 2, &groups);
  for (size_t i = 0; i < num_slices; i++) {
    cyxla_writer shaped = {0};
    if (fuzz_take_below(input, 2) == 0) {
      fuzz_put_slice(input, kernel, 5 + i % 2, 4);
      continue;
    }
    fuzz_put_slice(input, &shaped, 1, 4);
    fuzz_put_message(kernel, 5 + i % 2, &shaped);
  }
}

static void put_copy(fuzz_input *input, cyxla_writer *copy) {
  uint64_t bytes = fuzz_take_number(input);

  for (uint64_t side = 1; side <= 2; side++) {
    cyxla_writer end = {0};
    if (fuzz_take_below(input, 4) == 1) fuzz_put_shape(input, &end, 1);
    fuzz_put_slice(input, &end, 2, bytes);
    fuzz_put_message(copy, side, &end);
  }
}

static void put_sequence(fuzz_input *input, cyxla_writer *writer, uint64_t number,
                         int depth);

static void put_while(fuzz_input *input, cyxla_writer *loop, int depth) {
  cyxla_writer trips = {0};

  put_sequence(input, loop, 1, depth);
  put_sequence(input, loop, 2, depth);
  fuzz_put_number(&trips, 1, fuzz_take_number(input));
  fuzz_put_number(&trips, 2, fuzz_take_below(input, 2));
  if (fuzz_take_below(input, 2) == 1) fuzz_put_message(loop, 3, &trips);
  cyxla_writer_free(&trips);
  fuzz_put_slice(input, loop, 4, 1);
}

static void put_conditional(fuzz_input *input, cyxla_writer *conditional, int depth) {
  size_t num_branches = fuzz_take_below(input, 5);

  for (size_t i = 0; i < num_branches; i++) put_sequence(input, conditional, 1, depth);
  fuzz_put_slice(input, conditional, 2, fuzz_take_below(input, 2) == 1 ? 1 : 4);
}

/* Of a handler that needs no LAPACK, or none. */
static void put_custom_call(fuzz_input *input, cyxla_writer *custom_call) {
  static const char *const targets[] = {"cpu_csr_sparse_dense_ffi",
                                        "tridiagonal_solve_perturbed_ffi", "none"};
  static const char *const attributes[] = {"", "{}", "{a = 1 : i32}", "{a"};
  cyxla_writer buffers = {0};
  size_t count = fuzz_take_below(input, 5);

  fuzz_put_number(custom_call, 1, fuzz_take_below(input, 8) == 1 ? 3 : 4);
  fuzz_put_text(custom_call, 2, targets[fuzz_take_below(input, 3)]);
  fuzz_put_text(custom_call, 3, attributes[fuzz_take_below(input, 4)]);
  for (size_t i = 0; i < count; i++) {
    cyxla_writer array = {0};
    fuzz_put_shape(input, &array, 1);
    fuzz_put_slice(input, &array, 2, 4 * fuzz_take_below(input, 9));
    fuzz_put_message(&buffers, 1 + fuzz_take_below(input, 2), &array);
  }
  fuzz_put_message(custom_call, 4, &buffers);
}

static void put_thunk(fuzz_input *input, cyxla_writer *sequence, int depth) {
  static const uint64_t kinds[] = {11, 12, 19, 20, 3, 4, 10, 13};
  const uint8_t byte = fuzz_take_byte(input);
  uint64_t kind = kinds[byte % (depth < DEPTH_MAXIMUM ? 8 : 4)];
  cyxla_writer thunk = {0}, content = {0};

  if (byte >= 246) kind = byte % 2 == 0 ? 5 : 9;
  if (byte >= 252) kind = 12;
  if (kind == 13 && fuzz_take_below(input, 4) > 0) kind = 16;

  switch (kind) {
    case 11: put_kernel(input, &content); break;
    case 12:
      if (byte >= 252) {
        fuzz_put_transpose(input, &content);
      } else {
        put_copy(input, &content);
      }
      break;
    case 5: fuzz_put_sort(input, &content); break;
    case 9: fuzz_put_top_k(input, &content); break;
    case 3: put_sequence(input, &content, 1, depth); break;
    case 4: put_conditional(input, &content, depth); break;
    case 16: put_custom_call(input, &content); break;
    case 10: put_while(input, &content, depth); break;
    default: fuzz_put_slice(input, &content, 1, 4); break;
  }
  fuzz_put_message(&thunk, kind, &content);
  fuzz_put_message(sequence, 1, &thunk);
}

static void put_sequence(fuzz_input *input, cyxla_writer *writer, uint64_t number,
                         int depth) {
  cyxla_writer sequence = {0};
  size_t count = fuzz_take_below(input, THUNKS_MAXIMUM);

  for (size_t i = 0; i < count; i++) put_thunk(input, &sequence, depth + 1);
  fuzz_put_message(writer, number, &sequence);
}

static void put_section(unsigned char *object, size_t index, uint32_t type,
                        uint64_t flags, uint64_t offset, uint64_t bytes) {
  unsigned char *header = object + SECTIONS + 64 * index;

  cyxla_store_u32(header + 4, type);
  cyxla_store_u64(header + 8, flags);
  cyxla_store_u64(header + 24, offset);
  cyxla_store_u64(header + 32, bytes);
}

static void put_object(cyxla_writer *result) {
  unsigned char object[OBJECT_BYTES] = "\177ELF\2\1\1";
  cyxla_writer content = {0};

  object[16] = 1;
  object[18] = 62;
  cyxla_store_u64(object + 40, SECTIONS);
  object[58] = 64;
  object[60] = 4;
  object[62] = 3;
  memcpy(object + CODE, "\x31\xc0\xc3", 3);
  put_section(object, 1, 1, 2 | 4, CODE, 3);
  put_section(object, 2, 2, 0, SYMBOLS, 48);
  put_section(object, 3, 3, 0, STRINGS, 3);
  object[SECTIONS + 64 * 2 + 40] = 3;
  memcpy(object + STRINGS, "\0k", 3);
  object[SYMBOLS + 24] = 1;
  object[SYMBOLS + 24 + 4] = 1 << 4;
  object[SYMBOLS + 24 + 6] = 1;
  fuzz_put_bytes(&content, 1, object, sizeof(object));
  fuzz_put_message(result, 8, &content);
}

void fuzz_make_executable(fuzz_input *input, cyxla_writer *writer) {
  cyxla_writer result = {0}, module = {0}, with_config = {0}, symbol = {0};

  put_module(input, &module);
  put_assignment(input, &result);
  fuzz_put_number(&result, 5, 2);
  put_sequence(input, &result, 6, 0);
  fuzz_put_comparator(input, &module);
  fuzz_put_message(&with_config, 1, &module);
  fuzz_put_message(&result, 1, &with_config);
  fuzz_put_number(&symbol, 1, 2);
  fuzz_put_text(&symbol, 2, "k");
  fuzz_put_message(&result, 7, &symbol);
  put_object(&result);
  fuzz_put_message(writer, 1, &result);
}
