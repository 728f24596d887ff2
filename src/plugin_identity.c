#include "plugin_identity.h"

#include <stdio.h>
#include <string.h>

#include "error.h"
#include "memory.h"
#include "options.h"
#include "process.h"
#include "runtime.h"

void cyxla_plugin_note_file(cyxla_plugin *plugin) {
  cyxla_path_get_state(plugin->path, &plugin->file);
}

static bool is_same_file(const cyxla_plugin *plugin) {
  cyxla_path_state now;

  cyxla_path_get_state(plugin->path, &now);
  return now.is_there && memcmp(&now, &plugin->file, sizeof(now)) == 0;
}

/* A file that is replaced or written to while it is hashed shows afterwards. */
static cyxla_status hash_file(cyxla_plugin *plugin, cyxla_error *error) {
  uint64_t bytes, hash;
  cyxla_status status = cyxla_path_hash_file(plugin->path, &bytes, &hash, error);

  if (status != CYXLA_OK) return status;
  if (!is_same_file(plugin)) {
    return cyxla_error_set(error, CYXLA_FAILED_PRECONDITION,
                           "the plugin %s was changed after it had been loaded, so "
                           "that nothing tells which build it is; start the program "
                           "again",
                           plugin->path);
  }
  plugin->file_hash = hash;
  snprintf(plugin->identity, sizeof(plugin->identity), "%016llx-%llu",
           (unsigned long long)hash, (unsigned long long)bytes);
  return CYXLA_OK;
}

/* The rest of the plugin does not change, and these fields only once. */
static cyxla_status identify(const cyxla_plugin *plugin, cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  if (plugin->identity[0] == '\0') status = hash_file((cyxla_plugin *)plugin, error);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  return status;
}

cyxla_status cyxla_plugin_identify(const cyxla_plugin *plugin, uint64_t *bytes,
                                   uint64_t *hash, cyxla_error *error) {
  cyxla_status status = identify(plugin, error);

  *bytes = status == CYXLA_OK ? plugin->file.bytes : 0;
  *hash = status == CYXLA_OK ? plugin->file_hash : 0;
  return status;
}

cyxla_status cyxla_runtime_plugin_identity(const cyxla_runtime *runtime,
                                           const char **identity, cyxla_error *error) {
  cyxla_status status;

  CYXLA_REQUIRE(identity, error);
  *identity = NULL;
  CYXLA_REQUIRE(runtime, error);
  status = identify(runtime->plugin, error);
  if (status == CYXLA_OK) *identity = runtime->plugin->identity;
  return status;
}
