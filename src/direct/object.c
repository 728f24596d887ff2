#if !defined(_WIN32)
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif

#include "object.h"

#include <stdlib.h>
#include <string.h>

#include "code_file.h"
#include "debug_image.h"
#include "debug_list.h"
#include "elf.h"
#include "environment.h"
#include "error.h"
#include "memory.h"
#include "perf_map.h"
#include "refusal.h"
#include "relocate.h"

#if defined(__x86_64__) && defined(__linux__)

#include <sys/mman.h>
#include <unistd.h>

typedef struct loading {
  const cyxla_wire *objects; /* [num_objects] */
  cyxla_elf *elves;          /* [num_objects] */
  size_t num_objects;
  cyxla_object_set *set;
  size_t num_symbols;         /* room for that many */
  const char *code_directory; /* NULL: code is not in a file */
  size_t data_bytes;          /* of the memory; only a file has them */
} loading;

static bool is_loaded(const cyxla_elf_section *section) {
  return (section->flags & CYXLA_ELF_ALLOCATED) != 0 &&
         strcmp(section->name, CYXLA_ELF_UNWIND) != 0;
}

static size_t round_up(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/* How much room all sections need. Together they are no longer than their objects, so
 * that sums do not overflow. */
static cyxla_status lay_out(loading *in, size_t *bytes, cyxla_error *error) {
  for (size_t i = 0; i < in->num_objects; i++) {
    for (size_t k = 0; k < in->elves[i].num_sections; k++) {
      const cyxla_elf_section *section = &in->elves[i].sections[k];
      if (section->type == CYXLA_ELF_SYMBOL_TABLE) {
        in->num_symbols += cyxla_elf_num_symbols(section);
      }
      if (!is_loaded(section)) continue;
      if ((section->flags & (CYXLA_ELF_WRITABLE | CYXLA_ELF_THREAD_LOCAL)) != 0) {
        return cyxla_code_refuse("has variables: section ", section->name, error);
      }
      if (section->data == NULL) {
        return cyxla_code_refuse(
            "has a section that is not in its object: ", section->name, error);
      }
      *bytes = round_up(*bytes, section->alignment) + section->bytes;
    }
  }
  return CYXLA_OK;
}

static cyxla_status copy_sections(loading *in, cyxla_error *error) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t bytes = 0, position = 0;
  cyxla_status status = lay_out(in, &bytes, error);

  if (status != CYXLA_OK || bytes == 0) return status;
  in->data_bytes = in->code_directory != NULL ? page : 0;
  in->set->bytes = round_up(bytes, page) + in->data_bytes;
  in->set->memory = mmap(NULL, in->set->bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (in->set->memory == MAP_FAILED) {
    in->set->memory = NULL;
    return cyxla_error_out_of_memory(error, "code");
  }
  for (size_t i = 0; i < in->num_objects; i++) {
    for (size_t k = 0; k < in->elves[i].num_sections; k++) {
      cyxla_elf_section *section = &in->elves[i].sections[k];
      if (!is_loaded(section)) continue;
      position = round_up(position, section->alignment);
      section->address = (unsigned char *)in->set->memory + position;
      memcpy(section->address, section->data, section->bytes);
      position += section->bytes;
    }
  }
  return CYXLA_OK;
}

static bool is_code(const cyxla_elf *elf, size_t section) {
  return section > 0 && section < elf->num_sections &&
         elf->sections[section].address != NULL &&
         (elf->sections[section].flags & CYXLA_ELF_EXECUTABLE) != 0;
}

static cyxla_status add_symbols(loading *in, const cyxla_elf *elf,
                                const cyxla_elf_section *table, cyxla_error *error) {
  for (size_t i = 0; i < cyxla_elf_num_symbols(table); i++) {
    cyxla_object_set *set = in->set;
    cyxla_elf_symbol symbol;
    if (!cyxla_elf_symbol_read(elf, table, i, &symbol)) {
      return cyxla_code_refuse("has a symbol that lies outside of it", "", error);
    }
    if (!symbol.is_global || !is_code(elf, symbol.section)) continue;
    set->symbols[set->num_symbols].name =
        cyxla_duplicate(symbol.name, strlen(symbol.name));
    if (set->symbols[set->num_symbols].name == NULL) {
      return cyxla_error_out_of_memory(error, "code");
    }
    set->symbols[set->num_symbols].address =
        elf->sections[symbol.section].address + symbol.value;
    set->symbols[set->num_symbols++].bytes = symbol.bytes;
  }
  return CYXLA_OK;
}

static int compare_symbols(const void *a, const void *b) {
  const cyxla_object_symbol *one = a, *other = b;

  return strcmp(one->name, other->name);
}

static cyxla_status list_symbols(loading *in, cyxla_error *error) {
  cyxla_object_set *set = in->set;
  cyxla_status status = CYXLA_OK;

  set->symbols = cyxla_allocate_array(in->num_symbols, sizeof(*set->symbols));
  if (set->symbols == NULL) return cyxla_error_out_of_memory(error, "code");
  for (size_t i = 0; i < in->num_objects; i++) {
    const cyxla_elf *elf = &in->elves[i];
    for (size_t k = 0; status == CYXLA_OK && k < elf->num_sections; k++) {
      if (elf->sections[k].type == CYXLA_ELF_SYMBOL_TABLE) {
        status = add_symbols(in, elf, &elf->sections[k], error);
      }
    }
  }
  if (status != CYXLA_OK) return status;
  qsort(set->symbols, set->num_symbols, sizeof(*set->symbols), compare_symbols);
  for (size_t i = 1; i < set->num_symbols; i++) {
    if (compare_symbols(&set->symbols[i - 1], &set->symbols[i]) == 0) {
      return cyxla_code_refuse("defines twice ", set->symbols[i].name, error);
    }
  }
  return CYXLA_OK;
}

static cyxla_status relocate_all(const cyxla_elf *elf, cyxla_error *error) {
  for (size_t i = 0; i < elf->num_sections; i++) {
    const cyxla_elf_section *table = &elf->sections[i];
    cyxla_status status;
    if (table->type == CYXLA_ELF_RELOCATIONS_WITHOUT_ADDEND) {
      return cyxla_code_refuse("has relocations without addends", "", error);
    }
    if (table->type != CYXLA_ELF_RELOCATIONS) continue;
    if (table->info >= elf->num_sections) {
      return cyxla_code_refuse("has relocations of a section that is not there", "",
                               error);
    }
    if (elf->sections[table->info].address == NULL) continue;
    status = cyxla_relocate(elf, table, error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}

static cyxla_status make_executable(loading *in, cyxla_error *error) {
  cyxla_object_set *set = in->set;

  if (set->memory == NULL) return CYXLA_OK;
  if (in->code_directory != NULL && set->debug != NULL &&
      cyxla_code_file_map(set, in->code_directory, in->data_bytes)) {
    return CYXLA_OK;
  }
  if (mprotect(set->memory, set->bytes, PROT_READ | PROT_EXEC) != 0) {
    return cyxla_code_refuse("cannot be made executable on this system", "", error);
  }
  return CYXLA_OK;
}

/* What is told of the functions, which begins once they can be called. */
static cyxla_status describe(loading *in, cyxla_error *error) {
  cyxla_object_set *set = in->set;

  if (set->num_symbols == 0) return CYXLA_OK;
  set->debug = cyxla_debug_image_make(set, in->elves, in->num_objects);
  return set->debug != NULL ? CYXLA_OK : cyxla_error_out_of_memory(error, "code");
}

static void tell_tools(const cyxla_object_set *set) {
  if (set->debug == NULL) return;
  cyxla_debug_register(set->debug);
  cyxla_perf_map_add(set);
}

static cyxla_status load_all(loading *in, cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  for (size_t i = 0; status == CYXLA_OK && i < in->num_objects; i++) {
    status = cyxla_elf_read(in->objects[i], &in->elves[i], error);
  }
  if (status == CYXLA_OK) status = copy_sections(in, error);
  if (status == CYXLA_OK) status = list_symbols(in, error);
  for (size_t i = 0; status == CYXLA_OK && i < in->num_objects; i++) {
    status = relocate_all(&in->elves[i], error);
  }
  if (status == CYXLA_OK) status = describe(in, error);
  if (status == CYXLA_OK) status = make_executable(in, error);
  return status;
}

cyxla_status cyxla_object_set_load(const cyxla_wire *objects, size_t num_objects,
                                   cyxla_object_set *set, cyxla_error *error) {
  loading in = {.objects = objects, .num_objects = num_objects, .set = set};
  cyxla_status status;

  memset(set, 0, sizeof(*set));
  in.code_directory = cyxla_environment_code_directory();
  in.elves = cyxla_allocate_array(num_objects, sizeof(*in.elves));
  if (in.elves == NULL) return cyxla_error_out_of_memory(error, "code");
  status = load_all(&in, error);
  for (size_t i = 0; i < num_objects; i++) cyxla_elf_free(&in.elves[i]);
  cyxla_release(in.elves);
  if (status == CYXLA_OK) {
    tell_tools(set);
  } else {
    cyxla_release(set->debug); /* which is not told yet */
    set->debug = NULL;
    cyxla_object_set_free(set);
  }
  return status;
}

static void unmap(cyxla_object_set *set) {
  cyxla_debug_unregister(set->debug);
  if (set->memory != NULL) munmap(set->memory, set->bytes);
}

#else

cyxla_status cyxla_object_set_load(const cyxla_wire *objects, size_t num_objects,
                                   cyxla_object_set *set, cyxla_error *error) {
  (void)objects;
  (void)num_objects;
  memset(set, 0, sizeof(*set));
  return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                         "its code is called on Linux on x86-64 only");
}

static void unmap(cyxla_object_set *set) {
  (void)set;
}

#endif

void cyxla_object_set_free(cyxla_object_set *set) {
  unmap(set);
  for (size_t i = 0; i < set->num_symbols; i++) cyxla_release(set->symbols[i].name);
  cyxla_release(set->symbols);
  memset(set, 0, sizeof(*set));
}

cyxla_kernel *cyxla_object_set_find(const cyxla_object_set *set, const char *name) {
  size_t low = 0, high = set->num_symbols;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(set->symbols[middle].name, name);
    if (order == 0) {
      cyxla_kernel *kernel;
      memcpy(&kernel, &set->symbols[middle].address, sizeof(kernel));
      return kernel;
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}
