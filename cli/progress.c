#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "command.h"
#include "system.h"

/* The work is done in the caller's thread, inside the plugin, which does not call back:
 * the line needs a thread of its own. */
struct progress {
  thread *writer;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool is_over;
  const char *what;
  const char *subject;
};

/* Waits for a second, or for the end; returns whether the end has come. */
static bool wait_a_second(progress *self) {
  struct timespec until;
  int result = 0;

  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  while (!self->is_over && result != ETIMEDOUT) {
    result = pthread_cond_timedwait(&self->changed, &self->lock, &until);
  }
  return self->is_over;
}

static void write_line(void *argument) {
  progress *self = argument;
  bool is_shown = false;

  pthread_mutex_lock(&self->lock);
  for (int seconds = 1; !wait_a_second(self); seconds++) {
    fprintf(stderr, "\r%s ", self->what);
    print_escaped(stderr, self->subject);
    fprintf(stderr, ": %d s", seconds);
    fflush(stderr);
    is_shown = true;
  }
  pthread_mutex_unlock(&self->lock);
  /* Back to the beginning of the line, and nothing to its end. */
  if (is_shown) fputs("\r\033[K", stderr);
}

progress *progress_begin(const char *what, const char *subject) {
  progress *self = is_terminal(stderr) ? calloc(1, sizeof(*self)) : NULL;

  if (self == NULL) return NULL;
  self->what = what;
  self->subject = subject;
  pthread_mutex_init(&self->lock, NULL);
  pthread_cond_init(&self->changed, NULL);
  self->writer = thread_start(write_line, self);
  return self;
}

void progress_end(progress *shown) {
  if (shown == NULL) return;
  pthread_mutex_lock(&shown->lock);
  shown->is_over = true;
  pthread_cond_signal(&shown->changed);
  pthread_mutex_unlock(&shown->lock);
  thread_join(shown->writer);
  pthread_cond_destroy(&shown->changed);
  pthread_mutex_destroy(&shown->lock);
  free(shown);
}
