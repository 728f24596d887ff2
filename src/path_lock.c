/* Locking directories. */
#if !defined(_WIN32)
#define _DEFAULT_SOURCE /* flock */
#endif

#include "memory.h"
#include "path.h"

#if defined(_WIN32)

bool cyxla_path_lock_directory(const char *path, cyxla_path_lock *lock) {
  (void)path;
  *lock = -1;
  return true;
}

void cyxla_path_unlock_directory(cyxla_path_lock lock) {
  (void)lock;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* The lock ends with the descriptor, also where the process ends. */
bool cyxla_path_lock_directory(const char *path, cyxla_path_lock *lock) {
  char *directory = cyxla_path_beside(path, ".");
  int locked;

  *lock = -1;
  if (directory == NULL) return false;
  *lock = open(directory, O_RDONLY | O_CLOEXEC);
  cyxla_release(directory);
  if (*lock < 0) return true;
  do {
    locked = flock(*lock, LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  return true;
}

void cyxla_path_unlock_directory(cyxla_path_lock lock) {
  if (lock >= 0) close(lock);
}

#endif
