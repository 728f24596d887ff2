#if !defined(_WIN32)
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#else
#include <windows.h>
#endif

#include "library.h"

#include <string.h>

#include "error.h"
#include "memory.h"

#if !defined(_WIN32)

cyxla_status cyxla_library_open(const char *what, const char *path,
                                cyxla_library **library, cyxla_error *error) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

  *library = (cyxla_library *)handle;
  if (handle != NULL) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_PLUGIN_UNLOADABLE,
                         "the %s %s is not a library that can be loaded here: %s", what,
                         path, dlerror());
}

void cyxla_library_close(cyxla_library *library) {
  if (library != NULL) dlclose(library);
}

cyxla_library_function *cyxla_library_find(cyxla_library *library, const char *name) {
  /* ISO C has no conversion from a data pointer to a function pointer; POSIX has. */
  union {
    void *data;
    cyxla_library_function *function;
  } symbol;

  symbol.data = dlsym(library, name);
  return symbol.function;
}

char *cyxla_library_own_path(void) {
  Dl_info info;

  if (dladdr(cyxla_version(), &info) == 0 || info.dli_fname == NULL) return NULL;
  return cyxla_duplicate(info.dli_fname, strlen(info.dli_fname));
}

#else

cyxla_status cyxla_library_open(const char *what, const char *path,
                                cyxla_library **library, cyxla_error *error) {
  HMODULE handle = LoadLibraryA(path);

  *library = (cyxla_library *)handle;
  if (handle != NULL) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_PLUGIN_UNLOADABLE,
                         "the %s %s is not a library that can be loaded here: "
                         "Windows error %lu",
                         what, path, GetLastError());
}

void cyxla_library_close(cyxla_library *library) {
  if (library != NULL) FreeLibrary((HMODULE)library);
}

cyxla_library_function *cyxla_library_find(cyxla_library *library, const char *name) {
  return (cyxla_library_function *)GetProcAddress((HMODULE)library, name);
}

char *cyxla_library_own_path(void) {
  char path[MAX_PATH];
  HMODULE module = NULL;
  DWORD length;

  if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                              GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                          (LPCSTR)&cyxla_library_own_path, &module)) {
    return NULL;
  }
  length = GetModuleFileNameA(module, path, sizeof(path));
  return length < sizeof(path) ? cyxla_duplicate(path, length) : NULL;
}

#endif
