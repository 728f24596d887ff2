/* Programs in files: which sections of a .cyxla file hold what. */
#ifndef CYXLA_PROGRAM_FILE_H
#define CYXLA_PROGRAM_FILE_H

#include "file.h"
#include "program.h"

/* Which plugin compiled a program, so that it is found again where it still lies. */
typedef struct cyxla_plugin_record {
  char *path;     /* NULL: none was recorded */
  uint64_t bytes; /* of the plugin's library */
  uint64_t hash;  /* of its content */
} cyxla_plugin_record;

/* The record of the plugin that lies at a path. */
cyxla_status cyxla_plugin_record_create(const char *path, cyxla_plugin_record *record,
                                        cyxla_error *error);

void cyxla_plugin_record_free(cyxla_plugin_record *record);

/* Reads a program, all its sizes, with their executables, and the plugin record into
 * `record` unless that is NULL. */
cyxla_status cyxla_program_file_read(const char *path, cyxla_program **program,
                                     cyxla_plugin_record *record, cyxla_error *error);

/* Writes a program, all its sizes, a plugin record unless that is NULL, and
 * executables, which are those of the program itself only if they are listed. */
cyxla_status cyxla_program_file_write(const cyxla_program *program, const char *path,
                                      const cyxla_plugin_record *record,
                                      const cyxla_compiled *const *executables,
                                      size_t num_executables, cyxla_error *error);

#endif
