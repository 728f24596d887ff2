/* Signatures: how the inputs and outputs of a program are written in a .cyxla file. The
 * format is described in docs/file-format.md. */
#ifndef CYXLA_SIGNATURE_H
#define CYXLA_SIGNATURE_H

#include "encoding.h"
#include "program.h"

void cyxla_signature_write(cyxla_writer *writer, const cyxla_program_arrays *arrays);

/* Reads what was written above. The arrays' names and shapes are allocated, to be freed
 * with cyxla_program_arrays_free also after a failure. False where the bytes are no
 * signature or memory ran out, which is_out_of_memory tells apart. */
bool cyxla_signature_read(cyxla_reader *reader, cyxla_program_arrays *arrays,
                          bool *is_out_of_memory);

#endif
