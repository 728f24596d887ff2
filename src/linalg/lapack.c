#include "linalg/lapack.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "environment.h"
#include "error.h"
#include "linalg/fortran.h"
#include "memory.h"
#include "process.h"

enum { NAME_BYTES = 64 };

/* Names that the loader looks for, in this order. The reference LAPACK comes first,
 * since distributions let the administrator choose what stands behind it. */
static const char *const NAMES[] = {
#if defined(_WIN32)
    "libopenblas.dll",      "openblas.dll",        "liblapack.dll",
    "mkl_rt.3.dll",         "mkl_rt.2.dll",
#elif defined(__APPLE__)
    "liblapack.dylib",      "libopenblas.dylib",
#endif
    "liblapack.so.3",       "libopenblas.so.0",    "libopenblasp.so.0",
    "liblapack.so",         "libopenblas.so",      "liblapack64.so.3",
    "libopenblas64.so.0",   "libopenblasp64.so.0", "libopenblas64_.so.0",
    "libopenblasp64_.so.0", "libmkl_rt.so.3",      "libmkl_rt.so.2",
    "libmkl_rt.so.1",       "libmkl_rt.so",
};
enum { NUM_NAMES = sizeof(NAMES) / sizeof(NAMES[0]) };

static const cyxla_lapack_naming NAMINGS[] = {
    {"", "_"},       {"", "_64_"},       {"", "64_"},       {"", "_64"},
    {"scipy_", "_"}, {"scipy_", "_64_"}, {"scipy_", "64_"}, {"", ""},
};
enum { NUM_NAMINGS = sizeof(NAMINGS) / sizeof(NAMINGS[0]) };

#define INSTALL_ADVICE                                                               \
  "install LAPACK (Debian: liblapack3 or libopenblas0; Fedora: lapack or openblas; " \
  "conda: liblapack), or set CYXLA_LAPACK to the path of a library that holds it"

/* Guarded by the lock of the plugins. */
static cyxla_lapack process_lapack;
static const char *const *usual_names = NAMES;
static size_t num_usual_names = NUM_NAMES;

static cyxla_library_function *find_named(cyxla_library *library,
                                          const cyxla_lapack_naming *naming,
                                          const char *name) {
  char symbol[NAME_BYTES];

  snprintf(symbol, sizeof(symbol), "%s%s%s", naming->prefix, name, naming->suffix);
  return cyxla_library_find(library, symbol);
}

cyxla_library_function *cyxla_lapack_find(const cyxla_lapack *lapack,
                                          const char *name) {
  return find_named(lapack->library, lapack->naming, name);
}

/* Factors a matrix without elements. Of an integer whose bits are all set, info, the
 * function clears as many bytes as its integers have. 0: neither 4 nor 8. */
static size_t measure_lapack(cyxla_library_function *dpotrf) {
  double element = 0.0;
  int64_t order = 0, leading = 1, info = -1;

  ((cyxla_potrf_function *)dpotrf)("L", &order, &element, &leading, &info, 1);
  if (info == 0) return sizeof(int64_t);
  return info == ~(int64_t)UINT32_MAX ? sizeof(int32_t) : 0;
}

/* The lower half of the number of elements is 1, all of it is negative: the index of
 * the largest element is 1 for one width and 0, for no elements, for the other. */
static size_t measure_blas(cyxla_library_function *idamax) {
  double element = 1.0;
  int64_t count = ~(int64_t)UINT32_MAX + 1, increment = 1;
  int32_t index = ((cyxla_idamax_function *)idamax)(&count, &element, &increment);

  if (index == 1) return sizeof(int32_t);
  return index == 0 ? sizeof(int64_t) : 0;
}

/* The naming under which the library has LAPACK and BLAS; NULL if it has none. */
static const cyxla_lapack_naming *find_naming(cyxla_library *library) {
  for (size_t i = 0; i < NUM_NAMINGS; i++) {
    if (find_named(library, &NAMINGS[i], "dpotrf") != NULL &&
        find_named(library, &NAMINGS[i], "idamax") != NULL) {
      return &NAMINGS[i];
    }
  }
  return NULL;
}

/* Takes an opened library in, or says why it is none to use. */
static cyxla_status inspect(cyxla_lapack *lapack, cyxla_error *error) {
  size_t of_blas;

  lapack->naming = find_naming(lapack->library);
  if (lapack->naming == NULL) {
    return cyxla_error_set(error, CYXLA_NOT_FOUND,
                           "%s has no functions dpotrf and idamax, under any of the "
                           "names that LAPACK and BLAS have",
                           lapack->name);
  }
  lapack->integer_bytes = measure_lapack(cyxla_lapack_find(lapack, "dpotrf"));
  of_blas = measure_blas(cyxla_lapack_find(lapack, "idamax"));
  if (lapack->integer_bytes != 0 && lapack->integer_bytes == of_blas) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_NOT_FOUND,
                         "%s does not use integers of one width: its LAPACK seems to "
                         "have %zu bytes, its BLAS %zu, expected 4 or 8 for both",
                         lapack->name, lapack->integer_bytes, of_blas);
}

/* Functions that not all libraries have which call themselves LAPACK. */
static bool is_complete(const cyxla_lapack *lapack) {
  static const char *const names[] = {"cgesdd", "dgees",  "sgtsv",
                                      "zgeev",  "zheevd", "zunmqr"};

  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (cyxla_lapack_find(lapack, names[i]) == NULL) return false;
  }
  return true;
}

static void close_lapack(cyxla_lapack *lapack) {
  cyxla_library_close(lapack->library);
  cyxla_release(lapack->name);
  memset(lapack, 0, sizeof(*lapack));
}

static cyxla_status open_named(const char *name, cyxla_lapack *lapack,
                               cyxla_error *error) {
  cyxla_status status;

  memset(lapack, 0, sizeof(*lapack));
  status = cyxla_library_open("LAPACK", name, &lapack->library, error);
  if (status != CYXLA_OK) return status;
  lapack->name = cyxla_duplicate(name, strlen(name));
  status = lapack->name != NULL ? inspect(lapack, error)
                                : cyxla_error_out_of_memory(error, "a LAPACK");
  if (status != CYXLA_OK) close_lapack(lapack);
  return status;
}

/* Tries the usual names. The first library that is complete is taken, else the first of
 * all. What is wrong with one that is there is told if none can be used. */
static cyxla_status open_usual(cyxla_lapack *lapack, cyxla_error *error) {
  cyxla_lapack found;
  cyxla_error of_one;
  cyxla_status status;
  bool has_reason = false;

  memset(lapack, 0, sizeof(*lapack));
  for (size_t i = 0; i < num_usual_names; i++) {
    status = open_named(usual_names[i], &found, has_reason ? NULL : &of_one);
    if (status == CYXLA_NOT_FOUND) has_reason = true;
    if (status == CYXLA_OUT_OF_MEMORY) {
      close_lapack(lapack);
      return cyxla_error_out_of_memory(error, "a LAPACK");
    }
    if (status != CYXLA_OK) continue;
    /* What is not taken stays loaded: it was called, and may have threads. */
    if (lapack->library == NULL || is_complete(&found)) {
      cyxla_release(lapack->name);
      *lapack = found;
    } else {
      cyxla_release(found.name);
    }
    if (is_complete(lapack)) break;
  }
  if (lapack->library != NULL) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_NOT_FOUND, "no LAPACK was found (%s%s); %s",
                         has_reason ? of_one.message : "the loader knows neither ",
                         has_reason ? "" : "liblapack nor libopenblas nor libmkl_rt",
                         INSTALL_ADVICE);
}

static cyxla_status open_given(const char *path, cyxla_lapack *lapack,
                               cyxla_error *error) {
  cyxla_error reason;
  cyxla_status status = open_named(path, lapack, &reason);

  if (status == CYXLA_OK) return CYXLA_OK;
  if (status == CYXLA_OUT_OF_MEMORY) {
    return cyxla_error_out_of_memory(error, "a LAPACK");
  }
  return cyxla_error_set(error, CYXLA_NOT_FOUND,
                         "CYXLA_LAPACK is %s, which cannot be used: %s; set it to a "
                         "library that holds LAPACK, or unset it to use the machine's",
                         path, reason.message);
}

cyxla_status cyxla_lapack_get(const cyxla_lapack **lapack, cyxla_error *error) {
  const char *given = cyxla_environment_lapack();
  cyxla_lapack found;
  cyxla_status status = CYXLA_OK;

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  if (process_lapack.library == NULL) {
    status =
        given != NULL ? open_given(given, &found, error) : open_usual(&found, error);
    if (status == CYXLA_OK) process_lapack = found;
  }
  *lapack = status == CYXLA_OK ? &process_lapack : NULL;
  cyxla_lock_release(&cyxla_process_plugins_lock);
  return status;
}

void cyxla_lapack_forget(const char *const *names, size_t num_names) {
  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  usual_names = names != NULL ? names : NAMES;
  num_usual_names = names != NULL ? num_names : NUM_NAMES;
  close_lapack(&process_lapack);
  cyxla_lock_release(&cyxla_process_plugins_lock);
}
