/* Which plugin compiled a program, as a file keeps it: so that it is found again where
 * it still lies, and known again without reading all of it. */
#ifndef CYXLA_PLUGIN_RECORD_H
#define CYXLA_PLUGIN_RECORD_H

#include "encoding.h"
#include "path.h"
#include "plugin.h"

typedef struct cyxla_plugin_record {
  char *path;             /* NULL: none was recorded */
  uint64_t bytes;         /* of the plugin's library */
  uint64_t hash;          /* of its content */
  cyxla_path_state state; /* of its file, without the device; zeros: not known */
  uint64_t ends_hash;     /* of the file's first and last bytes */
} cyxla_plugin_record;

/* The record of the plugin that lies at a path. */
cyxla_status cyxla_plugin_record_create(const char *path, cyxla_plugin_record *record,
                                        cyxla_error *error);

void cyxla_plugin_record_free(cyxla_plugin_record *record);

/* Reads one; false where the bytes are none, or memory ran out, which is_out_of_memory
 * tells apart. */
bool cyxla_plugin_record_read(cyxla_reader *reader, cyxla_plugin_record *record,
                              bool *is_out_of_memory);
void cyxla_plugin_record_write(cyxla_writer *writer, const cyxla_plugin_record *record);

/* Whether the file at the recorded path is the very one that was recorded, going by
 * what the operating system says of it and by its ends. */
bool cyxla_plugin_record_is_unchanged(const cyxla_plugin_record *record);

/* Takes the identity of a plugin from a record of the file that it was loaded from,
 * instead of reading all of its library when it is asked for. It stays that of the
 * plugin for as long as the process lives: a file that is opened is trusted with more
 * than that. What is saved is labelled only if the library's own hash says the same. */
void cyxla_plugin_recall(const cyxla_plugin *plugin, const cyxla_plugin_record *record);

#endif
