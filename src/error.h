/* Errors: filling in a caller's cyxla_error, and converting the plugin's. */
#ifndef CYXLA_ERROR_H
#define CYXLA_ERROR_H

#include "abi/pjrt.h"
#include "cyxla.h"

#if defined(__GNUC__)
#define CYXLA_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CYXLA_PRINTF(text, first)
#endif

/* Fills in error, which may be NULL, and returns status. */
cyxla_status cyxla_error_set(cyxla_error *error, cyxla_status status,
                             const char *format, ...) CYXLA_PRINTF(3, 4);

/* Adds a text to a message, as far as it fits. error may be NULL. */
void cyxla_error_append(cyxla_error *error, const char *text);

/* The error of an allocation that failed. `what` says what the memory was for. */
cyxla_status cyxla_error_out_of_memory(cyxla_error *error, const char *what);

/* Returns CYXLA_OK for a NULL `failure`; else converts it into error, which may be
 * NULL, destroys it and returns its status. `action` says what was being done, as in
 * "the plugin cannot <action>". Where `path` is not NULL the message names the plugin,
 * for what a plugin does first, where it is not yet plain which one it is. This and the
 * next are the only ones that handle a PJRT_Error. */
cyxla_status cyxla_error_from_plugin(const PJRT_Api *api, const char *path,
                                     PJRT_Error *failure, const char *action,
                                     cyxla_error *error);

/* The same without a path. Inline, since a run asks after each of its steps. */
static inline cyxla_status cyxla_error_from_pjrt(const PJRT_Api *api,
                                                 PJRT_Error *failure,
                                                 const char *action,
                                                 cyxla_error *error) {
  if (failure == NULL) return CYXLA_OK;
  return cyxla_error_from_plugin(api, NULL, failure, action, error);
}

#endif
