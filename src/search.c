#include "search.h"

#include <stdio.h>
#include <string.h>

#include "environment.h"
#include "error.h"
#include "library.h"
#include "memory.h"
#include "path.h"

/* What plugins' files are called; %s stands for the platform. The first is the name
 * that XLA's own build gives. */
static const char *const NAMES[] = {"pjrt_c_api_%s_plugin.so", "xla_%s_pjrt.so",
                                    "xla_%s_plugin.so", "libpjrt_%s.so", "pjrt_%s.so"};
enum { NUM_NAMES = sizeof(NAMES) / sizeof(NAMES[0]), NAME_BYTES = 128 };

/* Of the library's directory. */
#define PLUGIN_DIRECTORY "cyxla/plugins/"

/* The first file of a plugin's name in the directory of `path`, under a subdirectory
 * that may be "". NULL if there is none. */
static char *find_beside(const char *path, const char *subdirectory,
                         const char *platform) {
  char pattern[NAME_BYTES];
  char name[NAME_BYTES];

  for (size_t i = 0; i < NUM_NAMES; i++) {
    char *candidate;
    snprintf(pattern, sizeof(pattern), "%s%s", subdirectory, NAMES[i]);
    if (strlen(pattern) + strlen(platform) >= sizeof(name)) continue;
    snprintf(name, sizeof(name), pattern, platform);
    candidate = cyxla_path_beside(path, name);
    if (candidate != NULL && cyxla_path_is_file(candidate)) return candidate;
    cyxla_release(candidate);
  }
  return NULL;
}

static char *find_recorded(const cyxla_plugin_record *record) {
  cyxla_plugin_record present;
  bool is_unchanged;

  if (record == NULL || record->path == NULL || !cyxla_path_is_file(record->path) ||
      cyxla_plugin_record_create(record->path, &present, NULL) != CYXLA_OK) {
    return NULL;
  }
  is_unchanged = present.bytes == record->bytes && present.hash == record->hash;
  cyxla_plugin_record_free(&present);
  return is_unchanged ? cyxla_duplicate(record->path, strlen(record->path)) : NULL;
}

static char *find_in_own_directory(const char *platform) {
  char *own = cyxla_library_own_path();
  char *found = own != NULL ? find_beside(own, PLUGIN_DIRECTORY, platform) : NULL;

  cyxla_release(own);
  return found;
}

cyxla_status cyxla_search_plugin(const char *platform, const char *file,
                                 const cyxla_plugin_record *record, char **plugin,
                                 cyxla_error *error) {
  const char *given = cyxla_environment_plugin();
  bool has_record = record != NULL && record->path != NULL;

  *plugin = NULL;
  if (given != NULL) {
    *plugin = cyxla_duplicate(given, strlen(given));
    return *plugin != NULL ? CYXLA_OK : cyxla_error_out_of_memory(error, "a path");
  }
  if (file != NULL) *plugin = find_beside(file, "", platform);
  if (*plugin == NULL) *plugin = find_recorded(record);
  if (*plugin == NULL) *plugin = find_in_own_directory(platform);
  if (*plugin != NULL) return CYXLA_OK;
  return cyxla_error_set(
      error, CYXLA_PLUGIN_NOT_FOUND,
      "no plugin for the platform %s was found: CYXLA_PLUGIN is not set%s%s%s%s%s, and "
      "the "
      "library's plugin directory has none; install a plugin (for the CPU the Python "
      "package lammps-jax-pjrt-cpu holds one) and set CYXLA_PLUGIN to its library",
      platform, file != NULL ? ", none lies beside " : "", file != NULL ? file : "",
      has_record ? ", the recorded " : "", has_record ? record->path : "",
      has_record ? " is not there unchanged" : "");
}
