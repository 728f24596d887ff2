#include "make_sort.h"

#include "make_message.h"

/* An array that the thunks work on: element types of 1, 2, 4, 8 and 16 bytes. */
typedef struct array {
  uint64_t type, element_bytes;
  uint64_t sizes[3], order[3];
  size_t rank;
} array;

static const struct {
  uint64_t type, bytes;
} TYPES[] = {{4, 4},  {11, 4}, {2, 1},   {6, 1}, {1, 1},
             {16, 2}, {5, 8},  {18, 16}, {19, 1}};

/* Sizes and their order, which rarely are not those of an array. */
static array take_array(fuzz_input *input) {
  const size_t kind = fuzz_take_below(input, 8);
  array taken = {0};

  taken.rank = 1 + fuzz_take_below(input, 3);
  for (size_t i = 0; i < taken.rank; i++) {
    taken.sizes[i] = kind == 0 ? fuzz_take_number(input) : fuzz_take_below(input, 8);
    taken.order[i] = kind == 1 ? fuzz_take_below(input, 4) : taken.rank - 1 - i;
  }
  if (kind % 2 == 0) {
    const size_t at = fuzz_take_below(input, taken.rank);
    const uint64_t order = taken.order[at];
    taken.order[at] = taken.order[0];
    taken.order[0] = order;
  }
  return taken;
}

static void take_type(fuzz_input *input, array *taken) {
  const size_t at = fuzz_take_below(input, sizeof(TYPES) / sizeof(TYPES[0]));

  taken->type = TYPES[at].type;
  taken->element_bytes = TYPES[at].bytes;
}

/* With its slice, which mostly is as large. */
static void put_array(fuzz_input *input, const array *put, cyxla_writer *writer,
                      uint64_t number) {
  cyxla_writer end = {0}, shape = {0}, layout = {0};
  uint64_t bytes = put->element_bytes;

  fuzz_put_number(&shape, 2, put->type);
  for (size_t i = 0; i < put->rank; i++) {
    fuzz_put_number(&shape, 3, put->sizes[i]);
    fuzz_put_number(&layout, 1, put->order[i]);
    bytes *= put->sizes[i];
  }
  fuzz_put_message(&shape, 5, &layout);
  fuzz_put_message(&end, 1, &shape);
  fuzz_put_slice(input, &end, 2, bytes);
  fuzz_put_message(writer, number, &end);
}

void fuzz_put_transpose(fuzz_input *input, cyxla_writer *copy) {
  array side = take_array(input);
  size_t at = fuzz_take_below(input, side.rank);
  uint64_t order;

  take_type(input, &side);
  put_array(input, &side, copy, 1);
  order = side.order[at];
  side.order[at] = side.order[side.rank - 1];
  side.order[side.rank - 1] = order;
  put_array(input, &side, copy, 2);
}

void fuzz_put_sort(fuzz_input *input, cyxla_writer *sort) {
  const size_t flags = fuzz_take_byte(input);
  array sorted = take_array(input);
  cyxla_writer direction = {0};

  fuzz_put_number(sort, 1, (flags & 3) == 3 ? fuzz_take_number(input) : flags & 3);
  fuzz_put_number(sort, 2, (flags & 4) == 0);
  fuzz_put_number(&direction, 1, flags >> 3 & 3);
  fuzz_put_number(&direction, 2, flags >> 5 & 1);
  fuzz_put_message(sort, 3, &direction);
  fuzz_put_text(sort, 4, "k");
  for (size_t i = 0; i <= flags >> 6; i++) {
    take_type(input, &sorted);
    put_array(input, &sorted, sort, 5);
  }
}

void fuzz_put_top_k(fuzz_input *input, cyxla_writer *top_k) {
  uint64_t num_rows = fuzz_take_number(input), count = fuzz_take_number(input);
  uint64_t k = fuzz_take_number(input);

  fuzz_put_number(top_k, 1, num_rows);
  fuzz_put_number(top_k, 2, count);
  fuzz_put_number(top_k, 3, k);
  fuzz_put_slice(input, top_k, 4, num_rows * count * 4);
  fuzz_put_slice(input, top_k, 5, num_rows * k * 4);
  fuzz_put_slice(input, top_k, 6, num_rows * k * 4);
}

static void put_instruction(fuzz_input *input, cyxla_writer *computation, uint64_t id) {
  static const char *const opcodes[] = {"parameter", "compare", "xor", "select",
                                        "and",       "or",      "not", "constant",
                                        "fusion",    "add"};
  static const char *const directions[] = {"LT", "GT", "EQ", "LE"};
  static const char *const comparisons[] = {"SIGNED", "UNSIGNED", "FLOAT", ""};
  const char *opcode = opcodes[fuzz_take_below(input, 10)];
  const size_t flags = fuzz_take_byte(input);
  cyxla_writer instruction = {0}, shape = {0};

  fuzz_put_text(&instruction, 2, opcode);
  fuzz_put_number(&shape, 2, TYPES[(flags & 3)].type);
  fuzz_put_message(&instruction, 3, &shape);
  if (opcode[0] == 'p') fuzz_put_number(&instruction, 9, flags >> 2 & 7);
  fuzz_put_number(&instruction, 35, id);
  for (size_t i = 0; i < flags >> 6; i++) {
    fuzz_put_number(&instruction, 36, 100 + fuzz_take_below(input, 12));
  }
  if (opcode[0] == 'f') fuzz_put_number(&instruction, 38, 90 + (flags & 1));
  if (opcode[0] == 'c') {
    fuzz_put_text(&instruction, 63, directions[flags >> 2 & 3]);
    fuzz_put_text(&instruction, 72, comparisons[flags >> 4 & 3]);
  }
  fuzz_put_message(computation, 2, &instruction);
}

/* In two computations, the second of which a fusion of the first may have. */
void fuzz_put_comparator(fuzz_input *input, cyxla_writer *module) {
  uint64_t id = 100;

  for (uint64_t i = 90; i < 92; i++) {
    const size_t count = fuzz_take_below(input, 8);
    cyxla_writer computation = {0};
    if (i == 90) fuzz_put_text(&computation, 1, "k");
    for (size_t k = 0; k < count; k++) put_instruction(input, &computation, id++);
    fuzz_put_number(&computation, 5, i);
    fuzz_put_number(&computation, 6, 100 + fuzz_take_below(input, 12));
    fuzz_put_message(module, 3, &computation);
  }
}
