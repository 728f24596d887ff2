#include "executable.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "error.h"
#include "executable_check.h"
#include "fpenv.h"
#include "linalg/targets.h"
#include "memory.h"
#include "options.h"
#include "stablehlo.h"

static const cyxla_executable_options DEFAULTS = CYXLA_EXECUTABLE_OPTIONS_INIT;

/* What XLA says where the target of a custom call is missing, and what to do then. */
static const struct {
  const char *text;
  const char *advice;
} ADVICE[] = {
    {"No FFI handler registered for",
     "; register a handler of XLA's typed FFI under that name first, with "
     "cyxla_ffi_register in C or register_ffi_target in Python"},
    {"No registered implementation for untyped custom call",
     "; the call has an API version of the older untyped interface (api_version=0 to "
     "3), "
     "which plugins do not run: it needs a handler of the typed FFI (api_version=4, in "
     "jax.ffi api_version=1)"},
};

/* Where the target is one that cyxla brings a handler of, `missing` says why it has
 * none. */
static cyxla_status add_advice(cyxla_status status, const cyxla_error *missing,
                               cyxla_error *error) {
  if (error != NULL && missing->status != CYXLA_OK &&
      strstr(error->message, "No FFI handler registered for lapack_") != NULL) {
    cyxla_error_append(error, "; ");
    cyxla_error_append(error, missing->message);
    return status;
  }
  for (size_t i = 0; error != NULL && i < sizeof(ADVICE) / sizeof(ADVICE[0]); i++) {
    if (strstr(error->message, ADVICE[i].text) != NULL) {
      cyxla_error_append(error, ADVICE[i].advice);
    }
  }
  return status;
}

/* A plugin reads much of what is newer than itself, so only what it has refused is told
 * to be too new. */
static void add_versions(const cyxla_executable *executable, cyxla_error *error) {
  const cyxla_program *program = executable->program;
  const int64_t *known = executable->runtime->plugin->stablehlo_version;
  int64_t version[3];
  char text[256];

  if (error == NULL || (known[0] == 0 && known[1] == 0 && known[2] == 0) ||
      !cyxla_stablehlo_version(program->code, program->code_bytes, version) ||
      !cyxla_stablehlo_is_later(version, known)) {
    return;
  }
  snprintf(
      text, sizeof(text),
      "; the program is written for StableHLO %d.%d.%d, and the plugin reads those "
      "up to %d.%d.%d: save it for that version (stablehlo_target of cyxla.save in "
      "Python), or use a newer plugin",
      (int)version[0], (int)version[1], (int)version[2], (int)known[0], (int)known[1],
      (int)known[2]);
  cyxla_error_append(error, text);
}

static cyxla_status compile(cyxla_executable *executable, cyxla_error *error) {
  static const char format[] = "mlir";
  const PJRT_Api *api = executable->runtime->plugin->api;
  const cyxla_program *program = executable->program;
  PJRT_Program code = {sizeof(code),        NULL,   (char *)program->code,
                       program->code_bytes, format, strlen(format)};
  PJRT_Client_Compile_Args args;
  cyxla_status status;

  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.client = executable->runtime->client;
  args.program = &code;
  args.compile_options = (const char *)program->compile_options;
  args.compile_options_size = program->compile_options_bytes;
  status = cyxla_error_from_pjrt(api, api->PJRT_Client_Compile(&args),
                                 "compile the program", error);
  if (status == CYXLA_OK) {
    executable->loaded = args.executable;
  } else {
    add_versions(executable, error);
  }
  return status;
}

/* What is loaded in the place of compiling. */
typedef struct serialized {
  const void *data;
  size_t bytes;
  bool is_from_file; /* the program keeps the data */
  bool is_direct;    /* it was called directly before it was saved */
} serialized;

/* A plugin cannot serialize what it has loaded, so the data is kept for that. */
static cyxla_status keep(cyxla_executable *executable, const serialized *source,
                         cyxla_error *error) {
  executable->is_deserialized = true;
  executable->is_from_file = source->is_from_file;
  executable->is_trusted = source->is_direct;
  executable->serialized = source->data;
  executable->serialized_bytes = source->bytes;
  if (source->is_from_file) return CYXLA_OK;
  executable->serialized_copy = cyxla_duplicate(source->data, source->bytes);
  executable->serialized = executable->serialized_copy;
  return executable->serialized != NULL
             ? CYXLA_OK
             : cyxla_error_out_of_memory(error, "an executable");
}

static cyxla_status deserialize(cyxla_executable *executable, const serialized *source,
                                cyxla_error *error) {
  const PJRT_Api *api = executable->runtime->plugin->api;
  PJRT_Executable_DeserializeAndLoad_Args args;
  cyxla_status status = keep(executable, source, error);

  if (status != CYXLA_OK) return status;
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.client = executable->runtime->client;
  args.serialized_executable = source->data;
  args.serialized_executable_size = source->bytes;
  status = cyxla_error_from_pjrt(api, api->PJRT_Executable_DeserializeAndLoad(&args),
                                 "load a serialized executable", error);
  if (status == CYXLA_OK) executable->loaded = args.loaded_executable;
  return status;
}

/* Compiles the program, or loads the source unless that is NULL. Both look up the
 * handlers of custom calls, which have to be there before. */
static cyxla_status build(cyxla_executable *executable, const serialized *source,
                          cyxla_error *error) {
  const cyxla_program *program = executable->program;
  double start = cyxla_clock_seconds();
  cyxla_error missing = {CYXLA_OK, ""};
  cyxla_status status;

  cyxla_linalg_prepare(executable->runtime, program->code, program->code_bytes,
                       &missing);
  status = source != NULL ? deserialize(executable, source, error)
                          : compile(executable, error);
  if (status != CYXLA_OK) return add_advice(status, &missing, error);
  if (executable->loaded == NULL) {
    return cyxla_error_set(error, CYXLA_PLUGIN_INVALID,
                           "the plugin %s returned no executable and no error",
                           executable->runtime->plugin->path);
  }
  executable->compile_seconds = cyxla_clock_seconds() - start;
  return cyxla_executable_check(executable, error);
}

static cyxla_status check_platform(const cyxla_runtime *runtime,
                                   const cyxla_program *program, cyxla_error *error) {
  if (strcmp(runtime->platform, program->platform) == 0) return CYXLA_OK;
  return cyxla_error_set(
      error, CYXLA_PLATFORM_MISMATCH,
      "the program was lowered for the platform %s, and the plugin %s "
      "implements %s; lower it again or use another plugin",
      program->platform, runtime->plugin->path, runtime->platform);
}

static cyxla_status make(cyxla_runtime *runtime, cyxla_program *program,
                         const serialized *source,
                         const cyxla_executable_options *options,
                         cyxla_executable **executable, cyxla_error *error) {
  cyxla_executable *made;
  cyxla_fpenv caller;
  cyxla_status status = cyxla_runtime_check_process(runtime, error);

  if (status == CYXLA_OK) status = check_platform(runtime, program, error);
  if (status != CYXLA_OK) return status;
  made = cyxla_allocate(sizeof(*made));
  if (made == NULL) return cyxla_error_out_of_memory(error, "an executable");
  made->references = 1;
  made->program = cyxla_program_retain(program);
  made->runtime = cyxla_runtime_retain(runtime);
  cyxla_fpenv_enter(&caller);
  status = build(made, source, error);
  if (status == CYXLA_OK) status = cyxla_executable_choose_tier(made, options, error);
  cyxla_fpenv_leave(&caller);
  if (status != CYXLA_OK) {
    cyxla_executable_destroy(made);
    return status;
  }
  *executable = made;
  return CYXLA_OK;
}

cyxla_status cyxla_executable_compile(cyxla_runtime *runtime, cyxla_program *program,
                                      cyxla_executable **executable,
                                      cyxla_error *error) {
  CYXLA_REQUIRE(executable, error);
  *executable = NULL;
  CYXLA_REQUIRE(runtime, error);
  CYXLA_REQUIRE(program, error);
  return make(runtime, program, NULL, &DEFAULTS, executable, error);
}

static bool can_deserialize(const cyxla_runtime *runtime) {
  return CYXLA_PLUGIN_HAS(runtime->plugin->api, PJRT_Executable_DeserializeAndLoad);
}

/* Loads the program's own executable that fits, if there is one. Where the plugin
 * refuses it none is made, and that is no failure. */
static cyxla_status load_own(cyxla_runtime *runtime, cyxla_program *program,
                             const cyxla_executable_options *options,
                             cyxla_executable **executable, cyxla_error *error) {
  const cyxla_compiled *found;
  serialized source = {NULL, 0, true, false};
  cyxla_status status = cyxla_compiled_find(program, runtime, &found, error);

  if (status != CYXLA_OK || found == NULL) return status;
  source.data = found->data;
  source.bytes = found->bytes;
  source.is_direct = found->is_direct;
  status = make(runtime, program, &source, options, executable, NULL);
  if (status != CYXLA_OUT_OF_MEMORY) return CYXLA_OK;
  return cyxla_error_out_of_memory(error, "an executable");
}

static cyxla_status load_given(cyxla_runtime *runtime, cyxla_program *program,
                               const cyxla_executable_options *options,
                               cyxla_executable **executable, cyxla_error *error) {
  const serialized source = {options->serialized, options->serialized_bytes, false,
                             false};

  if (!can_deserialize(runtime)) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "the plugin %s cannot load serialized executables",
                           runtime->plugin->path);
  }
  return make(runtime, program, &source, options, executable, error);
}

static cyxla_status check_examples(const cyxla_program *program,
                                   const cyxla_executable_options *options,
                                   cyxla_error *error) {
  for (size_t i = 0; options->examples != NULL && i < program->inputs.count; i++) {
    if (options->examples[i] != NULL || program->inputs.specs[i].bytes == 0) continue;
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "array %zu of the examples is NULL", i);
  }
  return CYXLA_OK;
}

/* As an executable that was opened without a plugin gives NULL for its runtime. */
static cyxla_status load_without_plugin(cyxla_program *program,
                                        const cyxla_executable_options *options,
                                        cyxla_executable **executable,
                                        cyxla_error *error) {
  cyxla_tier tier = options->tier;
  cyxla_error refusal = {CYXLA_OK, "the tier pjrt needs one"};
  cyxla_status status = cyxla_tier_resolve(&tier, error);

  if (status != CYXLA_OK) return status;
  status = CYXLA_UNIMPLEMENTED;
  if (tier != CYXLA_TIER_PJRT && options->serialized == NULL) {
    status = cyxla_executable_create_without_plugin(program, executable, &refusal);
    if (status == CYXLA_UNIMPLEMENTED) cyxla_executable_explain(program, &refusal);
  }
  if (status == CYXLA_OK || status == CYXLA_OUT_OF_MEMORY) {
    return status == CYXLA_OK ? status : cyxla_error_out_of_memory(error, "code");
  }
  return cyxla_error_set(error, CYXLA_FAILED_PRECONDITION,
                         "the runtime is NULL, and the program cannot run without one: "
                         "%s",
                         refusal.message);
}

cyxla_status cyxla_executable_create(cyxla_runtime *runtime, cyxla_program *program,
                                     cyxla_executable **executable,
                                     cyxla_error *error) {
  return cyxla_executable_create_with(runtime, program, NULL, executable, error);
}

cyxla_status cyxla_executable_create_with(cyxla_runtime *runtime,
                                          cyxla_program *program,
                                          const cyxla_executable_options *options,
                                          cyxla_executable **executable,
                                          cyxla_error *error) {
  cyxla_executable_options used = DEFAULTS;
  cyxla_status status;

  CYXLA_REQUIRE(executable, error);
  *executable = NULL;
  CYXLA_REQUIRE(program, error);
  status = cyxla_options_read(&used, sizeof(used), options, "cyxla_executable_options",
                              error);
  if (status == CYXLA_OK) status = check_examples(program, &used, error);
  if (status != CYXLA_OK) return status;
  if (runtime == NULL) return load_without_plugin(program, &used, executable, error);
  if (used.serialized != NULL) {
    return load_given(runtime, program, &used, executable, error);
  }
  if (can_deserialize(runtime)) {
    status = load_own(runtime, program, &used, executable, error);
  }
  if (status != CYXLA_OK || *executable != NULL) return status;
  return make(runtime, program, NULL, &used, executable, error);
}

cyxla_status cyxla_executable_deserialize(cyxla_runtime *runtime,
                                          cyxla_program *program, const void *data,
                                          size_t bytes, cyxla_executable **executable,
                                          cyxla_error *error) {
  cyxla_executable_options options = DEFAULTS;

  CYXLA_REQUIRE(executable, error);
  *executable = NULL;
  CYXLA_REQUIRE(runtime, error);
  CYXLA_REQUIRE(program, error);
  CYXLA_REQUIRE(data, error);
  options.serialized = data;
  options.serialized_bytes = bytes;
  return load_given(runtime, program, &options, executable, error);
}

bool cyxla_executable_is_deserialized(const cyxla_executable *executable) {
  return executable->is_deserialized;
}
