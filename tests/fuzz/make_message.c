#include "make_message.h"

#include <string.h>

static void put_varint(cyxla_writer *writer, uint64_t value) {
  for (;;) {
    unsigned char byte = (unsigned char)(value & 0x7f);
    value >>= 7;
    if (value > 0) byte |= 0x80;
    cyxla_write_raw(writer, &byte, 1);
    if (value == 0) return;
  }
}

void fuzz_put_number(cyxla_writer *writer, uint64_t number, uint64_t value) {
  put_varint(writer, number << 3);
  put_varint(writer, value);
}

void fuzz_put_bytes(cyxla_writer *writer, uint64_t number, const void *data,
                    size_t bytes) {
  put_varint(writer, number << 3 | 2);
  put_varint(writer, bytes);
  if (bytes > 0) cyxla_write_raw(writer, data, bytes);
}

void fuzz_put_text(cyxla_writer *writer, uint64_t number, const char *text) {
  fuzz_put_bytes(writer, number, text, strlen(text));
}

void fuzz_put_message(cyxla_writer *writer, uint64_t number, cyxla_writer *content) {
  if (content->failed) writer->failed = true;
  fuzz_put_bytes(writer, number, content->data, content->size);
  cyxla_writer_free(content);
  memset(content, 0, sizeof(*content));
}

uint64_t fuzz_take_number(fuzz_input *input) {
  static const uint64_t others[] = {UINT64_MAX,
                                    INT64_MAX,
                                    (uint64_t)INT64_MAX + 1,
                                    UINT32_MAX,
                                    UINT64_C(1) << 40,
                                    4096,
                                    1 << 20,
                                    255};
  uint8_t byte = fuzz_take_byte(input);

  return byte < 240 ? byte : others[byte % 8];
}

void fuzz_put_shape(fuzz_input *input, cyxla_writer *writer, uint64_t number) {
  cyxla_writer shape = {0}, layout = {0};
  size_t kind = fuzz_take_below(input, 8), rank = fuzz_take_below(input, 4);

  fuzz_put_number(&shape, 2, kind == 0 ? fuzz_take_byte(input) : 11);
  for (size_t i = 0; i < rank; i++)
    fuzz_put_number(&shape, 3, fuzz_take_below(input, 4));
  for (size_t i = 0; i < rank; i++) {
    fuzz_put_number(&layout, 1, kind == 1 ? fuzz_take_below(input, 4) : rank - 1 - i);
  }
  fuzz_put_message(&shape, 5, &layout);
  fuzz_put_message(writer, number, &shape);
}

void fuzz_put_slice(fuzz_input *input, cyxla_writer *writer, uint64_t number,
                    uint64_t usual) {
  cyxla_writer slice = {0};

  fuzz_put_number(&slice, 3, fuzz_take_below(input, 6));
  fuzz_put_number(&slice, 1, fuzz_take_number(input));
  fuzz_put_number(&slice, 2,
                  fuzz_take_below(input, 4) > 0 ? usual : fuzz_take_number(input));
  fuzz_put_message(writer, number, &slice);
}
