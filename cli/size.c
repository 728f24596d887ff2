#include "size.h"

#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "npy.h"

int size_by_number(const command *self, const char *number,
                   const cyxla_program *program, numbered_size *size) {
  size_t last = cyxla_program_num_sizes(program) - 1;
  unsigned long long index;

  if (parse_count(number, 0, last, &index)) {
    size->number = (size_t)index;
    size->program = cyxla_program_size(program, size->number);
    return EXIT_DONE;
  }
  if (last == 0) {
    report(self->name, "--size is %s, expected 0: the file holds one size", number);
  } else {
    report(self->name,
           "--size is %s, expected a number from 0 to %zu; cyxla info lists the sizes",
           number, last);
  }
  return EXIT_MISUSED;
}

/* Whether all arrays that are given have the shapes that a size wants. */
static bool fits(const cyxla_program *size, const inputs *given,
                 const npy_header *headers) {
  for (size_t i = 0; i < given->count; i++) {
    const cyxla_array_spec *spec = cyxla_program_input(size, i);
    if (given->paths[i] == NULL) continue;
    if (headers[i].rank != spec->rank) return false;
    for (size_t k = 0; k < spec->rank; k++) {
      if (headers[i].shape[k] != spec->shape[k]) return false;
    }
  }
  return true;
}

/* No size was picked: the arrays are wrong if none fits, and too few if several do. */
static int refuse(const command *self, const cyxla_program *program,
                  const inputs *given, const npy_header *headers,
                  const cyxla_error *error) {
  size_t count = cyxla_program_num_sizes(program);

  for (size_t i = 0; i < count; i++) {
    if (!fits(cyxla_program_size(program, i), given, headers)) continue;
    report(self->name, "%s (or give its number with --size, from 0 to %zu)",
           error->message, count - 1);
    return EXIT_MISUSED;
  }
  report(self->name, "%s", error->message);
  return EXIT_FAILED;
}

/* Reads the headers, [given->count], and picks by them. The dtypes are left to the
 * reading of the arrays, which says how to convert them. */
static int pick_by_headers(const command *self, const cyxla_program *program,
                           const inputs *given, npy_header *headers,
                           cyxla_array_spec *specs, numbered_size *size) {
  npy_problem problem;
  cyxla_error error;
  size_t num_specs = 0;

  for (size_t i = 0; i < given->count; i++) {
    const char *name = cyxla_program_input(program, i)->name;
    if (given->paths[i] == NULL) continue;
    if (!npy_read_header(given->paths[i], &headers[i], &problem)) {
      report(self->name, "%s, for the input %s, %s", given->paths[i], name,
             problem.text);
      return EXIT_FAILED;
    }
    specs[num_specs].name = name;
    specs[num_specs].rank = headers[i].rank;
    specs[num_specs].shape = headers[i].shape;
    num_specs++;
  }
  if (cyxla_program_pick(program, specs, num_specs, &size->program, &error) !=
      CYXLA_OK) {
    return refuse(self, program, given, headers, &error);
  }
  size->number = 0;
  while (cyxla_program_size(program, size->number) != size->program) size->number++;
  return EXIT_DONE;
}

int size_pick(const command *self, const char *number, const cyxla_program *program,
              const inputs *given, numbered_size *size) {
  npy_header *headers;
  cyxla_array_spec *specs;
  int code = EXIT_FAILED;

  if (number != NULL) return size_by_number(self, number, program, size);
  /* Headers are not read where there is nothing to pick, so that arrays may come
   * through pipes, which cannot be read twice. */
  if (cyxla_program_num_sizes(program) == 1) {
    size->number = 0;
    size->program = cyxla_program_size(program, 0);
    return EXIT_DONE;
  }
  headers = calloc(given->count + 1, sizeof(*headers));
  specs = calloc(given->count + 1, sizeof(*specs));
  if (headers != NULL && specs != NULL) {
    code = pick_by_headers(self, program, given, headers, specs, size);
  } else {
    report(self->name, "there is no memory left");
  }
  free(headers);
  free(specs);
  return code;
}

/* Whether the file that was opened still holds the size that was found in it. */
static bool is_still_there(const numbered_size *size,
                           const cyxla_executable *executable) {
  const cyxla_program *program = size->program;
  const cyxla_program *opened = cyxla_executable_program(executable);
  size_t count = cyxla_program_num_inputs(program);

  if (cyxla_program_size(opened, size->number) != opened) return false;
  if (cyxla_executable_num_inputs(executable) != count) return false;
  for (size_t i = 0; i < count; i++) {
    const cyxla_array_spec *a = cyxla_program_input(program, i);
    const cyxla_array_spec *b = cyxla_executable_input(executable, i);
    if (strcmp(describe_spec(a).text, describe_spec(b).text) != 0) return false;
    if (strcmp(a->name, b->name) != 0) return false;
  }
  return true;
}

bool size_open(const char *file, const char *plugin, bool with_plugin,
               const numbered_size *size, cyxla_executable **executable,
               cyxla_error *error) {
  cyxla_open_options how = CYXLA_OPEN_OPTIONS_INIT;
  size_t count = cyxla_program_num_inputs(size->program);
  cyxla_array_spec *shapes = calloc(count + 1, sizeof(*shapes));
  cyxla_status status;

  *executable = NULL;
  if (shapes == NULL) {
    snprintf(error->message, sizeof(error->message), "there is no memory left");
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    shapes[i].rank = cyxla_program_input(size->program, i)->rank;
    shapes[i].shape = cyxla_program_input(size->program, i)->shape;
  }
  how.plugin = plugin;
  how.with_plugin = with_plugin;
  if (cyxla_program_num_sizes(size->program) > 1) {
    how.inputs = shapes;
    how.num_inputs = count;
  }
  status = cyxla_open(file, &how, executable, error);
  free(shapes);
  if (status == CYXLA_OK && is_still_there(size, *executable)) return true;
  if (status == CYXLA_OK || status == CYXLA_SIZE_NOT_FOUND) {
    snprintf(error->message, sizeof(error->message),
             "%s was changed while its program was read; try again", file);
  }
  cyxla_executable_destroy(*executable);
  *executable = NULL;
  return false;
}
