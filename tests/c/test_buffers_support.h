/* A buffer assignment and the module that it is for, put together in memory. */
#ifndef TEST_BUFFERS_SUPPORT_H
#define TEST_BUFFERS_SUPPORT_H

#include "test_direct_support.h"

/* Fields of an allocation. */
enum {
  INDEX = 1,
  SIZE,
  IS_THREAD_LOCAL,
  IS_PARAMETER = 5,
  PARAMETER_NUMBER,
  MAY_LIVE_OUT,
  COLOR,
  ASSIGNED,
  PARAMETER_SHAPE_INDEX,
  IS_TUPLE,
  IS_CONSTANT,
  LAST
};

/* The allocations, and the instructions whose values lie there. */
enum { IN, OUT, SECOND, CONSTANT, SCRATCH, OWN, TABLE, NUM_ALLOCATIONS };
enum { ROOT = 10 };

/* A module whose entry's root is a tuple of the values in OUT and SECOND, which is
 * read after a test changed it. */
typedef struct test_assignment {
  uint64_t fields[NUM_ALLOCATIONS][LAST + 2]; /* those that are not 0 are written */
  uint64_t offsets[NUM_ALLOCATIONS];          /* of values in their allocations */
  uint64_t assigned[NUM_ALLOCATIONS];         /* ids of values */
  size_t depth;                               /* of where the value in OUT is defined */
  size_t literal_bytes;
  uint64_t twice; /* the id of a value that is defined where the one in OUT is */
  const char *root;
  int64_t operands[2];
  int64_t order[2]; /* of the arrays' dimensions */
  uint64_t entry;
  direct_signature signature;
} test_assignment;

extern test_assignment given;

/* What all tests begin with. */
void start(void);

/* What is given as messages. */
void put_shape(test_message *message, uint64_t number, const int64_t *order);
void put_instructions(test_message *computation);
void make_module(test_message *module);
void make_assignment(test_message *assignment);

#endif
