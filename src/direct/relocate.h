/* Relocations: the addresses that are put into code once it lies where it stays. */
#ifndef CYXLA_DIRECT_RELOCATE_H
#define CYXLA_DIRECT_RELOCATE_H

#include "elf.h"

/* Makes all relocations of a table, in the section at its address that the table says
 * to be of. CYXLA_UNIMPLEMENTED for what is not known or lies outside, with the reason.
 */
cyxla_status cyxla_relocate(const cyxla_elf *elf, const cyxla_elf_section *table,
                            cyxla_error *error);

#endif
