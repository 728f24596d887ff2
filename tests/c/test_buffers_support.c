#include "test_buffers_support.h"

#include <string.h>

test_assignment given;

static const int64_t SHAPE[] = {2, 2};

static void put_array(cyxla_array_spec *spec) {
  spec->dtype = CYXLA_FLOAT32;
  spec->rank = 2;
  spec->shape = SHAPE;
  spec->bytes = 16;
  spec->aliased_output = -1;
}

void start(void) {
  memset(&given, 0, sizeof(given));
  for (size_t i = 0; i < NUM_ALLOCATIONS; i++) {
    given.fields[i][INDEX] = i;
    given.fields[i][SIZE] = 16;
    given.assigned[i] = i + 1;
  }
  given.fields[IN][IS_PARAMETER] = 1;
  given.fields[OUT][MAY_LIVE_OUT] = given.fields[SECOND][MAY_LIVE_OUT] = 1;
  given.fields[CONSTANT][IS_CONSTANT] = 1;
  given.fields[SCRATCH][SIZE] = 64;
  given.fields[OWN][IS_THREAD_LOCAL] = 1;
  given.fields[TABLE][MAY_LIVE_OUT] = given.fields[TABLE][IS_TUPLE] = 1;
  given.literal_bytes = 16;
  given.root = "tuple";
  given.operands[0] = OUT + 1;
  given.operands[1] = SECOND + 1;
  given.order[0] = 1;
  given.entry = 1;
  given.signature.program.inputs.specs = given.signature.inputs;
  given.signature.program.outputs.specs = given.signature.outputs;
  given.signature.program.inputs.count = 1;
  given.signature.program.outputs.count = 2;
  put_array(&given.signature.inputs[0]);
  put_array(&given.signature.outputs[0]);
  put_array(&given.signature.outputs[1]);
}

void put_shape(test_message *message, uint64_t number, const int64_t *order) {
  test_message shape = {0}, layout = {0};

  test_put_number(&shape, 2, 11);
  test_put_list(&shape, 3, SHAPE, 2);
  test_put_list(&layout, 1, order, 2);
  test_put_message(&shape, 5, &layout);
  test_put_message(message, number, &shape);
}

/* Each value is one of an instruction of the same id. */
void put_instructions(test_message *computation) {
  static const float data[] = {1, 2, 3, 4};
  static const int64_t row_major[] = {1, 0};

  for (uint64_t i = 1; i <= NUM_ALLOCATIONS; i++) {
    test_message instruction = {0}, literal = {0};
    test_put_text(&instruction, 2, "add");
    test_put_number(&instruction, 35, i);
    put_shape(&literal, 1, row_major);
    test_put_bytes(&literal, 8, data, given.literal_bytes);
    if (i == CONSTANT + 1) test_put_message(&instruction, 8, &literal);
    test_put_message(computation, 2, &instruction);
  }
}

void make_module(test_message *module) {
  test_message computation = {0}, root = {0}, program = {0}, result = {0};

  put_instructions(&computation);
  test_put_text(&root, 2, given.root);
  test_put_number(&root, 35, ROOT);
  test_put_list(&root, 36, given.operands, 2);
  test_put_message(&computation, 2, &root);
  test_put_number(&computation, 5, 1);
  test_put_number(&computation, 6, ROOT);
  test_put_message(module, 3, &computation);
  put_shape(&program, 1, given.order);
  test_put_number(&result, 2, CYXLA_HLO_TUPLE);
  put_shape(&result, 4, given.order);
  put_shape(&result, 4, given.order);
  test_put_message(&program, 2, &result);
  test_put_message(module, 4, &program);
  test_put_number(module, 6, given.entry);
}

static void put_allocation(test_message *assignment, size_t index) {
  test_message allocation = {0}, assigned = {0};

  for (uint64_t k = 1; k <= LAST + 1; k++) {
    if (given.fields[index][k] == 0) continue;
    if (k == PARAMETER_SHAPE_INDEX) {
      test_put_bytes(&allocation, k, "", 1);
    } else {
      test_put_number(&allocation, k, given.fields[index][k]);
    }
  }
  test_put_number(&assigned, 1, given.assigned[index]);
  if (given.offsets[index] > 0) test_put_number(&assigned, 2, given.offsets[index]);
  test_put_message(&allocation, ASSIGNED, &assigned);
  test_put_message(assignment, 3, &allocation);
}

void make_assignment(test_message *assignment) {
  static const int64_t deep[CYXLA_HLO_DEPTH_MAXIMUM + 1] = {0};

  for (uint64_t i = 1; i <= NUM_ALLOCATIONS; i++) {
    test_message buffer = {0}, location = {0};
    test_put_number(&buffer, 1, i);
    test_put_number(&location, 4, i == given.twice ? OUT + 1 : i);
    if (i == OUT + 1) test_put_list(&location, 3, deep, given.depth);
    test_put_message(&buffer, 3, &location);
    test_put_message(assignment, 1, &buffer);
  }
  for (size_t i = 0; i < NUM_ALLOCATIONS; i++) put_allocation(assignment, i);
}
