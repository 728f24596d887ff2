#include "plugin_record.h"

#include <string.h>
#include <time.h>

#include "error.h"
#include "memory.h"
#include "plugin_identity.h"
#include "process.h"

void cyxla_plugin_record_free(cyxla_plugin_record *record) {
  cyxla_release(record->path);
  memset(record, 0, sizeof(*record));
}

/* Clients of a network's file system number its device as they like, and agree on the
 * rest. */
static void get_state(const char *path, cyxla_path_state *state) {
  cyxla_path_get_state(path, state);
  state->device = 0;
}

/* Notes the state of a file that had another state before it was hashed, or may still
 * change without a trace, as not known. */
static void note_state(cyxla_plugin_record *record, const cyxla_path_state *before) {
  cyxla_path_state after;
  const int64_t settled = (int64_t)time(NULL) - CYXLA_SETTLED_SECONDS;

  get_state(record->path, &after);
  /* Images of file systems are made with times that do not tell, all of whole seconds,
   * and numbers that are the same in each; files on Windows have no numbers at all. */
  if (cyxla_path_is_same_state(before, &after) && after.number != 0 &&
      after.status_nanoseconds != 0 && after.seconds < settled &&
      after.status_seconds < settled &&
      cyxla_path_hash_ends(record->path, &record->ends_hash)) {
    record->state = after;
  }
}

cyxla_status cyxla_plugin_record_create(const char *path, cyxla_plugin_record *record,
                                        cyxla_error *error) {
  cyxla_path_state before;
  cyxla_status status;

  memset(record, 0, sizeof(*record));
  record->path = cyxla_duplicate(path, strlen(path));
  if (record->path == NULL)
    return cyxla_error_out_of_memory(error, "a plugin's record");
  get_state(path, &before);
  status = cyxla_plugin_hash_file(path, &record->bytes, &record->hash, error);
  if (status != CYXLA_OK) {
    cyxla_plugin_record_free(record);
    return status;
  }
  note_state(record, &before);
  return CYXLA_OK;
}

bool cyxla_plugin_record_read(cyxla_reader *reader, cyxla_plugin_record *record,
                              bool *is_out_of_memory) {
  cyxla_path_state *state = &record->state;

  memset(record, 0, sizeof(*record));
  record->path = cyxla_read_text(reader, is_out_of_memory);
  record->bytes = cyxla_read_u64(reader);
  record->hash = cyxla_read_u64(reader);
  if (!cyxla_reader_is_done(reader)) {
    state->is_there = 1;
    state->bytes = record->bytes;
    state->number = cyxla_read_u64(reader);
    state->seconds = (int64_t)cyxla_read_u64(reader);
    state->nanoseconds = (int64_t)cyxla_read_u64(reader);
    state->status_seconds = (int64_t)cyxla_read_u64(reader);
    state->status_nanoseconds = (int64_t)cyxla_read_u64(reader);
    record->ends_hash = cyxla_read_u64(reader);
  }
  if (record->path != NULL && cyxla_reader_is_done(reader)) return true;
  cyxla_plugin_record_free(record);
  return false;
}

void cyxla_plugin_record_write(cyxla_writer *writer,
                               const cyxla_plugin_record *record) {
  const cyxla_path_state *state = &record->state;

  cyxla_write_string(writer, record->path);
  cyxla_write_u64(writer, record->bytes);
  cyxla_write_u64(writer, record->hash);
  if (!state->is_there) return;
  cyxla_write_u64(writer, state->number);
  cyxla_write_u64(writer, (uint64_t)state->seconds);
  cyxla_write_u64(writer, (uint64_t)state->nanoseconds);
  cyxla_write_u64(writer, (uint64_t)state->status_seconds);
  cyxla_write_u64(writer, (uint64_t)state->status_nanoseconds);
  cyxla_write_u64(writer, record->ends_hash);
}

bool cyxla_plugin_record_is_unchanged(const cyxla_plugin_record *record) {
  cyxla_path_state state;
  uint64_t ends_hash;

  if (record->path == NULL) return false;
  get_state(record->path, &state);
  return cyxla_path_is_same_state(&record->state, &state) &&
         cyxla_path_hash_ends(record->path, &ends_hash) &&
         ends_hash == record->ends_hash;
}

void cyxla_plugin_recall(const cyxla_plugin *plugin,
                         const cyxla_plugin_record *record) {
  cyxla_path_state loaded = plugin->file;

  loaded.device = 0;
  if (record->path == NULL || strcmp(plugin->path, record->path) != 0 ||
      !cyxla_path_is_same_state(&record->state, &loaded)) {
    return;
  }
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  if (plugin->identity[0] == '\0' && cyxla_plugin_record_is_unchanged(record)) {
    cyxla_plugin_set_identity((cyxla_plugin *)plugin, record->hash);
  }
  cyxla_lock_release(&cyxla_process_plugins_lock);
}
