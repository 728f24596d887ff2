#include "plugin_identity.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "environment.h"
#include "error.h"
#include "hash.h"
#include "options.h"
#include "process.h"
#include "runtime.h"

void cyxla_plugin_note_file(cyxla_plugin *plugin) {
  const char *flags = cyxla_environment_xla_flags();

  cyxla_path_get_state(plugin->path, &plugin->file);
  plugin->xla_flags_hash = cyxla_hash_bytes(flags, strlen(flags));
}

/* The file that was hashed last. Under the lock of the plugins. */
static struct {
  cyxla_path_state state;
  uint64_t hash;
} last;

/* Hashes the file at a path, and tells which file that was. One that is replaced or
 * written to meanwhile gives a state of zeros. */
static cyxla_status hash_file(const char *path, cyxla_path_state *state,
                              uint64_t *bytes, uint64_t *hash, cyxla_error *error) {
  cyxla_path_state after;
  cyxla_status status;

  cyxla_path_get_state(path, state);
  if (cyxla_path_is_same_state(state, &last.state)) {
    *bytes = state->bytes;
    *hash = last.hash;
    return CYXLA_OK;
  }
  status = cyxla_path_hash_file(path, bytes, hash, error);
  if (status != CYXLA_OK) return status;
  cyxla_path_get_state(path, &after);
  if (!cyxla_path_is_same_state(state, &after)) {
    memset(state, 0, sizeof(*state));
  } else if (state->seconds + CYXLA_SETTLED_SECONDS < (int64_t)time(NULL)) {
    last.state = *state;
    last.hash = *hash;
  }
  return CYXLA_OK;
}

void cyxla_plugin_forget_hash(void) {
  memset(&last, 0, sizeof(last));
}

cyxla_status cyxla_plugin_hash_file(const char *path, uint64_t *bytes, uint64_t *hash,
                                    cyxla_error *error) {
  cyxla_path_state state;
  cyxla_status status;

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  status = hash_file(path, &state, bytes, hash, error);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  return status;
}

static cyxla_status hash_library(cyxla_plugin *plugin, cyxla_error *error) {
  cyxla_path_state state;
  uint64_t bytes, hash;
  cyxla_status status = hash_file(plugin->path, &state, &bytes, &hash, error);

  if (status != CYXLA_OK) return status;
  if (!cyxla_path_is_same_state(&state, &plugin->file)) {
    return cyxla_error_set(error, CYXLA_FAILED_PRECONDITION,
                           "the plugin %s was changed after it had been loaded, so "
                           "that nothing tells which build it is; start the program "
                           "again",
                           plugin->path);
  }
  cyxla_plugin_set_identity(plugin, hash);
  return CYXLA_OK;
}

void cyxla_plugin_set_identity(cyxla_plugin *plugin, uint64_t hash) {
  plugin->file_hash = hash;
  cyxla_plugin_format_identity(plugin->file.bytes, hash, plugin->identity);
}

void cyxla_plugin_format_identity(uint64_t bytes, uint64_t hash,
                                  char identity[CYXLA_PLUGIN_IDENTITY_BYTES]) {
  snprintf(identity, CYXLA_PLUGIN_IDENTITY_BYTES, "%016llx-%llu",
           (unsigned long long)hash, (unsigned long long)bytes);
}

/* The rest of the plugin does not change, and these fields only once. */
static cyxla_status identify(const cyxla_plugin *plugin, cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  if (plugin->identity[0] == '\0') status = hash_library((cyxla_plugin *)plugin, error);
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
