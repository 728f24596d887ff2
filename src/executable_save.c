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
  if (executable->serialized != NULL) {
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

/* The executables that a file is going to hold: the caller's with their labels, and
 * others, which are not owned. */
typedef struct save_list {
  cyxla_compiled *own; /* [num_own] */
  size_t num_own;
  const cyxla_compiled **items; /* [count], those of own among them */
  size_t count;
} save_list;

static void free_list(save_list *list) {
  for (size_t i = 0; i < list->num_own; i++) cyxla_compiled_free(&list->own[i]);
  cyxla_release(list->own);
  cyxla_release(list->items);
}

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

/* Adds what the file that is going to be replaced holds of the same program at the same
 * sizes. */
static void add_old(save_list *list, const cyxla_program *program,
                    const cyxla_program *old) {
  for (; old != NULL; old = old->next) {
    const cyxla_program *size = program->first;
    while (size != NULL && !is_same_program(size, old)) size = size->next;
    if (size != NULL) add_others(list, &old->compiled);
  }
}

/* The program of the file that is going to be replaced; NULL where there is none, or
 * what is there is no .cyxla file. */
static cyxla_status read_old(const char *path, cyxla_program **old,
                             cyxla_error *error) {
  cyxla_error unread;
  cyxla_status status = cyxla_program_file_read(path, old, NULL, &unread);

  if (status != CYXLA_OUT_OF_MEMORY) return CYXLA_OK;
  return cyxla_error_set(error, status, "%s", unread.message);
}

static size_t num_compiled(const cyxla_program *program) {
  size_t count = 0;

  for (; program != NULL; program = program->next) count += program->compiled.count;
  return count;
}

/* Drops own ones that are not called directly where another one of the same label is,
 * which kept its place. */
static void drop_worse(save_list *list) {
  const size_t num_own = list->num_own, count = list->count;
  size_t kept = 0;

  for (size_t i = 0; i < count; i++) {
    bool is_dropped = false;
    for (size_t k = num_own; i < num_own && k < count && !is_dropped; k++) {
      is_dropped = cyxla_compiled_replaces(list->items[k], list->items[i]) &&
                   list->items[k]->xla_flags_hash == list->items[i]->xla_flags_hash;
    }
    if (!is_dropped) list->items[kept++] = list->items[i];
  }
  list->count = kept;
}

/* Makes room for all and adds those that the program was read with. */
static cyxla_status fill_list(save_list *list, const cyxla_program *program,
                              const cyxla_program *old, cyxla_error *error) {
  list->items = cyxla_allocate_array(
      list->num_own + num_compiled(program->first) + num_compiled(old),
      sizeof(*list->items));
  if (list->items == NULL) return cyxla_error_out_of_memory(error, "writing a file");
  for (size_t i = 0; i < list->num_own; i++) list->items[list->count++] = &list->own[i];
  for (const cyxla_program *size = program->first; size != NULL; size = size->next) {
    add_others(list, &size->compiled);
  }
  if (old != NULL) add_old(list, program, old);
  drop_worse(list);
  return CYXLA_OK;
}

/* The one that the executable was loaded from; NULL where it was not one of the
 * program's. */
static const cyxla_compiled *origin_of(const cyxla_executable *executable) {
  const cyxla_compiled_list *list = &executable->program->compiled;

  for (size_t i = 0; executable->is_from_file && i < list->count; i++) {
    if (list->items[i].data == executable->serialized) return &list->items[i];
  }
  return NULL;
}

/* Adds the executable with its label, unless it is one of the program's from a file, of
 * which nothing more is known by now. A file without it serves as well, only slower, so
 * only a lack of memory is a failure. */
static cyxla_status add_own(save_list *list, const cyxla_executable *executable,
                            cyxla_error *error) {
  /* Without a plugin there are no handlers but the library's own. */
  const bool is_direct = cyxla_executable_is_direct(executable) &&
                         !executable->direct->thunks.has_handlers;
  const cyxla_compiled *origin = origin_of(executable);
  cyxla_compiled *own = &list->own[list->num_own];
  void *data = NULL;
  size_t bytes;
  cyxla_status status;

  if (origin != NULL && (origin->is_direct || !is_direct)) return CYXLA_OK;
  status = cyxla_executable_serialize(executable, &data, &bytes, NULL);
  if (status == CYXLA_OK) {
    status = cyxla_compiled_create(executable->runtime, executable->program, data,
                                   bytes, own, NULL);
  }
  if (status == CYXLA_OK) {
    own->is_direct = is_direct;
    list->num_own++;
  }
  cyxla_aligned_free(data);
  if (status != CYXLA_OUT_OF_MEMORY) return CYXLA_OK;
  return cyxla_error_out_of_memory(error, "writing an executable");
}

/* Those of another identity than the library's hash, which was recalled from a record,
 * are dropped: it cannot be told which build made them. */
static void drop_mislabelled(save_list *list, const cyxla_plugin_record *record) {
  size_t kept = 0;

  for (size_t i = 0; i < list->num_own; i++) {
    cyxla_compiled *own = &list->own[i];
    if (own->plugin_hash == record->hash && own->plugin_bytes == record->bytes) {
      list->own[kept++] = *own;
    } else {
      cyxla_compiled_free(own);
    }
  }
  list->num_own = kept;
}

/* Writes what is in the list and what is in the file that is replaced, which nobody
 * else replaces meanwhile. */
static cyxla_status write_merged(save_list *list, const cyxla_program *program,
                                 const cyxla_plugin_record *record, const char *path,
                                 cyxla_error *error) {
  cyxla_program *old = NULL;
  cyxla_path_lock lock;
  cyxla_status status;

  if (!cyxla_path_lock_directory(path, &lock)) {
    return cyxla_error_out_of_memory(error, "writing a file");
  }
  status = read_old(path, &old, error);
  if (status == CYXLA_OK) status = fill_list(list, program, old, error);
  if (status == CYXLA_OK) {
    status = cyxla_program_file_write(program, path, record, list->items, list->count,
                                      error);
  }
  cyxla_path_unlock_directory(lock);
  cyxla_program_destroy(old);
  return status;
}

static cyxla_status write(save_list *list, const cyxla_executable *executable,
                          const char *path, cyxla_error *error) {
  cyxla_plugin_record record;
  cyxla_status status;

  /* Without a plugin there is nothing new to be labelled. */
  if (executable->runtime == NULL) {
    return write_merged(list, executable->program,
                        executable->record.path != NULL ? &executable->record : NULL,
                        path, error);
  }
  status =
      cyxla_plugin_record_create(executable->runtime->plugin->path, &record, error);

  if (status != CYXLA_OK) return status;
  drop_mislabelled(list, &record);
  status = write_merged(list, executable->program, &record, path, error);
  cyxla_plugin_record_free(&record);
  return status;
}

static const cyxla_plugin *plugin_of(const cyxla_executable *executable) {
  return executable->runtime != NULL ? executable->runtime->plugin : NULL;
}

/* Whether two executables can be written to one file. */
static cyxla_status check_pair(const cyxla_executable *const *executables, size_t index,
                               cyxla_error *error) {
  const cyxla_plugin *plugin = plugin_of(executables[index]);
  const cyxla_plugin *first = plugin_of(executables[0]);

  if (executables[index]->program->first != executables[0]->program->first) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "executable %zu of those to save is not of a size of the "
                           "first one's program; join the programs with "
                           "cyxla_program_join before they are compiled",
                           index);
  }
  for (size_t k = 0; k < index; k++) {
    if (executables[k]->program != executables[index]->program) continue;
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "executables %zu and %zu of those to save are of one size",
                           k, index);
  }
  if (plugin == first) return CYXLA_OK;
  return cyxla_error_set(
      error, CYXLA_INVALID_ARGUMENT,
      "executable %zu of those to save was compiled by the plugin %s "
      "and the first one by %s; save them one by one",
      index, plugin != NULL ? plugin->path : "of its file",
      first != NULL ? first->path : "that of its file");
}

static cyxla_status check_executables(const cyxla_executable *const *executables,
                                      size_t num_executables, cyxla_error *error) {
  if (num_executables == 0) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "there are 0 executables to save, expected 1 or more");
  }
  for (size_t i = 0; i < num_executables; i++) {
    cyxla_status status;
    if (executables[i] == NULL) {
      return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                             "executable %zu of those to save is NULL", i);
    }
    status = check_pair(executables, i, error);
    if (status != CYXLA_OK) return status;
  }
  return CYXLA_OK;
}

cyxla_status cyxla_executable_save_all(const cyxla_executable *const *executables,
                                       size_t num_executables, const char *path,
                                       cyxla_error *error) {
  save_list list;
  cyxla_status status;

  CYXLA_REQUIRE(executables, error);
  CYXLA_REQUIRE(path, error);
  status = check_executables(executables, num_executables, error);
  if (status != CYXLA_OK) return status;
  memset(&list, 0, sizeof(list));
  list.own = cyxla_allocate_array(num_executables, sizeof(*list.own));
  if (list.own == NULL) return cyxla_error_out_of_memory(error, "writing a file");
  for (size_t i = 0; status == CYXLA_OK && i < num_executables; i++) {
    status = add_own(&list, executables[i], error);
  }
  if (status == CYXLA_OK) status = write(&list, executables[0], path, error);
  free_list(&list);
  return status;
}

cyxla_status cyxla_executable_save(const cyxla_executable *executable, const char *path,
                                   cyxla_error *error) {
  CYXLA_REQUIRE(executable, error);
  CYXLA_REQUIRE(path, error);
  return cyxla_executable_save_all(&executable, 1, path, error);
}

cyxla_status cyxla_program_save(const cyxla_program *program, const char *path,
                                cyxla_error *error) {
  save_list list;
  cyxla_status status;

  CYXLA_REQUIRE(program, error);
  CYXLA_REQUIRE(path, error);
  memset(&list, 0, sizeof(list));
  status = fill_list(&list, program, NULL, error);
  if (status == CYXLA_OK) {
    status =
        cyxla_program_file_write(program, path, NULL, list.items, list.count, error);
  }
  free_list(&list);
  return status;
}
