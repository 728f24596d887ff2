/* What debuggers are told of code that was loaded: gdb's interface for just-in-time
 * compilers, which is a list of ELF files in memory. gdb looks for the names of the
 * list and of the function in each library. */
#ifndef CYXLA_DIRECT_DEBUG_LIST_H
#define CYXLA_DIRECT_DEBUG_LIST_H

#include <stdint.h>

/* As gdb declares it. The file follows in the same allocation. */
typedef struct cyxla_debug_entry {
  struct cyxla_debug_entry *next;
  struct cyxla_debug_entry *previous;
  const unsigned char *file;
  uint64_t file_bytes;
} cyxla_debug_entry;

enum { CYXLA_DEBUG_NOTHING, CYXLA_DEBUG_REGISTER, CYXLA_DEBUG_UNREGISTER };

typedef struct cyxla_debug_descriptor {
  uint32_t version;
  uint32_t action;
  cyxla_debug_entry *relevant;
  cyxla_debug_entry *first;
} cyxla_debug_descriptor;

/* Exported, since gdb finds them in a library without other names only so. Within a
 * library its own are meant: XLA's plugins have their own, for other code. Weak, so
 * that a program may link another compiler statically. */
#if defined(__ELF__)
#define CYXLA_DEBUG_SYMBOL __attribute__((weak, visibility("protected")))
#elif defined(__GNUC__) && !defined(_WIN32)
#define CYXLA_DEBUG_SYMBOL __attribute__((weak, visibility("default")))
#else
#define CYXLA_DEBUG_SYMBOL
#endif
extern CYXLA_DEBUG_SYMBOL cyxla_debug_descriptor __jit_debug_descriptor;
CYXLA_DEBUG_SYMBOL void __jit_debug_register_code(void);

/* Adds an entry, which belongs to the list from then on. */
void cyxla_debug_register(cyxla_debug_entry *entry);

/* Takes an entry out and frees it; NULL is allowed. */
void cyxla_debug_unregister(cyxla_debug_entry *entry);

#endif
