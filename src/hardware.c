#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#endif

#include "hardware.h"

#include <stdio.h>
#include <string.h>

#if defined(_WIN32)

bool cyxla_hardware_has_googles(const char *devices) {
  (void)devices;
  return false;
}

#else

#define GOOGLES_VENDOR_ID "0x1ae0"

static bool is_googles(const char *devices, const char *device) {
  char path[512];
  char vendor[16] = "";
  FILE *file;

  if (snprintf(path, sizeof(path), "%s/%s/vendor", devices, device) >=
      (int)sizeof(path)) {
    return false;
  }
  file = fopen(path, "r");
  if (file == NULL) return false;
  if (fgets(vendor, sizeof(vendor), file) == NULL) vendor[0] = '\0';
  fclose(file);
  return strncmp(vendor, GOOGLES_VENDOR_ID, strlen(GOOGLES_VENDOR_ID)) == 0;
}

bool cyxla_hardware_has_googles(const char *devices) {
  DIR *directory = opendir(devices);
  struct dirent *entry;
  bool is_found = false;

  if (directory == NULL) return false;
  while (!is_found && (entry = readdir(directory)) != NULL) {
    is_found = is_googles(devices, entry->d_name);
  }
  closedir(directory);
  return is_found;
}

#endif

bool cyxla_hardware_has_tpu(void) {
  return cyxla_hardware_has_googles("/sys/bus/pci/devices");
}
