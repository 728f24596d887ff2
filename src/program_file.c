#include "program_file.h"

#include <string.h>

#include "encoding.h"
#include "error.h"
#include "memory.h"
#include "options.h"
#include "program_sizes.h"
#include "signature.h"

/* What a program is made of, where it lies in the file; NULL and 0 bytes for what is
 * not there. */
typedef struct program_parts {
  cyxla_section signature;
  cyxla_section code;
  cyxla_section compile_options;
  cyxla_section metadata;
} program_parts;

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

static cyxla_status make_program(const cyxla_file *file, const program_parts *parts,
                                 const file_signature *signature,
                                 cyxla_program **program, cyxla_error *error) {
  cyxla_program_options options = CYXLA_PROGRAM_OPTIONS_INIT;
  char *text = NULL;
  cyxla_status status;

  text = cyxla_duplicate(parts->metadata.data, parts->metadata.bytes);
  if (text == NULL) return cyxla_error_out_of_memory(error, "a program");
  options.platform = signature->platform;
  options.code = parts->code.data;
  options.code_bytes = parts->code.bytes;
  options.compile_options = parts->compile_options.data;
  options.compile_options_bytes = parts->compile_options.bytes;
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

static cyxla_status read_program(const cyxla_file *file, const program_parts *parts,
                                 cyxla_program **program, cyxla_error *error) {
  file_signature signature;
  cyxla_status status;

  memset(&signature, 0, sizeof(signature));
  status = read_signature(file, &parts->signature, &signature, error);
  if (status == CYXLA_OK) {
    status = make_program(file, parts, &signature, program, error);
  }
  free_file_signature(&signature);
  return status;
}

/* The function at its only or first size, whose parts are sections of their own. */
static cyxla_status read_first(const cyxla_file *file, cyxla_program **program,
                               cyxla_error *error) {
  const cyxla_section *signature = cyxla_file_find(file, CYXLA_SECTION_SIGNATURE);
  const cyxla_section *code = cyxla_file_find(file, CYXLA_SECTION_STABLEHLO);
  const cyxla_section *options = cyxla_file_find(file, CYXLA_SECTION_COMPILE_OPTIONS);
  const cyxla_section *metadata = cyxla_file_find(file, CYXLA_SECTION_METADATA);
  program_parts parts;

  if (signature == NULL || code == NULL) {
    return cyxla_file_invalid(file, "it holds no program", error);
  }
  memset(&parts, 0, sizeof(parts));
  parts.signature = *signature;
  parts.code = *code;
  if (options != NULL) parts.compile_options = *options;
  if (metadata != NULL) parts.metadata = *metadata;
  return read_program(file, &parts, program, error);
}

/* Counted bytes as the part of a program. */
static cyxla_section read_part(cyxla_reader *reader) {
  cyxla_section part = {0, 0, NULL, 0};

  part.data = cyxla_read_bytes(reader, &part.bytes);
  return part;
}

static cyxla_status read_size(const cyxla_file *file, const cyxla_section *section,
                              cyxla_program *first, cyxla_error *error) {
  cyxla_reader reader = {section->data, section->bytes, 0, false};
  cyxla_program *program = NULL;
  program_parts parts;
  cyxla_status status;

  parts.signature = read_part(&reader);
  parts.code = read_part(&reader);
  parts.compile_options = read_part(&reader);
  parts.metadata = read_part(&reader);
  if (!cyxla_reader_is_done(&reader)) {
    return cyxla_file_invalid(file, "a size of its program cannot be read", error);
  }
  status = read_program(file, &parts, &program, error);
  if (status != CYXLA_OK) return status;
  status = cyxla_program_check_size(first, program, NULL);
  if (status != CYXLA_OK) {
    cyxla_program_destroy(program);
    return cyxla_file_invalid(file, "the sizes of its program do not belong together",
                              error);
  }
  cyxla_program_append(first, program);
  return CYXLA_OK;
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
  if (cyxla_plugin_record_read(&reader, record, &is_out_of_memory)) return CYXLA_OK;
  if (is_out_of_memory) return cyxla_error_out_of_memory(error, "a plugin's record");
  return cyxla_file_invalid(file, "its record of a plugin cannot be read", error);
}

static cyxla_status read_compiled(const cyxla_file *file, const cyxla_section *section,
                                  cyxla_program *program, cyxla_error *error) {
  cyxla_reader reader = {section->data, section->bytes, 0, false};
  bool is_out_of_memory = false;
  cyxla_compiled compiled;

  if (!cyxla_compiled_read(&reader, &compiled, &is_out_of_memory)) {
    if (is_out_of_memory) return cyxla_error_out_of_memory(error, "an executable");
    return cyxla_file_invalid(file, "an executable in it cannot be read", error);
  }
  compiled.is_direct = (section->flags & CYXLA_SECTION_DIRECT) != 0;
  while (program != NULL && !cyxla_compiled_belongs(&compiled, program)) {
    program = program->next;
  }
  if (program != NULL && cyxla_compiled_list_add(&program->compiled, &compiled)) {
    return CYXLA_OK;
  }
  cyxla_compiled_free(&compiled);
  if (program == NULL) return CYXLA_OK; /* it is of another program */
  return cyxla_error_out_of_memory(error, "an executable");
}

typedef cyxla_status section_reader(const cyxla_file *file,
                                    const cyxla_section *section,
                                    cyxla_program *program, cyxla_error *error);

/* Of these kinds there are as many as the writer likes. */
static cyxla_status read_all(const cyxla_file *file, cyxla_section_kind kind,
                             section_reader *read, cyxla_program *program,
                             cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  for (size_t i = 0; i < file->num_sections && status == CYXLA_OK; i++) {
    if (file->sections[i].kind == (uint32_t)kind) {
      status = read(file, &file->sections[i], program, error);
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
  status = read_first(&file, program, error);
  if (status == CYXLA_OK) {
    status = read_all(&file, CYXLA_SECTION_SIZE, read_size, *program, error);
  }
  /* An executable may be of any size. */
  if (status == CYXLA_OK) {
    status = read_all(&file, CYXLA_SECTION_EXECUTABLE, read_compiled, *program, error);
  }
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

cyxla_status cyxla_program_load(const char *path, cyxla_program **program,
                                cyxla_error *error) {
  CYXLA_REQUIRE(program, error);
  *program = NULL;
  CYXLA_REQUIRE(path, error);
  return cyxla_program_file_read(path, program, NULL, error);
}
