#include <string.h>

#include "encoding.h"
#include "error.h"
#include "memory.h"
#include "program_file.h"
#include "signature.h"

/* Of these there is one each. Sizes and executables come beside them. */
enum { NUM_SINGLE_SECTIONS = 5 };

/* What the sections hold that is made for the file; the rest lies in the program. */
typedef struct file_content {
  cyxla_writer signature;
  cyxla_writer plugin;
  cyxla_writer *more; /* [num_more]: sizes and executables */
  size_t num_more;
  cyxla_section *sections;
  size_t num_sections;
} file_content;

static void free_content(file_content *content) {
  cyxla_writer_free(&content->signature);
  cyxla_writer_free(&content->plugin);
  for (size_t i = 0; i < content->num_more; i++) {
    cyxla_writer_free(&content->more[i]);
  }
  cyxla_release(content->more);
  cyxla_release(content->sections);
}

static void add_section(file_content *content, cyxla_section_kind kind, uint32_t flags,
                        const void *data, size_t bytes) {
  const cyxla_section section = {(uint32_t)kind, flags, data, bytes};

  content->sections[content->num_sections++] = section;
}

/* One of several sections, written by the caller of this. */
static void add_more(file_content *content, cyxla_section_kind kind, uint32_t flags) {
  const cyxla_writer *writer = &content->more[content->num_more++];

  add_section(content, kind, flags, writer->data, writer->size);
}

static void write_signature(cyxla_writer *writer, const cyxla_program *program) {
  cyxla_write_string(writer, program->platform);
  cyxla_signature_write(writer, &program->inputs);
  cyxla_signature_write(writer, &program->outputs);
}

static bool write_size(cyxla_writer *writer, const cyxla_program *program) {
  cyxla_writer signature;

  memset(&signature, 0, sizeof(signature));
  write_signature(&signature, program);
  cyxla_write_bytes(writer, signature.data, signature.size);
  cyxla_write_bytes(writer, program->code, program->code_bytes);
  cyxla_write_bytes(writer, program->compile_options, program->compile_options_bytes);
  cyxla_write_string(writer, program->metadata);
  if (signature.failed) writer->failed = true;
  cyxla_writer_free(&signature);
  return !writer->failed;
}

static void add_first(file_content *content, const cyxla_program *program) {
  write_signature(&content->signature, program);
  add_section(content, CYXLA_SECTION_SIGNATURE, CYXLA_SECTION_REQUIRED,
              content->signature.data, content->signature.size);
  add_section(content, CYXLA_SECTION_STABLEHLO, CYXLA_SECTION_REQUIRED, program->code,
              program->code_bytes);
  add_section(content, CYXLA_SECTION_COMPILE_OPTIONS, CYXLA_SECTION_REQUIRED,
              program->compile_options, program->compile_options_bytes);
  add_section(content, CYXLA_SECTION_METADATA, 0, program->metadata,
              strlen(program->metadata));
}

static bool make_content(const cyxla_program *program,
                         const cyxla_plugin_record *record,
                         const cyxla_compiled *const *executables,
                         size_t num_executables, file_content *content) {
  size_t num_more = cyxla_program_num_sizes(program) - 1 + num_executables;

  content->more = cyxla_allocate_array(num_more, sizeof(cyxla_writer));
  content->sections =
      cyxla_allocate_array(NUM_SINGLE_SECTIONS + num_more, sizeof(cyxla_section));
  if (content->more == NULL || content->sections == NULL) return false;
  add_first(content, program->first);
  for (program = program->first->next; program != NULL; program = program->next) {
    bool done = write_size(&content->more[content->num_more], program);
    add_more(content, CYXLA_SECTION_SIZE, CYXLA_SECTION_REQUIRED);
    if (!done) return false;
  }
  if (record != NULL) {
    cyxla_plugin_record_write(&content->plugin, record);
    add_section(content, CYXLA_SECTION_PLUGIN, 0, content->plugin.data,
                content->plugin.size);
  }
  for (size_t i = 0; i < num_executables; i++) {
    cyxla_writer *writer = &content->more[content->num_more];
    cyxla_compiled_write(writer, executables[i]);
    add_more(content, CYXLA_SECTION_EXECUTABLE,
             executables[i]->is_direct ? CYXLA_SECTION_DIRECT : 0);
    if (writer->failed) return false;
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
  free_content(&content);
  return status;
}
