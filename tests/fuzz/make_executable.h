/* Serialized executables that an input describes: messages that are well-formed, so
 * that a change of the input is one of what they say. */
#ifndef FUZZ_MAKE_EXECUTABLE_H
#define FUZZ_MAKE_EXECUTABLE_H

#include "encoding.h"
#include "input.h"

/* Whether the writer failed tells whether there was memory. */
void fuzz_make_executable(fuzz_input *input, cyxla_writer *writer);

#endif
