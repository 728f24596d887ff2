/* Paths and files as the operating system sees them. */
#ifndef CYXLA_PATH_H
#define CYXLA_PATH_H

#include "cyxla.h"

/* Fails with `status` unless the path names something that is there and is no
 * directory. `what` names it in the message. */
cyxla_status cyxla_path_check_file(const char *path, cyxla_status status,
                                   const char *what, cyxla_error *error);

/* True for a file that exists and is no directory. */
bool cyxla_path_is_file(const char *path);

/* directory(path) + "/" + name, where directory(path) is what stands before the last
 * separator, or "."; NULL if there is no memory left. Freed with cyxla_release. */
char *cyxla_path_beside(const char *path, const char *name);

/* The path as an absolute one, without links; NULL if that fails or there is no memory
 * left. Freed with cyxla_release. */
char *cyxla_path_absolute(const char *path);

/* What tells a file from one that was put in its place or written to later. All of a
 * state is zero where no file is there, so that states are compared as bytes. */
typedef struct cyxla_path_state {
  uint64_t is_there;
  uint64_t device;
  uint64_t number; /* of the file on that device */
  uint64_t bytes;
  int64_t seconds; /* of the last change of its content */
  int64_t nanoseconds;
  int64_t status_seconds; /* of the last change of anything, which no program can set */
  int64_t status_nanoseconds;
} cyxla_path_state;

void cyxla_path_get_state(const char *path, cyxla_path_state *state);

/* Whether both are of one file that is there. */
bool cyxla_path_is_same_state(const cyxla_path_state *a, const cyxla_path_state *b);

/* Size and hash of a file's content. */
cyxla_status cyxla_path_hash_file(const char *path, uint64_t *bytes, uint64_t *hash,
                                  cyxla_error *error);

/* Hash of the first and the last bytes of a file, for a look at it that costs little;
 * false where it cannot be read. */
bool cyxla_path_hash_ends(const char *path, uint64_t *hash);

/* Keeps other threads and processes that lock it too out of the directory of a path,
 * while a file in there is read and replaced. Where a system or file system cannot lock
 *  * directories it does nothing. False where memory runs out; *lock is for unlocking.
 */
typedef int cyxla_path_lock;
bool cyxla_path_lock_directory(const char *path, cyxla_path_lock *lock);
void cyxla_path_unlock_directory(cyxla_path_lock lock);

/* Writes a file so that readers see the old content or the new one, never a part: into
 * a file beside it, which is then renamed. Links are followed, and the permissions of
 * an existing file are kept. Fails with CYXLA_FILE_UNWRITABLE, also where there is
 * something that is no regular file, such as a device. */
cyxla_status cyxla_path_write_file(const char *path, const void *data, size_t bytes,
                                   cyxla_error *error);

#endif
