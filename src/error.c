#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cyxla_status_name(cyxla_status status) {
  switch (status) {
    case CYXLA_OK: return "OK";
    case CYXLA_CANCELLED: return "CANCELLED";
    case CYXLA_UNKNOWN: return "UNKNOWN";
    case CYXLA_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case CYXLA_DEADLINE_EXCEEDED: return "DEADLINE_EXCEEDED";
    case CYXLA_NOT_FOUND: return "NOT_FOUND";
    case CYXLA_ALREADY_EXISTS: return "ALREADY_EXISTS";
    case CYXLA_PERMISSION_DENIED: return "PERMISSION_DENIED";
    case CYXLA_RESOURCE_EXHAUSTED: return "RESOURCE_EXHAUSTED";
    case CYXLA_FAILED_PRECONDITION: return "FAILED_PRECONDITION";
    case CYXLA_ABORTED: return "ABORTED";
    case CYXLA_OUT_OF_RANGE: return "OUT_OF_RANGE";
    case CYXLA_UNIMPLEMENTED: return "UNIMPLEMENTED";
    case CYXLA_INTERNAL: return "INTERNAL";
    case CYXLA_UNAVAILABLE: return "UNAVAILABLE";
    case CYXLA_DATA_LOSS: return "DATA_LOSS";
    case CYXLA_UNAUTHENTICATED: return "UNAUTHENTICATED";
    case CYXLA_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case CYXLA_FILE_UNREADABLE: return "FILE_UNREADABLE";
    case CYXLA_FILE_UNWRITABLE: return "FILE_UNWRITABLE";
    case CYXLA_FILE_INVALID: return "FILE_INVALID";
    case CYXLA_FILE_TOO_NEW: return "FILE_TOO_NEW";
    case CYXLA_PLUGIN_NOT_FOUND: return "PLUGIN_NOT_FOUND";
    case CYXLA_PLUGIN_UNLOADABLE: return "PLUGIN_UNLOADABLE";
    case CYXLA_PLUGIN_TOO_OLD: return "PLUGIN_TOO_OLD";
    case CYXLA_PLUGIN_INVALID: return "PLUGIN_INVALID";
    case CYXLA_PLATFORM_MISMATCH: return "PLATFORM_MISMATCH";
    case CYXLA_SIGNATURE_MISMATCH: return "SIGNATURE_MISMATCH";
    case CYXLA_FORKED: return "FORKED";
    case CYXLA_SIZE_NOT_FOUND: return "SIZE_NOT_FOUND";
  }
  return "UNRECOGNIZED";
}

/* Marks a message that did not fit, without cutting a UTF-8 character in two. */
static void mark_truncation(char *message) {
  size_t end = CYXLA_ERROR_MESSAGE_SIZE - sizeof("...");

  while (end > 0 && ((unsigned char)message[end] & 0xC0) == 0x80) end--;
  memcpy(message + end, "...", sizeof("..."));
}

cyxla_status cyxla_error_set(cyxla_error *error, cyxla_status status,
                             const char *format, ...) {
  va_list arguments;
  int length;

  if (error == NULL) return status;
  error->status = status;
  va_start(arguments, format);
  length = vsnprintf(error->message, sizeof(error->message), format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof(error->message)) mark_truncation(error->message);
  return status;
}

void cyxla_error_append(cyxla_error *error, const char *text) {
  size_t length;

  if (error == NULL) return;
  length = strlen(error->message);
  if (length + strlen(text) < sizeof(error->message)) {
    memcpy(error->message + length, text, strlen(text) + 1);
  }
}

cyxla_status cyxla_error_out_of_memory(cyxla_error *error, const char *what) {
  return cyxla_error_set(error, CYXLA_OUT_OF_MEMORY, "no memory left for %s", what);
}

static cyxla_status pjrt_status(const PJRT_Api *api, PJRT_Error *failure) {
  PJRT_Error_GetCode_Args code = {sizeof(code), NULL, failure, PJRT_Error_Code_UNKNOWN};
  PJRT_Error *nested = api->PJRT_Error_GetCode(&code);

  if (nested != NULL) {
    PJRT_Error_Destroy_Args destroy = {sizeof(destroy), NULL, nested};
    api->PJRT_Error_Destroy(&destroy);
    return CYXLA_UNKNOWN;
  }
  if ((int)code.code < CYXLA_CANCELLED || (int)code.code > CYXLA_UNAUTHENTICATED) {
    return CYXLA_UNKNOWN;
  }
  return (cyxla_status)code.code;
}

cyxla_status cyxla_error_from_plugin(const PJRT_Api *api, const char *path,
                                     PJRT_Error *failure, const char *action,
                                     cyxla_error *error) {
  cyxla_status status;

  if (failure == NULL) return CYXLA_OK;
  status = pjrt_status(api, failure);
  if (error != NULL) {
    PJRT_Error_Message_Args text = {sizeof(text), NULL, failure, NULL, 0};
    api->PJRT_Error_Message(&text);
    if (text.message == NULL) text.message_size = 0;
    /* A precision is an int, and nothing beyond the message's size is kept. */
    if (text.message_size > sizeof(error->message)) {
      text.message_size = sizeof(error->message);
    }
    cyxla_error_set(error, status, "the plugin%s%s cannot %s: %.*s",
                    path != NULL ? " " : "", path != NULL ? path : "", action,
                    (int)text.message_size, text.message_size > 0 ? text.message : "");
  }
  PJRT_Error_Destroy_Args destroy = {sizeof(destroy), NULL, failure};
  api->PJRT_Error_Destroy(&destroy);
  return status;
}
