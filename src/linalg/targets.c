#include "linalg/targets.h"

#include "error.h"
#include "ffi.h"
#include "linalg/lapack.h"
#include "linalg/routines.h"
#include "memory.h"
#include "process.h"
#include "runtime.h"

enum { NAME_BYTES = 64 };

/* In the order of ROUTINES. */
enum {
  TRSM,
  GTSV,
  POTRF,
  GETRF,
  GEQRF,
  GEQP3,
  ORGQR,
  ORMQR,
  GESDD,
  GESVD,
  SYEVD,
  GEEV,
  GEES,
  GEHRD,
  SYTRD,
  NUM_ROUTINES
};

static const struct {
  const char *real_name; /* without the letter of the dtype */
  const char *complex_name;
  void (*run)(cyxla_linalg_call *call);
} ROUTINES[NUM_ROUTINES] = {
    {"trsm", "trsm", cyxla_linalg_trsm},    {"gtsv", "gtsv", cyxla_linalg_gtsv},
    {"potrf", "potrf", cyxla_linalg_potrf}, {"getrf", "getrf", cyxla_linalg_getrf},
    {"geqrf", "geqrf", cyxla_linalg_geqrf}, {"geqp3", "geqp3", cyxla_linalg_geqp3},
    {"orgqr", "ungqr", cyxla_linalg_orgqr}, {"ormqr", "unmqr", cyxla_linalg_ormqr},
    {"gesdd", "gesdd", cyxla_linalg_gesdd}, {"gesvd", "gesvd", cyxla_linalg_gesvd},
    {"syevd", "heevd", cyxla_linalg_syevd}, {"geev", "geev", cyxla_linalg_geev},
    {"gees", "gees", cyxla_linalg_gees},    {"gehrd", "gehrd", cyxla_linalg_gehrd},
    {"sytrd", "hetrd", cyxla_linalg_sytrd},
};

/* The functions of LAPACK, and how wide its integers are. Set under the lock of the
 * plugins before a handler that calls them is registered, and not changed after. */
static cyxla_library_function *functions[NUM_ROUTINES][CYXLA_LINALG_NUM_DTYPES];
static size_t integer_bytes;

static void format_function(int routine, int dtype, char *name) {
  const cyxla_linalg_dtype *known = &cyxla_linalg_dtypes[dtype];

  snprintf(
      name, NAME_BYTES, "%c%s", known->letter,
      known->is_complex ? ROUTINES[routine].complex_name : ROUTINES[routine].real_name);
}

static void format_target(int routine, int dtype, char *name) {
  char function[NAME_BYTES];

  format_function(routine, dtype, function);
  snprintf(name, NAME_BYTES, "lapack_%.32s_ffi", function);
}

/* Runs a handler's function for a call and frees what that worked in. */
static XLA_FFI_Error *run(cyxla_linalg_call *call,
                          void (*function)(cyxla_linalg_call *call)) {
  call->batch = -1;
  function(call);
  for (size_t i = 0; i < call->num_blocks; i++) cyxla_release(call->blocks[i]);
  return call->error;
}

static XLA_FFI_Error *handle(XLA_FFI_CallFrame *frame, int routine, int dtype) {
  char target[NAME_BYTES];
  cyxla_linalg_call call;

  if (cyxla_ffi_describe(frame)) return NULL;
  format_target(routine, dtype, target);
  memset(&call, 0, sizeof(call));
  call.frame = frame;
  call.target = target;
  call.dtype = &cyxla_linalg_dtypes[dtype];
  call.function = functions[routine][dtype];
  call.integer_bytes = integer_bytes;
  return run(&call, ROUTINES[routine].run);
}

/* A handler is told nothing but its frame, so each target has a function. */
#define HANDLER(routine, dtype, letter)                                         \
  static XLA_FFI_Error *handle_##routine##_##letter(XLA_FFI_CallFrame *frame) { \
    return handle(frame, routine, dtype);                                       \
  }
#define HANDLERS(routine) \
  HANDLER(routine, 0, s)  \
  HANDLER(routine, 1, d)  \
  HANDLER(routine, 2, c)  \
  HANDLER(routine, 3, z)
#define NAMES(routine)                                               \
  {handle_##routine##_s, handle_##routine##_d, handle_##routine##_c, \
   handle_##routine##_z}

HANDLERS(TRSM)
HANDLERS(GTSV)
HANDLERS(POTRF)
HANDLERS(GETRF)
HANDLERS(GEQRF)
HANDLERS(GEQP3)
HANDLERS(ORGQR)
HANDLERS(ORMQR)
HANDLERS(GESDD)
HANDLERS(GESVD)
HANDLERS(SYEVD)
HANDLERS(GEEV)
HANDLERS(GEES)
HANDLERS(GEHRD)
HANDLERS(SYTRD)

static XLA_FFI_Handler *const HANDLER_OF[NUM_ROUTINES][CYXLA_LINALG_NUM_DTYPES] = {
    NAMES(TRSM),  NAMES(GTSV),  NAMES(POTRF), NAMES(GETRF), NAMES(GEQRF),
    NAMES(GEQP3), NAMES(ORGQR), NAMES(ORMQR), NAMES(GESDD), NAMES(GESVD),
    NAMES(SYEVD), NAMES(GEEV),  NAMES(GEES),  NAMES(GEHRD), NAMES(SYTRD),
};

/* The targets that need no LAPACK serve several dtypes each. */

static const char TRIDIAGONAL[] = "tridiagonal_solve_perturbed_ffi";
static const char CSR[] = "cpu_csr_sparse_dense_ffi";

static XLA_FFI_Error *handle_tridiagonal(XLA_FFI_CallFrame *frame) {
  cyxla_linalg_call call;

  if (cyxla_ffi_describe(frame)) return NULL;
  memset(&call, 0, sizeof(call));
  call.frame = frame;
  call.target = TRIDIAGONAL;
  call.integer_bytes = sizeof(int64_t);
  for (int i = 0; i < CYXLA_LINALG_NUM_DTYPES; i++) {
    call.dtype = &cyxla_linalg_dtypes[i];
    if (cyxla_ffi_argument(frame, 0, call.dtype->value) != NULL) break;
  }
  return run(&call, cyxla_linalg_tridiagonal_perturbed);
}

static XLA_FFI_Error *handle_csr(XLA_FFI_CallFrame *frame) {
  cyxla_linalg_call call;

  if (cyxla_ffi_describe(frame)) return NULL;
  memset(&call, 0, sizeof(call));
  call.frame = frame;
  call.target = CSR;
  return run(&call, cyxla_linalg_csr_dense);
}

static const struct {
  const char *target;
  XLA_FFI_Handler *handler;
} OTHERS[] = {{TRIDIAGONAL, handle_tridiagonal}, {CSR, handle_csr}};
enum {
  NUM_OTHERS = sizeof(OTHERS) / sizeof(OTHERS[0]),
  NUM_OF_LAPACK = NUM_ROUTINES * CYXLA_LINALG_NUM_DTYPES
};

size_t cyxla_linalg_num_targets(void) {
  return NUM_OF_LAPACK + NUM_OTHERS;
}

const char *cyxla_linalg_target_name(size_t index, char *name, size_t name_bytes) {
  char target[NAME_BYTES];

  if (index < NUM_OF_LAPACK) {
    format_target((int)index / CYXLA_LINALG_NUM_DTYPES,
                  (int)index % CYXLA_LINALG_NUM_DTYPES, target);
    snprintf(name, name_bytes, "%s", target);
  } else {
    snprintf(name, name_bytes, "%s", OTHERS[index - NUM_OF_LAPACK].target);
  }
  return name;
}

XLA_FFI_Handler *cyxla_linalg_handler(size_t index) {
  if (index >= NUM_OF_LAPACK) return OTHERS[index - NUM_OF_LAPACK].handler;
  return HANDLER_OF[index / CYXLA_LINALG_NUM_DTYPES][index % CYXLA_LINALG_NUM_DTYPES];
}

void cyxla_linalg_set_function(size_t index, cyxla_ffi_function *function,
                               size_t bytes_of_integers) {
  cyxla_ffi_function **place =
      &functions[index / CYXLA_LINALG_NUM_DTYPES][index % CYXLA_LINALG_NUM_DTYPES];

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  /* What stands there already may be read by a handler at the moment. */
  if (*place != function) *place = function;
  if (integer_bytes != bytes_of_integers) integer_bytes = bytes_of_integers;
  cyxla_lock_release(&cyxla_process_plugins_lock);
}

/* Finds the function of LAPACK that a target calls. */
static cyxla_status load_function(size_t index, cyxla_error *error) {
  int routine = (int)index / CYXLA_LINALG_NUM_DTYPES;
  int dtype = (int)index % CYXLA_LINALG_NUM_DTYPES;
  const cyxla_lapack *lapack;
  cyxla_library_function *function;
  char name[NAME_BYTES];
  cyxla_status status = cyxla_lapack_get(&lapack, error);

  if (status != CYXLA_OK) return status;
  format_function(routine, dtype, name);
  function = cyxla_lapack_find(lapack, name);
  if (function == NULL) {
    return cyxla_error_set(error, CYXLA_NOT_FOUND,
                           "the LAPACK %s has no function %s; set CYXLA_LAPACK to the "
                           "path of a library that is complete",
                           lapack->name, name);
  }
  cyxla_linalg_set_function(index, function, lapack->integer_bytes);
  return CYXLA_OK;
}

/* The handler of the name that the plugin has stays, be it this one, which is no error,
 * or the caller's. */
static cyxla_status register_target(cyxla_runtime *runtime, size_t index,
                                    const char *name, cyxla_error *error) {
  cyxla_ffi_handler handler = CYXLA_FFI_HANDLER_INIT;
  cyxla_status status = index < NUM_OF_LAPACK ? load_function(index, error) : CYXLA_OK;

  if (status != CYXLA_OK) return status;
  handler.name = name;
  handler.execute = (cyxla_ffi_function *)cyxla_linalg_handler(index);
  return cyxla_ffi_register(runtime, &handler, error);
}

/* The index of a target; their number for what is none. */
static size_t find_target(const char *name, size_t bytes) {
  char known[NAME_BYTES];

  for (size_t i = 0; i < cyxla_linalg_num_targets(); i++) {
    if (strlen(cyxla_linalg_target_name(i, known, sizeof(known))) == bytes &&
        memcmp(known, name, bytes) == 0) {
      return i;
    }
  }
  return cyxla_linalg_num_targets();
}

bool cyxla_linalg_is_target(const char *name, size_t bytes) {
  return find_target(name, bytes) < cyxla_linalg_num_targets();
}

bool cyxla_linalg_takes_places(const char *name, size_t bytes) {
  return bytes == strlen(CSR) && memcmp(name, CSR, bytes) == 0;
}

cyxla_status cyxla_linalg_find(const char *name, size_t bytes,
                               XLA_FFI_Handler **handler, cyxla_error *error) {
  size_t index = find_target(name, bytes);
  cyxla_error reason;
  cyxla_status status = CYXLA_OK;

  *handler = NULL;
  if (index == cyxla_linalg_num_targets()) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "its custom call %.*s is none of linear algebra, and there "
                           "is no plugin that has its handler",
                           bytes < 128 ? (int)bytes : 128, name);
  }
  if (index < NUM_OF_LAPACK) status = load_function(index, &reason);
  if (status == CYXLA_OUT_OF_MEMORY) {
    return cyxla_error_out_of_memory(error, "a LAPACK");
  }
  if (status != CYXLA_OK) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "its custom call %.*s has no LAPACK: %s", (int)bytes, name,
                           reason.message);
  }
  *handler = cyxla_linalg_handler(index);
  return CYXLA_OK;
}

/* All names end so. */
static const char ENDING[] = "_ffi";
enum { ENDING_BYTES = sizeof(ENDING) - 1 };

/* Where the next name ends in the code, NULL if there is none. */
static const char *find_ending(const char *code, const char *end) {
  while (end - code >= ENDING_BYTES) {
    if (memcmp(code, ENDING, ENDING_BYTES) == 0) return code + ENDING_BYTES;
    code = memchr(code + 1, ENDING[0], (size_t)(end - code) - 1);
    if (code == NULL) return NULL;
  }
  return NULL;
}

/* Registers the target whose name ends at a place in the code, if there is one. */
static cyxla_status register_ending_at(cyxla_runtime *runtime, const char *code,
                                       const char *at, cyxla_error *error) {
  char name[NAME_BYTES];

  for (size_t i = 0; i < cyxla_linalg_num_targets(); i++) {
    size_t bytes = strlen(cyxla_linalg_target_name(i, name, sizeof(name)));
    if ((size_t)(at - code) >= bytes && memcmp(at - bytes, name, bytes) == 0) {
      return register_target(runtime, i, name, error);
    }
  }
  return CYXLA_OK;
}

cyxla_status cyxla_linalg_prepare(cyxla_runtime *runtime, const void *code,
                                  size_t code_bytes, cyxla_error *error) {
  const char *begin = code, *end = begin + code_bytes;
  const char *at = begin;
  cyxla_status result = CYXLA_OK;

  if (runtime->without_lapack || strcmp(runtime->platform, "cpu") != 0) {
    return CYXLA_OK;
  }
  while ((at = find_ending(at, end)) != NULL) {
    if (result == CYXLA_OK) {
      result = register_ending_at(runtime, begin, at, error);
    } else {
      register_ending_at(runtime, begin, at, NULL);
    }
  }
  return result;
}
