/* Wrappers that make handlers of a newer version of the FFI fit an older plugin.
 *
 * A plugin refuses a handler that says it was built with a newer minor version than its
 * own. Minor versions append: fields to structs and functions to the API. So a wrapper
 * says the plugin's version, and hands the handler an API whose missing functions
 * return an error instead of being read behind the table's end. */
#ifndef CYXLA_FFI_WRAPPER_H
#define CYXLA_FFI_WRAPPER_H

#include "abi/ffi.h"
#include "cyxla.h"

/* The newest minor version whose handlers are known to work that way: what is appended
 * later may mean something else. */
enum { CYXLA_FFI_MINOR_MAXIMUM = 5 };

/* Replaces *handler by its wrapper if it needs one. Fails where the versions cannot be
 * brought together, naming both. */
cyxla_status cyxla_ffi_wrap(const XLA_FFI_Api *api, const char *name,
                            const XLA_FFI_Api_Version *version,
                            XLA_FFI_Handler **handler, cyxla_error *error);

/* Where a handler that is only asked what it is writes its answer; NULL in a call. */
XLA_FFI_Metadata *cyxla_ffi_metadata_of(const XLA_FFI_CallFrame *frame);

/* A handler as the data pointer that PJRT's extension takes. */
void *cyxla_ffi_handler_pointer(XLA_FFI_Handler *handler);

#endif
