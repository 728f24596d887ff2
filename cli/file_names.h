/* Names of files for arrays whose names may hold anything. */
#ifndef CYXLA_CLI_FILE_NAMES_H
#define CYXLA_CLI_FILE_NAMES_H

#include <cyxla.h>

/* Names of files for the outputs, such as "velocity.npy": an array of as many as there
 * are, which file_names_free frees; NULL if there is no memory left.
 *
 * Letters, digits, "_", "-", "." and all beyond ASCII are kept, and anything else, such
 * as
 * "/", becomes "_", as does a "." that comes first. Names are cut off after 200 bytes.
 * Where two are then the same, in any case of letters, the later one gets "-2", "-3"
 * and so on, whichever is free. */
char **file_names_make(const cyxla_executable *executable);

void file_names_free(char **names, size_t count);

#endif
