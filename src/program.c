#include "program.h"

#include <string.h>

#include "atomic.h"
#include "compile_options.h"
#include "dtype.h"
#include "error.h"
#include "hash.h"
#include "memory.h"
#include "options.h"

/* What a plugin needs at least: one replica and one partition. It is the message
 * xla.CompileOptionsProto{executable_build_options{num_replicas: 1, num_partitions:
 * 1}}. */
static const unsigned char DEFAULT_COMPILE_OPTIONS[] = {0x1A, 4, 0x20, 1, 0x28, 1};

#define PLATFORM_CHARACTERS \
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* Bytes of an array; false where a dimension is negative or the product overflows. */
static bool array_bytes(const cyxla_array_spec *spec, size_t *bytes) {
  size_t product = cyxla_dtype_bytes(spec->dtype);
  bool is_empty = false;

  for (size_t i = 0; i < spec->rank; i++) {
    int64_t size = spec->shape[i];
    if (size < 0) return false;
    if (size == 0) {
      is_empty = true;
    } else {
      if ((uint64_t)size > SIZE_MAX / 2 || product > SIZE_MAX / 2 / (size_t)size)
        return false;
      product *= (size_t)size;
    }
  }
  *bytes = is_empty ? 0 : product;
  return true;
}

static cyxla_status check_spec(const cyxla_array_spec *spec, const char *what,
                               size_t index, cyxla_error *error) {
  size_t bytes;

  if (spec->name == NULL || spec->name[0] == '\0') {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT, "%s %zu has no name", what,
                           index);
  }
  if (!cyxla_dtype_is_valid(spec->dtype)) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "%s %s has dtype %d, expected one of cyxla_dtype", what,
                           spec->name, (int)spec->dtype);
  }
  if (spec->rank > 0 && spec->shape == NULL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "%s %s has rank %zu and NULL for its shape", what,
                           spec->name, spec->rank);
  }
  if (spec->rank > CYXLA_RANK_MAXIMUM) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "%s %s has rank %zu, and the largest is %d", what,
                           spec->name, spec->rank, CYXLA_RANK_MAXIMUM);
  }
  if (!array_bytes(spec, &bytes)) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "%s %s has a negative size, or more bytes than can be "
                           "addressed",
                           what, spec->name);
  }
  return CYXLA_OK;
}

static bool copy_spec(const cyxla_array_spec *spec, cyxla_array_spec *copy) {
  *copy = *spec;
  copy->name = cyxla_duplicate(spec->name, strlen(spec->name));
  copy->shape = cyxla_duplicate(spec->shape, spec->rank * sizeof(int64_t));
  return copy->name != NULL && copy->shape != NULL && array_bytes(copy, &copy->bytes);
}

static cyxla_status copy_arrays(const cyxla_array_spec *specs, size_t count,
                                const char *what, cyxla_program_arrays *arrays,
                                cyxla_error *error) {
  if (count > 0 && specs == NULL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the program has %zu %ss and NULL for their specifications",
                           count, what);
  }
  arrays->specs = cyxla_allocate_array(count, sizeof(*arrays->specs));
  if (arrays->specs == NULL) return cyxla_error_out_of_memory(error, "a program");
  for (size_t i = 0; i < count; i++) {
    cyxla_status status = check_spec(&specs[i], what, i, error);
    if (status != CYXLA_OK) return status;
    if (cyxla_program_arrays_find(arrays, specs[i].name) != (size_t)-1) {
      return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                             "two %ss are called %s, expected names that differ", what,
                             specs[i].name);
    }
    arrays->count = i + 1;
    if (!copy_spec(&specs[i], &arrays->specs[i])) {
      return cyxla_error_out_of_memory(error, "a program");
    }
  }
  return CYXLA_OK;
}

/* A donated input and the output that may take over its memory have to be alike. */
static cyxla_status check_alias(const cyxla_program *program, size_t index,
                                cyxla_error *error) {
  const cyxla_array_spec *input = &program->inputs.specs[index];
  int64_t output = input->aliased_output;

  if (output == -1) return CYXLA_OK;
  if (output < 0 || (uint64_t)output >= program->outputs.count ||
      program->outputs.specs[output].bytes != input->bytes) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "input %s is donated to output %lld, expected -1 or an "
                           "output of as many bytes",
                           input->name, (long long)output);
  }
  for (size_t i = 0; i < index; i++) {
    if (program->inputs.specs[i].aliased_output == output) {
      return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                             "inputs %s and %s are donated to the same output",
                             program->inputs.specs[i].name, input->name);
    }
  }
  return CYXLA_OK;
}

static cyxla_status check_aliases(const cyxla_program *program, cyxla_error *error) {
  for (size_t i = 0; i < program->inputs.count; i++) {
    cyxla_status status = check_alias(program, i, error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}

static cyxla_status check_options(const cyxla_program_options *options,
                                  cyxla_error *error) {
  if (options->platform == NULL || options->platform[0] == '\0') {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the program has no platform, expected a name such as cpu");
  }
  /* It becomes part of file names when a plugin is looked for. */
  if (strspn(options->platform, PLATFORM_CHARACTERS) != strlen(options->platform)) {
    return cyxla_error_set(
        error, CYXLA_INVALID_ARGUMENT,
        "the program's platform is \"%s\", expected letters, digits, "
        "_ and -",
        options->platform);
  }
  if (options->code == NULL || options->code_bytes == 0) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the program has no code, expected StableHLO");
  }
  return CYXLA_OK;
}

/* Whether the name that StableHLO gives to a call of outside code is in there. It is
 * written out in each of StableHLO's forms, text and bytecode. */
static bool names_custom_call(const unsigned char *code, size_t bytes) {
  static const char name[] = "custom_call";
  const size_t length = sizeof(name) - 1;

  while (bytes >= length) {
    const unsigned char *found = memchr(code, name[0], bytes - length + 1);
    if (found == NULL) return false;
    if (memcmp(found, name, length) == 0) return true;
    bytes -= (size_t)(found + 1 - code);
    code = found + 1;
  }
  return false;
}

static uint64_t hash_shapes(const cyxla_program_arrays *arrays) {
  cyxla_hash hash;

  cyxla_hash_start(&hash);
  for (size_t i = 0; i < arrays->count; i++) {
    const cyxla_array_spec *spec = &arrays->specs[i];
    cyxla_hash_update(&hash, &spec->rank, sizeof(spec->rank));
    cyxla_hash_update(&hash, spec->shape, spec->rank * sizeof(*spec->shape));
  }
  return cyxla_hash_finish(&hash);
}

static cyxla_status fill(cyxla_program *program, const cyxla_program_options *options,
                         cyxla_error *error) {
  const char *metadata = options->metadata != NULL ? options->metadata : "";
  const void *compile_options = options->compile_options;
  cyxla_status status;

  program->compile_options_bytes = options->compile_options_bytes;
  /* An empty message would be no replica, which XLA ends the process for. */
  if (compile_options == NULL || options->compile_options_bytes == 0) {
    compile_options = DEFAULT_COMPILE_OPTIONS;
    program->compile_options_bytes = sizeof(DEFAULT_COMPILE_OPTIONS);
  }
  status = cyxla_compile_options_check(compile_options, program->compile_options_bytes,
                                       error);
  if (status != CYXLA_OK) return status;
  program->platform = cyxla_duplicate(options->platform, strlen(options->platform));
  program->code = cyxla_duplicate(options->code, options->code_bytes);
  program->code_bytes = options->code_bytes;
  program->has_custom_calls = names_custom_call(options->code, options->code_bytes);
  program->compile_options =
      cyxla_duplicate(compile_options, program->compile_options_bytes);
  program->metadata = cyxla_duplicate(metadata, strlen(metadata));
  if (program->platform == NULL || program->code == NULL ||
      program->compile_options == NULL || program->metadata == NULL) {
    return cyxla_error_out_of_memory(error, "a program");
  }
  program->code_hash = cyxla_hash_bytes(program->code, program->code_bytes);
  program->compile_options_hash =
      cyxla_hash_bytes(program->compile_options, program->compile_options_bytes);
  status = copy_arrays(options->inputs, options->num_inputs, "input", &program->inputs,
                       error);
  if (status != CYXLA_OK) return status;
  program->shapes_hash = hash_shapes(&program->inputs);
  status = copy_arrays(options->outputs, options->num_outputs, "output",
                       &program->outputs, error);
  return status == CYXLA_OK ? check_aliases(program, error) : status;
}

cyxla_status cyxla_program_create(const cyxla_program_options *options,
                                  cyxla_program **program, cyxla_error *error) {
  cyxla_program_options used = CYXLA_PROGRAM_OPTIONS_INIT;
  cyxla_program *made;
  cyxla_status status;

  CYXLA_REQUIRE(program, error);
  *program = NULL;
  CYXLA_REQUIRE(options, error);
  status =
      cyxla_options_read(&used, sizeof(used), options, "cyxla_program_options", error);
  if (status == CYXLA_OK) status = check_options(&used, error);
  if (status != CYXLA_OK) return status;
  made = cyxla_allocate(sizeof(*made));
  if (made == NULL) return cyxla_error_out_of_memory(error, "a program");
  made->references = 1;
  made->first = made->last = made;
  made->num_sizes = 1;
  status = fill(made, &used, error);
  if (status != CYXLA_OK) {
    cyxla_program_destroy(made);
    return status;
  }
  *program = made;
  return CYXLA_OK;
}

cyxla_program *cyxla_program_retain(cyxla_program *program) {
  cyxla_atomic_add(&program->first->references, 1);
  return program;
}

static void free_program(cyxla_program *program) {
  cyxla_program_arrays_free(&program->inputs);
  cyxla_program_arrays_free(&program->outputs);
  cyxla_release(program->platform);
  cyxla_release(program->code);
  cyxla_release(program->compile_options);
  cyxla_release(program->metadata);
  cyxla_compiled_list_free(&program->compiled);
  cyxla_release(program);
}

void cyxla_program_destroy(cyxla_program *program) {
  cyxla_program *next;

  if (program == NULL) return;
  program = program->first;
  if (cyxla_atomic_add(&program->references, -1) > 0) return;
  for (; program != NULL; program = next) {
    next = program->next;
    free_program(program);
  }
}

void cyxla_program_append(cyxla_program *first, cyxla_program *program) {
  first->last->next = program;
  first->last = program;
  first->num_sizes++;
  program->first = first;
}

void cyxla_program_arrays_free(cyxla_program_arrays *arrays) {
  for (size_t i = 0; i < arrays->count; i++) {
    cyxla_release((char *)arrays->specs[i].name);
    cyxla_release((int64_t *)arrays->specs[i].shape);
  }
  cyxla_release(arrays->specs);
  memset(arrays, 0, sizeof(*arrays));
}

size_t cyxla_program_arrays_find(const cyxla_program_arrays *arrays, const char *name) {
  for (size_t i = 0; name != NULL && i < arrays->count; i++) {
    if (strcmp(arrays->specs[i].name, name) == 0) return i;
  }
  return (size_t)-1;
}

size_t cyxla_program_num_inputs(const cyxla_program *program) {
  return program->inputs.count;
}

size_t cyxla_program_num_outputs(const cyxla_program *program) {
  return program->outputs.count;
}

const cyxla_array_spec *cyxla_program_input(const cyxla_program *program,
                                            size_t index) {
  return index < program->inputs.count ? &program->inputs.specs[index] : NULL;
}

const cyxla_array_spec *cyxla_program_output(const cyxla_program *program,
                                             size_t index) {
  return index < program->outputs.count ? &program->outputs.specs[index] : NULL;
}

const char *cyxla_program_platform(const cyxla_program *program) {
  return program->platform;
}

const char *cyxla_program_metadata(const cyxla_program *program) {
  return program->metadata;
}

const void *cyxla_program_code(const cyxla_program *program, size_t *bytes) {
  if (bytes != NULL) *bytes = program->code_bytes;
  return program->code;
}

const void *cyxla_program_compile_options(const cyxla_program *program, size_t *bytes) {
  if (bytes != NULL) *bytes = program->compile_options_bytes;
  return program->compile_options;
}
