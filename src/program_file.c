#include "program_file.h"

#include <string.h>

#include "encoding.h"
#include "error.h"
#include "memory.h"
#include "options.h"
#include "plugin_identity.h"
#include "signature.h"

/* Of these there is one each. Executables follow them. */
enum { NUM_SINGLE_SECTIONS = 5 };

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

static cyxla_status read_compiled(const cyxla_file *file, const cyxla_section *section,
                                  cyxla_program *program, cyxla_error *error) {
  cyxla_compiled *compiled = &program->compiled.items[program->compiled.count];
  cyxla_reader reader = {section->data, section->bytes, 0, false};
  bool is_out_of_memory = false;

  if (!cyxla_compiled_read(&reader, compiled, &is_out_of_memory)) {
    if (is_out_of_memory) return cyxla_error_out_of_memory(error, "an executable");
    return cyxla_file_invalid(file, "an executable in it cannot be read", error);
  }
  if (cyxla_compiled_belongs(compiled, program)) {
    program->compiled.count++;
  } else {
    cyxla_compiled_free(compiled);
  }
  return CYXLA_OK;
}

static cyxla_status read_executables(const cyxla_file *file, cyxla_program *program,
                                     cyxla_error *error) {
  size_t count = 0;
  cyxla_status status = CYXLA_OK;

  for (size_t i = 0; i < file->num_sections; i++) {
    if (file->sections[i].kind == CYXLA_SECTION_EXECUTABLE) count++;
  }
  if (count == 0) return CYXLA_OK;
  program->compiled.items = cyxla_allocate_array(count, sizeof(cyxla_compiled));
  if (program->compiled.items == NULL) {
    return cyxla_error_out_of_memory(error, "executables");
  }
  for (size_t i = 0; i < file->num_sections && status == CYXLA_OK; i++) {
    if (file->sections[i].kind == CYXLA_SECTION_EXECUTABLE) {
      status = read_compiled(file, &file->sections[i], program, error);
    }
  }
  return status;
}

cyxla_status cyxla_program_file_read(const char *path, cyxla_program **program,
                                     cyxla_plugin_record *record, cyxla_error *error) {
  cyxla_file file;
  cyxla_status status = cyxla_file_read(path, &file, error);

  *program = NULL;
  if (status != CYXLA_OK) return status;
  status = read_program(&file, program, error);
  if (status == CYXLA_OK) status = read_executables(&file, *program, error);
  if (status == CYXLA_OK && record != NULL) {
    status = read_record(&file, record, error);
  }
  if (status != CYXLA_OK) {
    cyxla_program_destroy(*program);
    *program = NULL;
  }
  cyxla_file_free(&file);
  return status;
}

static void write_record(cyxla_writer *writer, const cyxla_plugin_record *record) {
  cyxla_write_string(writer, record->path);
  cyxla_write_u64(writer, record->bytes);
  cyxla_write_u64(writer, record->hash);
}

/* What the sections hold that is made for the file; the rest lies in the program. */
typedef struct file_content {
  cyxla_writer signature;
  cyxla_writer plugin;
  cyxla_writer *executables;
  cyxla_section *sections;
  size_t num_sections;
} file_content;

static void free_content(file_content *content, size_t num_executables) {
  cyxla_writer_free(&content->signature);
  cyxla_writer_free(&content->plugin);
  for (size_t i = 0; content->executables != NULL && i < num_executables; i++) {
    cyxla_writer_free(&content->executables[i]);
  }
  cyxla_release(content->executables);
  cyxla_release(content->sections);
}

static void add_section(file_content *content, cyxla_section_kind kind, uint32_t flags,
                        const void *data, size_t bytes) {
  const cyxla_section section = {(uint32_t)kind, flags, data, bytes};

  content->sections[content->num_sections++] = section;
}

static bool make_content(const cyxla_program *program,
                         const cyxla_plugin_record *record,
                         const cyxla_compiled *const *executables,
                         size_t num_executables, file_content *content) {
  content->executables = cyxla_allocate_array(num_executables, sizeof(cyxla_writer));
  content->sections = cyxla_allocate_array(NUM_SINGLE_SECTIONS + num_executables,
                                           sizeof(cyxla_section));
  if (content->executables == NULL || content->sections == NULL) return false;
  cyxla_write_string(&content->signature, program->platform);
  cyxla_signature_write(&content->signature, &program->inputs);
  cyxla_signature_write(&content->signature, &program->outputs);
  add_section(content, CYXLA_SECTION_SIGNATURE, CYXLA_SECTION_REQUIRED,
              content->signature.data, content->signature.size);
  add_section(content, CYXLA_SECTION_STABLEHLO, CYXLA_SECTION_REQUIRED, program->code,
              program->code_bytes);
  add_section(content, CYXLA_SECTION_COMPILE_OPTIONS, CYXLA_SECTION_REQUIRED,
              program->compile_options, program->compile_options_bytes);
  add_section(content, CYXLA_SECTION_METADATA, 0, program->metadata,
              strlen(program->metadata));
  if (record != NULL) {
    write_record(&content->plugin, record);
    add_section(content, CYXLA_SECTION_PLUGIN, 0, content->plugin.data,
                content->plugin.size);
  }
  for (size_t i = 0; i < num_executables; i++) {
    cyxla_writer *writer = &content->executables[i];
    cyxla_compiled_write(writer, executables[i]);
    if (writer->failed) return false;
    add_section(content, CYXLA_SECTION_EXECUTABLE, 0, writer->data, writer->size);
  }
  return !content->signature.failed && !content->plugin.failed;
}

cyxla_status cyxla_program_file_write(const cyxla_program *program, const char *path,
                                      const cyxla_plugin_record *record,
                                      const cyxla_compiled *const *executables,
                                      size_t num_executables, cyxla_error *error) {
  file_content content;
  cyxla_status status;

  memset(&content, 0, sizeof(content));
  if (make_content(program, record, executables, num_executables, &content)) {
    status = cyxla_file_write(path, content.sections, content.num_sections, error);
  } else {
    status = cyxla_error_out_of_memory(error, "writing a file");
  }
  free_content(&content, num_executables);
  return status;
}

cyxla_status cyxla_program_load(const char *path, cyxla_program **program,
                                cyxla_error *error) {
  CYXLA_REQUIRE(program, error);
  *program = NULL;
  CYXLA_REQUIRE(path, error);
  return cyxla_program_file_read(path, program, NULL, error);
}
