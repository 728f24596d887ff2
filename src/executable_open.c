/* Opening files: with the plugin that is found, or without one. */
#include <string.h>

#include "environment.h"
#include "error.h"
#include "executable.h"
#include "memory.h"
#include "options.h"
#include "program_file.h"
#include "search.h"

static cyxla_status find_runtime(const cyxla_open_options *options, const char *path,
                                 const cyxla_program *program,
                                 const cyxla_plugin_record *record,
                                 cyxla_runtime **runtime, cyxla_error *error) {
  char *plugin = NULL;
  cyxla_status status;

  if (options->runtime != NULL) {
    *runtime = cyxla_runtime_retain(options->runtime);
    return CYXLA_OK;
  }
  if (options->plugin != NULL) {
    return cyxla_runtime_get_default(options->plugin, program->platform, runtime,
                                     error);
  }
  status = cyxla_search_plugin(program->platform, path, record, &plugin, error);
  if (status != CYXLA_OK) return status;
  status = cyxla_runtime_get_default(plugin, program->platform, runtime, error);
  if (status != CYXLA_OK && cyxla_environment_plugin() != NULL) {
    cyxla_error_append(error, " (the variable CYXLA_PLUGIN names this plugin)");
  }
  cyxla_release(plugin);
  return status;
}

static void name_file(const char *path, cyxla_error *error) {
  cyxla_error_append(error, " (in ");
  cyxla_error_append(error, path);
  cyxla_error_append(error, ")");
}

/* What a file was read as. */
typedef struct opened {
  const char *path;
  cyxla_program *size; /* the one that is wanted, of the file's program */
  cyxla_plugin_record record;
} opened;

/* Where the options leave it open how the program runs, code of the file's own that is
 * called directly needs no plugin. */
static cyxla_status is_plugin_wanted(const cyxla_open_options *options, bool *is_wanted,
                                     cyxla_error *error) {
  cyxla_tier tier = options->tier;
  cyxla_status status = cyxla_tier_resolve(&tier, error);

  *is_wanted = options->runtime != NULL || options->plugin != NULL ||
               options->with_plugin || tier == CYXLA_TIER_PJRT;
  return status;
}

/* The refusal is why the program cannot do without one; NULL: one was asked for. */
static cyxla_status open_with_plugin(const opened *file,
                                     const cyxla_open_options *options,
                                     cyxla_error *refusal,
                                     cyxla_executable **executable,
                                     cyxla_error *error) {
  cyxla_executable_options made = CYXLA_EXECUTABLE_OPTIONS_INIT;
  cyxla_runtime *runtime = NULL;
  cyxla_status status =
      find_runtime(options, file->path, file->size, &file->record, &runtime, error);

  if (status != CYXLA_OK && refusal != NULL) {
    cyxla_executable_explain(file->size, refusal);
    cyxla_error_append(error, "; without a plugin it cannot run: ");
    cyxla_error_append(error, refusal->message);
  }
  if (status != CYXLA_OK) return status;
  made.tier = options->tier;
  cyxla_plugin_recall(runtime->plugin, &file->record);
  status = cyxla_executable_create_with(runtime, file->size, &made, executable, error);
  cyxla_runtime_destroy(runtime);
  return status;
}

static cyxla_status open_size(opened *file, const cyxla_open_options *options,
                              cyxla_executable **executable, cyxla_error *error) {
  cyxla_error refusal;
  bool is_wanted;
  cyxla_status status = is_plugin_wanted(options, &is_wanted, error);

  if (status != CYXLA_OK) return status;
  if (is_wanted) return open_with_plugin(file, options, NULL, executable, error);
  status = cyxla_executable_create_without_plugin(file->size, executable, &refusal);
  if (status == CYXLA_OK) {
    (*executable)->record = file->record;
    memset(&file->record, 0, sizeof(file->record));
    return CYXLA_OK;
  }
  if (status != CYXLA_UNIMPLEMENTED) {
    return cyxla_error_set(error, status, "%s", refusal.message);
  }
  return open_with_plugin(file, options, &refusal, executable, error);
}

cyxla_status cyxla_open(const char *path, const cyxla_open_options *options,
                        cyxla_executable **executable, cyxla_error *error) {
  cyxla_open_options used = CYXLA_OPEN_OPTIONS_INIT;
  opened file;
  cyxla_program *program = NULL;
  cyxla_status status;

  CYXLA_REQUIRE(executable, error);
  *executable = NULL;
  CYXLA_REQUIRE(path, error);
  status =
      cyxla_options_read(&used, sizeof(used), options, "cyxla_open_options", error);
  if (status != CYXLA_OK) return status;
  memset(&file, 0, sizeof(file));
  file.path = path;
  status = cyxla_program_file_read(path, &program, &file.record, error);
  if (status == CYXLA_OK) {
    status =
        cyxla_program_pick(program, used.inputs, used.num_inputs, &file.size, error);
    if (status == CYXLA_SIZE_NOT_FOUND) name_file(path, error);
  }
  if (status == CYXLA_OK) status = open_size(&file, &used, executable, error);
  cyxla_program_destroy(program);
  cyxla_plugin_record_free(&file.record);
  return status;
}
