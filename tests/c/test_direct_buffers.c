#include "direct/buffers.h"

#include <string.h>

#include "memory.h"
#include "test_buffers_support.h"

static cyxla_status read_message(const test_message *assignment,
                                 cyxla_allocation_list *list, cyxla_error *error) {
  test_message module = {0};
  cyxla_wire wire = test_wire(assignment), module_wire;
  cyxla_status status;
  cyxla_hlo hlo;

  make_module(&module);
  module_wire = test_wire(&module);
  status = cyxla_hlo_read(module_wire, &hlo, error);
  if (status != CYXLA_OK) return status;
  status = cyxla_buffers_read(wire, &hlo, &given.signature.program, list, error);
  cyxla_hlo_free(&hlo);
  return status;
}

static cyxla_status read(cyxla_allocation_list *list, cyxla_error *error) {
  test_message assignment = {0};

  make_assignment(&assignment);
  return read_message(&assignment, list, error);
}

static void release(void *list) {
  cyxla_buffers_free(list);
}

static const cyxla_allocation_list *read_well(void) {
  cyxla_allocation_list *list = test_keep(sizeof(*list));
  cyxla_error error;

  EXPECT_OK(read(list, &error), &error);
  test_defer(release, list);
  return list;
}

static void expect_refused(const char *reason) {
  cyxla_allocation_list list;
  cyxla_error error;

  EXPECT_ERROR(read(&list, &error), CYXLA_UNIMPLEMENTED, &error, reason);
  EXPECT_NULL(list.items);
}

static void change(size_t allocation, size_t field, uint64_t value,
                   const char *reason) {
  start();
  given.fields[allocation][field] = value;
  expect_refused(reason);
}

static void allocations_are_told_apart(void) {
  static const float constant[] = {1, 2, 3, 4};
  const cyxla_allocation_list *list;

  start();
  list = read_well();
  EXPECT_EQUAL(list->count, NUM_ALLOCATIONS);
  EXPECT_EQUAL(list->items[IN].input, 0);
  EXPECT_EQUAL(list->items[IN].output, -1);
  EXPECT_EQUAL(list->items[OUT].output, 0);
  EXPECT_EQUAL(list->items[SECOND].output, 1);
  EXPECT_EQUAL(list->items[SECOND].input, -1);
  EXPECT_BYTES(list->items[CONSTANT].constant, constant, sizeof(constant));
  EXPECT_EQUAL((uintptr_t)list->items[CONSTANT].constant % CYXLA_ALIGNMENT, 0);
  EXPECT_EQUAL(list->items[SCRATCH].bytes, 64);
  for (size_t i = 0; i < NUM_ALLOCATIONS; i++) {
    EXPECT_EQUAL(list->items[i].is_scratch, i == SCRATCH || i == TABLE);
    EXPECT_EQUAL(list->items[i].is_thread_local, i == OWN);
    EXPECT_EQUAL(list->items[i].constant != NULL, i == CONSTANT);
  }
}

static void a_donated_input_lies_where_its_output_does(void) {
  const cyxla_allocation_list *list;

  start();
  given.fields[IN][MAY_LIVE_OUT] = 1;
  given.operands[1] = IN + 1;
  expect_refused("an output of it is an input that is not donated");
  given.signature.inputs[0].aliased_output = 0;
  expect_refused("an output of it is an input that is not donated");
  given.signature.inputs[0].aliased_output = 1;
  list = read_well();
  EXPECT_EQUAL(list->items[IN].input, 0);
  EXPECT_EQUAL(list->items[IN].output, 1);
  EXPECT_TRUE(list->items[SECOND].is_scratch);
}

/* Bound to the same memory, such a pair would be written before it is read. */
static void a_donated_input_that_lies_elsewhere_is_refused(void) {
  start();
  given.signature.inputs[0].aliased_output = 0;
  expect_refused("an input of it is donated to an output that lies elsewhere");
}

static void a_single_output_is_the_root(void) {
  cyxla_allocation_list list;
  test_message assignment = {0}, module = {0}, computation = {0}, program = {0};
  cyxla_wire wire, module_wire;
  cyxla_hlo hlo;
  cyxla_error error;

  start();
  given.signature.program.outputs.count = 1;
  make_assignment(&assignment);
  put_instructions(&computation);
  test_put_number(&computation, 6, OUT + 1);
  test_put_message(&module, 3, &computation);
  put_shape(&program, 1, given.order);
  put_shape(&program, 2, given.order);
  test_put_message(&module, 4, &program);
  wire = test_wire(&assignment);
  module_wire = test_wire(&module);
  EXPECT_OK(cyxla_hlo_read(module_wire, &hlo, &error), &error);

  EXPECT_OK(cyxla_buffers_read(wire, &hlo, &given.signature.program, &list, &error),
            &error);
  EXPECT_EQUAL(list.items[OUT].output, 0);
  cyxla_buffers_free(&list);
  given.signature.program.outputs.count = 2;
  EXPECT_ERROR(cyxla_buffers_read(wire, &hlo, &given.signature.program, &list, &error),
               CYXLA_UNIMPLEMENTED, &error,
               "its arrays are not those of its signature");
  cyxla_hlo_free(&hlo);
}

static void allocations_that_are_not_known_are_refused(void) {
  change(SCRATCH, INDEX, 1, "it has an allocation that is not known");
  change(SCRATCH, SIZE, UINT64_MAX, "it has an allocation that is not known");
  change(SCRATCH, COLOR, 1, "it has an allocation that is not known");
  change(SCRATCH, LAST + 1, 1, "it has an allocation with a field that is not known");
}

static void a_broken_allocation_is_refused(void) {
  test_message assignment = {0};
  cyxla_allocation_list list;
  cyxla_error error;

  start();
  test_put_bytes(&assignment, 3, "\x10\x80", 2);
  EXPECT_ERROR(read_message(&assignment, &list, &error), CYXLA_UNIMPLEMENTED, &error,
               "it has an allocation with a field that is not known");
}

static void inputs_other_than_the_signature_s_are_refused(void) {
  change(IN, SIZE, 20, "its inputs are not those of its signature");
  change(IN, PARAMETER_NUMBER, 1, "its inputs are not those of its signature");
  change(IN, PARAMETER_NUMBER, UINT64_MAX, "its inputs are not those of its signature");
  change(IN, PARAMETER_SHAPE_INDEX, 1, "its inputs are not those of its signature");
  change(SCRATCH, IS_PARAMETER, 1, "its inputs are not those of its signature");
  change(SECOND, IS_PARAMETER, 1, "an input of it has two places");
}

static void constants_without_a_value_are_refused(void) {
  change(SCRATCH, IS_CONSTANT, 1, "it has a constant without a value that is known");
  change(CONSTANT, SIZE, 20, "it has a constant without a value that is known");
  start();
  given.offsets[CONSTANT] = 4;
  expect_refused("it has a constant without a value that is known");
  start();
  given.assigned[CONSTANT] = 99;
  expect_refused("it has a constant without a value that is known");
  start();
  given.literal_bytes = 12;
  expect_refused("it has a constant without a value that is known");
}

/* Constants could have the same literal else, and take any amount of memory. */
static void a_value_lies_in_one_place(void) {
  start();
  given.fields[SCRATCH][IS_CONSTANT] = 1;
  given.fields[SCRATCH][SIZE] = 16;
  given.assigned[SCRATCH] = CONSTANT + 1;
  expect_refused("a value of it lies in two places");
  start();
  given.twice = SCRATCH + 1;
  expect_refused("a value of it lies in two places");
}

/* The memory of a constant is not asked for before it is clear that there is a value.
 */
static void a_huge_constant_is_refused(void) {
  start();
  given.fields[CONSTANT][SIZE] = UINT64_C(1) << 40;
  expect_refused("it has a constant without a value that is known");
}

static void outputs_that_lie_elsewhere_are_refused(void) {
  change(OUT, MAY_LIVE_OUT, 0, "an output of it shares its memory");
  change(OUT, SIZE, 20, "an output of it shares its memory");
  change(OUT, IS_THREAD_LOCAL, 1, "an output of it shares its memory");
  change(OUT, IS_TUPLE, 1, "an output of it shares its memory");
  start();
  given.offsets[OUT] = 4;
  expect_refused("an output of it shares its memory");
  start();
  given.operands[1] = OUT + 1; /* two outputs in one place */
  expect_refused("an output of it shares its memory");
  start();
  given.fields[CONSTANT][MAY_LIVE_OUT] = 1;
  given.operands[1] = CONSTANT + 1;
  expect_refused("an output of it shares its memory");
}

static void outputs_that_cannot_be_found_are_refused(void) {
  start();
  given.operands[1] = 99;
  expect_refused("where an output of it lies cannot be told");
  start();
  given.root = "add";
  expect_refused("where an output of it lies cannot be told");
  start();
  given.assigned[OUT] = 99;
  expect_refused("where an output of it lies cannot be told");
  start();
  given.depth = 1; /* a part of OUT */
  expect_refused("where an output of it lies cannot be told");
  given.depth = CYXLA_HLO_DEPTH_MAXIMUM + 1;
  expect_refused("where an output of it lies cannot be told");
}

/* An instruction that is its own operand leads nowhere. */
static void a_circle_ends(void) {
  start();
  given.root = "bitcast";
  given.operands[0] = ROOT;
  expect_refused("where an output of it lies cannot be told");
}

static void a_module_without_an_entry_is_refused(void) {
  start();
  given.entry = 2;
  expect_refused("its module has no entry");
}

static void arrays_other_than_the_signature_s_are_refused(void) {
  static const char reason[] =
      "its arrays are not those of its signature in row-major order";
  static const int64_t other[] = {4, 1};

  start();
  given.order[0] = 0;
  given.order[1] = 1;
  expect_refused(reason);
  start();
  given.signature.inputs[0].dtype = CYXLA_INT32;
  expect_refused(reason);
  start();
  given.signature.inputs[0].rank = 1;
  expect_refused(reason);
  start();
  given.signature.outputs[1].shape = other;
  expect_refused(reason);
  start();
  given.signature.program.inputs.count = 2;
  given.signature.inputs[1] = given.signature.inputs[0];
  expect_refused(reason);
  start();
  given.signature.program.outputs.count = 1;
  expect_refused(reason);
  start();
  given.signature.program.outputs.count = 3;
  given.signature.outputs[2] = given.signature.outputs[0];
  expect_refused(reason);
}

static void memory_that_runs_out_is_said(void) {
  test_message assignment = {0}, module = {0};
  cyxla_wire wire, module_wire;
  cyxla_allocation_list list;
  cyxla_hlo hlo;
  cyxla_error error;

  start();
  make_assignment(&assignment);
  make_module(&module);
  wire = test_wire(&assignment);
  module_wire = test_wire(&module);
  EXPECT_OK(cyxla_hlo_read(module_wire, &hlo, &error), &error);

  for (long n = 0; n < 5; n++) {
    long live = cyxla_memory_live();
    cyxla_memory_fail_after(n);
    EXPECT_ERROR(
        cyxla_buffers_read(wire, &hlo, &given.signature.program, &list, &error),
        CYXLA_OUT_OF_MEMORY, &error, n < 4 ? "code" : "a constant");
    EXPECT_EQUAL(cyxla_memory_live(), live);
  }
  cyxla_memory_fail_after(5);
  EXPECT_OK(cyxla_buffers_read(wire, &hlo, &given.signature.program, &list, &error),
            &error);
  cyxla_buffers_free(&list);
  cyxla_hlo_free(&hlo);
}

TEST_MAIN(TEST_CASE(allocations_are_told_apart),
          TEST_CASE(a_donated_input_lies_where_its_output_does),
          TEST_CASE(a_donated_input_that_lies_elsewhere_is_refused),
          TEST_CASE(a_single_output_is_the_root),
          TEST_CASE(allocations_that_are_not_known_are_refused),
          TEST_CASE(a_broken_allocation_is_refused),
          TEST_CASE(inputs_other_than_the_signature_s_are_refused),
          TEST_CASE(constants_without_a_value_are_refused),
          TEST_CASE(a_value_lies_in_one_place), TEST_CASE(a_huge_constant_is_refused),
          TEST_CASE(outputs_that_lie_elsewhere_are_refused),
          TEST_CASE(outputs_that_cannot_be_found_are_refused), TEST_CASE(a_circle_ends),
          TEST_CASE(a_module_without_an_entry_is_refused),
          TEST_CASE(arrays_other_than_the_signature_s_are_refused),
          TEST_CASE(memory_that_runs_out_is_said))
