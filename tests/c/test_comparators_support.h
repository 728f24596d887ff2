/* Modules of a comparator, put together instruction by instruction. */
#ifndef TEST_COMPARATORS_SUPPORT_H
#define TEST_COMPARATORS_SUPPORT_H

#include "direct/comparator.h"
#include "test_direct_support.h"

/* Numbers of xla.PrimitiveType. */
enum {
  TEST_PRED = 1,
  TEST_S8 = 2,
  TEST_S16 = 3,
  TEST_S32 = 4,
  TEST_S64 = 5,
  TEST_U8 = 6,
  TEST_U32 = 8,
  TEST_F16 = 10,
  TEST_F32 = 11,
  TEST_F64 = 12,
  TEST_C128 = 18
};

/* Instructions of a computation, each with an id. */
void test_put_parameter(test_message *computation, int64_t id, uint64_t number,
                        uint64_t type);
void test_put_operation(test_message *computation, int64_t id, const char *opcode,
                        uint64_t type, const int64_t *operands, size_t num_operands);
void test_put_constant(test_message *computation, int64_t id, uint64_t type,
                       const char *literal);
void test_put_compare(test_message *computation, int64_t id, const char *direction,
                      const char *type, int64_t a, int64_t b);
/* A pred of two preds. */
void test_put_logic(test_message *computation, int64_t id, const char *opcode,
                    int64_t a, int64_t b);
void test_put_fusion(test_message *computation, int64_t id, int64_t called,
                     const int64_t *operands, size_t num_operands);

/* A parameter of either element, with the ids 1 and 2, of an s32. */
void test_put_elements(test_message *computation);

void test_put_computation(test_message *module, const char *name, int64_t id,
                          int64_t root, const test_message *instructions);

/* Reads a module, which lives as long as the test. */
const cyxla_hlo *test_read_module(const test_message *module);

/* A compilation's result that lists a function of a kind. */
void test_put_symbol(test_message *result, uint64_t kind, const char *name);

#endif
