/* The .cyxla container: a header and a table of checked sections. What the sections
 * hold is no concern of this file. The format is described in docs/file-format.md. */
#ifndef CYXLA_FILE_H
#define CYXLA_FILE_H

#include "cyxla.h"

#define CYXLA_FILE_VERSION 1

typedef enum cyxla_section_kind {
  CYXLA_SECTION_SIGNATURE = 1,
  CYXLA_SECTION_STABLEHLO = 2,
  CYXLA_SECTION_COMPILE_OPTIONS = 3,
  CYXLA_SECTION_METADATA = 4,
  CYXLA_SECTION_PLUGIN = 5,
  CYXLA_SECTION_EXECUTABLE = 6,
  CYXLA_SECTION_SIZE = 7
} cyxla_section_kind;

/* A reader that does not know a section's kind passes over it, unless this is set. */
#define CYXLA_SECTION_REQUIRED 1u

/* Of an executable: its code is called directly, without a plugin. */
#define CYXLA_SECTION_DIRECT 2u

typedef struct cyxla_section {
  uint32_t kind;
  uint32_t flags;
  const unsigned char *data;
  size_t bytes;
} cyxla_section;

typedef struct cyxla_file {
  char *path;
  unsigned char *data;
  size_t bytes;
  cyxla_section *sections;
  size_t num_sections;
} cyxla_file;

/* Reads and checks a file: magic, version, lengths and every checksum. */
cyxla_status cyxla_file_read(const char *path, cyxla_file *file, cyxla_error *error);

/* The first section of a kind, NULL if there is none. Its data lives as long as file.
 */
const cyxla_section *cyxla_file_find(const cyxla_file *file, cyxla_section_kind kind);

/* The error of a section that does not hold what it should. */
cyxla_status cyxla_file_invalid(const cyxla_file *file, const char *what,
                                cyxla_error *error);

void cyxla_file_free(cyxla_file *file);

/* Writes a file of these sections, see cyxla_path_write_file. */
cyxla_status cyxla_file_write(const char *path, const cyxla_section *sections,
                              size_t num_sections, cyxla_error *error);

#endif
