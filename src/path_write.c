#if !defined(_WIN32)
#define _XOPEN_SOURCE 700
#include <unistd.h>
#else
#include <io.h>
#include <process.h>
#include <windows.h>
#define fsync _commit
#define fdopen _fdopen
#define open _open
#define close _close
#define getpid _getpid
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "atomic.h"
#include "error.h"
#include "memory.h"
#include "path.h"

#if !defined(O_BINARY)
#define O_BINARY 0
#endif
#if !defined(O_CLOEXEC)
#define O_CLOEXEC 0
#endif

enum { NEW_FILE_MODE = 0666, PERMISSION_BITS = 0777, MAX_LINKS = 40 };

/* The functions below return 0 or a number of errno, ENOMEM where the library's own
 * memory ran out. */

#if defined(_WIN32)
static int follow_links(const char *path, char **target) {
  *target = cyxla_duplicate(path, strlen(path));
  return *target != NULL ? 0 : ENOMEM;
}

static int keep_mode(int descriptor, int mode) {
  (void)descriptor;
  (void)mode;
  return 0;
}

static int replace_file(const char *from, const char *to) {
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : EIO;
}
#else
/* Where a link points to, seen from where the link is; *target stays NULL for what is
 * no link. */
static int read_link(const char *path, char **target) {
  char text[4096];
  ssize_t length = readlink(path, text, sizeof(text));

  *target = NULL;
  if (length < 0) return errno == EINVAL || errno == ENOENT ? 0 : errno;
  if ((size_t)length == sizeof(text)) return ENAMETOOLONG;
  text[length] = '\0';
  *target = text[0] == '/' ? cyxla_duplicate(text, (size_t)length)
                           : cyxla_path_beside(path, text);
  return *target != NULL ? 0 : ENOMEM;
}

/* The file that a chain of links ends at, which need not be there. realpath would want
 * it to be. */
static int follow_links(const char *path, char **target) {
  char *next = cyxla_duplicate(path, strlen(path));
  int failure = next != NULL ? 0 : ENOMEM;

  *target = NULL;
  for (int links = 0; failure == 0 && next != NULL; links++) {
    cyxla_release(*target);
    *target = next;
    next = NULL;
    failure = links < MAX_LINKS ? read_link(*target, &next) : ELOOP;
  }
  return failure;
}

/* The umask may have taken bits away that the file had before. */
static int keep_mode(int descriptor, int mode) {
  return fchmod(descriptor, (mode_t)mode) == 0 ? 0 : errno;
}

static int replace_file(const char *from, const char *to) {
  return rename(from, to) == 0 ? 0 : errno;
}
#endif

/* Writes all the data into a new file that belongs to nobody else. It has the mode of
 * the file that it replaces from the start, so that nobody reads it in between. */
static int write_new_file(const char *path, const void *data, size_t bytes,
                          const struct stat *old) {
  int mode = old != NULL ? (int)(old->st_mode & PERMISSION_BITS) : NEW_FILE_MODE;
  int descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_BINARY | O_CLOEXEC, mode);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
  int failure = 0;

  if (file == NULL) {
    failure = errno;
    if (descriptor >= 0) close(descriptor);
    return failure;
  }
  if (old != NULL) failure = keep_mode(descriptor, mode);
  if (failure == 0 && (fwrite(data, 1, bytes, file) != bytes || fflush(file) != 0 ||
                       fsync(descriptor) != 0)) {
    failure = errno != 0 ? errno : EIO;
  }
  if (fclose(file) != 0 && failure == 0) failure = errno;
  return failure;
}

/* The temporary file's name owes nothing to that of the file, which may be as long as
 * names can be. */
static int write_beside(const char *path, const void *data, size_t bytes,
                        const struct stat *old) {
  static volatile long written;
  char name[64];
  char *temporary = NULL;
  int failure;

  do { /* another name where a killed process left a file of this one */
    cyxla_release(temporary);
    snprintf(name, sizeof(name), ".cyxla-%ld-%ld.tmp", (long)getpid(),
             cyxla_atomic_add(&written, 1));
    temporary = cyxla_path_beside(path, name);
    if (temporary == NULL) return ENOMEM;
    errno = 0;
    failure = write_new_file(temporary, data, bytes, old);
  } while (failure == EEXIST);
  if (failure == 0) failure = replace_file(temporary, path);
  if (failure != 0) remove(temporary);
  cyxla_release(temporary);
  return failure;
}

/* What is there instead of a regular file; NULL for one, and for a directory, which
 * the operating system has its own words for. */
static const char *irregular_kind(const struct stat *information) {
  switch (information->st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR: return NULL;
    case S_IFCHR: return "a character device";
#if defined(S_IFIFO)
    case S_IFIFO: return "a pipe";
#endif
#if defined(S_IFBLK)
    case S_IFBLK: return "a block device";
#endif
#if defined(S_IFSOCK)
    case S_IFSOCK: return "a socket";
#endif
    default: return "no regular file";
  }
}

cyxla_status cyxla_path_write_file(const char *path, const void *data, size_t bytes,
                                   cyxla_error *error) {
  struct stat old;
  bool is_there = stat(path, &old) == 0;
  const char *kind = is_there ? irregular_kind(&old) : NULL;
  char *target = NULL;
  int failure = is_there || errno == ENOENT ? 0 : errno;

  if (kind != NULL) {
    return cyxla_error_set(error, CYXLA_FILE_UNWRITABLE,
                           "the file %s cannot be written: it is %s, expected a "
                           "regular file or none; write to another path",
                           path, kind);
  }
  if (is_there && (old.st_mode & S_IFMT) == S_IFDIR) failure = EISDIR;
  if (failure == 0) failure = follow_links(path, &target);
  if (failure == 0) {
    failure = write_beside(target, data, bytes, is_there ? &old : NULL);
  }
  cyxla_release(target);
  if (failure == 0) return CYXLA_OK;
  if (failure == ENOMEM) return cyxla_error_out_of_memory(error, "writing a file");
  return cyxla_error_set(error, CYXLA_FILE_UNWRITABLE,
                         "the file %s cannot be written: %s", path, strerror(failure));
}
