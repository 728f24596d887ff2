#if !defined(_WIN32)
#define _GNU_SOURCE /* mkostemp, pwrite */
#endif

#include "code_file.h"

#if defined(__x86_64__) && defined(__linux__)

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debug_image.h"
#include "memory.h"

/* The names, up to the next page, and then the memory. */
static bool write_file(int file, const cyxla_object_set *set, size_t offset,
                       size_t data_bytes) {
  size_t bytes = (size_t)set->debug->file_bytes;
  unsigned char *names = cyxla_duplicate(set->debug->file, bytes);
  bool is_written;

  if (names == NULL) return false;
  cyxla_debug_image_add_segments(names, set, offset, data_bytes);
  is_written =
      pwrite(file, names, bytes, 0) == (ssize_t)bytes &&
      pwrite(file, set->memory, set->bytes, (off_t)offset) == (ssize_t)set->bytes;
  cyxla_release(names);
  return is_written;
}

/* Not at once, since no memory is ever writable and executable. */
static bool map_file(int file, const cyxla_object_set *set, size_t offset,
                     size_t data_bytes) {
  unsigned char *data = (unsigned char *)set->memory + set->bytes - data_bytes;
  size_t code_bytes = set->bytes - data_bytes;

  return mmap(set->memory, code_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
              file, (off_t)offset) == set->memory &&
         mmap(data, data_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file,
              (off_t)(offset + code_bytes)) == data;
}

bool cyxla_code_file_map(const cyxla_object_set *set, const char *directory,
                         size_t data_bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t offset = ((size_t)set->debug->file_bytes + page - 1) / page * page;
  char path[4096];
  int length = snprintf(path, sizeof(path), "%s/cyxla-code-XXXXXX", directory);
  bool is_mapped;
  int file;

  if (length < 0 || (size_t)length >= sizeof(path)) return false;
  file = mkostemp(path, O_CLOEXEC);
  if (file < 0) return false;
  is_mapped = write_file(file, set, offset, data_bytes) &&
              map_file(file, set, offset, data_bytes);
  unlink(path);
  close(file);
  return is_mapped;
}

#else

bool cyxla_code_file_map(const cyxla_object_set *set, const char *directory,
                         size_t data_bytes) {
  (void)set;
  (void)directory;
  (void)data_bytes;
  return false;
}

#endif
