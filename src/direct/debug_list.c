#include "debug_list.h"

#include <stddef.h>

#include "memory.h"
#include "process.h"

CYXLA_DEBUG_SYMBOL cyxla_debug_descriptor __jit_debug_descriptor = {
    1, CYXLA_DEBUG_NOTHING, NULL, NULL};

/* gdb stops here and then reads the descriptor. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
void __jit_debug_register_code(void) {
#if defined(__GNUC__)
  __asm__ volatile("" ::: "memory");
#endif
}

static void tell(cyxla_debug_entry *entry, uint32_t action) {
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_descriptor.action = action;
  __jit_debug_register_code();
  /* A debugger that attaches later reads the list alone. */
  __jit_debug_descriptor.relevant = NULL;
  __jit_debug_descriptor.action = CYXLA_DEBUG_NOTHING;
}

void cyxla_debug_register(cyxla_debug_entry *entry) {
  cyxla_process_watch();
  cyxla_lock_acquire(&cyxla_process_debug_lock);
  entry->previous = NULL;
  entry->next = __jit_debug_descriptor.first;
  if (entry->next != NULL) entry->next->previous = entry;
  __jit_debug_descriptor.first = entry;
  tell(entry, CYXLA_DEBUG_REGISTER);
  cyxla_lock_release(&cyxla_process_debug_lock);
}

void cyxla_debug_unregister(cyxla_debug_entry *entry) {
  if (entry == NULL) return;
  cyxla_lock_acquire(&cyxla_process_debug_lock);
  if (entry->next != NULL) entry->next->previous = entry->previous;
  if (entry->previous != NULL) {
    entry->previous->next = entry->next;
  } else {
    __jit_debug_descriptor.first = entry->next;
  }
  tell(entry, CYXLA_DEBUG_UNREGISTER);
  cyxla_lock_release(&cyxla_process_debug_lock);
  cyxla_release(entry);
}
