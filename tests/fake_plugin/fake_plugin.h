/* The controls of the fake plugin, a small PJRT plugin that exists to be tested with.
 *
 * The plugin counts the objects that are alive, can fail any of its calls and can
 * break the rules of PJRT in chosen ways. Tests load it with dlopen and look the
 * controls up by name ("fake_plugin_" and the names below). Each copy of the library
 * has a state of its own.
 *
 * It compiles and runs programs in a language of its own, one line an argument or a
 * result; "mlir" is the only program format it knows, as for JAX:
 *
 *   input float32[3]
 *   input float32[3]
 *   output float32[3] = sum 0 1          the element-wise sum of two inputs
 *   output float32[3] = negate 0         the negative of an input
 *   output float32[3] = argument 1       a copy of an input
 *   output float32[3] = zeros            no inputs are needed
 *   output float32[3] into 0 = negate 0  takes over the memory of input 0, if donated
 *
 * Empty lines and lines that begin with # are skipped.
 */
#ifndef FAKE_PLUGIN_H
#define FAKE_PLUGIN_H

#include <stddef.h>

/* Kinds of objects that are counted. */
typedef enum {
  FAKE_ERROR,
  FAKE_CLIENT,
  FAKE_EVENT,
  FAKE_EXECUTABLE,
  FAKE_LOADED_EXECUTABLE,
  FAKE_BUFFER,
  FAKE_EXECUTE_CONTEXT,
  FAKE_SERIALIZED_EXECUTABLE,
  FAKE_NUM_KINDS
} fake_kind;

/* What can be changed about the plugin; reset sets all to the values in brackets. */
typedef enum {
  FAKE_ERROR_CODE,          /* of failed calls [13, INTERNAL] */
  FAKE_API_MAJOR,           /* [0] */
  FAKE_API_MINOR,           /* [114] */
  FAKE_API_STRUCT_SIZE,     /* bytes of the function table [all of it] */
  FAKE_ATTRIBUTES,          /* a fake_attributes [normal] */
  FAKE_EXTENSIONS,          /* a fake_extensions [two] */
  FAKE_FFI_MINOR,           /* version of the FFI [4] */
  FAKE_FFI_REFUSES,         /* 1: PJRT's extension takes no handler [0] */
  FAKE_FFI_IS_SILENT,       /* 1: it takes them without asking what they are [0] */
  FAKE_FFI_API_BYTES,       /* of the FFI's function table; 0: all of it [0] */
  FAKE_NUM_DEVICES,         /* unless the client's options say otherwise [1] */
  FAKE_ANY_OPTION,          /* 1: unknown client options are ignored [0] */
  FAKE_CLIENT_MICROSECONDS, /* that it takes to make a client [0] */
  FAKE_NULL_CLIENT,         /* 1: the client is NULL, without an error [0] */
  FAKE_NULL_EXECUTABLE,     /* 1: compiled programs are NULL, without an error [0] */
  FAKE_NUM_PARTITIONS,      /* [1] */
  FAKE_NUM_REPLICAS,        /* [1] */
  FAKE_NUM_OUTPUTS,         /* that are reported [-1, what there is] */
  FAKE_NUM_OUTPUT_TYPES,    /* that are reported [-1, what there is] */
  FAKE_OUTPUT_TYPE,         /* reported of output 0 [-1, what it is] */
  FAKE_OUTPUT_RANK,         /* reported of output 0 [-1, what it is] */
  FAKE_OUTPUT_SIZE,         /* reported of output 0's dimensions [-1, what it is] */
  FAKE_CODE_BYTES,          /* size of the generated code [1234] */
  FAKE_LAYOUT,              /* of outputs, a fake_layout [row major] */
  FAKE_MISALIGNED_OUTPUT,   /* 1: outputs start 4 bytes behind an aligned address [0] */
  FAKE_NULL_OUTPUT,         /* 1: output buffers are NULL, without an error [0] */
  FAKE_NULL_EMPTY,          /* 1: buffers without elements lie at address 0 [0] */
  FAKE_ZERO_COPY,           /* 0: host memory is always copied [1] */
  FAKE_ON_CPU,              /* 0: buffers are elsewhere, addresses are bogus [1] */
  FAKE_EVENTS_PENDING,      /* 1: results appear when an event is awaited [0] */
  FAKE_AWAIT_FAILS,         /* 1: executions fail when their event is awaited [0] */
  FAKE_DIVIDES_BY_ZERO,     /* 1: every call does [0] */
  FAKE_NUM_KNOBS
} fake_knob;

typedef enum {
  FAKE_TEXT_PLATFORM,      /* the platform's name ["cpu"] */
  FAKE_TEXT_ERROR_MESSAGE, /* of failed calls ["injected failure"] */
  FAKE_NUM_TEXTS
} fake_text;

typedef enum {
  FAKE_ATTRIBUTES_NORMAL, /* StableHLO 1.18.1 at most, 0.9.0 at least */
  FAKE_ATTRIBUTES_NONE,
  FAKE_ATTRIBUTES_WRONG_TYPE, /* StableHLO's version is a string */
  FAKE_ATTRIBUTES_SHORT_LIST  /* StableHLO's version has two numbers */
} fake_attributes;

typedef enum {
  FAKE_EXTENSIONS_TWO, /* FFI and one of an unknown number */
  FAKE_EXTENSIONS_NONE,
  FAKE_EXTENSIONS_ENDLESS /* the last is followed by the first */
} fake_extensions;

typedef enum {
  FAKE_LAYOUT_ROW_MAJOR,
  FAKE_LAYOUT_COLUMN_MAJOR,
  FAKE_LAYOUT_STRIDES_ROW_MAJOR,
  FAKE_LAYOUT_STRIDES_COLUMN_MAJOR,
  FAKE_LAYOUT_TILED,   /* row major, and cut into tiles */
  FAKE_LAYOUT_NO_ORDER /* row major, but without an order of dimensions */
} fake_layout;

/* F(type of the result, name, arguments) for each control. */
#define FAKE_PLUGIN_CONTROLS(F)                                                        \
  /* Sets all knobs and counters back, and forgets what was recorded. */               \
  F(void, reset, (void))                                                               \
  F(void, set, (fake_knob knob, long value))                                           \
  F(void, set_text, (fake_text which, const char *text))                               \
  /* The call after the next n calls fails, once; a negative n: none does. */          \
  F(void, fail_call, (long n))                                                         \
  /* As fail_call, but all later calls fail too. */                                    \
  F(void, fail_from, (long n))                                                         \
  /* All calls of the function fail, such as "PJRT_Client_Create"; NULL: of none. */   \
  F(void, fail_function, (const char *name))                                           \
  /* Each execution calls the function once, as it would a handler; NULL: none. */     \
  F(void, call_in_execution, (void (*function)(void)))                                 \
  /* The function's place in the table is NULL from now on; NULL: none is. */          \
  F(void, remove_function, (const char *name))                                         \
  /* The function that was made to fail last, NULL: none since the reset. */           \
  F(const char *, failed_function, (void))                                             \
  /* How many calls there were, of functions that can fail. */                         \
  F(long, calls, (void))                                                               \
  F(long, calls_of, (const char *name))                                                \
  /* How many objects of a kind are alive. */                                          \
  F(long, live, (fake_kind kind))                                                      \
  F(long, live_total, (void))                                                          \
  /* The function of a handler's stage (0 instantiate to 3 execute); NULL: none. */    \
  F(const void *, ffi_function, (const char *name, int stage))                         \
  /* What the caller did against the rules of PJRT first; NULL: nothing. */            \
  F(const char *, violation, (void))                                                   \
  /* The options of the last client as "name=type value"; NULL: no such index. */      \
  F(const char *, client_option, (size_t index))                                       \
  /* The size of the thread pool, as the last client was given it: the variables as in \
   * "PJRT_NPROC=2 NPROC=2". */                                                        \
  F(const char *, environment, (void))                                                 \
  /* The compile options of the last compilation, and their size. */                   \
  F(const void *, compile_options, (size_t *bytes))

#define FAKE_PLUGIN_DECLARE(result, name, arguments) \
  __attribute__((visibility("default"))) result fake_plugin_##name arguments;
FAKE_PLUGIN_CONTROLS(FAKE_PLUGIN_DECLARE)

#endif
