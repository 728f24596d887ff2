/* The LAPACK of the machine: found and loaded when a program first needs one.
 *
 * cyxla is built without one, since every cluster has its own. Their functions are
 * called as Fortran's are: every argument by address, and the lengths of texts last. */
#ifndef CYXLA_LINALG_LIBRARY_H
#define CYXLA_LINALG_LIBRARY_H

#include "cyxla.h"
#include "library.h"

/* How the names of the functions are written: OpenBLAS and MKL can be built with
 * decorations, so that several may live in one process. */
typedef struct cyxla_lapack_naming {
  const char *prefix;
  const char *suffix;
} cyxla_lapack_naming;

typedef struct cyxla_lapack {
  cyxla_library *library;
  const cyxla_lapack_naming *naming;
  char *name;           /* as it was opened: a path, or what the loader looked for */
  size_t integer_bytes; /* of Fortran's INTEGER: 4 (LP64) or 8 (ILP64) */
} cyxla_lapack;

/* The LAPACK of the process, which is loaded once and kept: the library that
 * CYXLA_LAPACK names, else the first of those that the loader finds under the usual
 * names. The width of its integers is measured, by what a function writes. Fails with
 * CYXLA_NOT_FOUND where there is none or none that can be used; a later call tries
 * again. Any thread may call it. */
cyxla_status cyxla_lapack_get(const cyxla_lapack **lapack, cyxla_error *error);

/* A function by its plain name, such as "dpotrf"; NULL if the library lacks it. */
cyxla_library_function *cyxla_lapack_find(const cyxla_lapack *lapack, const char *name);

/* For tests: closes the library, so that the next use looks for one again, under these
 * names instead of the usual ones if names is not NULL. */
void cyxla_lapack_forget(const char *const *names, size_t num_names);

#endif
