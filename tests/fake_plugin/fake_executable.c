/* Compiling and running. */
#include <stdlib.h>
#include <string.h>

#include "fake_internal.h"

static PJRT_Error *load(const char *code, size_t bytes,
                        PJRT_LoadedExecutable **executable) {
  fake_program *program;
  PJRT_Error *error = fake_parse(code, bytes, &program);
  if (error != NULL) return error;
  *executable = NULL;
  if (fake_get(FAKE_NULL_EXECUTABLE) != 0) {
    fake_program_release(program);
    return NULL;
  }
  PJRT_LoadedExecutable *loaded = fake_allocate(sizeof *loaded);
  loaded->program = program;
  fake_count(FAKE_LOADED_EXECUTABLE, 1);
  *executable = loaded;
  return NULL;
}

PJRT_Error *fake_Client_Compile(PJRT_Client_Compile_Args *args) {
  FAKE_ENTER(Client_Compile, args);
  const PJRT_Program *source = args->program;
  if (source->format_size != strlen("mlir") || memcmp(source->format, "mlir", 4) != 0) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                      "Unknown program format '%.*s'.", (int)source->format_size,
                      source->format);
  }
  fake_record_compile_options(args->compile_options, args->compile_options_size);
  return load(source->code, source->code_size, &args->executable);
}

PJRT_Error *fake_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args *args) {
  fake_program_release(args->executable->program);
  free(args->executable);
  fake_count(FAKE_LOADED_EXECUTABLE, -1);
  FAKE_ENTER(LoadedExecutable_Destroy, args);
  return NULL;
}

static int64_t reported(fake_knob knob, int64_t truth) {
  return fake_get(knob) >= 0 ? fake_get(knob) : truth;
}

/* What is reported about the outputs lives as long as the executable, and is freed
 * with it so that a later read is found out. */
static void fill_outputs(PJRT_Executable *executable) {
  const fake_program *program = executable->program;
  executable->types = fake_allocate(FAKE_MAX_ARRAYS * sizeof executable->types[0]);
  executable->ranks = fake_allocate(FAKE_MAX_ARRAYS * sizeof executable->ranks[0]);
  executable->dims =
      fake_allocate(FAKE_MAX_ARRAYS * FAKE_MAX_RANK * sizeof executable->dims[0]);
  size_t end = 0;
  for (size_t i = 0; i < program->num_outputs; i++) {
    const fake_array *array = &program->outputs[i].array;
    executable->types[i] = array->type;
    executable->ranks[i] = array->rank;
    if (i == 0) {
      executable->types[i] =
          (PJRT_Buffer_Type)reported(FAKE_OUTPUT_TYPE, (int64_t)array->type);
      executable->ranks[i] = (size_t)reported(FAKE_OUTPUT_RANK, (int64_t)array->rank);
    }
    for (size_t d = 0; d < executable->ranks[i]; d++) {
      int64_t size = d < array->rank ? array->dims[d] : 1;
      executable->dims[end++] = i == 0 ? reported(FAKE_OUTPUT_SIZE, size) : size;
    }
  }
}

PJRT_Error *fake_LoadedExecutable_GetExecutable(
    PJRT_LoadedExecutable_GetExecutable_Args *args) {
  FAKE_ENTER(LoadedExecutable_GetExecutable, args);
  PJRT_Executable *executable = fake_allocate(sizeof *executable);
  executable->program = args->loaded_executable->program;
  executable->program->refs++;
  fill_outputs(executable);
  fake_count(FAKE_EXECUTABLE, 1);
  args->executable = executable;
  return NULL;
}

PJRT_Error *fake_Executable_Destroy(PJRT_Executable_Destroy_Args *args) {
  fake_program_release(args->executable->program);
  free(args->executable->types);
  free(args->executable->ranks);
  free(args->executable->dims);
  free(args->executable);
  fake_count(FAKE_EXECUTABLE, -1);
  FAKE_ENTER(Executable_Destroy, args);
  return NULL;
}

PJRT_Error *fake_Executable_NumReplicas(PJRT_Executable_NumReplicas_Args *args) {
  FAKE_ENTER(Executable_NumReplicas, args);
  args->num_replicas = (size_t)fake_get(FAKE_NUM_REPLICAS);
  return NULL;
}

PJRT_Error *fake_Executable_NumPartitions(PJRT_Executable_NumPartitions_Args *args) {
  FAKE_ENTER(Executable_NumPartitions, args);
  args->num_partitions = (size_t)fake_get(FAKE_NUM_PARTITIONS);
  return NULL;
}

PJRT_Error *fake_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args *args) {
  FAKE_ENTER(Executable_NumOutputs, args);
  args->num_outputs = (size_t)reported(FAKE_NUM_OUTPUTS,
                                       (int64_t)args->executable->program->num_outputs);
  return NULL;
}

PJRT_Error *fake_Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *args) {
  FAKE_ENTER(Executable_SizeOfGeneratedCodeInBytes, args);
  args->size_in_bytes = fake_get(FAKE_CODE_BYTES);
  return NULL;
}

PJRT_Error *fake_Executable_OutputElementTypes(
    PJRT_Executable_OutputElementTypes_Args *args) {
  FAKE_ENTER(Executable_OutputElementTypes, args);
  args->output_types = args->executable->types;
  args->num_output_types = (size_t)reported(
      FAKE_NUM_OUTPUT_TYPES, (int64_t)args->executable->program->num_outputs);
  return NULL;
}

PJRT_Error *fake_Executable_OutputDimensions(
    PJRT_Executable_OutputDimensions_Args *args) {
  FAKE_ENTER(Executable_OutputDimensions, args);
  args->num_outputs = (size_t)reported(FAKE_NUM_OUTPUTS,
                                       (int64_t)args->executable->program->num_outputs);
  args->dims = args->executable->dims;
  args->dim_sizes = args->executable->ranks;
  return NULL;
}

/* The serialization of an executable is a text that says what it is, with its code. */
static const char heading[] = "a fake executable\n";
enum { HEADING_BYTES = sizeof heading - 1 };

struct PJRT_SerializedExecutable {
  char *text;
};

static void delete_serialized(PJRT_SerializedExecutable *serialized) {
  free(serialized->text);
  free(serialized);
  fake_count(FAKE_SERIALIZED_EXECUTABLE, -1);
}

PJRT_Error *fake_Executable_Serialize(PJRT_Executable_Serialize_Args *args) {
  FAKE_ENTER(Executable_Serialize, args);
  const fake_program *program = args->executable->program;
  PJRT_SerializedExecutable *serialized = fake_allocate(sizeof *serialized);
  serialized->text = fake_allocate(HEADING_BYTES + program->code_bytes);
  memcpy(serialized->text, heading, HEADING_BYTES);
  memcpy(serialized->text + HEADING_BYTES, program->code, program->code_bytes);
  fake_count(FAKE_SERIALIZED_EXECUTABLE, 1);
  args->serialized_bytes = serialized->text;
  args->serialized_bytes_size = HEADING_BYTES + program->code_bytes;
  args->serialized_executable = serialized;
  args->serialized_executable_deleter = delete_serialized;
  return NULL;
}

PJRT_Error *fake_Executable_DeserializeAndLoad(
    PJRT_Executable_DeserializeAndLoad_Args *args) {
  FAKE_ENTER(Executable_DeserializeAndLoad, args);
  size_t bytes = args->serialized_executable_size;
  if (bytes < HEADING_BYTES ||
      memcmp(args->serialized_executable, heading, HEADING_BYTES) != 0) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "no fake executable");
  }
  return load(args->serialized_executable + HEADING_BYTES, bytes - HEADING_BYTES,
              &args->loaded_executable);
}
