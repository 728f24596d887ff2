/* cyxla info: what is in a .cyxla file, without a plugin. */
#include <cyxla.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "describe.h"

static void print_json_spec(const cyxla_array_spec *spec, bool is_input) {
  fputs("{\"name\": ", stdout);
  print_json_string(spec->name);
  printf(", \"dtype\": \"%s\", \"shape\": [", cyxla_dtype_name(spec->dtype));
  for (size_t i = 0; i < spec->rank; i++) {
    printf("%s%lld", i > 0 ? ", " : "", (long long)spec->shape[i]);
  }
  printf("], \"bytes\": %zu", spec->bytes);
  if (is_input) {
    if (spec->aliased_output >= 0) {
      printf(", \"aliased_output\": %lld", (long long)spec->aliased_output);
    } else {
      fputs(", \"aliased_output\": null", stdout);
    }
  }
  putchar('}');
}

static cyxla_executable_info executable_info(const cyxla_program *program,
                                             size_t index) {
  cyxla_executable_info info = CYXLA_EXECUTABLE_INFO_INIT;

  cyxla_program_executable_info(program, index, &info, NULL);
  return info;
}

static void print_json_executable(const cyxla_executable_info *info) {
  fputs("{\"plugin_identity\": ", stdout);
  print_json_string(info->plugin_identity);
  printf(", \"pjrt_api_version\": [%d, %d], \"platform\": ", info->pjrt_api_major,
         info->pjrt_api_minor);
  print_json_string(info->platform);
  fputs(", \"device_kind\": ", stdout);
  print_json_string(info->device_kind);
  fputs(", \"cpu_features\": ", stdout);
  print_json_string(info->cpu_features);
  printf(", \"bytes\": %zu, \"is_direct\": %s}", info->bytes,
         info->is_direct ? "true" : "false");
}

static void print_json_arrays(const cyxla_program *program, bool is_input,
                              const char *margin) {
  size_t count =
      is_input ? cyxla_program_num_inputs(program) : cyxla_program_num_outputs(program);

  printf("%s\"%s\": [", margin, is_input ? "inputs" : "outputs");
  for (size_t i = 0; i < count; i++) {
    printf("%s\n%s  ", i > 0 ? "," : "", margin);
    print_json_spec(
        is_input ? cyxla_program_input(program, i) : cyxla_program_output(program, i),
        is_input);
  }
  fputs("],\n", stdout);
}

static void print_json_executables(const cyxla_program *program, const char *margin) {
  printf("%s\"executables\": [", margin);
  for (size_t i = 0; i < cyxla_program_num_executables(program); i++) {
    cyxla_executable_info info = executable_info(program, i);
    printf("%s\n%s  ", i > 0 ? "," : "", margin);
    print_json_executable(&info);
  }
  fputs("],\n", stdout);
}

/* The keys of a size, in lines that begin with a margin. */
static void print_json_size(const cyxla_program *program, const char *margin) {
  size_t code, options;

  cyxla_program_code(program, &code);
  cyxla_program_compile_options(program, &options);
  print_json_arrays(program, true, margin);
  print_json_arrays(program, false, margin);
  printf("%s\"code_bytes\": %zu,\n%s\"compile_options_bytes\": %zu,\n", margin, code,
         margin, options);
  print_json_executables(program, margin);
  printf("%s\"metadata\": ", margin);
  print_json_string(cyxla_program_metadata(program));
}

static void print_json(const char *file, const cyxla_program *program) {
  size_t num_sizes = cyxla_program_num_sizes(program);

  fputs("{\n  \"file\": ", stdout);
  print_json_string(file);
  fputs(",\n  \"platform\": ", stdout);
  print_json_string(cyxla_program_platform(program));
  fputs(",\n", stdout);
  if (num_sizes == 1) {
    print_json_size(program, "  ");
  } else {
    fputs("  \"sizes\": [", stdout);
    for (size_t i = 0; i < num_sizes; i++) {
      fputs(i > 0 ? ",\n    {\n" : "\n    {\n", stdout);
      print_json_size(cyxla_program_size(program, i), "      ");
      fputs("\n    }", stdout);
    }
    putchar(']');
  }
  fputs("\n}\n", stdout);
}

static int longer(int width, const char *text) {
  int length = (int)strlen(text);

  return length > width ? length : width;
}

/* Prints a text and spaces up to a width. */
static void print_padded(const char *text, int width) {
  print_escaped(stdout, text);
  printf("%*s", width - (int)strlen(text) + 2, "");
}

static void print_line(const cyxla_program *program, const cyxla_array_spec *spec,
                       int names, int arrays) {
  array_text text = describe_spec(spec);

  fputs("    ", stdout);
  print_padded(spec->name, names);
  print_padded(text.text, arrays);
  printf("%zu bytes", spec->bytes);
  if (spec->aliased_output >= 0) {
    fputs(", donated to the output ", stdout);
    print_escaped(stdout,
                  cyxla_program_output(program, (size_t)spec->aliased_output)->name);
  }
  putchar('\n');
}

static void print_lists(const cyxla_program *program) {
  size_t num_inputs = cyxla_program_num_inputs(program);
  size_t num_outputs = cyxla_program_num_outputs(program);
  int names = 0, arrays = 0;

  for (size_t i = 0; i < num_inputs + num_outputs; i++) {
    const cyxla_array_spec *spec = i < num_inputs
                                       ? cyxla_program_input(program, i)
                                       : cyxla_program_output(program, i - num_inputs);
    names = longer(names, spec->name);
    arrays = longer(arrays, describe_spec(spec).text);
  }
  printf("  inputs           %zu\n", num_inputs);
  for (size_t i = 0; i < num_inputs; i++) {
    print_line(program, cyxla_program_input(program, i), names, arrays);
  }
  printf("  outputs          %zu\n", num_outputs);
  for (size_t i = 0; i < num_outputs; i++) {
    print_line(program, cyxla_program_output(program, i), names, arrays);
  }
}

/* What the processors have that executables were compiled on. Most have the same one,
 * so that its line of features is printed once and executables tell its number. */
typedef struct processors {
  const char **features; /* [count], all different; borrowed from the program */
  size_t count;
} processors;

/* The number of the processor that has these features; the count if it is new. */
static size_t processor_number(const processors *known, const char *features) {
  size_t number = 0;

  while (number < known->count && strcmp(known->features[number], features) != 0) {
    number++;
  }
  return number;
}

static bool add_processor(processors *known, const char *features) {
  const char **more;

  if (processor_number(known, features) < known->count) return true;
  more = realloc(known->features, (known->count + 1) * sizeof(*more));
  if (more == NULL) {
    report(command_info.name, "there is no memory left");
    return false;
  }
  known->features = more;
  known->features[known->count++] = features;
  return true;
}

/* Finds those of all sizes. */
static bool find_processors(const cyxla_program *program, processors *known) {
  size_t num_sizes = cyxla_program_num_sizes(program);

  for (size_t i = 0; i < num_sizes; i++) {
    const cyxla_program *size = cyxla_program_size(program, i);
    for (size_t k = 0; k < cyxla_program_num_executables(size); k++) {
      if (!add_processor(known, executable_info(size, k).cpu_features)) return false;
    }
  }
  return true;
}

static void print_processors(const processors *known) {
  if (known->count == 0) return;
  printf("  processors       %zu\n", known->count);
  for (size_t i = 0; i < known->count; i++) {
    printf("    %zu: ", i);
    print_escaped(stdout, known->features[i]);
    putchar('\n');
  }
}

static void print_executables(const cyxla_program *program, const processors *known) {
  size_t count = cyxla_program_num_executables(program);

  printf("  executables      %zu\n", count);
  for (size_t i = 0; i < count; i++) {
    cyxla_executable_info info = executable_info(program, i);
    printf("    %s  PJRT %d.%d, ", info.plugin_identity, info.pjrt_api_major,
           info.pjrt_api_minor);
    print_escaped(stdout, info.platform);
    fputs(" (", stdout);
    print_escaped(stdout, info.device_kind);
    printf("), %zu bytes, processor %zu%s\n", info.bytes,
           processor_number(known, info.cpu_features),
           info.is_direct ? ", needs no plugin" : "");
  }
}

static void print_size(const cyxla_program *program, const processors *known) {
  size_t code, options;

  cyxla_program_code(program, &code);
  cyxla_program_compile_options(program, &options);
  print_lists(program);
  printf("  code             %zu bytes of StableHLO\n", code);
  printf("  compile options  %zu bytes\n", options);
  print_executables(program, known);
  printf("  metadata         %zu bytes%s\n", strlen(cyxla_program_metadata(program)),
         cyxla_program_metadata(program)[0] != '\0' ? ", which --json prints" : "");
}

static void print_description(const char *file, const cyxla_program *program,
                              const processors *known) {
  size_t num_sizes = cyxla_program_num_sizes(program);

  print_escaped(stdout, file);
  fputs("\n  platform         ", stdout);
  print_escaped(stdout, cyxla_program_platform(program));
  putchar('\n');
  if (num_sizes == 1) {
    print_size(program, known);
    print_processors(known);
    return;
  }
  printf("  sizes            %zu\n", num_sizes);
  for (size_t i = 0; i < num_sizes; i++) {
    printf("\n  size             %zu\n", i);
    print_size(cyxla_program_size(program, i), known);
  }
  if (known->count > 0) putchar('\n');
  print_processors(known);
}

static int run(int argc, char **argv) {
  bool is_json = false;
  processors known = {NULL, 0};
  const option options[] = {{"--json", &is_json, NULL}};
  cyxla_program *program = NULL;
  cyxla_error error;
  int code = take_options(&command_info, options, 1, &argc, argv);

  if (code != EXIT_DONE) return code;
  if (argc != 1) {
    report(command_info.name, "there are %d files, expected one; see cyxla info --help",
           argc);
    return EXIT_MISUSED;
  }
  if (cyxla_program_load(argv[0], &program, &error) != CYXLA_OK) {
    report(command_info.name, "%s", error.message);
    return EXIT_FAILED;
  }
  if (is_json) {
    print_json(argv[0], program);
  } else if (find_processors(program, &known)) {
    print_description(argv[0], program, &known);
  } else {
    code = EXIT_FAILED;
  }
  free(known.features);
  cyxla_program_destroy(program);
  return code;
}

const command command_info = {
    "info",
    "tell what is in a .cyxla file",
    "usage: cyxla info [--json] FILE\n\n"
    "Tells what is in a .cyxla file: the platform, the name, dtype, shape and size of "
    "each\n"
    "input and output, which inputs are donated to which outputs, how large the code, "
    "the\n"
    "compile options and the metadata are, and which plugins compiled the program: "
    "the\n"
    "hash and size of their libraries, their devices, and the processors of those\n"
    "machines, whose features are listed at the end. If the file holds a function at\n"
    "several sizes, each of them is told, with the number, from 0 on, that --size of\n"
    "the other commands wants. Nothing is compiled, and no plugin is needed.\n\n"
    "  --json   print a JSON object, with the metadata; several sizes are a\n"
    "           list with the key sizes\n\n"
    "Exit codes: 0 success, 1 the file cannot be read, 2 wrong usage.\n",
    run,
};
