#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "system.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool is_terminal(FILE *stream) {
  return isatty(fileno(stream)) == 1;
}

bool make_directory(const char *path) {
  struct stat information;

  if (mkdir(path, 0777) == 0) return true;
  if (errno != EEXIST || stat(path, &information) != 0) return false;
  if (S_ISDIR(information.st_mode)) return true;
  errno = ENOTDIR;
  return false;
}

struct thread {
  pthread_t handle;
  void (*function)(void *argument);
  void *argument;
};

static void *enter(void *argument) {
  thread *self = argument;

  self->function(self->argument);
  return NULL;
}

thread *thread_start(void (*function)(void *argument), void *argument) {
  thread *started = malloc(sizeof(*started));

  if (started == NULL) return NULL;
  started->function = function;
  started->argument = argument;
  if (pthread_create(&started->handle, NULL, enter, started) == 0) return started;
  free(started);
  return NULL;
}

void thread_join(thread *started) {
  if (started == NULL) return;
  pthread_join(started->handle, NULL);
  free(started);
}
