#include "direct/hlo.h"

#include <string.h>

#include "memory.h"
#include "test_direct_support.h"

/* An instruction of an opcode, whose operands and called computations are ids; NULL or
 * 0 where there are none. */
static void put_instruction(test_message *computation, int64_t id, const char *opcode,
                            const int64_t *operands, size_t num_operands,
                            int64_t called) {
  test_message instruction = {0};

  test_put_text(&instruction, 2, opcode);
  test_put_number(&instruction, 35, (uint64_t)id);
  if (num_operands > 0) test_put_list(&instruction, 36, operands, num_operands);
  if (called != 0) test_put_list(&instruction, 38, &called, 1);
  test_put_message(computation, 2, &instruction);
}

/* The same with a number: the parameter's, or the index in the tuple. */
static void put_numbered(test_message *computation, int64_t id, const char *opcode,
                         uint64_t field, uint64_t number, const int64_t *operand) {
  test_message instruction = {0};

  test_put_text(&instruction, 2, opcode);
  test_put_number(&instruction, field, number);
  test_put_number(&instruction, 35, (uint64_t)id);
  if (operand != NULL) test_put_list(&instruction, 36, operand, 1);
  test_put_message(computation, 2, &instruction);
}

static void put_computation(test_message *module, int64_t id, int64_t root,
                            test_message *instructions) {
  test_put_number(instructions, 5, (uint64_t)id);
  test_put_number(instructions, 6, (uint64_t)root);
  test_put_message(module, 3, instructions);
}

static void release(void *hlo) {
  cyxla_hlo_free(hlo);
}

static const cyxla_hlo *read(const test_message *module) {
  cyxla_hlo *hlo = test_keep(sizeof(*hlo));
  cyxla_error error;

  EXPECT_OK(cyxla_hlo_read(test_wire(module), hlo, &error), &error);
  test_defer(release, hlo);
  return hlo;
}

/* A computation of the id 1 with instructions, and one of the id 2, whose root 21 adds
 * its parameters 22 and 23. */
static const cyxla_hlo *read_two(test_message *first) {
  static const int64_t parameters[] = {22, 23};
  test_message module = {0}, second = {0};

  put_instruction(&second, 21, "add", parameters, 2, 0);
  put_numbered(&second, 22, "parameter", 9, 0, NULL);
  put_numbered(&second, 23, "parameter", 9, 1, NULL);
  test_put_number(&module, 6, 1);
  put_computation(&module, 2, 21, &second);
  put_computation(&module, 1, 10, first);
  return read(&module);
}

static void expect_step(const cyxla_hlo *hlo, int64_t from, int64_t to) {
  cyxla_hlo_place place = {from, 0, {0}};

  EXPECT_TRUE(cyxla_hlo_step(hlo, &place));
  EXPECT_EQUAL(place.instruction, to);
  EXPECT_EQUAL(place.depth, 0);
}

static void expect_no_step(const cyxla_hlo *hlo, int64_t from) {
  cyxla_hlo_place place = {from, 0, {0}};

  EXPECT_TRUE(!cyxla_hlo_step(hlo, &place));
}

static void instructions_and_computations_are_found_by_id(void) {
  test_message first = {0};
  const cyxla_hlo *hlo;

  put_instruction(&first, 12, "constant", NULL, 0, 0);
  put_instruction(&first, 10, "sine", NULL, 0, 0);
  put_instruction(&first, -3, "cosine", NULL, 0, 0);
  hlo = read_two(&first);
  EXPECT_EQUAL(hlo->entry, 1);
  EXPECT_EQUAL(hlo->num_instructions, 6);
  EXPECT_EQUAL(hlo->num_computations, 2);
  EXPECT_EQUAL(hlo->instructions[0].id, -3);
  EXPECT_EQUAL(cyxla_hlo_find(hlo, 12)->computation, 1);
  EXPECT_EQUAL(cyxla_hlo_find(hlo, 21)->computation, 2);
  EXPECT_NULL(cyxla_hlo_find(hlo, 11));
  EXPECT_EQUAL(cyxla_hlo_find_computation(hlo, 2)->root, 21);
  EXPECT_NULL(cyxla_hlo_find_computation(hlo, 3));
}

static void an_empty_module_has_none(void) {
  test_message module = {0};
  const cyxla_hlo *hlo;

  hlo = read(&module);
  EXPECT_NULL(cyxla_hlo_find(hlo, 0));
  EXPECT_NULL(cyxla_hlo_find_computation(hlo, 0));
  expect_no_step(hlo, 0);
}

static void values_pass_through_what_changes_nothing(void) {
  static const int64_t operands[] = {11, 12};
  test_message first = {0};
  const cyxla_hlo *hlo;

  put_instruction(&first, 1, "bitcast", operands, 1, 0);
  put_instruction(&first, 2, "opt-barrier", operands, 1, 0);
  put_instruction(&first, 3, "while", operands, 1, 2);
  put_instruction(&first, 4, "add", operands, 2, 0);
  put_instruction(&first, 5, "bitcast", NULL, 0, 0);
  put_instruction(&first, 6, "bitcast-convert", operands, 1, 0);
  hlo = read_two(&first);
  expect_step(hlo, 1, 11);
  expect_step(hlo, 2, 11);
  expect_step(hlo, 3, 11);
  expect_no_step(hlo, 4);
  expect_no_step(hlo, 5);
  expect_no_step(hlo, 6);
}

static void values_go_into_tuples_and_come_out(void) {
  static const int64_t operands[] = {11, 12}, tuple = 1, negative = -1;
  test_message first = {0};
  const cyxla_hlo *hlo;
  cyxla_hlo_place place = {2, 1, {7}};

  put_instruction(&first, 1, "tuple", operands, 2, 0);
  put_numbered(&first, 2, "get-tuple-element", 13, 1, &tuple);
  put_numbered(&first, 3, "get-tuple-element", 13, (uint64_t)negative, &tuple);
  put_numbered(&first, 4, "get-tuple-element", 13, 1, NULL);
  hlo = read_two(&first);
  EXPECT_TRUE(cyxla_hlo_step(hlo, &place));
  EXPECT_EQUAL(place.instruction, 1);
  EXPECT_EQUAL(place.depth, 2);
  EXPECT_EQUAL(place.index[0], 1);
  EXPECT_EQUAL(place.index[1], 7);
  EXPECT_TRUE(cyxla_hlo_step(hlo, &place));
  EXPECT_EQUAL(place.instruction, 12);
  EXPECT_EQUAL(place.depth, 1);
  EXPECT_EQUAL(place.index[0], 7);
  expect_no_step(hlo, 1); /* a whole tuple */
  expect_no_step(hlo, 4);
  place.instruction = 3;
  EXPECT_TRUE(cyxla_hlo_step(hlo, &place));
  EXPECT_EQUAL(place.index[0], -1);
  EXPECT_TRUE(!cyxla_hlo_step(hlo, &place));
  place.instruction = 2;
  place.depth = CYXLA_HLO_DEPTH_MAXIMUM;
  EXPECT_TRUE(!cyxla_hlo_step(hlo, &place));
  place.instruction = 1;
  place.depth = 1;
  place.index[0] = 2;
  EXPECT_TRUE(!cyxla_hlo_step(hlo, &place));
}

static void more_operands_than_are_known_are_not_followed(void) {
  static int64_t operands[4097];
  test_message first = {0};
  const cyxla_hlo *hlo;
  cyxla_hlo_place place = {1, 1, {4095}};

  operands[4095] = 11;
  put_instruction(&first, 1, "tuple", operands, 4096, 0);
  hlo = read_two(&first);
  EXPECT_TRUE(cyxla_hlo_step(hlo, &place));
  EXPECT_EQUAL(place.instruction, 11);
  memset(&first, 0, sizeof(first));
  put_instruction(&first, 1, "tuple", operands, 4097, 0);
  hlo = read_two(&first);
  place.instruction = place.depth = 1;
  place.index[0] = 0;
  EXPECT_TRUE(!cyxla_hlo_step(hlo, &place));
}

static void values_go_into_calls_and_come_out(void) {
  static const int64_t operands[] = {11, 12};
  test_message first = {0};
  const cyxla_hlo *hlo;

  put_instruction(&first, 1, "call", operands, 2, 2);
  put_instruction(&first, 3, "call", operands, 2, 0);
  put_instruction(&first, 4, "call", operands, 2, 3);
  put_instruction(&first, 5, "conditional", operands, 2, 9);
  hlo = read_two(&first);
  expect_step(hlo, 1, 21);
  expect_step(hlo, 22, 11);
  expect_step(hlo, 23, 12);
  expect_no_step(hlo, 3);
  expect_no_step(hlo, 4);
  expect_no_step(hlo, 5);
}

static void values_go_into_loops(void) {
  static const int64_t operand = 11;
  test_message first = {0};
  const cyxla_hlo *hlo;

  put_instruction(&first, 1, "while", &operand, 1, 2);
  hlo = read_two(&first);
  expect_step(hlo, 22, 11);
  expect_step(hlo, 23, 11); /* a loop has one operand, whatever the number */
}

static void a_conditional_s_value_is_its_first_branch_s(void) {
  static const int64_t operands[] = {11, 12};
  test_message first = {0};
  const cyxla_hlo *hlo;

  put_instruction(&first, 1, "conditional", operands, 2, 2);
  hlo = read_two(&first);
  expect_step(hlo, 1, 21);
  expect_no_step(hlo, 22); /* which operand is not known */
}

static void a_parameter_that_is_called_from_nowhere_or_twice_is_not_followed(void) {
  static const int64_t operands[] = {11, 12};
  test_message first = {0}, again = {0};
  const cyxla_hlo *hlo, *twice;

  put_numbered(&first, 1, "parameter", 9, 0, NULL);
  hlo = read_two(&first);
  expect_no_step(hlo, 1);
  expect_no_step(hlo, 22);
  put_instruction(&again, 1, "call", operands, 2, 2);
  put_instruction(&again, 3, "call", operands, 2, 2);
  twice = read_two(&again);
  expect_no_step(twice, 22);
}

/* A conditional of many branches, the last of which is called from elsewhere too. */
static void each_of_many_calls_counts(void) {
  static const int64_t operands[] = {11, 12};
  int64_t branches[20] = {0};
  test_message first = {0}, switching = {0};
  const cyxla_hlo *hlo;

  branches[19] = 2;
  test_put_text(&switching, 2, "conditional");
  test_put_number(&switching, 35, 1);
  test_put_list(&switching, 38, branches, 20);
  test_put_message(&first, 2, &switching);
  put_instruction(&first, 3, "call", operands, 2, 2);
  hlo = read_two(&first);
  expect_no_step(hlo, 22);
}

static void memory_that_runs_out_is_said(void) {
  test_message module = {0}, instructions = {0};
  cyxla_hlo hlo;
  cyxla_error error;

  put_instruction(&instructions, 1, "add", NULL, 0, 0);
  put_computation(&module, 1, 1, &instructions);
  for (long n = 0; n < 2; n++) {
    cyxla_memory_fail_after(n);
    EXPECT_ERROR(cyxla_hlo_read(test_wire(&module), &hlo, &error), CYXLA_OUT_OF_MEMORY,
                 &error, "code");
    EXPECT_NULL(hlo.instructions);
  }
}

TEST_MAIN(TEST_CASE(instructions_and_computations_are_found_by_id),
          TEST_CASE(an_empty_module_has_none),
          TEST_CASE(values_pass_through_what_changes_nothing),
          TEST_CASE(values_go_into_tuples_and_come_out),
          TEST_CASE(more_operands_than_are_known_are_not_followed),
          TEST_CASE(values_go_into_calls_and_come_out), TEST_CASE(values_go_into_loops),
          TEST_CASE(a_conditional_s_value_is_its_first_branch_s),
          TEST_CASE(a_parameter_that_is_called_from_nowhere_or_twice_is_not_followed),
          TEST_CASE(each_of_many_calls_counts), TEST_CASE(memory_that_runs_out_is_said))
