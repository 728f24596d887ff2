#include "program_file.h"

#include <string.h>

#include "encoding.h"
#include "error.h"
#include "memory.h"
#include "options.h"
#include "plugin_identity.h"
#include "signature.h"

enum { NUM_SECTIONS = 5 };

cyxla_status cyxla_plugin_record_create(const char *path, cyxla_plugin_record *record,
                                        cyxla_error *error) {
  memset(record, 0, sizeof(*record));
  record->path = cyxla_duplicate(path, strlen(path));
  if (record->path == NULL)
    return cyxla_error_out_of_memory(error, "a plugin's record");
  cyxla_status status =
      cyxla_plugin_hash_file(path, &record->bytes, &record->hash, error);
  if (status != CYXLA_OK) cyxla_plugin_record_free(record);
  return status;
}

void cyxla_plugin_record_free(cyxla_plugin_record *record) {
  cyxla_release(record->path);
  memset(record, 0, sizeof(*record));
}

typedef struct file_signature {
  char *platform;
  cyxla_program_arrays inputs;
  cyxla_program_arrays outputs;
} file_signature;

static void free_file_signature(file_signature *signature) {
  cyxla_release(signature->platform);
  cyxla_program_arrays_free(&signature->inputs);
  cyxla_program_arrays_free(&signature->outputs);
}

static cyxla_status read_signature(const cyxla_file *file, const cyxla_section *section,
                                   file_signature *signature, cyxla_error *error) {
  cyxla_reader reader = {section->data, section->bytes, 0, false};
  bool is_out_of_memory = false;

  signature->platform = cyxla_read_text(&reader, &is_out_of_memory);
  if (signature->platform != NULL &&
      cyxla_signature_read(&reader, &signature->inputs, &is_out_of_memory) &&
      cyxla_signature_read(&reader, &signature->outputs, &is_out_of_memory) &&
      cyxla_reader_is_done(&reader)) {
    return CYXLA_OK;
  }
  if (is_out_of_memory) return cyxla_error_out_of_memory(error, "a program");
  return cyxla_file_invalid(file, "its signature cannot be read", error);
}

static cyxla_status make_program(const cyxla_file *file, const cyxla_section *code,
                                 const file_signature *signature,
                                 cyxla_program **program, cyxla_error *error) {
  const cyxla_section *compile_options =
      cyxla_file_find(file, CYXLA_SECTION_COMPILE_OPTIONS);
  const cyxla_section *metadata = cyxla_file_find(file, CYXLA_SECTION_METADATA);
  cyxla_program_options options = CYXLA_PROGRAM_OPTIONS_INIT;
  char *text = NULL;
  cyxla_status status;

  if (metadata != NULL) {
    text = cyxla_duplicate(metadata->data, metadata->bytes);
    if (text == NULL) return cyxla_error_out_of_memory(error, "a program");
  }
  options.platform = signature->platform;
  options.code = code->data;
  options.code_bytes = code->bytes;
  if (compile_options != NULL) {
    options.compile_options = compile_options->data;
    options.compile_options_bytes = compile_options->bytes;
  }
  options.inputs = signature->inputs.specs;
  options.num_inputs = signature->inputs.count;
  options.outputs = signature->outputs.specs;
  options.num_outputs = signature->outputs.count;
  options.metadata = text;
  status = cyxla_program_create(&options, program, error);
  cyxla_release(text);
  if (status == CYXLA_INVALID_ARGUMENT) {
    return cyxla_file_invalid(file, "its program is not a valid one", error);
  }
  return status;
}

static cyxla_status read_program(const cyxla_file *file, cyxla_program **program,
                                 cyxla_error *error) {
  const cyxla_section *section = cyxla_file_find(file, CYXLA_SECTION_SIGNATURE);
  const cyxla_section *code = cyxla_file_find(file, CYXLA_SECTION_STABLEHLO);
  file_signature signature;
  cyxla_status status;

  if (section == NULL || code == NULL) {
    return cyxla_file_invalid(file, "it holds no program", error);
  }
  memset(&signature, 0, sizeof(signature));
  status = read_signature(file, section, &signature, error);
  if (status == CYXLA_OK) status = make_program(file, code, &signature, program, error);
  free_file_signature(&signature);
  return status;
}

static cyxla_status read_record(const cyxla_file *file, cyxla_plugin_record *record,
                                cyxla_error *error) {
  const cyxla_section *section = cyxla_file_find(file, CYXLA_SECTION_PLUGIN);
  bool is_out_of_memory = false;
  cyxla_reader reader;

  memset(record, 0, sizeof(*record));
  if (section == NULL) return CYXLA_OK;
  memset(&reader, 0, sizeof(reader));
  reader.data = section->data;
  reader.size = section->bytes;
  record->path = cyxla_read_text(&reader, &is_out_of_memory);
  record->bytes = cyxla_read_u64(&reader);
  record->hash = cyxla_read_u64(&reader);
  if (record->path != NULL && cyxla_reader_is_done(&reader)) return CYXLA_OK;
  cyxla_plugin_record_free(record);
  if (is_out_of_memory) return cyxla_error_out_of_memory(error, "a plugin's record");
  return cyxla_file_invalid(file, "its record of a plugin cannot be read", error);
}

cyxla_status cyxla_program_file_read(const char *path, cyxla_program **program,
                                     cyxla_plugin_record *record, cyxla_error *error) {
  cyxla_file file;
  cyxla_status status = cyxla_file_read(path, &file, error);

  *program = NULL;
  if (status != CYXLA_OK) return status;
  status = read_program(&file, program, error);
  if (status == CYXLA_OK && record != NULL) {
    status = read_record(&file, record, error);
    if (status != CYXLA_OK) {
      cyxla_program_destroy(*program);
      *program = NULL;
    }
  }
  cyxla_file_free(&file);
  return status;
}

static void write_record(cyxla_writer *writer, const cyxla_plugin_record *record) {
  cyxla_write_string(writer, record->path);
  cyxla_write_u64(writer, record->bytes);
  cyxla_write_u64(writer, record->hash);
}

cyxla_status cyxla_program_file_write(const cyxla_program *program, const char *path,
                                      const cyxla_plugin_record *record,
                                      cyxla_error *error) {
  cyxla_writer signature = {0};
  cyxla_writer plugin = {0};
  cyxla_status status;

  cyxla_write_string(&signature, program->platform);
  cyxla_signature_write(&signature, &program->inputs);
  cyxla_signature_write(&signature, &program->outputs);
  if (record != NULL) write_record(&plugin, record);
  if (signature.failed || plugin.failed) {
    status = cyxla_error_out_of_memory(error, "writing a file");
  } else {
    const cyxla_section sections[NUM_SECTIONS] = {
        {CYXLA_SECTION_SIGNATURE, CYXLA_SECTION_REQUIRED, signature.data,
         signature.size},
        {CYXLA_SECTION_STABLEHLO, CYXLA_SECTION_REQUIRED, program->code,
         program->code_bytes},
        {CYXLA_SECTION_COMPILE_OPTIONS, CYXLA_SECTION_REQUIRED,
         program->compile_options, program->compile_options_bytes},
        {CYXLA_SECTION_METADATA, 0, (const unsigned char *)program->metadata,
         strlen(program->metadata)},
        {CYXLA_SECTION_PLUGIN, 0, plugin.data, plugin.size},
    };
    status = cyxla_file_write(path, sections, NUM_SECTIONS - (record == NULL ? 1 : 0),
                              error);
  }
  cyxla_writer_free(&signature);
  cyxla_writer_free(&plugin);
  return status;
}

cyxla_status cyxla_program_load(const char *path, cyxla_program **program,
                                cyxla_error *error) {
  CYXLA_REQUIRE(program, error);
  *program = NULL;
  CYXLA_REQUIRE(path, error);
  return cyxla_program_file_read(path, program, NULL, error);
}

cyxla_status cyxla_program_save(const cyxla_program *program, const char *path,
                                cyxla_error *error) {
  CYXLA_REQUIRE(program, error);
  CYXLA_REQUIRE(path, error);
  return cyxla_program_file_write(program, path, NULL, error);
}
