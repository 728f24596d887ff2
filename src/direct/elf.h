/* ELF, as far as relocatable objects for x86-64 need it: an object is read with each
 * offset checked. */
#ifndef CYXLA_DIRECT_ELF_H
#define CYXLA_DIRECT_ELF_H

#include "cyxla.h"
#include "wire.h"

typedef struct cyxla_elf_section {
  const char *name;
  uint32_t type;
  uint64_t flags;
  const unsigned char *data; /* NULL where the object holds none of it */
  size_t bytes;
  size_t alignment; /* a power of two */
  uint32_t link;
  uint32_t info;
  unsigned char *address; /* where it was loaded; NULL: not loaded */
} cyxla_elf_section;

typedef struct cyxla_elf {
  cyxla_elf_section *sections; /* [num_sections] */
  size_t num_sections;
} cyxla_elf;

typedef struct cyxla_elf_symbol {
  const char *name;
  size_t section; /* 0: defined elsewhere */
  uint64_t value; /* offset in the section */
  size_t bytes;   /* no more than the section has from there on */
  bool is_global;
} cyxla_elf_symbol;

typedef struct cyxla_elf_relocation {
  uint64_t offset;
  uint32_t type;
  uint32_t symbol;
  int64_t addend;
} cyxla_elf_relocation;

/* The section that says how callers are found from any place in the code. Code runs
 * without it, since kernels throw no exceptions; debuggers need it. */
#define CYXLA_ELF_UNWIND ".eh_frame"

enum {
  CYXLA_ELF_BITS = 1,
  CYXLA_ELF_SYMBOL_TABLE = 2,
  CYXLA_ELF_STRING_TABLE = 3,
  CYXLA_ELF_RELOCATIONS = 4,
  CYXLA_ELF_NO_BITS = 8,
  CYXLA_ELF_RELOCATIONS_WITHOUT_ADDEND = 9
};

enum {
  CYXLA_ELF_WRITABLE = 1,
  CYXLA_ELF_ALLOCATED = 2,
  CYXLA_ELF_EXECUTABLE = 4,
  CYXLA_ELF_THREAD_LOCAL = 0x400
};

enum {
  CYXLA_ELF_RELOCATION_64 = 1,   /* an address of 8 bytes */
  CYXLA_ELF_RELOCATION_PC32 = 2, /* the distance, of 4 bytes */
  CYXLA_ELF_RELOCATION_PLT32 = 4,
  CYXLA_ELF_RELOCATION_PC64 = 24
};

/* Reads the sections of an object. The names and data point into it. */
cyxla_status cyxla_elf_read(cyxla_wire object, cyxla_elf *elf, cyxla_error *error);
void cyxla_elf_free(cyxla_elf *elf);

/* The number of entries of a symbol table or of relocations. */
size_t cyxla_elf_num_symbols(const cyxla_elf_section *table);
size_t cyxla_elf_num_relocations(const cyxla_elf_section *table);

/* Reads an entry. False where what it says is not in the object. */
bool cyxla_elf_symbol_read(const cyxla_elf *elf, const cyxla_elf_section *table,
                           size_t index, cyxla_elf_symbol *symbol);
void cyxla_elf_relocation_read(const cyxla_elf_section *table, size_t index,
                               cyxla_elf_relocation *relocation);

#endif
