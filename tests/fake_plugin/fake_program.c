/* The fake plugin's own language, see fake_plugin.h. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_internal.h"

static const struct {
  const char *name;
  size_t bytes;
} types[] = {
    [PJRT_Buffer_Type_PRED] = {"bool", 1},
    [PJRT_Buffer_Type_S8] = {"int8", 1},
    [PJRT_Buffer_Type_S16] = {"int16", 2},
    [PJRT_Buffer_Type_S32] = {"int32", 4},
    [PJRT_Buffer_Type_S64] = {"int64", 8},
    [PJRT_Buffer_Type_U8] = {"uint8", 1},
    [PJRT_Buffer_Type_U16] = {"uint16", 2},
    [PJRT_Buffer_Type_U32] = {"uint32", 4},
    [PJRT_Buffer_Type_U64] = {"uint64", 8},
    [PJRT_Buffer_Type_F16] = {"float16", 2},
    [PJRT_Buffer_Type_F32] = {"float32", 4},
    [PJRT_Buffer_Type_F64] = {"float64", 8},
    [PJRT_Buffer_Type_BF16] = {"bfloat16", 2},
    [PJRT_Buffer_Type_C64] = {"complex64", 8},
    [PJRT_Buffer_Type_C128] = {"complex128", 16},
};

#define NUM_TYPES (sizeof types / sizeof types[0])

size_t fake_type_bytes(PJRT_Buffer_Type type) {
  return (size_t)type < NUM_TYPES ? types[type].bytes : 0;
}

const char *fake_type_name(PJRT_Buffer_Type type) {
  return fake_type_bytes(type) > 0 ? types[type].name : "invalid";
}

size_t fake_num_elements(const fake_array *array) {
  size_t num_elements = 1;
  for (size_t i = 0; i < array->rank; i++) num_elements *= (size_t)array->dims[i];
  return num_elements;
}

size_t fake_array_bytes(const fake_array *array) {
  return fake_num_elements(array) * fake_type_bytes(array->type);
}

bool fake_same_array(const fake_array *a, const fake_array *b) {
  return a->type == b->type && a->rank == b->rank &&
         memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

static bool parse_number(const char *text, long limit, long *number) {
  char *end;
  errno = 0;
  *number = text != NULL ? strtol(text, &end, 10) : -1;
  return text != NULL && end != text && *end == '\0' && errno == 0 && *number >= 0 &&
         *number < limit;
}

/* "float32[2,3]" */
static bool parse_array(char *text, fake_array *array) {
  char *bracket = text != NULL ? strchr(text, '[') : NULL;
  if (bracket == NULL || text[strlen(text) - 1] != ']') return false;
  *bracket = '\0';
  text[strlen(text) + strlen(bracket + 1)] = '\0';
  for (size_t type = 1; type < NUM_TYPES; type++) {
    if (strcmp(types[type].name, text) == 0) array->type = (PJRT_Buffer_Type)type;
  }
  char *rest;
  char *size = strtok_r(bracket + 1, ",", &rest);
  for (; size != NULL; size = strtok_r(NULL, ",", &rest)) {
    long number;
    if (array->rank == FAKE_MAX_RANK || !parse_number(size, 1L << 40, &number)) {
      return false;
    }
    array->dims[array->rank++] = number;
  }
  return array->type != PJRT_Buffer_Type_INVALID;
}

static const struct {
  const char *name;
  fake_operation operation;
  size_t num_operands;
} operations[] = {
    {"argument", FAKE_ARGUMENT, 1},
    {"negate", FAKE_NEGATE, 1},
    {"sum", FAKE_SUM, 2},
    {"zeros", FAKE_ZEROS, 0},
};

/* "[into 0] = sum 0 1", all but the output's array. */
static bool parse_operation(char **rest, const fake_program *program,
                            fake_output *output) {
  long number;
  char *word = strtok_r(NULL, " ", rest);
  if (word != NULL && strcmp(word, "into") == 0) {
    word = strtok_r(NULL, " ", rest);
    if (!parse_number(word, (long)program->num_inputs, &number)) return false;
    output->donates = true;
    output->donated = (size_t)number;
    word = strtok_r(NULL, " ", rest);
  }
  if (word == NULL || strcmp(word, "=") != 0) return false;
  word = strtok_r(NULL, " ", rest);
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
    if (word == NULL || strcmp(word, operations[i].name) != 0) continue;
    output->operation = operations[i].operation;
    for (size_t j = 0; j < operations[i].num_operands; j++) {
      word = strtok_r(NULL, " ", rest);
      if (!parse_number(word, (long)program->num_inputs, &number)) return false;
      if (!fake_same_array(&program->inputs[number], &output->array)) return false;
      output->operands[j] = (size_t)number;
    }
    return strtok_r(NULL, " ", rest) == NULL;
  }
  return false;
}

static bool parse_line(char *line, fake_program *program) {
  char *rest;
  char *word = strtok_r(line, " ", &rest);
  if (word == NULL || word[0] == '#') return true;
  if (strcmp(word, "input") == 0 && program->num_inputs < FAKE_MAX_ARRAYS) {
    fake_array *input = &program->inputs[program->num_inputs++];
    return parse_array(strtok_r(NULL, " ", &rest), input) &&
           strtok_r(NULL, " ", &rest) == NULL;
  }
  if (strcmp(word, "output") == 0 && program->num_outputs < FAKE_MAX_ARRAYS) {
    fake_output *output = &program->outputs[program->num_outputs++];
    return parse_array(strtok_r(NULL, " ", &rest), &output->array) &&
           parse_operation(&rest, program, output);
  }
  return false;
}

static PJRT_Error *check_types(const fake_program *program) {
  for (size_t i = 0; i < program->num_outputs; i++) {
    const fake_output *output = &program->outputs[i];
    if (!fake_compute(output, NULL, NULL, NULL)) {
      return fake_error(PJRT_Error_Code_UNIMPLEMENTED, "no arithmetic for %s",
                        fake_type_name(output->array.type));
    }
    if (output->donates &&
        !fake_same_array(&program->inputs[output->donated], &output->array)) {
      return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                        "output %zu cannot take over the memory of input %zu", i,
                        output->donated);
    }
  }
  return NULL;
}

PJRT_Error *fake_parse(const char *code, size_t bytes, fake_program **program) {
  char *text = fake_allocate(bytes + 1);
  if (bytes > 0) memcpy(text, code, bytes);
  fake_program *parsed = fake_allocate(sizeof *parsed);
  parsed->refs = 1;
  parsed->code = fake_allocate(bytes + 1);
  parsed->code_bytes = bytes;
  if (bytes > 0) memcpy(parsed->code, code, bytes);
  PJRT_Error *error = NULL;
  char *line = text;
  for (int number = 1; line != NULL && error == NULL; number++) {
    char *end = strchr(line, '\n');
    if (end != NULL) *end = '\0';
    char original[80];
    snprintf(original, sizeof original, "%s", line);
    if (!parse_line(line, parsed)) {
      error = fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                         "line %d: cannot understand \"%s\"", number, original);
    }
    line = end != NULL ? end + 1 : NULL;
  }
  if (error == NULL) error = check_types(parsed);
  free(text);
  if (error != NULL) {
    fake_program_release(parsed);
  } else {
    *program = parsed;
  }
  return error;
}

void fake_program_release(fake_program *program) {
  if (--program->refs > 0) return;
  free(program->code);
  free(program);
}
