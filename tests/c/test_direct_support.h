/* What the tests of direct calls share: messages of protocol buffers that are put
 * together field by field, and executables that a plugin serialized. */
#ifndef TEST_DIRECT_SUPPORT_H
#define TEST_DIRECT_SUPPORT_H

#include "cyxla.h"
#include "direct/run.h"
#include "direct_signature.h"
#include "test.h"
#include "wire.h"

/* Starts as {0}. */
typedef struct test_message {
  size_t bytes;
  unsigned char data[8192];
} test_message;

void test_put_raw(test_message *message, const void *data, size_t bytes);
void test_put_varint(test_message *message, uint64_t value);

/* Fields of a number. */
void test_put_number(test_message *message, uint64_t number, uint64_t value);
void test_put_bytes(test_message *message, uint64_t number, const void *data,
                    size_t bytes);
void test_put_text(test_message *message, uint64_t number, const char *text);
void test_put_message(test_message *message, uint64_t number,
                      const test_message *content);
/* Numbers as a list. */
void test_put_list(test_message *message, uint64_t number, const int64_t *values,
                   size_t count);

/* Zeroed memory that lives as long as the test. */
void *test_keep(size_t bytes);

/* The message's bytes in memory of just that size, so that the address sanitizer finds
 * what is read behind them. It lives as long as the test. */
cyxla_wire test_wire(const test_message *message);

/* tests/c/direct/NAME.bin, which lives as long as the test. */
typedef struct test_fixture {
  direct_signature signature;
  unsigned char *data;
  size_t bytes;
} test_fixture;

test_fixture *test_read_fixture(const char *name);

/* The code of a fixture, which lives as long as the test. */
cyxla_direct *test_create_direct(test_fixture *fixture);

/* The sum of the fake plugin with the code of a fixture beside, which its calls run. */
cyxla_executable *test_compile_beside(const char *name);

/* A call with memory for its inputs and outputs. */
typedef struct test_seat {
  cyxla_direct_call call;
  const cyxla_program *program;
  void *inputs[DIRECT_ARRAYS_MAXIMUM], *outputs[DIRECT_ARRAYS_MAXIMUM];
} test_seat;

test_seat *test_take_seat(const cyxla_direct *direct, const cyxla_program *program);

/* One at the code of a fixture. */
test_seat *test_load(const char *name);

#endif
