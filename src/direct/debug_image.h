/* An ELF file in memory that names the functions of loaded code, for debuggers. */
#ifndef CYXLA_DIRECT_DEBUG_IMAGE_H
#define CYXLA_DIRECT_DEBUG_IMAGE_H

#include "debug_list.h"
#include "elf.h"
#include "object.h"

/* Makes a file of the functions of a set, and of what its objects say about finding
 * callers. Sections of the objects are where the set has them. NULL if there is no
 * memory left. */
cyxla_debug_entry *cyxla_debug_image_make(const cyxla_object_set *set, cyxla_elf *elves,
                                          size_t num_elves);

/* Makes of a copy of an entry's file one that says to hold the code itself, as it is
 * mapped: at an offset of the file, and behind it data of data_bytes, which are part of
 * the set's memory. */
void cyxla_debug_image_add_segments(unsigned char *file, const cyxla_object_set *set,
                                    size_t offset, size_t data_bytes);

#endif
