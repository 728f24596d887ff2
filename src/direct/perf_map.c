#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "perf_map.h"

#if !defined(_WIN32)

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "environment.h"

/* A name of an object is no longer than 512 bytes, see elf.c. */
enum { LINE_BYTES = 600 };

/* Anyone can make a file of that name before, or a link to another file: it is written
 * only if it is this user's own, and has no other name. */
static bool is_own_file(int file) {
  struct stat status;

  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == geteuid() && status.st_nlink == 1;
}

/* The file is opened anew each time, since a forked child has another number. Code of
 * before the fork is known to perf from the parent. A pipe is not waited for. */
static int open_map(void) {
  char path[64];
  int file;

  snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
  file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
              S_IRUSR | S_IWUSR);
  if (file >= 0 && !is_own_file(file)) {
    close(file);
    return -1;
  }
  return file;
}

/* One line, written at once: others in the process write to the file as well. */
static bool write_line(int file, const cyxla_object_symbol *symbol) {
  char line[LINE_BYTES];
  int bytes = snprintf(line, sizeof(line), "%lx %lx %s", (unsigned long)symbol->address,
                       (unsigned long)symbol->bytes, symbol->name);

  if (bytes < 0 || (size_t)bytes > sizeof(line) - 1) return false;
  for (int i = 0; i < bytes; i++) {
    if ((unsigned char)line[i] < ' ') line[i] = '?';
  }
  line[bytes] = '\n';
  return write(file, line, (size_t)bytes + 1) == bytes + 1;
}

void cyxla_perf_map_add(const cyxla_object_set *set) {
  int file = cyxla_environment_perf_map() ? open_map() : -1;

  if (file < 0) return;
  for (size_t i = 0; i < set->num_symbols; i++) {
    if (!write_line(file, &set->symbols[i])) break;
  }
  close(file);
}

#else

void cyxla_perf_map_add(const cyxla_object_set *set) {
  (void)set;
}

#endif
