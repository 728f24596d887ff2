#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "npy.h"
#include "random.h"

/* How many names a message lists. */
enum { NAMES_MAXIMUM = 20 };

typedef struct reading {
  const command *self;
  const cyxla_program *program;
  inputs *read;
} reading;

/* The input that an argument names, by the longest name that it begins with, before a
 * "=": names may hold that as well. (size_t)-1 if it names none. */
static size_t find_named(const reading *in, const char *argument) {
  size_t found = (size_t)-1, longest = 0;

  for (size_t i = 0; i < in->read->count; i++) {
    const char *name = cyxla_program_input(in->program, i)->name;
    size_t length = strlen(name);
    if (length < longest || strncmp(name, argument, length) != 0) continue;
    if (argument[length] != '=') continue;
    found = i;
    longest = length;
  }
  return found;
}

/* Lists the inputs behind a message, as far as they fit. */
static void list_inputs(const reading *in, char *text, size_t size) {
  size_t length = 0;

  text[0] = '\0';
  for (size_t i = 0; i < in->read->count && length < size; i++) {
    const char *name = cyxla_program_input(in->program, i)->name;
    length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "",
                               i == NAMES_MAXIMUM ? "..." : name);
    if (i == NAMES_MAXIMUM) break;
  }
}

/* Which input an argument is for and where its file begins. */
static int place_argument(const reading *in, const char *argument, size_t *num_in_order,
                          size_t *index, const char **path) {
  char names[1024];
  const char *equals = strchr(argument, '=');

  *index = find_named(in, argument);
  if (*index != (size_t)-1) {
    *path = argument + strlen(cyxla_program_input(in->program, *index)->name) + 1;
    return EXIT_DONE;
  }
  if (equals != NULL && argument[0] != '.' && argument[0] != '/') {
    list_inputs(in, names, sizeof(names));
    report(in->self->name,
           "there is no input %.*s; the inputs are: %s (a path that holds \"=\" has to "
           "begin with \"./\" or \"/\")",
           (int)(equals - argument), argument, names);
    return EXIT_MISUSED;
  }
  *index = (*num_in_order)++;
  *path = argument;
  if (*index < in->read->count) return EXIT_DONE;
  report(in->self->name, "%s is one array too many: the program has %zu input%s",
         argument, in->read->count, in->read->count == 1 ? "" : "s");
  return EXIT_MISUSED;
}

static void *allocate(const reading *in, size_t index) {
  const cyxla_array_spec *spec = cyxla_program_input(in->program, index);
  void *array = cyxla_aligned_alloc(spec->bytes);

  if (array == NULL) {
    report(in->self->name, "there is no memory left for the %zu bytes of the input %s",
           spec->bytes, spec->name);
  }
  return in->read->arrays[index] = array;
}

static int take_argument(const reading *in, const char *argument,
                         size_t *num_in_order) {
  size_t index;
  const char *path;
  int code = place_argument(in, argument, num_in_order, &index, &path);

  if (code != EXIT_DONE) return code;
  if (in->read->paths[index] != NULL) {
    report(in->self->name, "the input %s is given twice, the second time by %s",
           cyxla_program_input(in->program, index)->name, argument);
    return EXIT_MISUSED;
  }
  in->read->paths[index] = path;
  return EXIT_DONE;
}

static int read_given(const reading *in, size_t index) {
  const cyxla_array_spec *spec = cyxla_program_input(in->program, index);
  const char *path = in->read->paths[index];
  npy_problem problem;

  if (allocate(in, index) == NULL) return EXIT_FAILED;
  if (npy_read(path, spec, in->read->arrays[index], &problem)) return EXIT_DONE;
  report(in->self->name, "%s, for the input %s, %s", path, spec->name, problem.text);
  return EXIT_FAILED;
}

static int fill_missing(const reading *in, fill missing, unsigned long long seed) {
  for (size_t i = 0; i < in->read->count; i++) {
    const cyxla_array_spec *spec = cyxla_program_input(in->program, i);
    if (in->read->arrays[i] != NULL) continue;
    if (missing == FILL_NOTHING) {
      report(in->self->name,
             "the input %s, %s, is missing: give %s=FILE.npy, or --zeros or --random "
             "SEED for all that are not given",
             spec->name, describe_spec(spec).text, spec->name);
      return EXIT_MISUSED;
    }
    if (allocate(in, i) == NULL) return EXIT_FAILED;
    /* Each input has numbers of its own, whichever others are given. */
    if (missing == FILL_RANDOM) {
      fill_with_random(spec, seed + 1000003 * i, in->read->arrays[i]);
    }
  }
  return EXIT_DONE;
}

int inputs_place(const command *self, const cyxla_program *program, int argc,
                 char **argv, inputs *placed) {
  reading in = {self, program, placed};
  size_t num_in_order = 0;
  int code = EXIT_DONE;

  placed->count = cyxla_program_num_inputs(program);
  placed->paths = calloc(placed->count + 1, sizeof(*placed->paths));
  placed->arrays = calloc(placed->count + 1, sizeof(*placed->arrays));
  if (placed->paths == NULL || placed->arrays == NULL) {
    report(self->name, "there is no memory left");
    return EXIT_FAILED;
  }
  for (int i = 0; i < argc && code == EXIT_DONE; i++) {
    code = take_argument(&in, argv[i], &num_in_order);
  }
  return code;
}

int inputs_read(const command *self, const cyxla_program *program, fill missing,
                unsigned long long seed, inputs *read) {
  reading in = {self, program, read};
  int code = EXIT_DONE;

  for (size_t i = 0; i < read->count && code == EXIT_DONE; i++) {
    if (read->paths[i] != NULL) code = read_given(&in, i);
  }
  return code == EXIT_DONE ? fill_missing(&in, missing, seed) : code;
}

bool inputs_bind(const command *self, const inputs *read, cyxla_call *call) {
  cyxla_error error;

  for (size_t i = 0; i < read->count; i++) {
    if (cyxla_call_bind_input(call, i, read->arrays[i], &error) == CYXLA_OK) continue;
    report(self->name, "%s", error.message);
    return false;
  }
  return true;
}

void inputs_free(inputs *read) {
  for (size_t i = 0; i < read->count && read->arrays != NULL; i++) {
    cyxla_aligned_free(read->arrays[i]);
  }
  free(read->arrays);
  free(read->paths);
  read->arrays = NULL;
  read->paths = NULL;
  read->count = 0;
}
