/* Option structs: how a caller that was compiled with an older header is served. */
#ifndef CYXLA_OPTIONS_H
#define CYXLA_OPTIONS_H

#include "cyxla.h"
#include "error.h"

/* Copies a caller's option struct, which begins with its size, over the defaults in
 * `known`. Fields are only ever appended, so a smaller struct is one of an older header
 * and leaves the defaults of the newer fields. `given` may be NULL: all defaults. */
cyxla_status cyxla_options_read(void *known, size_t known_bytes, const void *given,
                                const char *name, cyxla_error *error);

/* The same for a struct that is filled in for the caller. */
cyxla_status cyxla_options_write(void *given, const void *known, size_t known_bytes,
                                 const char *name, cyxla_error *error);

/* CYXLA_INVALID_ARGUMENT, named after the argument, where `argument` is NULL. */
#define CYXLA_REQUIRE(argument, error)                                              \
  do {                                                                              \
    if ((argument) == NULL) {                                                       \
      return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,                         \
                             "the argument " #argument " of %s is NULL", __func__); \
    }                                                                               \
  } while (0)

#endif
