/* Code in a file, for tools that know the names of mapped files alone, as valgrind. */
#ifndef CYXLA_DIRECT_CODE_FILE_H
#define CYXLA_DIRECT_CODE_FILE_H

#include <stdbool.h>

#include "object.h"

/* Maps a new file of a directory over the set's memory, with what the memory holds and
 * the names of the functions, and removes the file: what is mapped stays. The last
 * data_bytes of the memory, a multiple of the page size, become data, since valgrind
 * reads no file without. False where that cannot be done, as on a file system from
 * which nothing may be run. The memory holds the same then, and can be made executable
 * without the file. */
bool cyxla_code_file_map(const cyxla_object_set *set, const char *directory,
                         size_t data_bytes);

#endif
