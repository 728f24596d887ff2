/* Fields of messages of protocol buffers, of which an input may say what they hold. */
#ifndef FUZZ_MAKE_MESSAGE_H
#define FUZZ_MAKE_MESSAGE_H

#include "encoding.h"
#include "input.h"

void fuzz_put_number(cyxla_writer *writer, uint64_t number, uint64_t value);
void fuzz_put_bytes(cyxla_writer *writer, uint64_t number, const void *data,
                    size_t bytes);
void fuzz_put_text(cyxla_writer *writer, uint64_t number, const char *text);
/* A message as a field, whose memory is given back. */
void fuzz_put_message(cyxla_writer *writer, uint64_t number, cyxla_writer *content);

/* Mostly a small number; seldom one that is likely to be treated wrongly. */
uint64_t fuzz_take_number(fuzz_input *input);

/* A shape, and a slice of an allocation, usually of that many bytes. */
void fuzz_put_shape(fuzz_input *input, cyxla_writer *writer, uint64_t number);
void fuzz_put_slice(fuzz_input *input, cyxla_writer *writer, uint64_t number,
                    uint64_t usual);

#endif
