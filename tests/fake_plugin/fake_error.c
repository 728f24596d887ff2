/* Errors and events. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_internal.h"

struct PJRT_Error {
  PJRT_Error_Code code;
  char *message; /* exactly its characters, no zero byte */
  size_t message_bytes;
};

PJRT_Error *fake_error(PJRT_Error_Code code, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0) abort();
  PJRT_Error *error = fake_allocate(sizeof *error);
  error->code = code;
  error->message_bytes =
      (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
  error->message = fake_allocate(error->message_bytes);
  memcpy(error->message, text, error->message_bytes);
  fake_count(FAKE_ERROR, 1);
  return error;
}

void fake_Error_Destroy(PJRT_Error_Destroy_Args *args) {
  if (args->error == NULL) return;
  free(args->error->message);
  free(args->error);
  fake_count(FAKE_ERROR, -1);
}

void fake_Error_Message(PJRT_Error_Message_Args *args) {
  args->message = args->error->message;
  args->message_size = args->error->message_bytes;
}

PJRT_Error *fake_Error_GetCode(PJRT_Error_GetCode_Args *args) {
  FAKE_ENTER(Error_GetCode, args);
  args->code = args->error->code;
  return NULL;
}

PJRT_Event *fake_event_create(PJRT_Buffer *const *buffers, size_t num_buffers) {
  PJRT_Event *event = fake_allocate(sizeof *event);
  event->ready = fake_get(FAKE_EVENTS_PENDING) == 0;
  for (size_t i = 0; i < num_buffers; i++) {
    buffers[i]->refs++;
    event->buffers[event->num_buffers++] = buffers[i];
  }
  fake_count(FAKE_EVENT, 1);
  return event;
}

PJRT_Error *fake_Event_Destroy(PJRT_Event_Destroy_Args *args) {
  for (size_t i = 0; i < args->event->num_buffers; i++) {
    fake_buffer_release(args->event->buffers[i]);
  }
  free(args->event);
  fake_count(FAKE_EVENT, -1);
  FAKE_ENTER(Event_Destroy, args);
  return NULL;
}

PJRT_Error *fake_Event_IsReady(PJRT_Event_IsReady_Args *args) {
  FAKE_ENTER(Event_IsReady, args);
  args->is_ready = args->event->ready;
  return NULL;
}

static void complete(PJRT_Event *event) {
  for (size_t i = 0; i < event->num_buffers; i++) {
    fake_buffer_materialize(event->buffers[i]);
  }
  if (event->destination != NULL) {
    PJRT_Buffer *buffer = event->buffers[0];
    fake_copy_elements(&buffer->array, buffer->storage->data, event->destination,
                       fake_buffer_is_column_major(buffer), event->column_major);
    event->destination = NULL;
  }
}

PJRT_Error *fake_Event_Await(PJRT_Event_Await_Args *args) {
  FAKE_ENTER(Event_Await, args);
  PJRT_Event *event = args->event;
  if (event->host_buffer && !event->buffers[0]->freed) {
    fake_violate("waited for the end of a zero-copy buffer that is still there");
    return fake_error(PJRT_Error_Code_INTERNAL, "This would wait for ever");
  }
  complete(event);
  event->ready = true;
  if (event->fails) {
    return fake_error((PJRT_Error_Code)fake_get(FAKE_ERROR_CODE), "%s",
                      fake_get_text(FAKE_TEXT_ERROR_MESSAGE));
  }
  return NULL;
}
