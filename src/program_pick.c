/* Picking: which size of a program a caller's arrays are for. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "options.h"
#include "program_sizes.h"

/* What the caller asks for. */
typedef struct request {
  const cyxla_array_spec *inputs; /* [num_inputs] */
  size_t num_inputs;
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

static void add_array(listing *list, const char *name, const cyxla_array_spec *spec) {
  add(list, "%s[", name);
  for (size_t i = 0; i < spec->rank; i++) {
    add(list, "%s%lld", i > 0 ? "," : "", (long long)spec->shape[i]);
  }
  add(list, "]");
}

/* Whether an input tells sizes apart; each does where there is one size. */
static bool is_telling(const cyxla_program *program, size_t index) {
  const cyxla_program *first = program->first;

  if (first->next == NULL) return true;
  for (const cyxla_program *size = first; size != NULL; size = size->next) {
    if (!cyxla_program_has_shape(&size->inputs.specs[index],
                                 &first->inputs.specs[index])) {
      return true;
    }
  }
  return false;
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

/* Whether an input is among those that the caller asks for. */
static bool is_named(const cyxla_program *program, const request *wanted,
                     size_t index) {
  for (size_t i = 0; i < wanted->num_inputs; i++) {
    size_t found;
    find_input(program, &wanted->inputs[i], i, &found, NULL);
    if (found == index) return true;
  }
  return false;
}

static void add_sizes(listing *list, const cyxla_program *program,
                      const request *wanted) {
  for (const cyxla_program *size = program->first; size != NULL; size = size->next) {
    const char *gap = size == program->first ? "" : "; ";
    for (size_t i = 0; i < size->inputs.count; i++) {
      if (!is_telling(size, i) && !is_named(size, wanted, i)) continue;
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

static cyxla_status check_request(const cyxla_program *program, const request *wanted,
                                  cyxla_error *error) {
  cyxla_status status = CYXLA_OK;
  size_t index;

  if (wanted->num_inputs > 0 && wanted->inputs == NULL) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "%zu inputs are given, and NULL for their specifications",
                           wanted->num_inputs);
  }
  for (size_t i = 0; status == CYXLA_OK && i < wanted->num_inputs; i++) {
    status = check_wanted(program, &wanted->inputs[i], i, &index, error);
  }
  return status;
}

static bool fits(const cyxla_program *size, const request *wanted) {
  for (size_t i = 0; i < wanted->num_inputs; i++) {
    size_t index;
    find_input(size, &wanted->inputs[i], i, &index, NULL);
    if (!cyxla_program_has_shape(&size->inputs.specs[index], &wanted->inputs[i])) {
      return false;
    }
  }
  return true;
}

static cyxla_status refuse(const cyxla_program *program, const request *wanted,
                           size_t num_found, cyxla_error *error) {
  static const request none = {NULL, 0};
  listing given = {"", 0}, sizes = {"", 0};

  /* What fits no size is in the list, even where all sizes have it alike. */
  add_sizes(&sizes, program, num_found == 0 ? wanted : &none);
  for (size_t i = 0; i < wanted->num_inputs; i++) {
    size_t index;
    find_input(program, &wanted->inputs[i], i, &index, NULL);
    add(&given, "%s", i > 0 ? " " : "");
    add_array(&given, program->inputs.specs[index].name, &wanted->inputs[i]);
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
                         "the program is not there for the inputs %s; it was saved "
                         "for: %s",
                         given.text, sizes.text);
}

cyxla_status cyxla_program_pick(const cyxla_program *program,
                                const cyxla_array_spec *inputs, size_t num_inputs,
                                cyxla_program **size, cyxla_error *error) {
  const request wanted = {inputs, num_inputs};
  cyxla_program *found = NULL;
  size_t num_found = 0;
  cyxla_status status;

  CYXLA_REQUIRE(size, error);
  *size = NULL;
  CYXLA_REQUIRE(program, error);
  status = check_request(program, &wanted, error);
  if (status != CYXLA_OK) return status;
  for (cyxla_program *one = program->first; one != NULL; one = one->next) {
    if (!fits(one, &wanted)) continue;
    if (num_found == 0) found = one;
    num_found++;
  }
  if (num_found != 1) return refuse(program, &wanted, num_found, error);
  *size = found;
  return CYXLA_OK;
}
