#if !defined(_WIN32)
#define _GNU_SOURCE /* dlvsym */
#endif

#include "symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "conversions.h"

#if !defined(_WIN32)
#include <dlfcn.h>

/* XLA leaves these to the C library. All other mathematics is part of the code. */
static const char *const NAMES[] = {
    "atan",      "atan2",  "atan2f", "atanf",   "cbrt",    "cbrtf",  "copysign",
    "copysignf", "cos",    "cosf",   "erf",     "erff",    "exp",    "exp2",
    "exp2f",     "expf",   "expm1",  "expm1f",  "fmod",    "fmodf",  "log",
    "log1p",     "log1pf", "logf",   "memcpy",  "memmove", "memset", "pow",
    "powf",      "sin",    "sincos", "sincosf", "sinf",    "tan",    "tanf"};

static bool is_listed(const char *name) {
  for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
    if (strcmp(NAMES[i], name) == 0) return true;
  }
  return false;
}

/* Of several versions of a function the one that the plugins are linked with: for a
 * negative number the first `log` of glibc returns NaN without a sign, and the later
 * one NaN with it. */
static const char *version_of(const char *name) {
  static const char *const later[][2] = {
      {"exp2f", "GLIBC_2.27"}, {"expf", "GLIBC_2.27"},   {"logf", "GLIBC_2.27"},
      {"powf", "GLIBC_2.27"},  {"memcpy", "GLIBC_2.14"},
  };

  for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
    if (strcmp(later[i][0], name) == 0) return later[i][1];
  }
  return "GLIBC_2.2.5";
}

static void *find(void *library, const char *name) {
#if defined(__GLIBC__)
  void *address = dlvsym(library, name, version_of(name));
  if (address != NULL) return address;
#else
  (void)version_of;
#endif
  return dlsym(library, name);
}

/* What the plugin brings along itself. */
static void *find_own(const char *name) {
  typedef void function(void);
  static const struct {
    const char *name;
    function *address;
  } own[] = {
      {"__truncsfbf2", (function *)cyxla_truncate_float_to_bfloat16},
      {"__truncdfbf2", (function *)cyxla_truncate_double_to_bfloat16},
      {"__truncdfhf2", (function *)cyxla_truncate_double_to_half},
  };
  void *address = NULL;

  for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
    if (strcmp(own[i].name, name) == 0) {
      memcpy(&address, &own[i].address, sizeof(address));
    }
  }
  return address;
}

/* The plugin calls those of the system's libraries, whatever the program that uses this
 * library defines under the same names, so they are looked up in the libraries and not
 * in the program. The handles are kept: code points into the libraries. */
void *cyxla_direct_symbol(const char *name) {
  static const char *const libraries[] = {"libm.so.6", "libc.so.6"};

  if (!is_listed(name)) return find_own(name);
  for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
    void *address = library != NULL ? find(library, name) : NULL;
    if (address != NULL) return address;
  }
  return NULL;
}

#else
void *cyxla_direct_symbol(const char *name) {
  (void)name;
  return NULL;
}
#endif
