/* The library's own API of XLA's FFI, for handlers that it calls itself, without a
 * plugin: direct code does. */
#ifndef CYXLA_FFI_API_H
#define CYXLA_FFI_API_H

#include "abi/ffi.h"
#include "cyxla.h"

/* What a handler is told of the run that calls it. */
struct XLA_FFI_InvokeContext {
  int64_t run_id;
};

/* Of version 0.4: errors, the thread that calls as the only one of the pool, futures,
 * the number of the run, and the device 0. All else that a handler may ask for returns
 * an error which says what is not there, behind the table's end too, where handlers
 * look that were built with a later version. It never changes. */
const XLA_FFI_Api *cyxla_ffi_api_get(void);

/* Converts an error of the FFI and destroys it: "cannot <action> <name>: <its text>",
 * with its own status. CYXLA_OK where there is none. */
cyxla_status cyxla_ffi_api_take_error(const XLA_FFI_Api *api, XLA_FFI_Error *failure,
                                      const char *action, const char *name,
                                      cyxla_error *error);

#endif
