/* Handlers of XLA's typed FFI, registered with a plugin.
 *
 * The extension of PJRT takes one function and swallows every error, so it only serves
 * to get at the plugin's own FFI API: the plugin asks a handler that is registered
 * there what it is, and hands it that API. Registration through the API takes all
 * stages and tells what is wrong. */
#ifndef CYXLA_FFI_H
#define CYXLA_FFI_H

#include "abi/ffi.h"
#include "plugin.h"

/* What a handler says about itself: the version of the FFI that it was built with, its
 * traits and the type of its state. */
cyxla_status cyxla_ffi_inspect(const XLA_FFI_Api *api, XLA_FFI_Handler *handler,
                               XLA_FFI_Metadata *metadata, cyxla_error *error);

/* The plugin's FFI API. */
cyxla_status cyxla_ffi_get_api(const cyxla_plugin *plugin, const XLA_FFI_Api **api,
                               cyxla_error *error);

#endif
