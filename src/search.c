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

/* The finders below put a path, or NULL where they find nothing, into *found. They
 * return false where memory runs out. */

/* The first file of a plugin's name in the directory of `path`, under a subdirectory
 * that may be "". */
static bool find_named(const char *path, const char *subdirectory, const char *platform,
                       char **found) {
  char pattern[NAME_BYTES];
  char name[NAME_BYTES];

  for (size_t i = 0; i < NUM_NAMES; i++) {
    snprintf(pattern, sizeof(pattern), "%s%s", subdirectory, NAMES[i]);
    if (strlen(pattern) + strlen(platform) >= sizeof(name)) continue;
    snprintf(name, sizeof(name), pattern, platform);
    *found = cyxla_path_beside(path, name);
    if (*found == NULL) return false;
    if (cyxla_path_is_file(*found)) return true;
    cyxla_release(*found);
    *found = NULL;
  }
  return true;
}

/* XLA names its plugins for CUDA and ROCm after what they have in common. */
static bool find_beside(const char *path, const char *subdirectory,
                        const char *platform, char **found) {
  bool is_gpu = strcmp(platform, "cuda") == 0 || strcmp(platform, "rocm") == 0;

  if (!find_named(path, subdirectory, platform, found)) return false;
  if (*found != NULL || !is_gpu) return true;
  return find_named(path, subdirectory, "gpu", found);
}

static bool find_recorded(const cyxla_plugin_record *record, char **found) {
  cyxla_plugin_record present;
  cyxla_status status;

  if (record == NULL || record->path == NULL || !cyxla_path_is_file(record->path)) {
    return true;
  }
  if (cyxla_plugin_record_is_unchanged(record)) {
    *found = cyxla_duplicate(record->path, strlen(record->path));
    return *found != NULL;
  }
  status = cyxla_plugin_record_create(record->path, &present, NULL);
  if (status != CYXLA_OK) return status != CYXLA_OUT_OF_MEMORY;
  if (present.bytes == record->bytes && present.hash == record->hash) {
    *found = present.path;
    present.path = NULL;
  }
  cyxla_plugin_record_free(&present);
  return true;
}

static bool find_in_own_directory(const char *platform, char **found) {
  char *own = cyxla_library_own_path();
  bool has_memory = own == NULL || find_beside(own, PLUGIN_DIRECTORY, platform, found);

  cyxla_release(own);
  return has_memory;
}

static bool find(const char *platform, const char *file,
                 const cyxla_plugin_record *record, char **found) {
  if (file != NULL && !find_beside(file, "", platform, found)) return false;
  if (*found == NULL && !find_recorded(record, found)) return false;
  return *found != NULL || find_in_own_directory(platform, found);
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
  if (!find(platform, file, record, plugin)) {
    return cyxla_error_out_of_memory(error, "a path");
  }
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
