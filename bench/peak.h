/* The most memory that a process had in use. */
#ifndef PEAK_H
#define PEAK_H

#include <stdio.h>
#include <stdlib.h>

/* Prints the bytes and returns the exit status. What the parent of a process is told
 * would be at least the parent's own. */
static inline int print_peak(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long kibibytes = -1;

  while (file != NULL && kibibytes < 0 && fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "VmHWM: %ld kB", &kibibytes) != 1) kibibytes = -1;
  }
  if (file != NULL) fclose(file);
  printf("%ld\n", kibibytes * 1024);
  return kibibytes < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
