#include "test_thunks_support.h"

#include <string.h>

#include "direct/run.h"
#include "memory.h"

void test_start_direct(cyxla_direct *direct, cyxla_allocation *allocations) {
  static const size_t bytes[] = {16, 16, 64, 16};

  cyxla_thunks_free(&direct->thunks); /* of a read before */
  memset(direct, 0, sizeof(*direct));
  memset(allocations, 0, TEST_NUM_ALLOCATIONS * sizeof(*allocations));
  direct->allocations.items = allocations;
  direct->allocations.count = TEST_NUM_ALLOCATIONS;
  for (size_t i = 0; i < TEST_NUM_ALLOCATIONS; i++) {
    allocations[i].bytes = bytes[i];
    allocations[i].input = i == TEST_INPUT ? 0 : -1;
    allocations[i].output = i == TEST_OUTPUT ? 0 : -1;
  }
  allocations[TEST_SCRATCH].is_scratch = true;
  allocations[TEST_OWN].is_thread_local = true;
}

void test_add_kernel(cyxla_direct *direct, cyxla_object_symbol *symbol, char *name,
                     cyxla_kernel *kernel) {
  symbol->name = name;
  memcpy(&symbol->address, &kernel, sizeof(kernel));
  if (direct->objects.num_symbols++ == 0) direct->objects.symbols = symbol;
}

void test_put_thunk(test_message *sequence, uint64_t kind,
                    const test_message *content) {
  test_message thunk = {0};

  test_put_text(&thunk, 1, "the kind");
  test_put_text(&thunk, 2, "where it is from");
  test_put_message(&thunk, kind, content);
  test_put_message(sequence, 1, &thunk);
}

void test_put_slice(test_message *message, uint64_t number, uint64_t allocation,
                    uint64_t offset, uint64_t bytes) {
  test_message slice = {0};

  if (offset > 0) test_put_number(&slice, 1, offset);
  if (bytes > 0) test_put_number(&slice, 2, bytes);
  if (allocation > 0) test_put_number(&slice, 3, allocation);
  test_put_message(message, number, &slice);
}

void test_put_argument(test_message *kernel, uint64_t allocation, uint64_t offset,
                       uint64_t bytes) {
  test_message shaped = {0};

  test_put_slice(&shaped, 1, allocation, offset, bytes);
  test_put_text(&shaped, 2, "");
  test_put_message(kernel, 5, &shaped);
}

void test_put_kernel(test_message *kernel, const char *name, uint64_t x, uint64_t y,
                     uint64_t z) {
  test_message groups = {0};

  test_put_number(&groups, 1, x);
  test_put_number(&groups, 2, y);
  test_put_number(&groups, 3, z);
  test_put_text(kernel, 1, name);
  test_put_message(kernel, 2, &groups);
}

void test_put_copy(test_message *sequence, uint64_t from, uint64_t from_offset,
                   uint64_t to, uint64_t to_offset, uint64_t bytes) {
  test_message copy = {0}, source = {0}, destination = {0};

  test_put_slice(&source, 2, from, from_offset, bytes);
  test_put_slice(&destination, 2, to, to_offset, bytes);
  test_put_message(&copy, 1, &source);
  test_put_message(&copy, 2, &destination);
  test_put_thunk(sequence, TEST_COPY, &copy);
}

static const cyxla_hlo NO_MODULE;
static const cyxla_hlo *module = &NO_MODULE;
static cyxla_wire result;

void test_use_comparators(const cyxla_hlo *hlo, cyxla_wire of) {
  module = hlo;
  result = of;
}

cyxla_status test_try_thunks_of(cyxla_direct *direct, cyxla_wire sequence,
                                const cyxla_plugin *plugin, cyxla_error *error) {
  cyxla_comparator_source comparators = {module, &direct->objects, result, 1 << 20};

  return cyxla_thunks_read(sequence, &direct->allocations, &comparators, plugin,
                           &direct->thunks, error);
}

cyxla_status test_try_thunks(cyxla_direct *direct, cyxla_wire sequence,
                             cyxla_error *error) {
  return test_try_thunks_of(direct, sequence, NULL, error);
}

static void release(void *thunks) {
  cyxla_thunks_free(thunks);
}

void test_read_thunks(cyxla_direct *direct, const test_message *sequence) {
  cyxla_error error;

  cyxla_thunks_free(&direct->thunks);
  EXPECT_OK(test_try_thunks(direct, test_wire(sequence), &error), &error);
  test_defer(release, &direct->thunks);
}

void test_refuse_thunks(cyxla_direct *direct, const test_message *sequence,
                        const char *reason) {
  cyxla_error error;

  cyxla_thunks_free(&direct->thunks);
  EXPECT_ERROR(test_try_thunks(direct, test_wire(sequence), &error),
               CYXLA_UNIMPLEMENTED, &error, reason);
  EXPECT_NULL(direct->thunks.operations);
  EXPECT_NULL(direct->thunks.slices);
  EXPECT_NULL(direct->thunks.sequences);
}

unsigned char *test_input, *test_output;

static void release_array(void *memory) {
  cyxla_aligned_free(memory);
}

void test_make_arrays(const char *input, const char *output) {
  test_input = cyxla_aligned_alloc(16);
  test_defer(release_array, test_input);
  test_output = cyxla_aligned_alloc(16);
  test_defer(release_array, test_output);
  memcpy(test_input, input, 16);
  memcpy(test_output, output, 16);
}

void test_run_thunks(const cyxla_direct *direct) {
  cyxla_direct_call call;
  cyxla_error error;

  EXPECT_OK(cyxla_direct_call_create(direct, &call, &error), &error);
  cyxla_direct_call_place_input(&call, 0, test_input);
  cyxla_direct_call_place_output(&call, 0, test_output);
  EXPECT_TRUE(cyxla_direct_run(&call));
  cyxla_direct_call_free(&call);
}
