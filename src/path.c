#if !defined(_WIN32)
#define _XOPEN_SOURCE 700
#endif

#include "path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "hash.h"
#include "memory.h"

enum { CHUNK_BYTES = 1 << 18, END_BYTES = 1 << 14 };

static bool is_directory(const struct stat *information) {
  return (information->st_mode & S_IFMT) == S_IFDIR;
}

cyxla_status cyxla_path_check_file(const char *path, cyxla_status status,
                                   const char *what, cyxla_error *error) {
  struct stat information;

  if (stat(path, &information) != 0) {
    return cyxla_error_set(error, status, "the %s %s cannot be read: %s", what, path,
                           strerror(errno));
  }
  if (is_directory(&information)) {
    return cyxla_error_set(error, status, "the %s %s is a directory, expected a file",
                           what, path);
  }
  return CYXLA_OK;
}

bool cyxla_path_is_file(const char *path) {
  return cyxla_path_check_file(path, CYXLA_UNKNOWN, "", NULL) == CYXLA_OK;
}

bool cyxla_path_is_same_state(const cyxla_path_state *a, const cyxla_path_state *b) {
  return a->is_there && memcmp(a, b, sizeof(*a)) == 0;
}

/* The length of the path up to and with its last separator, 0 if it has none. */
static size_t directory_length(const char *path) {
  size_t length = strlen(path);

  while (length > 0 && path[length - 1] != '/'
#if defined(_WIN32)
         && path[length - 1] != '\\'
#endif
  ) {
    length--;
  }
  return length;
}

char *cyxla_path_beside(const char *path, const char *name) {
  size_t directory = directory_length(path);
  size_t size = directory + strlen("./") + strlen(name) + 1;
  char *beside = cyxla_allocate(size);

  if (beside == NULL) return NULL;
  if (directory == 0) {
    snprintf(beside, size, "./%s", name);
  } else {
    snprintf(beside, size, "%.*s%s", (int)directory, path, name);
  }
  return beside;
}

char *cyxla_path_absolute(const char *path) {
#if defined(_WIN32)
  char *absolute = _fullpath(NULL, path, 0);
#else
  char *absolute = realpath(path, NULL);
#endif
  char *copy = absolute != NULL ? cyxla_duplicate(absolute, strlen(absolute)) : NULL;

  free(absolute);
  return copy;
}

void cyxla_path_get_state(const char *path, cyxla_path_state *state) {
  struct stat information;

  memset(state, 0, sizeof(*state));
  if (stat(path, &information) != 0) return;
  state->is_there = 1;
  state->device = (uint64_t)information.st_dev;
  state->number = (uint64_t)information.st_ino;
  state->bytes = (uint64_t)information.st_size;
#if defined(_WIN32)
  state->seconds = (int64_t)information.st_mtime;
  state->status_seconds = (int64_t)information.st_ctime;
#else
  state->seconds = (int64_t)information.st_mtim.tv_sec;
  state->nanoseconds = (int64_t)information.st_mtim.tv_nsec;
  state->status_seconds = (int64_t)information.st_ctim.tv_sec;
  state->status_nanoseconds = (int64_t)information.st_ctim.tv_nsec;
#endif
}

cyxla_status cyxla_path_hash_file(const char *path, uint64_t *bytes, uint64_t *hash,
                                  cyxla_error *error) {
  cyxla_hash state;
  unsigned char *chunk = NULL;
  size_t count;
  FILE *file = fopen(path, "rb");
  bool is_complete;

  if (file == NULL) {
    return cyxla_error_set(error, CYXLA_FILE_UNREADABLE,
                           "the file %s cannot be read: %s", path, strerror(errno));
  }
  chunk = cyxla_allocate(CHUNK_BYTES);
  if (chunk == NULL) {
    fclose(file);
    return cyxla_error_out_of_memory(error, "reading a file");
  }
  cyxla_hash_start(&state);
  while ((count = fread(chunk, 1, CHUNK_BYTES, file)) > 0) {
    cyxla_hash_update(&state, chunk, count);
  }
  is_complete = !ferror(file);
  fclose(file);
  cyxla_release(chunk);
  if (!is_complete) {
    return cyxla_error_set(error, CYXLA_FILE_UNREADABLE, "the file %s cannot be read",
                           path);
  }
  *bytes = state.total_bytes;
  *hash = cyxla_hash_finish(&state);
  return CYXLA_OK;
}

bool cyxla_path_hash_ends(const char *path, uint64_t *hash) {
  unsigned char ends[2 * END_BYTES];
  FILE *file = fopen(path, "rb");
  size_t count;
  bool is_read;

  if (file == NULL) return false;
  count = fread(ends, 1, END_BYTES, file);
  /* A shorter file has no end besides its beginning. */
  if (fseek(file, -(long)END_BYTES, SEEK_END) == 0) {
    count += fread(ends + count, 1, END_BYTES, file);
  }
  is_read = !ferror(file);
  fclose(file);
  *hash = cyxla_hash_bytes(ends, count);
  return is_read;
}
