/* What cyxla has to know of a serialized xla.CompileOptionsProto. */
#ifndef CYXLA_COMPILE_OPTIONS_H
#define CYXLA_COMPILE_OPTIONS_H

#include "cyxla.h"

/* Fails unless the options ask for one replica and one partition: with
 * CYXLA_INVALID_ARGUMENT for less, CYXLA_UNIMPLEMENTED for more. Bytes that are no such
 * message pass, since plugins refuse them in words of their own. */
cyxla_status cyxla_compile_options_check(const void *data, size_t bytes,
                                         cyxla_error *error);

#endif
