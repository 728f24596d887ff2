/* The targets of linear algebra: the custom calls that JAX lowers jnp.linalg,
 * jax.scipy.linalg and products of sparse matrices to on the CPU.
 *
 * jaxlib's handlers of them need Python. These are cyxla's own, for processes without;
 * they call the LAPACK of the machine. */
#ifndef CYXLA_LINALG_TARGETS_H
#define CYXLA_LINALG_TARGETS_H

#include "abi/ffi.h"
#include "cyxla.h"

/* Registers handlers of the targets that the program's code names, which are few, and
 * loads LAPACK if one of them needs it. A target that has a handler already keeps it.
 * An error does not mean that the program cannot be compiled: the name may stand in its
 * code as another thing's. It says what to do if the plugin misses the target. Programs
 * for other platforms than the CPU, and runtimes that are created without, need
 * nothing. */
cyxla_status cyxla_linalg_prepare(cyxla_runtime *runtime, const void *code,
                                  size_t code_bytes, cyxla_error *error);

/* Whether a name, which need not end with a zero byte, is that of a target. */
bool cyxla_linalg_is_target(const char *name, size_t bytes);

/* Whether a target's arguments say where in others it reads, as those of a sparse
 * matrix do. Not every library's handler checks them. */
bool cyxla_linalg_takes_places(const char *name, size_t bytes);

/* The handler of a target, with what it needs of LAPACK loaded, for a program that has
 * no plugin. CYXLA_UNIMPLEMENTED where there is none, with the reason. */
cyxla_status cyxla_linalg_find(const char *name, size_t bytes,
                               XLA_FFI_Handler **handler, cyxla_error *error);

/* For tests: the function of LAPACK that one of the targets calls, of which the last
 * two call none, and how wide its integers are. */
void cyxla_linalg_set_function(size_t index, cyxla_ffi_function *function,
                               size_t bytes_of_integers);

/* The number of targets, and the name and handler of each, for tests. */
size_t cyxla_linalg_num_targets(void);
const char *cyxla_linalg_target_name(size_t index, char *name, size_t name_bytes);
XLA_FFI_Handler *cyxla_linalg_handler(size_t index);

#endif
