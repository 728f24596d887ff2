#include "executable.h"

#include <string.h>

#include "error.h"
#include "executable_check.h"
#include "memory.h"
#include "options.h"
#include "program_file.h"

static cyxla_status copy_serialized(const void *serialized, size_t size, void **data,
                                    size_t *bytes, cyxla_error *error) {
  *data = cyxla_aligned_alloc(size);
  if (*data == NULL) return cyxla_error_out_of_memory(error, "a serialized executable");
  memcpy(*data, serialized, size);
  *bytes = size;
  return CYXLA_OK;
}

static cyxla_status serialize(const PJRT_Api *api, PJRT_Executable *compiled,
                              void **data, size_t *bytes, cyxla_error *error) {
  PJRT_Executable_Serialize_Args args;
  cyxla_status status;

  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.executable = compiled;
  status = cyxla_error_from_pjrt(api, api->PJRT_Executable_Serialize(&args),
                                 "serialize an executable", error);
  if (status != CYXLA_OK) return status;
  status = copy_serialized(args.serialized_bytes, args.serialized_bytes_size, data,
                           bytes, error);
  args.serialized_executable_deleter(args.serialized_executable);
  return status;
}

cyxla_status cyxla_executable_serialize(const cyxla_executable *executable, void **data,
                                        size_t *bytes, cyxla_error *error) {
  const PJRT_Api *api;
  PJRT_Executable *compiled;
  cyxla_status status;

  CYXLA_REQUIRE(data, error);
  *data = NULL;
  CYXLA_REQUIRE(bytes, error);
  *bytes = 0;
  CYXLA_REQUIRE(executable, error);
  /* XLA's CPU plugins serialize what they have loaded without its machine code, which
   * only a run notices. */
  if (executable->is_deserialized) {
    return copy_serialized(executable->serialized, executable->serialized_bytes, data,
                           bytes, error);
  }
  status = cyxla_runtime_check_process(executable->runtime, error);
  if (status != CYXLA_OK) return status;
  api = executable->runtime->plugin->api;
  if (!CYXLA_PLUGIN_HAS(api, PJRT_Executable_Serialize)) {
    return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                           "the plugin %s cannot serialize executables",
                           executable->runtime->plugin->path);
  }
  status = cyxla_executable_describe(executable, &compiled, error);
  if (status != CYXLA_OK) return status;
  status = serialize(api, compiled, data, bytes, error);
  cyxla_executable_description_destroy(executable, compiled);
  return status;
}

/* The executables that a file is going to hold. None of them is owned. */
typedef struct save_list {
  const cyxla_compiled **items;
  size_t count;
} save_list;

/* Adds those that none of the ones before is to replace. */
static void add_others(save_list *list, const cyxla_compiled_list *others) {
  for (size_t i = 0; i < others->count; i++) {
    bool is_replaced = false;
    for (size_t k = 0; k < list->count && !is_replaced; k++) {
      is_replaced = cyxla_compiled_replaces(list->items[k], &others->items[i]);
    }
    if (!is_replaced) list->items[list->count++] = &others->items[i];
  }
}

static bool is_same_program(const cyxla_program *a, const cyxla_program *b) {
  return a->code_bytes == b->code_bytes &&
         memcmp(a->code, b->code, a->code_bytes) == 0 &&
         a->compile_options_bytes == b->compile_options_bytes &&
         memcmp(a->compile_options, b->compile_options, a->compile_options_bytes) == 0;
}

/* The program of the file that is going to be replaced, if it is the same one; NULL
 * where there is another or none, or what is there is no .cyxla file. */
static cyxla_status read_old(const char *path, const cyxla_program *program,
                             cyxla_program **old, cyxla_error *error) {
  cyxla_error unread;
  cyxla_status status = cyxla_program_file_read(path, old, NULL, &unread);

  if (status == CYXLA_OUT_OF_MEMORY) {
    return cyxla_error_set(error, status, "%s", unread.message);
  }
  if (*old != NULL && !is_same_program(*old, program)) {
    cyxla_program_destroy(*old);
    *old = NULL;
  }
  return CYXLA_OK;
}

/* The executable with its label, unless it is one of the program's from a file. A file
 * without it serves as well, only slower, so only a lack of memory is a failure. */
static cyxla_status make_own(const cyxla_executable *executable, cyxla_compiled *own,
                             bool *has_own, cyxla_error *error) {
  void *data = NULL;
  size_t bytes;
  cyxla_status status;

  *has_own = false;
  if (executable->is_from_file) return CYXLA_OK;
  status = cyxla_executable_serialize(executable, &data, &bytes, NULL);
  if (status == CYXLA_OK) {
    status = cyxla_compiled_create(executable->runtime, executable->program, data,
                                   bytes, own, NULL);
    *has_own = status == CYXLA_OK;
  }
  cyxla_aligned_free(data);
  if (status != CYXLA_OUT_OF_MEMORY) return CYXLA_OK;
  return cyxla_error_out_of_memory(error, "writing an executable");
}

static cyxla_status write(const cyxla_executable *executable, const char *path,
                          const cyxla_compiled *own, const cyxla_program *old,
                          cyxla_error *error) {
  const cyxla_compiled_list *known = &executable->program->compiled;
  save_list list = {NULL, 0};
  cyxla_plugin_record record;
  cyxla_status status =
      cyxla_plugin_record_create(executable->runtime->plugin->path, &record, error);

  if (status != CYXLA_OK) return status;
  list.items = cyxla_allocate_array(
      1 + known->count + (old != NULL ? old->compiled.count : 0), sizeof(*list.items));
  if (list.items == NULL) {
    status = cyxla_error_out_of_memory(error, "writing a file");
  } else {
    if (own != NULL) list.items[list.count++] = own;
    add_others(&list, known);
    if (old != NULL) add_others(&list, &old->compiled);
    status = cyxla_program_file_write(executable->program, path, &record, list.items,
                                      list.count, error);
  }
  cyxla_release(list.items);
  cyxla_plugin_record_free(&record);
  return status;
}

cyxla_status cyxla_executable_save(const cyxla_executable *executable, const char *path,
                                   cyxla_error *error) {
  cyxla_program *old = NULL;
  cyxla_compiled own;
  bool has_own = false;
  cyxla_status status;

  CYXLA_REQUIRE(executable, error);
  CYXLA_REQUIRE(path, error);
  status = make_own(executable, &own, &has_own, error);
  if (status == CYXLA_OK) status = read_old(path, executable->program, &old, error);
  if (status == CYXLA_OK) {
    status = write(executable, path, has_own ? &own : NULL, old, error);
  }
  cyxla_program_destroy(old);
  if (has_own) cyxla_compiled_free(&own);
  return status;
}

cyxla_status cyxla_program_save(const cyxla_program *program, const char *path,
                                cyxla_error *error) {
  save_list list = {NULL, 0};
  cyxla_status status;

  CYXLA_REQUIRE(program, error);
  CYXLA_REQUIRE(path, error);
  list.items = cyxla_allocate_array(program->compiled.count, sizeof(*list.items));
  if (list.items == NULL) return cyxla_error_out_of_memory(error, "writing a file");
  add_others(&list, &program->compiled);
  status = cyxla_program_file_write(program, path, NULL, list.items, list.count, error);
  cyxla_release(list.items);
  return status;
}
