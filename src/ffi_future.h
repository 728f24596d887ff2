/* Futures of XLA's FFI: what a handler returns that goes on computing in threads of its
 * own, for handlers that the library calls itself. */
#ifndef CYXLA_FFI_FUTURE_H
#define CYXLA_FFI_FUTURE_H

#include <stdbool.h>

#include "abi/ffi.h"

/* One that is not complete; NULL if there is no memory left. */
XLA_FFI_Future *cyxla_ffi_future_create(void);

/* Completes it, from any thread, with an error that goes to it or with none (NULL).
 * False, and the error stays the caller's, where it had been completed. Afterwards the
 * caller may not touch it. */
bool cyxla_ffi_future_complete(XLA_FFI_Future *future, XLA_FFI_Error *failure);

/* Waits until it is complete, destroys it, and returns its error. */
XLA_FFI_Error *cyxla_ffi_future_take(XLA_FFI_Future *future);

#endif
