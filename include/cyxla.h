/* cyxla: call JAX functions from native code.
 *
 * This is the only public header of the library. It is C99 and valid C++.
 *
 * The nouns, in the order in which data flows:
 *   program     a lowered JAX function: StableHLO and the signature. Immutable.
 *   runtime     a loaded PJRT plugin with its client and devices. Immutable.
 *   executable  a program compiled for a runtime. Immutable.
 *   call        one thread's seat at an executable: its input and output arrays.
 *
 * Rules that hold everywhere, unless a function says otherwise:
 *   Errors     A function that can fail returns a cyxla_status and takes a
 *              cyxla_error as its last argument, which belongs to the caller and may
 *              be NULL. It is written on failure only. There is no global state that
 *              remembers an error.
 *   Handles    come back through an out parameter, which is NULL after a failure.
 *              Every create has a destroy, which accepts NULL. Nothing needs cleaning
 *              up after a failure.
 *   Lifetime   Handles are counted: an executable keeps its program and runtime, and
 *              a call its executable, so handles may be destroyed in any order.
 *              A pointer that a function returns is borrowed from the handle that it
 *              was asked of, and lives as long as that handle.
 *   Threads    Programs, runtimes and executables may be used by any number of
 *              threads at once. A call is used by one thread at a time; threads with
 *              a call each wait for one another only where the plugin has them wait:
 *              XLA's CPU client runs 32 executions at once, see cyxla_call_run.
 *   Strings    are UTF-8 and end with a zero byte.
 *   Structs    that begin with struct_size start from their _INIT macro.
 *   NULL       for a required pointer is CYXLA_INVALID_ARGUMENT in functions that
 *              return a status; the others require valid handles.
 */
#ifndef CYXLA_H
#define CYXLA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. */
#define CYXLA_VERSION_MAJOR 0
#define CYXLA_VERSION_MINOR 1
#define CYXLA_VERSION_PATCH 0

#if defined(_WIN32) && !defined(CYXLA_STATIC)
#ifdef CYXLA_BUILD
#define CYXLA_API __declspec(dllexport)
#else
#define CYXLA_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define CYXLA_API __attribute__((visibility("default")))
#else
#define CYXLA_API
#endif

/* The version of the library that is loaded, such as "0.1.0". */
CYXLA_API const char *cyxla_version(void);

/* ---- Errors -------------------------------------------------------------------- */

/* What went wrong. Codes 1 to 16 are those of PJRT and pass through from the plugin,
 * cyxla's own start at 100. CYXLA_INVALID_ARGUMENT is used by both. */
typedef enum cyxla_status {
  CYXLA_OK = 0,
  CYXLA_CANCELLED = 1,
  CYXLA_UNKNOWN = 2,
  CYXLA_INVALID_ARGUMENT = 3,
  CYXLA_DEADLINE_EXCEEDED = 4,
  CYXLA_NOT_FOUND = 5,
  CYXLA_ALREADY_EXISTS = 6,
  CYXLA_PERMISSION_DENIED = 7,
  CYXLA_RESOURCE_EXHAUSTED = 8,
  CYXLA_FAILED_PRECONDITION = 9,
  CYXLA_ABORTED = 10,
  CYXLA_OUT_OF_RANGE = 11,
  CYXLA_UNIMPLEMENTED = 12,
  CYXLA_INTERNAL = 13,
  CYXLA_UNAVAILABLE = 14,
  CYXLA_DATA_LOSS = 15,
  CYXLA_UNAUTHENTICATED = 16,
  CYXLA_OUT_OF_MEMORY = 100,      /* the host has no memory left */
  CYXLA_FILE_UNREADABLE = 101,    /* a file is missing or cannot be read */
  CYXLA_FILE_UNWRITABLE = 102,    /* a file cannot be written */
  CYXLA_FILE_INVALID = 103,       /* not a .cyxla file, or a damaged one */
  CYXLA_FILE_TOO_NEW = 104,       /* written by a later version of cyxla */
  CYXLA_PLUGIN_NOT_FOUND = 105,   /* no plugin for the platform was found */
  CYXLA_PLUGIN_UNLOADABLE = 106,  /* the library cannot be loaded or is no plugin */
  CYXLA_PLUGIN_TOO_OLD = 107,     /* the plugin lacks what cyxla needs */
  CYXLA_PLUGIN_INVALID = 108,     /* the plugin broke the rules of PJRT */
  CYXLA_PLATFORM_MISMATCH = 109,  /* the program or plugin is for another platform */
  CYXLA_SIGNATURE_MISMATCH = 110, /* the executable's arrays are not the program's */
  CYXLA_FORKED = 111,        /* the process was forked after the plugin had started */
  CYXLA_SIZE_NOT_FOUND = 112 /* the program was not saved for these shapes */
} cyxla_status;

/* Messages longer than this are cut off and end with "...". */
#define CYXLA_ERROR_MESSAGE_SIZE 4096

/* Filled in by a function that fails. The message says what was found, what was
 * expected and what to do, and holds the plugin's own text where there is one. */
typedef struct cyxla_error {
  cyxla_status status;
  char message[CYXLA_ERROR_MESSAGE_SIZE];
} cyxla_error;

/* The static name of a status, such as "FILE_INVALID"; "UNRECOGNIZED" if unknown. */
CYXLA_API const char *cyxla_status_name(cyxla_status status);

/* ---- Data types ---------------------------------------------------------------- */

/* Element types, with the values of PJRT_Buffer_Type. Complex numbers are pairs of
 * real and imaginary part; bool is one byte, 0 or 1. */
typedef enum cyxla_dtype {
  CYXLA_BOOL = 1,
  CYXLA_INT8 = 2,
  CYXLA_INT16 = 3,
  CYXLA_INT32 = 4,
  CYXLA_INT64 = 5,
  CYXLA_UINT8 = 6,
  CYXLA_UINT16 = 7,
  CYXLA_UINT32 = 8,
  CYXLA_UINT64 = 9,
  CYXLA_FLOAT16 = 10,
  CYXLA_FLOAT32 = 11,
  CYXLA_FLOAT64 = 12,
  CYXLA_BFLOAT16 = 13,
  CYXLA_COMPLEX64 = 14,
  CYXLA_COMPLEX128 = 15
} cyxla_dtype;

/* NumPy's name of a dtype, such as "float32"; "invalid" if unknown. It is static. */
CYXLA_API const char *cyxla_dtype_name(cyxla_dtype dtype);

/* Bytes of one element, 0 for a number that is no dtype. */
CYXLA_API size_t cyxla_dtype_bytes(cyxla_dtype dtype);

/* The dtype of NumPy's name, 0 for a name that is none of them. */
CYXLA_API cyxla_dtype cyxla_dtype_from_name(const char *name);

/* One input or output: a dense, row-major (C order) array. The struct will not change,
 * since callers make lists of it; what else there is to an array gets functions. */
typedef struct cyxla_array_spec {
  const char *name;       /* from the JAX function, such as "x" or "state.velocity" */
  cyxla_dtype dtype;      /* of an element */
  size_t rank;            /* number of dimensions, 0 for a scalar */
  const int64_t *shape;   /* [rank] sizes, each >= 0; may be NULL where rank is 0 */
  size_t bytes;           /* of the whole array, 0 where a size is 0 */
  int64_t aliased_output; /* of a donated input: the index of the output that may
                             take over its memory; -1 for all other arrays */
} cyxla_array_spec;

/* ---- Memory -------------------------------------------------------------------- */

/* Alignment, in bytes, of memory that a plugin can use without a copy. */
#define CYXLA_ALIGNMENT 64

/* Memory aligned to CYXLA_ALIGNMENT, zeroed, to be freed with cyxla_aligned_free.
 * A size of 0 gives a valid pointer too. NULL if there is no memory left. */
CYXLA_API void *cyxla_aligned_alloc(size_t bytes);

/* Frees what cyxla_aligned_alloc returned; NULL is allowed. */
CYXLA_API void cyxla_aligned_free(void *memory);

/* ---- Programs ------------------------------------------------------------------ */

/* The largest number of dimensions of an input or output. */
#define CYXLA_RANK_MAXIMUM 64

typedef struct cyxla_program cyxla_program;

/* What a program is made of. cyxla_program_create copies everything. */
typedef struct cyxla_program_options {
  size_t struct_size;
  const char *platform; /* "cpu", "cuda", "rocm", "tpu" or a plugin's own name */
  const void *code;     /* StableHLO as a portable artifact */
  size_t code_bytes;
  const void *compile_options; /* a serialized xla.CompileOptionsProto of one replica
                                  and one partition; NULL or 0 bytes: default */
  size_t compile_options_bytes;
  const cyxla_array_spec *inputs; /* [num_inputs]; bytes is computed, not read */
  size_t num_inputs;
  const cyxla_array_spec *outputs; /* [num_outputs] */
  size_t num_outputs;
  const char *metadata; /* text that is kept with the program; NULL: "" */
} cyxla_program_options;
#define CYXLA_PROGRAM_OPTIONS_INIT \
  {sizeof(cyxla_program_options), NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL}

/* Makes a program from StableHLO and its signature. Python's cyxla.lower calls this;
 * most C programs use cyxla_open instead. Names must be unique among the inputs and
 * among the outputs, and not empty. The outputs are compared with the code when it is
 * compiled. The inputs cannot be: other dtypes of the same size give wrong numbers. */
CYXLA_API cyxla_status cyxla_program_create(const cyxla_program_options *options,
                                            cyxla_program **program,
                                            cyxla_error *error);
CYXLA_API void cyxla_program_destroy(cyxla_program *program);

/* Reads the program of a .cyxla file. No plugin is needed. */
CYXLA_API cyxla_status cyxla_program_load(const char *path, cyxla_program **program,
                                          cyxla_error *error);

/* Writes a .cyxla file that holds the program, and the executables that it was read
 * with. The file is written beside its final
 * name and renamed, so that a reader never sees half of it. Links are followed,
 * the permissions of an existing file are kept, and devices and pipes are refused. */
CYXLA_API cyxla_status cyxla_program_save(const cyxla_program *program,
                                          const char *path, cyxla_error *error);

/* The number of inputs, and of outputs. */
CYXLA_API size_t cyxla_program_num_inputs(const cyxla_program *program);
CYXLA_API size_t cyxla_program_num_outputs(const cyxla_program *program);

/* The specification of an input or output; NULL if there is no such index. */
CYXLA_API const cyxla_array_spec *cyxla_program_input(const cyxla_program *program,
                                                      size_t index);
CYXLA_API const cyxla_array_spec *cyxla_program_output(const cyxla_program *program,
                                                       size_t index);

/* As given when the program was created. */
CYXLA_API const char *cyxla_program_platform(const cyxla_program *program);
CYXLA_API const char *cyxla_program_metadata(const cyxla_program *program);

/* The StableHLO and the serialized xla.CompileOptionsProto; the size goes to *bytes,
 * unless bytes is NULL. */
CYXLA_API const void *cyxla_program_code(const cyxla_program *program, size_t *bytes);
CYXLA_API const void *cyxla_program_compile_options(const cyxla_program *program,
                                                    size_t *bytes);

/* A program may be one function at several sizes, which differ in the shapes of their
 * arrays. Each size is a program with a signature and code of its own, which compiles
 * and runs by itself; the handle that a file is read into, or that programs are joined
 * into, is the first of them. They live as long as one of them is referred to, and
 * saving one writes all. */
#define CYXLA_SIZES_MAXIMUM 4096

/* Joins programs as sizes of one function. They are copied, with their executables, in
 * order; of a program that has several sizes itself, the one that is given. All have to
 * be for one platform and to take and return arrays of the same names and dtypes, and
 * no two may take the same shapes, else CYXLA_INVALID_ARGUMENT. *joined is destroyed
 * with cyxla_program_destroy; NULL after a failure. */
CYXLA_API cyxla_status cyxla_program_join(const cyxla_program *const *programs,
                                          size_t num_programs, cyxla_program **joined,
                                          cyxla_error *error);

/* The number of sizes, 1 for most programs, and each of them: borrowed from the
 * program, so not to be destroyed; NULL if there is no such index. Any size may be
 * asked for all of them. */
CYXLA_API size_t cyxla_program_num_sizes(const cyxla_program *program);
CYXLA_API cyxla_program *cyxla_program_size(const cyxla_program *program, size_t index);

/* Picks the size whose inputs have the shapes that the caller is going to bind. Of
 * inputs[i], rank and shape are read; name says which input it is, NULL: the one in
 * that place; dtype is compared with the program's unless it is 0. As many are needed
 * as tell one size from all others, none where there is only one. *size is borrowed
 * from the program, so not to be destroyed; NULL after a failure. CYXLA_SIZE_NOT_FOUND
 * where no size fits, or more than one, with a list of those that there are;
 * CYXLA_INVALID_ARGUMENT for an input that the program does not have, or of another
 * dtype. */
CYXLA_API cyxla_status cyxla_program_pick(const cyxla_program *program,
                                          const cyxla_array_spec *inputs,
                                          size_t num_inputs, cyxla_program **size,
                                          cyxla_error *error);

/* What a file says of an executable that it holds beside the program. All pointers are
 * borrowed from the program. */
typedef struct cyxla_executable_info {
  size_t struct_size;
  const char *plugin_identity; /* of the plugin that compiled, see
                                  cyxla_runtime_plugin_identity */
  int pjrt_api_major;
  int pjrt_api_minor;
  const char *platform;
  const char *device_kind;  /* of the device that it was compiled for */
  const char *cpu_features; /* of the machine that compiled, see cyxla_cpu_features */
  size_t bytes;             /* of machine code, as the plugin serialized it */
  bool is_direct; /* it can be called directly, so that no plugin is needed to run it */
  bool reserved[7]; /* so that the struct ends where its last field does */
} cyxla_executable_info;
#define CYXLA_EXECUTABLE_INFO_INIT                                           \
  {                                                                          \
    sizeof(cyxla_executable_info), NULL, 0, 0, NULL, NULL, NULL, 0, false, { \
      false                                                                  \
    }                                                                        \
  }

/* The number of executables that the program was read with from a file, and what each
 * of them is: info's struct_size is set by the caller. cyxla_executable_create loads
 * one that fits. */
CYXLA_API size_t cyxla_program_num_executables(const cyxla_program *program);
CYXLA_API cyxla_status cyxla_program_executable_info(const cyxla_program *program,
                                                     size_t index,
                                                     cyxla_executable_info *info,
                                                     cyxla_error *error);

/* ---- Plugins ------------------------------------------------------------------- */

/* How many extensions of a plugin are listed at most; PJRT has 25 kinds. */
#define CYXLA_EXTENSIONS_MAXIMUM 64

/* What a plugin's library says about itself, without a client. Versions that it does
 * not tell are 0. */
typedef struct cyxla_plugin_info {
  size_t struct_size;
  int pjrt_api_major;
  int pjrt_api_minor;
  int64_t stablehlo_version[3];             /* the latest that it reads */
  int64_t stablehlo_minimum_version[3];     /* the oldest that it reads */
  int extensions[CYXLA_EXTENSIONS_MAXIMUM]; /* [num_extensions] of the PJRT API */
  size_t num_extensions;
} cyxla_plugin_info;
#define CYXLA_PLUGIN_INFO_INIT \
  {sizeof(cyxla_plugin_info), 0, 0, {0, 0, 0}, {0, 0, 0}, {0}, 0}

/* Loads the plugin at a path for good and initializes it. Fills in info, whose
 * struct_size the caller has set, as far as things are known also after a failure. */
CYXLA_API cyxla_status cyxla_plugin_inspect(const char *path, cyxla_plugin_info *info,
                                            cyxla_error *error);

/* The name of an extension, such as "FFI"; "unrecognized" for a number that cyxla does
 * not know. Static storage. */
CYXLA_API const char *cyxla_extension_name(int extension);

/* ---- Runtimes ------------------------------------------------------------------ */

typedef struct cyxla_runtime cyxla_runtime;

/* What an option's value is. */
typedef enum cyxla_option_type {
  CYXLA_OPTION_STRING = 0,
  CYXLA_OPTION_INT64 = 1,
  CYXLA_OPTION_INT64_LIST = 2,
  CYXLA_OPTION_FLOAT = 3,
  CYXLA_OPTION_BOOL = 4
} cyxla_option_type;

/* The value of an option: the member that its type names. */
typedef union cyxla_option_value {
  const char *string;
  int64_t int64;
  const int64_t *int64_list;
  float float32;
  bool boolean;
} cyxla_option_value;

/* An option of a plugin's client: {"cpu_device_count", CYXLA_OPTION_INT64, {.int64 =
 * 2}}. The struct will not change. */
typedef struct cyxla_option {
  const char *name;
  cyxla_option_type type;
  cyxla_option_value value;
  size_t num_elements; /* of int64_list; not read for other types */
} cyxla_option;

/* Which plugin to load, and how. */
typedef struct cyxla_runtime_options {
  size_t struct_size;
  const char *plugin;   /* path of the plugin's library; NULL: it is looked for */
  const char *platform; /* what the plugin has to implement; NULL: "cpu" where the
                           plugin is looked for, else whatever it implements */
  const cyxla_option *options; /* [num_options]; see cyxla_runtime_create */
  size_t num_options;
  size_t num_threads;  /* of the plugin's pool for computing; 0: as the plugin likes */
  bool without_lapack; /* no handlers of linear algebra, see "Custom calls" */
  bool reserved[7];    /* so that the struct ends where its last field does */
} cyxla_runtime_options;
#define CYXLA_RUNTIME_OPTIONS_INIT                                  \
  {                                                                 \
    sizeof(cyxla_runtime_options), NULL, NULL, NULL, 0, 0, false, { \
      false                                                         \
    }                                                               \
  }

/* Loads a plugin and creates its client; options may be NULL. A plugin is loaded once
 * a process and never unloaded, but may have several clients.
 *
 * Where no path is given, the plugin is the one that the environment variable
 * CYXLA_PLUGIN names, else a library in the library's own plugin directory.
 *
 * The options are handed to the plugin. Those that cyxla sets for a platform are
 * added, unless they are given: "cpu" runs synchronously on one device
 * (asynchronous=false, cpu_device_count=1), "cuda" and "rocm" do not preallocate
 * memory (preallocate=false). */
CYXLA_API cyxla_status cyxla_runtime_create(const cyxla_runtime_options *options,
                                            cyxla_runtime **runtime,
                                            cyxla_error *error);
CYXLA_API void cyxla_runtime_destroy(cyxla_runtime *runtime);

/* What a runtime is. All pointers are borrowed from the runtime. */
typedef struct cyxla_runtime_info {
  size_t struct_size;
  const char *platform;         /* in lower case, such as "cpu" */
  const char *platform_version; /* the plugin's own text */
  const char *plugin_path;      /* absolute, without links */
  int pjrt_api_major;
  int pjrt_api_minor;
  int64_t stablehlo_version[3]; /* the latest that the plugin reads; 0.0.0: unknown */
  size_t num_devices;           /* that this process can use */
  bool zero_copy;               /* runs use the caller's memory without copies */
  bool reserved[7];             /* so that the struct ends where its last field does */
} cyxla_runtime_info;
#define CYXLA_RUNTIME_INFO_INIT                                                \
  {                                                                            \
    sizeof(cyxla_runtime_info), NULL, NULL, NULL, 0, 0, {0, 0, 0}, 0, false, { \
      false                                                                    \
    }                                                                          \
  }

/* Fills in info, whose struct_size the caller has set. */
CYXLA_API cyxla_status cyxla_runtime_get_info(const cyxla_runtime *runtime,
                                              cyxla_runtime_info *info,
                                              cyxla_error *error);

/* The plugin's name for the kind of a device; NULL if there is no such index. */
CYXLA_API const char *cyxla_runtime_device_kind(const cyxla_runtime *runtime,
                                                size_t index);

/* Which build of a plugin a runtime uses: the XXH64 and the size of its library, as in
 * "8f3b0c5d2e417a96-181403648", which is a legal name of a file. Nothing else tells two
 * builds apart. The library is read when this is asked for first; CYXLA_FAILED_
 * PRECONDITION where it was replaced after it had been loaded. Borrowed. */
CYXLA_API cyxla_status cyxla_runtime_plugin_identity(const cyxla_runtime *runtime,
                                                     const char **identity,
                                                     cyxla_error *error);

/* The architecture of this machine's processor and, on x86-64, the instruction sets
 * that it has and that the operating system lets programs use, by LLVM's names in
 * alphabetical order: "x86-64 adx aes avx avx2". Static storage. */
CYXLA_API const char *cyxla_cpu_features(void);

/* ---- Custom calls -------------------------------------------------------------- */

/* Programs with linear algebra (jnp.linalg, jax.scipy.linalg, products of sparse
 * matrices) call native functions too. The library has handlers for those of the
 * platform "cpu", and registers the ones that a program names when it is compiled,
 * unless a handler of that name is registered already. They call the machine's LAPACK:
 * the library that the environment variable CYXLA_LAPACK names, else the first of
 * liblapack, libopenblas and libmkl_rt that the loader finds and that is complete, or
 * else can be used. It is loaded once and kept. Whether its integers have 4 or 8 bytes
 * is measured. Without one, compiling such a program fails with CYXLA_NOT_FOUND, and
 * the message names the target and what to install. A runtime that is created
 * `without_lapack` registers none of them. Handlers belong to the plugin, so those that
 * another runtime of it has registered serve it too. */

/* A function of XLA's typed FFI, XLA_FFI_Error *(XLA_FFI_CallFrame *), as a pointer of
 * one type for all. It has to live as long as the process. */
typedef void cyxla_ffi_function(void);

/* A native function that programs call by name, with the functions of its stages. */
typedef struct cyxla_ffi_handler {
  size_t struct_size;
  const char *name;                /* the target of the custom call */
  const char *platform;            /* NULL: the runtime's */
  cyxla_ffi_function *instantiate; /* makes the state of a call; may be NULL */
  cyxla_ffi_function *prepare;     /* may be NULL */
  cyxla_ffi_function *initialize;  /* may be NULL */
  cyxla_ffi_function *execute;
  uint64_t traits; /* XLA_FFI_Handler_Traits */
} cyxla_ffi_handler;

/* A handler without a name or functions. */
#define CYXLA_FFI_HANDLER_INIT \
  {sizeof(cyxla_ffi_handler), NULL, NULL, NULL, NULL, NULL, NULL, 0}

/* Registers a handler with the runtime's plugin, for all its runtimes, before a program
 * that calls it is compiled. A name that is taken is an error, unless the functions are
 * the same. Any thread may call it. */
CYXLA_API cyxla_status cyxla_ffi_register(cyxla_runtime *runtime,
                                          const cyxla_ffi_handler *handler,
                                          cyxla_error *error);

/* Registers the type of the state that handlers keep. *type_id is the number that the
 * handlers know it by; 0 asks for a new one. deleter frees a state. */
CYXLA_API cyxla_status cyxla_ffi_register_type(cyxla_runtime *runtime, const char *name,
                                               int64_t *type_id,
                                               void (*deleter)(void *state),
                                               cyxla_error *error);

/* ---- Executables --------------------------------------------------------------- */

typedef struct cyxla_executable cyxla_executable;

/* How calls run. */
typedef enum cyxla_tier {
  CYXLA_TIER_DEFAULT = 0, /* what the environment variable CYXLA_TIER says: auto, pjrt
                             or direct; auto where it is unset */
  CYXLA_TIER_AUTO = 1,    /* direct where cyxla knows all of the code, its results are
                             the plugin's, bit for bit, and the plugin is not faster;
                             else pjrt, as where a custom call has side effects. The
                             results are compared when the executable is made, on made-up
                             inputs; those of a loop whose length depends on its inputs,
                             of handlers that may not take such inputs, and of runs that
                             take long, in the first runs of calls, which happen both
                             ways */
  CYXLA_TIER_PJRT = 2,    /* through the plugin */
  CYXLA_TIER_DIRECT = 3 /* the machine code itself, which the library takes out of what
                           the plugin serializes: on Linux on x86-64, XLA's CPU
                           plugins. A failure where it does not know all of the code */
} cyxla_tier;

/* How a program is made ready. */
typedef struct cyxla_executable_options {
  size_t struct_size;
  const void *serialized; /* what cyxla_executable_serialize gave, to be loaded under
                             the rules of cyxla_executable_deserialize; NULL: what the
                             program's file holds is loaded, or it is compiled */
  size_t serialized_bytes;
  cyxla_tier tier;
  bool without_comparison;     /* of direct code with the plugin */
  bool reserved[3];            /* so that examples is aligned */
  const void *const *examples; /* [num_inputs] arrays in row-major order, on which
                                  direct code is compared too, so that no run has to;
                                  only read while the executable is made; NULL: none */
} cyxla_executable_options;
#define CYXLA_EXECUTABLE_OPTIONS_INIT \
  {sizeof(cyxla_executable_options),  \
   NULL,                              \
   0,                                 \
   CYXLA_TIER_DEFAULT,                \
   false,                             \
   {false, false, false},             \
   NULL}

/* Compiles a program for the first device of a runtime. */
CYXLA_API cyxla_status cyxla_executable_compile(cyxla_runtime *runtime,
                                                cyxla_program *program,
                                                cyxla_executable **executable,
                                                cyxla_error *error);

/* Makes a program ready to run on the first device of a runtime. If it was read from a
 * file with an executable of this very build of the plugin, for this kind of device and
 * a processor whose features this one all has, and XLA_FLAGS was the same, that is
 * loaded; else, and where the plugin refuses it, the program is compiled. Without a
 * runtime only code of the program's file that is called directly serves, as in
 * cyxla_open; CYXLA_FAILED_PRECONDITION where the file has none for this machine. */
CYXLA_API cyxla_status cyxla_executable_create(cyxla_runtime *runtime,
                                               cyxla_program *program,
                                               cyxla_executable **executable,
                                               cyxla_error *error);

/* The same with options, which may be NULL. */
CYXLA_API cyxla_status
cyxla_executable_create_with(cyxla_runtime *runtime, cyxla_program *program,
                             const cyxla_executable_options *options,
                             cyxla_executable **executable, cyxla_error *error);

/* Makes an executable of what cyxla_executable_serialize gave for the same program,
 * without compiling it. The data has to come from this very build of the plugin, see
 * cyxla_runtime_plugin_identity, and from a machine whose cyxla_cpu_features this one
 * all has. Nobody checks that: a plugin takes the data of another build and computes
 * wrong numbers with it, and one changed bit may do so too. Keep a checksum beside it.
 * The outputs are compared with the program's signature as after compiling. */
CYXLA_API cyxla_status cyxla_executable_deserialize(cyxla_runtime *runtime,
                                                    cyxla_program *program,
                                                    const void *data, size_t bytes,
                                                    cyxla_executable **executable,
                                                    cyxla_error *error);

/* Where a file's program is to run. */
typedef struct cyxla_open_options {
  size_t struct_size;
  cyxla_runtime *runtime; /* NULL: the default runtime, see cyxla_open */
  const char *plugin;     /* path of the plugin for the default runtime; NULL: look */
  const cyxla_array_spec *inputs; /* [num_inputs]: of a file with several sizes, which
                                     one, see cyxla_program_pick */
  size_t num_inputs;
  cyxla_tier tier;
  bool with_plugin; /* one is loaded also where the file's code is called directly */
  bool reserved[3]; /* so that the struct ends where its last field does */
} cyxla_open_options;
#define CYXLA_OPEN_OPTIONS_INIT                                                   \
  {                                                                               \
    sizeof(cyxla_open_options), NULL, NULL, NULL, 0, CYXLA_TIER_DEFAULT, false, { \
      false                                                                       \
    }                                                                             \
  }

/* Opens a .cyxla file and makes its program ready to run, as cyxla_executable_create
 * does; options may be NULL. A file that holds a function at several sizes needs the
 * shapes of the inputs in the options, and that size is opened; another one is compiled
 * or opened by itself: cyxla_program_pick with the executable's program finds it.
 *
 * A file that was saved from an executable of the tier "direct" holds code that runs
 * without a plugin: on a machine with all the processor features that it was compiled
 * for, and where the options name no runtime or plugin and the tier is not pjrt, no
 * plugin is looked for or loaded, and the executable has no runtime.
 *
 * Otherwise, without a runtime in the options, a default one is made from the plugin in
 * the options, else the one that the environment variable CYXLA_PLUGIN names, else a
 * plugin that lies beside the file, else the plugin that was recorded when the file
 * was saved, if that library is unchanged, else one in the library's own plugin
 * directory. Default runtimes are shared by all that are opened with the same plugin
 * and live until the process ends.
 *
 * A .cyxla file is turned into machine code, and a plugin that lies beside it is
 * loaded: open only files that you trust, in directories that others cannot write. */
CYXLA_API cyxla_status cyxla_open(const char *path, const cyxla_open_options *options,
                                  cyxla_executable **executable, cyxla_error *error);
CYXLA_API void cyxla_executable_destroy(cyxla_executable *executable);

/* Writes a .cyxla file that holds the executable's program, the executable itself and
 * which plugin made it, so that the file is opened without compiling on machines like
 * this one. Executables of other plugins and machines are kept if they belong to the
 * same program: those that the program was read with, and those of the file that is
 * replaced. Where the plugin cannot serialize the executable the file has none of it.
 * Written like cyxla_program_save. */
CYXLA_API cyxla_status cyxla_executable_save(const cyxla_executable *executable,
                                             const char *path, cyxla_error *error);

/* The same for executables of several sizes of one program, in one step: of sizes that
 * were joined or read together, no two of the same size, all made by the same plugin;
 * CYXLA_INVALID_ARGUMENT for others. Those sizes that are not given are written too,
 * with the executables that they were read with. */
CYXLA_API cyxla_status
cyxla_executable_save_all(const cyxla_executable *const *executables,
                          size_t num_executables, const char *path, cyxla_error *error);

/* The plugin's own serialization of the executable, as PJRT gives it: machine code for
 * this very build of the plugin and a processor like this one. Any other plugin that
 * loads it may crash or compute wrong numbers. Of an executable that was loaded it is
 * what that was loaded from. *data holds *bytes bytes and is freed with
 * cyxla_aligned_free. */
CYXLA_API cyxla_status cyxla_executable_serialize(const cyxla_executable *executable,
                                                  void **data, size_t *bytes,
                                                  cyxla_error *error);

/* The program and the runtime that the executable was made of; borrowed. The runtime is
 * NULL where a file was opened without a plugin. */
CYXLA_API cyxla_program *cyxla_executable_program(const cyxla_executable *executable);
CYXLA_API cyxla_runtime *cyxla_executable_runtime(const cyxla_executable *executable);

/* The number of inputs, and of outputs. */
CYXLA_API size_t cyxla_executable_num_inputs(const cyxla_executable *executable);
CYXLA_API size_t cyxla_executable_num_outputs(const cyxla_executable *executable);

/* The specification of an input or output; NULL if there is no such index. */
CYXLA_API const cyxla_array_spec *cyxla_executable_input(
    const cyxla_executable *executable, size_t index);
CYXLA_API const cyxla_array_spec *cyxla_executable_output(
    const cyxla_executable *executable, size_t index);

/* The index of the input or output of that name, (size_t)-1 if there is none. */
CYXLA_API size_t cyxla_executable_find_input(const cyxla_executable *executable,
                                             const char *name);
CYXLA_API size_t cyxla_executable_find_output(const cyxla_executable *executable,
                                              const char *name);

/* How calls run: "pjrt" or "direct", see cyxla_tier. */
CYXLA_API const char *cyxla_executable_tier(const cyxla_executable *executable);

/* Why calls run through the plugin where CYXLA_TIER_AUTO was asked for; "" else.
 * Borrowed, and may change while the first runs are compared. */
CYXLA_API const char *cyxla_executable_tier_reason(const cyxla_executable *executable);

/* Seconds that the plugin took to compile, or to load what had been compiled before. */
CYXLA_API double cyxla_executable_compile_seconds(const cyxla_executable *executable);

/* Whether the executable was loaded and not compiled. */
CYXLA_API bool cyxla_executable_is_deserialized(const cyxla_executable *executable);

/* Bytes of machine code as the plugin counts them, -1 where it does not tell. */
CYXLA_API int64_t cyxla_executable_code_bytes(const cyxla_executable *executable);

/* ---- Calls --------------------------------------------------------------------- */

typedef struct cyxla_call cyxla_call;

/* Makes a call with zeroed input arrays of its own. */
CYXLA_API cyxla_status cyxla_call_create(cyxla_executable *executable,
                                         cyxla_call **call, cyxla_error *error);
CYXLA_API void cyxla_call_destroy(cyxla_call *call);

/* The array of an input, to be filled in before a run: the call's own, which is aligned
 * to CYXLA_ALIGNMENT, or what is bound. It keeps its values from run to run, also where
 * the input is donated, unless the output that takes it over is bound to it. NULL if
 * there is no such index. */
CYXLA_API void *cyxla_call_input(cyxla_call *call, size_t index);

/* The array of an output of the last run, valid until the next run or the end of the
 * call: the plugin's memory or the call's own, aligned to CYXLA_ALIGNMENT, or what is
 * bound. NULL before the first run, after a failed one and if there is no such index.
 */
CYXLA_API const void *cyxla_call_output(const cyxla_call *call, size_t index);

/* Puts the caller's own memory in the place of an input's array; NULL puts the call's
 * own array back. The memory has as many bytes as the specification says and any
 * alignment, is read by each run, and has to live until something else is bound or the
 * call is destroyed. It is written only if the output that takes over this input is
 * bound to it. Memory that is not aligned to CYXLA_ALIGNMENT is copied by each run.
 * The array of an output that is not bound ends with the next run and is refused where
 * it is this call's. Binding costs as much as a short run: bind once and change the
 * contents. */
CYXLA_API cyxla_status cyxla_call_bind_input(cyxla_call *call, size_t index,
                                             const void *memory, cyxla_error *error);

/* Lets each run put an output into the caller's own memory; NULL ends that. Rules as
 * for an input. Where the output takes over a donated input (aliased_output) and both
 * are bound to the same aligned memory, or the output to cyxla_call_input of it, the
 * program updates that memory in place; after a failed run its contents are undefined.
 * Direct code writes any output into memory that is aligned to CYXLA_ALIGNMENT; through
 * the plugin any other output is copied there. The memory may overlap no other output
 * and no other input. */
CYXLA_API cyxla_status cyxla_call_bind_output(cyxla_call *call, size_t index,
                                              void *memory, cyxla_error *error);

/* Whether a run copies the input, or the last run copied the output, rather than using
 * the array where it lies. False if there is no such index. */
CYXLA_API bool cyxla_call_input_is_copied(const cyxla_call *call, size_t index);
CYXLA_API bool cyxla_call_output_is_copied(const cyxla_call *call, size_t index);

/* Runs the executable on the input arrays and returns when the outputs are there.
 *
 * XLA's CPU client runs 32 executions at once; more wait until one of them ends. A
 * handler or callback that runs an executable keeps its own place meanwhile, so where
 * 32 of them do so at once all wait for ever: have at most 31 runs at once whose
 * handlers run executables. A thread may be in 16 runs, each started by a handler of
 * the one before; a deeper one is CYXLA_FAILED_PRECONDITION. */
CYXLA_API cyxla_status cyxla_call_run(cyxla_call *call, cyxla_error *error);

/* The executable that the call runs; borrowed. */
CYXLA_API cyxla_executable *cyxla_call_executable(const cyxla_call *call);

#ifdef __cplusplus
}
#endif

#endif /* CYXLA_H */
