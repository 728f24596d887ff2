/* Thunks that are put together in memory, whose kernels are functions of the tests. */
#ifndef TEST_THUNKS_SUPPORT_H
#define TEST_THUNKS_SUPPORT_H

#include "test_direct_support.h"

/* Kinds of thunks: fields of the message. */
enum {
  TEST_CALL = 3,
  TEST_CONDITIONAL = 4,
  TEST_SORT = 5,
  TEST_TOP_K = 9,
  TEST_WHILE = 10,
  TEST_KERNEL = 11,
  TEST_COPY = 12,
  TEST_PARTITION_ID = 19,
  TEST_REPLICA_ID = 20
};

/* Allocations: an input and an output of 16 bytes, scratch of 64, and one that is of a
 * thread's own. */
enum { TEST_INPUT, TEST_OUTPUT, TEST_SCRATCH, TEST_OWN, TEST_NUM_ALLOCATIONS };

/* Code without thunks, in static memory. */
void test_start_direct(cyxla_direct *direct, cyxla_allocation *allocations);

/* Adds a function to the kernels, in the order of names. */
void test_add_kernel(cyxla_direct *direct, cyxla_object_symbol *symbol, char *name,
                     cyxla_kernel *kernel);

void test_put_thunk(test_message *sequence, uint64_t kind, const test_message *content);
void test_put_slice(test_message *message, uint64_t number, uint64_t allocation,
                    uint64_t offset, uint64_t bytes);
/* A kernel's argument as plugins of PJRT API 0.106 and later write it. */
void test_put_argument(test_message *kernel, uint64_t allocation, uint64_t offset,
                       uint64_t bytes);
/* A kernel without arguments. */
void test_put_kernel(test_message *kernel, const char *name, uint64_t x, uint64_t y,
                     uint64_t z);
/* A thunk that copies between slices of that many bytes. */
void test_put_copy(test_message *sequence, uint64_t from, uint64_t from_offset,
                   uint64_t to, uint64_t to_offset, uint64_t bytes);

/* Comparators of sorts are those of a module and of a compilation's result; at first
 * there are none. */
void test_use_comparators(const cyxla_hlo *hlo, cyxla_wire result);

/* Reads a sequence into the code. */
cyxla_status test_try_thunks(cyxla_direct *direct, cyxla_wire sequence,
                             cyxla_error *error);
/* The same with the handlers of a plugin. */
cyxla_status test_try_thunks_of(cyxla_direct *direct, cyxla_wire sequence,
                                const cyxla_plugin *plugin, cyxla_error *error);

/* Reads a sequence into the code; it is freed when the test ends. */
void test_read_thunks(cyxla_direct *direct, const test_message *sequence);
void test_refuse_thunks(cyxla_direct *direct, const test_message *sequence,
                        const char *reason);

/* The input and the output of code, of 16 bytes, which live as long as the test; a run
 * of it with them. */
extern unsigned char *test_input, *test_output;
void test_make_arrays(const char *input, const char *output);
void test_run_thunks(const cyxla_direct *direct);

#endif
