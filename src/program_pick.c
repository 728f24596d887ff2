/* Picking: which size of a program a caller's arrays are for. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "memory.h"
#include "options.h"
#include "program_sizes.h"

/* What the caller asks for. */
typedef struct request {
  const cyxla_array_spec *inputs; /* [num_inputs] */
  size_t num_inputs;
  size_t *indices; /* [num_inputs] of the program's inputs */
} request;

/* A text that is cut off where it gets too long, which the error's message says. */
typedef struct listing {
  char text[CYXLA_ERROR_MESSAGE_SIZE];
  size_t length;
} listing;

static void add(listing *list, const char *format, ...) CYXLA_PRINTF(2, 3);

static void add(listing *list, const char *format, ...) {
  size_t room = sizeof(list->text) - list->length;
  va_list arguments;
  int length;

  va_start(arguments, format);
  length = vsnprintf(list->text + list->length, room, format, arguments);
  va_end(arguments);
  if (length > 0) {
    list->length += (size_t)length < room ? (size_t)length : room - 1;
  }
}

static bool is_full(const listing *list) {
  return list->length + 1 == sizeof(list->text);
}

static void add_array(listing *list, const char *name, const cyxla_array_spec *spec) {
  add(list, "%s[", name);
  for (size_t i = 0; i < spec->rank; i++) {
    add(list, "%s%lld", i > 0 ? "," : "", (long long)spec->shape[i]);
  }
  add(list, "]");
}

/* The index of the input that a caller's spec is for, by its name or else its place. */
static cyxla_status find_input(const cyxla_program *program,
                               const cyxla_array_spec *wanted, size_t place,
                               size_t *index, cyxla_error *error) {
  const cyxla_program_arrays *inputs = &program->inputs;

  *index =
      wanted->name != NULL ? cyxla_program_arrays_find(inputs, wanted->name) : place;
  if (*index < inputs->count) return CYXLA_OK;
  if (wanted->name != NULL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the program has no input %s; its first is %s", wanted->name,
                           inputs->count > 0 ? inputs->specs[0].name : "not there");
  }
  return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                         "there is no input %zu, the program has %zu", place,
                         inputs->count);
}

/* The inputs that tell sizes apart, all where there is one size, and those that are
 * asked for where no size has them. */
static bool *choose_listed(const cyxla_program *program, const request *wanted,
                           bool is_none_found) {
  const cyxla_program *first = program->first;
  bool *is_listed = cyxla_allocate_array(first->inputs.count, sizeof(*is_listed));

  if (is_listed == NULL) return NULL;
  for (size_t i = 0; i < first->inputs.count; i++) {
    const cyxla_program *size = first->next;
    is_listed[i] = size == NULL;
    for (; size != NULL && !is_listed[i]; size = size->next) {
      is_listed[i] =
          !cyxla_program_has_shape(&size->inputs.specs[i], &first->inputs.specs[i]);
    }
  }
  for (size_t i = 0; is_none_found && i < wanted->num_inputs; i++) {
    is_listed[wanted->indices[i]] = true;
  }
  return is_listed;
}

static void add_sizes(listing *list, const cyxla_program *program,
                      const bool *is_listed) {
  for (const cyxla_program *size = program->first; size != NULL && !is_full(list);
       size = size->next) {
    const char *gap = size == program->first ? "" : "; ";
    for (size_t i = 0; i < size->inputs.count && !is_full(list); i++) {
      if (!is_listed[i]) continue;
      add(list, "%s", gap);
      add_array(list, size->inputs.specs[i].name, &size->inputs.specs[i]);
      gap = " ";
    }
  }
}

static cyxla_status check_wanted(const cyxla_program *program,
                                 const cyxla_array_spec *wanted, size_t place,
                                 size_t *index, cyxla_error *error) {
  const cyxla_array_spec *spec;
  cyxla_status status = find_input(program, wanted, place, index, error);

  if (status != CYXLA_OK) return status;
  spec = &program->inputs.specs[*index];
  if (wanted->rank > CYXLA_RANK_MAXIMUM) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the rank given for input %s is %zu, and the largest is %d",
                           spec->name, wanted->rank, CYXLA_RANK_MAXIMUM);
  }
  if (wanted->rank > 0 && wanted->shape == NULL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the rank given for input %s is %zu, with NULL for its "
                           "shape",
                           spec->name, wanted->rank);
  }
  if ((int)wanted->dtype != 0 && wanted->dtype != spec->dtype) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "the dtype given for input %s is %s, and the program takes "
                           "%s",
                           spec->name, cyxla_dtype_name(wanted->dtype),
                           cyxla_dtype_name(spec->dtype));
  }
  return CYXLA_OK;
}

static cyxla_status check_request(const cyxla_program *program, request *wanted,
                                  cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  if (wanted->num_inputs > 0 && wanted->inputs == NULL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "%zu inputs are given, and NULL for their specifications",
                           wanted->num_inputs);
  }
  if (wanted->num_inputs > program->inputs.count) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "%zu inputs are given, and the program has %zu",
                           wanted->num_inputs, program->inputs.count);
  }
  wanted->indices = cyxla_allocate_array(wanted->num_inputs, sizeof(*wanted->indices));
  if (wanted->indices == NULL) return cyxla_error_out_of_memory(error, "a size");
  for (size_t i = 0; status == CYXLA_OK && i < wanted->num_inputs; i++) {
    status = check_wanted(program, &wanted->inputs[i], i, &wanted->indices[i], error);
  }
  return status;
}

static bool fits(const cyxla_program *size, const request *wanted) {
  for (size_t i = 0; i < wanted->num_inputs; i++) {
    if (!cyxla_program_has_shape(&size->inputs.specs[wanted->indices[i]],
                                 &wanted->inputs[i])) {
      return false;
    }
  }
  return true;
}

static cyxla_status refuse(const cyxla_program *program, const request *wanted,
                           size_t num_found, cyxla_error *error) {
  listing given = {"", 0}, sizes = {"", 0};
  bool *is_listed = choose_listed(program, wanted, num_found == 0);

  if (is_listed == NULL) return cyxla_error_out_of_memory(error, "a size");
  add_sizes(&sizes, program, is_listed);
  cyxla_release(is_listed);
  for (size_t i = 0; i < wanted->num_inputs; i++) {
    add(&given, "%s", i > 0 ? " " : "");
    add_array(&given, program->inputs.specs[wanted->indices[i]].name,
              &wanted->inputs[i]);
  }
  if (wanted->num_inputs == 0) {
    return cyxla_error_set(error, CYXLA_SIZE_NOT_FOUND,
                           "the program was saved at %zu sizes, and none was asked "
                           "for; give the shapes of its inputs: %s",
                           num_found, sizes.text);
  }
  if (num_found > 1) {
    return cyxla_error_set(error, CYXLA_SIZE_NOT_FOUND,
                           "%zu sizes of the program have the inputs %s; give the "
                           "shapes of more of them: %s",
                           num_found, given.text, sizes.text);
  }
  return cyxla_error_set(error, CYXLA_SIZE_NOT_FOUND,
                         "the program has no size for %s; pad the arrays to one that "
                         "it has, or save it for this one too; it has: %s",
                         given.text, sizes.text);
}

cyxla_status cyxla_program_pick(const cyxla_program *program,
                                const cyxla_array_spec *inputs, size_t num_inputs,
                                cyxla_program **size, cyxla_error *error) {
  request wanted = {inputs, num_inputs, NULL};
  cyxla_program *found = NULL;
  size_t num_found = 0;
  cyxla_status status;

  CYXLA_REQUIRE(size, error);
  *size = NULL;
  CYXLA_REQUIRE(program, error);
  status = check_request(program, &wanted, error);
  for (cyxla_program *one = program->first; status == CYXLA_OK && one != NULL;
       one = one->next) {
    if (!fits(one, &wanted)) continue;
    if (num_found == 0) found = one;
    num_found++;
  }
  if (status == CYXLA_OK && num_found != 1) {
    status = refuse(program, &wanted, num_found, error);
  }
  cyxla_release(wanted.indices);
  if (status == CYXLA_OK) *size = found;
  return status;
}
