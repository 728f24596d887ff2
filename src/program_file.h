/* Programs in files: which sections of a .cyxla file hold what. */
#ifndef CYXLA_PROGRAM_FILE_H
#define CYXLA_PROGRAM_FILE_H

#include "file.h"
#include "plugin_record.h"
#include "program.h"

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
