/* Programs that are called directly, made by the plugin under test: kernels that call
 * the C library, loops, branches, copies, sorts, donated inputs and unaligned memory.
 */
#ifndef TEST_DIRECT_PROGRAMS_H
#define TEST_DIRECT_PROGRAMS_H

#include "cyxla.h"
#include "direct/thunks.h"

enum { DIRECT_NUM_PROGRAMS = 7, DIRECT_LENGTH = 300 };

const char *direct_program_name(size_t index);

/* A program, compiled and to be called directly, which lives as long as the test. */
cyxla_executable *direct_program_compile(size_t index);

/* A call of it, which lives as long as the test, whose inputs are filled in with
 * numbers that depend on the seed. Some programs have unaligned memory bound. */
cyxla_call *direct_program_call(size_t index, cyxla_executable *executable, int seed);
void direct_program_fill(cyxla_call *call, int seed);

/* The hash of the output. */
uint64_t direct_program_digest(const cyxla_call *call);

/* Whether the program has an operation of that kind. */
bool direct_program_has(const cyxla_executable *executable, cyxla_operation_kind kind);

#endif
