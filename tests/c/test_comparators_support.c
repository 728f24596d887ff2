#include "test_comparators_support.h"

#include <stdio.h>

static void put(test_message *computation, int64_t id, const char *opcode,
                uint64_t type, const int64_t *operands, size_t num_operands,
                const test_message *rest) {
  test_message instruction = {0}, shape = {0}, layout = {0}, where = {0};
  char name[32];

  snprintf(name, sizeof(name), "%s.%d", opcode, (int)id);
  test_put_text(&instruction, 1, name);
  test_put_text(&instruction, 2, opcode);
  test_put_number(&shape, 2, type);
  test_put_message(&shape, 5, &layout);
  test_put_message(&instruction, 3, &shape);
  /* Where in a source it is from. */
  test_put_text(&where, 2, name);
  test_put_message(&instruction, 7, &where);
  test_put_raw(&instruction, rest->data, rest->bytes);
  test_put_number(&instruction, 35, (uint64_t)id);
  if (num_operands > 0) test_put_list(&instruction, 36, operands, num_operands);
  test_put_message(computation, 2, &instruction);
}

void test_put_parameter(test_message *computation, int64_t id, uint64_t number,
                        uint64_t type) {
  test_message rest = {0};

  if (number > 0) test_put_number(&rest, 9, number);
  put(computation, id, "parameter", type, NULL, 0, &rest);
}

void test_put_operation(test_message *computation, int64_t id, const char *opcode,
                        uint64_t type, const int64_t *operands, size_t num_operands) {
  test_message rest = {0};

  put(computation, id, opcode, type, operands, num_operands, &rest);
}

void test_put_constant(test_message *computation, int64_t id, uint64_t type,
                       const char *literal) {
  test_message rest = {0};

  test_put_text(&rest, 8, literal);
  put(computation, id, "constant", type, NULL, 0, &rest);
}

void test_put_compare(test_message *computation, int64_t id, const char *direction,
                      const char *type, int64_t a, int64_t b) {
  const int64_t operands[] = {a, b};
  test_message rest = {0};

  test_put_text(&rest, 63, direction);
  test_put_text(&rest, 72, type);
  put(computation, id, "compare", TEST_PRED, operands, 2, &rest);
}

void test_put_logic(test_message *computation, int64_t id, const char *opcode,
                    int64_t a, int64_t b) {
  const int64_t operands[] = {a, b};

  test_put_operation(computation, id, opcode, TEST_PRED, operands, 2);
}

void test_put_fusion(test_message *computation, int64_t id, int64_t called,
                     const int64_t *operands, size_t num_operands) {
  test_message rest = {0};

  test_put_list(&rest, 38, &called, 1);
  put(computation, id, "fusion", TEST_PRED, operands, num_operands, &rest);
}

void test_put_elements(test_message *computation) {
  test_put_parameter(computation, 1, 0, TEST_S32);
  test_put_parameter(computation, 2, 1, TEST_S32);
}

void test_put_computation(test_message *module, const char *name, int64_t id,
                          int64_t root, const test_message *instructions) {
  test_message computation = {0};

  test_put_text(&computation, 1, name);
  test_put_raw(&computation, instructions->data, instructions->bytes);
  test_put_number(&computation, 5, (uint64_t)id);
  test_put_number(&computation, 6, (uint64_t)root);
  test_put_message(module, 3, &computation);
}

static void release(void *hlo) {
  cyxla_hlo_free(hlo);
}

const cyxla_hlo *test_read_module(const test_message *module) {
  cyxla_hlo *hlo = test_keep(sizeof(*hlo));
  cyxla_error error;

  EXPECT_OK(cyxla_hlo_read(test_wire(module), hlo, &error), &error);
  test_defer(release, hlo);
  return hlo;
}

void test_put_symbol(test_message *result, uint64_t kind, const char *name) {
  test_message symbol = {0};

  test_put_number(&symbol, 1, kind);
  test_put_text(&symbol, 2, name);
  test_put_message(result, 7, &symbol);
}
