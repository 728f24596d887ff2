#include "program_sizes.h"

#include <string.h>

#include "error.h"
#include "options.h"

size_t cyxla_program_num_sizes(const cyxla_program *program) {
  return program->first->num_sizes;
}

cyxla_program *cyxla_program_size(const cyxla_program *program, size_t index) {
  cyxla_program *size = program->first;

  while (size != NULL && index > 0) {
    size = size->next;
    index--;
  }
  return size;
}

bool cyxla_program_has_shape(const cyxla_array_spec *a, const cyxla_array_spec *b) {
  return a->rank == b->rank &&
         (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) == 0);
}

static bool has_same_inputs(const cyxla_program *a, const cyxla_program *b) {
  if (a->shapes_hash != b->shapes_hash) return false;
  for (size_t i = 0; i < a->inputs.count; i++) {
    if (!cyxla_program_has_shape(&a->inputs.specs[i], &b->inputs.specs[i]))
      return false;
  }
  return true;
}

static cyxla_status check_alike(const cyxla_program_arrays *found,
                                const cyxla_program_arrays *expected, const char *what,
                                cyxla_error *error) {
  if (found->count != expected->count) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "a size of the program has %zu %ss, and its first has %zu; "
                           "all sizes of a function take and return the same arrays",
                           found->count, what, expected->count);
  }
  for (size_t i = 0; i < found->count; i++) {
    const cyxla_array_spec *spec = &found->specs[i], *first = &expected->specs[i];
    if (spec->dtype == first->dtype && strcmp(spec->name, first->name) == 0) continue;
    return cyxla_error_set(
        error, CYXLA_INVALID_ARGUMENT,
        "%s %zu of a size of the program is %s of dtype %s, and that of its first is "
        "%s of dtype %s; sizes of a function differ in shapes only",
        what, i, spec->name, cyxla_dtype_name(spec->dtype), first->name,
        cyxla_dtype_name(first->dtype));
  }
  return CYXLA_OK;
}

cyxla_status cyxla_program_check_size(const cyxla_program *first,
                                      const cyxla_program *program,
                                      cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  if (cyxla_program_num_sizes(first) >= CYXLA_SIZES_MAXIMUM) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the program has more than %d sizes, which is the limit",
                           CYXLA_SIZES_MAXIMUM);
  }
  if (strcmp(first->platform, program->platform) != 0) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "a size of the program is for the platform %s, and its "
                           "first is for %s; save them in files of their own",
                           program->platform, first->platform);
  }
  status = check_alike(&program->inputs, &first->inputs, "input", error);
  if (status == CYXLA_OK) {
    status = check_alike(&program->outputs, &first->outputs, "output", error);
  }
  for (; status == CYXLA_OK && first != NULL; first = first->next) {
    if (has_same_inputs(first, program)) {
      return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                             "two sizes of the program have the same shapes of all "
                             "inputs, expected shapes that differ");
    }
  }
  return status;
}

static cyxla_status copy_compiled(const cyxla_program *program, cyxla_program *copy,
                                  cyxla_error *error) {
  const cyxla_compiled_list *list = &program->compiled;

  for (size_t i = 0; i < list->count; i++) {
    cyxla_compiled compiled;
    if (!cyxla_compiled_copy(&list->items[i], &compiled)) {
      return cyxla_error_out_of_memory(error, "executables");
    }
    if (!cyxla_compiled_list_add(&copy->compiled, &compiled)) {
      cyxla_compiled_free(&compiled);
      return cyxla_error_out_of_memory(error, "executables");
    }
  }
  return CYXLA_OK;
}

static cyxla_status copy_program(const cyxla_program *program, cyxla_program **copy,
                                 cyxla_error *error) {
  cyxla_program_options options = CYXLA_PROGRAM_OPTIONS_INIT;
  cyxla_status status;

  options.platform = program->platform;
  options.code = program->code;
  options.code_bytes = program->code_bytes;
  options.compile_options = program->compile_options;
  options.compile_options_bytes = program->compile_options_bytes;
  options.inputs = program->inputs.specs;
  options.num_inputs = program->inputs.count;
  options.outputs = program->outputs.specs;
  options.num_outputs = program->outputs.count;
  options.metadata = program->metadata;
  status = cyxla_program_create(&options, copy, error);
  if (status == CYXLA_OK) status = copy_compiled(program, *copy, error);
  if (status != CYXLA_OK) {
    cyxla_program_destroy(*copy);
    *copy = NULL;
  }
  return status;
}

static cyxla_status join(cyxla_program **joined, const cyxla_program *program,
                         cyxla_error *error) {
  cyxla_program *copy = NULL;
  cyxla_status status = CYXLA_OK;

  if (*joined != NULL) status = cyxla_program_check_size(*joined, program, error);
  if (status == CYXLA_OK) status = copy_program(program, &copy, error);
  if (status != CYXLA_OK) return status;
  if (*joined != NULL) {
    cyxla_program_append(*joined, copy);
  } else {
    *joined = copy;
  }
  return CYXLA_OK;
}

cyxla_status cyxla_program_join(const cyxla_program *const *programs,
                                size_t num_programs, cyxla_program **joined,
                                cyxla_error *error) {
  cyxla_program *made = NULL;
  cyxla_status status = CYXLA_OK;

  CYXLA_REQUIRE(joined, error);
  *joined = NULL;
  CYXLA_REQUIRE(programs, error);
  if (num_programs == 0) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "there are 0 programs to join, expected 1 or more");
  }
  for (size_t i = 0; status == CYXLA_OK && i < num_programs; i++) {
    const cyxla_program *program = programs[i];
    if (program == NULL) {
      status = cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                               "program %zu of those to join is NULL", i);
    } else {
      status = join(&made, program, error);
    }
  }
  if (status != CYXLA_OK) {
    cyxla_program_destroy(made);
    return status;
  }
  *joined = made;
  return CYXLA_OK;
}
