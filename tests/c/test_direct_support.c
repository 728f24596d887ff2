#include "test_direct_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executable.h"
#include "memory.h"
#include "test_fake.h"

void *test_keep(size_t bytes) {
  void *memory = calloc(1, bytes);

  if (memory == NULL) test_fail(__FILE__, __LINE__, "no memory for the test");
  test_defer(free, memory);
  return memory;
}

void test_put_raw(test_message *message, const void *data, size_t bytes) {
  if (bytes > sizeof(message->data) - message->bytes) {
    test_fail(__FILE__, __LINE__, "a message is longer than %zu bytes",
              sizeof(message->data));
  }
  if (bytes > 0) memcpy(message->data + message->bytes, data, bytes);
  message->bytes += bytes;
}

void test_put_varint(test_message *message, uint64_t value) {
  unsigned char bytes[10];
  size_t count = 0;

  for (; value >= 0x80; value >>= 7) {
    bytes[count++] = (unsigned char)((value & 0x7f) | 0x80);
  }
  bytes[count++] = (unsigned char)value;
  test_put_raw(message, bytes, count);
}

void test_put_number(test_message *message, uint64_t number, uint64_t value) {
  test_put_varint(message, number << 3 | CYXLA_WIRE_VARINT);
  test_put_varint(message, value);
}

void test_put_bytes(test_message *message, uint64_t number, const void *data,
                    size_t bytes) {
  test_put_varint(message, number << 3 | CYXLA_WIRE_COUNTED);
  test_put_varint(message, bytes);
  test_put_raw(message, data, bytes);
}

void test_put_text(test_message *message, uint64_t number, const char *text) {
  test_put_bytes(message, number, text, strlen(text));
}

void test_put_message(test_message *message, uint64_t number,
                      const test_message *content) {
  test_put_bytes(message, number, content->data, content->bytes);
}

void test_put_list(test_message *message, uint64_t number, const int64_t *values,
                   size_t count) {
  test_message list = {0};

  for (size_t i = 0; i < count; i++) test_put_varint(&list, (uint64_t)values[i]);
  test_put_message(message, number, &list);
}

cyxla_wire test_wire(const test_message *message) {
  /* malloc(0) has a byte that is not the message's. */
  unsigned char *data = message->bytes > 0 ? test_keep(message->bytes) : NULL;
  cyxla_wire wire = {data, message->bytes};

  if (data != NULL) memcpy(data, message->data, message->bytes);
  return wire;
}

test_fixture *test_read_fixture(const char *name) {
  test_fixture *fixture = test_keep(sizeof(*fixture));
  char path[4096];
  cyxla_wire serialized;

  snprintf(path, sizeof(path), "%s/%s.bin", DIRECT_FIXTURES, name);
  fixture->data = test_read_file(path, &fixture->bytes);
  serialized.data = fixture->data;
  serialized.bytes = fixture->bytes;
  EXPECT_TRUE(direct_signature_read(serialized, &fixture->signature));
  return fixture;
}

static void destroy(void *direct) {
  cyxla_direct_destroy(direct);
}

cyxla_direct *test_create_direct(test_fixture *fixture) {
  cyxla_direct *direct;
  cyxla_error error;

  EXPECT_OK(cyxla_direct_create(fixture->data, fixture->bytes,
                                &fixture->signature.program, NULL, &direct, &error),
            &error);
  test_defer(destroy, direct);
  return direct;
}

cyxla_executable *test_compile_beside(const char *name) {
  test_fixture *fixture = test_read_fixture(name);
  cyxla_executable *executable;
  cyxla_error error;

  test_set_environment("CYXLA_TIER", "pjrt");
  executable = test_compile(test_sum_program());
  EXPECT_OK(cyxla_direct_create(fixture->data, fixture->bytes, executable->program,
                                NULL, &executable->direct, &error),
            &error);
  return executable;
}

static void leave(void *argument) {
  test_seat *own = argument;

  for (size_t i = 0; i < own->program->inputs.count; i++) {
    cyxla_aligned_free(own->inputs[i]);
  }
  for (size_t i = 0; i < own->program->outputs.count; i++) {
    cyxla_aligned_free(own->outputs[i]);
  }
  cyxla_direct_call_free(&own->call);
}

test_seat *test_take_seat(const cyxla_direct *direct, const cyxla_program *program) {
  test_seat *own = test_keep(sizeof(*own));
  cyxla_error error;

  own->program = program;
  EXPECT_OK(cyxla_direct_call_create(direct, &own->call, &error), &error);
  test_defer(leave, own);
  for (size_t i = 0; i < own->program->inputs.count; i++) {
    own->inputs[i] = cyxla_aligned_alloc(own->program->inputs.specs[i].bytes);
    cyxla_direct_call_place_input(&own->call, i, own->inputs[i]);
  }
  for (size_t i = 0; i < own->program->outputs.count; i++) {
    own->outputs[i] = cyxla_aligned_alloc(own->program->outputs.specs[i].bytes);
    cyxla_direct_call_place_output(&own->call, i, own->outputs[i]);
  }
  return own;
}

test_seat *test_load(const char *name) {
  test_fixture *fixture = test_read_fixture(name);

  return test_take_seat(test_create_direct(fixture), &fixture->signature.program);
}
