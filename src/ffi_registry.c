#include "ffi_registry.h"

#include <string.h>

#include "error.h"
#include "linalg/targets.h"
#include "memory.h"
#include "process.h"

/* What XLA takes for the CPU, in any case. */
static bool is_host(const char *platform) {
  static const char *const names[] = {"host", "cpu"};

  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    size_t at = 0;
    while (names[i][at] != '\0' && (platform[at] | 0x20) == names[i][at]) at++;
    if (names[i][at] == '\0' && platform[at] == '\0') return true;
  }
  return false;
}

/* To be called with the lock of the plugins. */
static const cyxla_ffi_registration *find(const cyxla_plugin *plugin, bool on_host,
                                          const char *name, size_t bytes) {
  const cyxla_ffi_registration *at = plugin->ffi_registrations;

  for (; at != NULL; at = at->next) {
    if (at->is_host == on_host && strlen(at->name) == bytes &&
        memcmp(at->name, name, bytes) == 0) {
      return at;
    }
  }
  return NULL;
}

static cyxla_ffi_registration *create(const char *platform,
                                      const cyxla_ffi_handler *handler) {
  cyxla_ffi_registration *made = cyxla_allocate(sizeof(*made));

  if (made == NULL) return NULL;
  made->name = cyxla_duplicate(handler->name, strlen(handler->name));
  if (made->name == NULL) {
    cyxla_release(made);
    return NULL;
  }
  made->is_host = is_host(platform);
  made->is_plain = handler->instantiate == NULL && handler->prepare == NULL &&
                   handler->initialize == NULL;
  made->execute = (XLA_FFI_Handler *)handler->execute;
  return made;
}

cyxla_status cyxla_ffi_registry_add(const cyxla_plugin *plugin, const char *platform,
                                    const cyxla_ffi_handler *handler,
                                    cyxla_error *error) {
  cyxla_plugin *own = (cyxla_plugin *)plugin;
  cyxla_status status = CYXLA_OK;

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  if (find(plugin, is_host(platform), handler->name, strlen(handler->name)) == NULL) {
    cyxla_ffi_registration *made = create(platform, handler);
    if (made != NULL) {
      made->next = own->ffi_registrations;
      own->ffi_registrations = made;
    } else {
      status = cyxla_error_out_of_memory(error, "a handler");
    }
  }
  cyxla_lock_release(&cyxla_process_plugins_lock);
  return status;
}

void cyxla_ffi_registry_free(cyxla_plugin *plugin) {
  while (plugin->ffi_registrations != NULL) {
    cyxla_ffi_registration *next = plugin->ffi_registrations->next;
    cyxla_release(plugin->ffi_registrations->name);
    cyxla_release(plugin->ffi_registrations);
    plugin->ffi_registrations = next;
  }
}

cyxla_status cyxla_ffi_find(const cyxla_plugin *plugin, const char *name, size_t bytes,
                            XLA_FFI_Handler **handler, cyxla_error *error) {
  const int shown = bytes < 128 ? (int)bytes : 128;
  const cyxla_ffi_registration *found;

  *handler = NULL;
  if (plugin == NULL) return cyxla_linalg_find(name, bytes, handler, error);
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  found = find(plugin, true, name, bytes);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  if (found == NULL) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "its custom call %.*s has a handler that was not registered "
                           "with cyxla",
                           shown, name);
  }
  if (!found->is_plain) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "the handler of its custom call %.*s has other stages than "
                           "execute",
                           shown, name);
  }
  *handler = found->execute;
  return CYXLA_OK;
}
