#include "compiled.h"

#include <string.h>

#include "error.h"
#include "machine.h"
#include "memory.h"
#include "options.h"
#include "plugin_identity.h"
#include "program.h"
#include "runtime.h"

void cyxla_compiled_free(cyxla_compiled *compiled) {
  cyxla_release(compiled->platform);
  cyxla_release(compiled->device_kind);
  cyxla_release(compiled->cpu_features);
  cyxla_release(compiled->data);
  memset(compiled, 0, sizeof(*compiled));
}

bool cyxla_compiled_list_add(cyxla_compiled_list *list,
                             const cyxla_compiled *compiled) {
  if (list->count == list->capacity) {
    size_t capacity = 2 * list->capacity + 1;
    cyxla_compiled *items = cyxla_allocate_array(capacity, sizeof(*items));
    if (items == NULL) return false;
    if (list->count > 0) memcpy(items, list->items, list->count * sizeof(*items));
    cyxla_release(list->items);
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = *compiled;
  return true;
}

void cyxla_compiled_list_free(cyxla_compiled_list *list) {
  for (size_t i = 0; i < list->count; i++) cyxla_compiled_free(&list->items[i]);
  cyxla_release(list->items);
  memset(list, 0, sizeof(*list));
}

bool cyxla_compiled_copy(const cyxla_compiled *compiled, cyxla_compiled *copy) {
  const char *platform = compiled->platform;
  const char *device_kind = compiled->device_kind;
  const char *features = compiled->cpu_features;

  *copy = *compiled;
  copy->platform = cyxla_duplicate(platform, strlen(platform));
  copy->device_kind = cyxla_duplicate(device_kind, strlen(device_kind));
  copy->cpu_features = cyxla_duplicate(features, strlen(features));
  copy->data = cyxla_duplicate(compiled->data, compiled->bytes);
  if (copy->platform != NULL && copy->device_kind != NULL &&
      copy->cpu_features != NULL && copy->data != NULL) {
    return true;
  }
  cyxla_compiled_free(copy);
  return false;
}

cyxla_status cyxla_compiled_create(const cyxla_runtime *runtime,
                                   const cyxla_program *program, const void *data,
                                   size_t bytes, cyxla_compiled *compiled,
                                   cyxla_error *error) {
  const cyxla_plugin *plugin = runtime->plugin;
  const char *device_kind = runtime->device_kinds[0];
  const char *features = cyxla_cpu_features();
  cyxla_status status;

  memset(compiled, 0, sizeof(*compiled));
  compiled->data = cyxla_duplicate(data, bytes);
  compiled->bytes = bytes;
  compiled->pjrt_api_major = (uint32_t)plugin->api->pjrt_api_version.major_version;
  compiled->pjrt_api_minor = (uint32_t)plugin->api->pjrt_api_version.minor_version;
  compiled->code_hash = program->code_hash;
  compiled->options_hash = program->compile_options_hash;
  compiled->xla_flags_hash = plugin->xla_flags_hash;
  status = cyxla_plugin_identify(plugin, &compiled->plugin_bytes,
                                 &compiled->plugin_hash, error);
  if (status == CYXLA_OK) {
    memcpy(compiled->plugin_identity, plugin->identity, sizeof(plugin->identity));
    compiled->platform = cyxla_duplicate(runtime->platform, strlen(runtime->platform));
    compiled->device_kind = cyxla_duplicate(device_kind, strlen(device_kind));
    compiled->cpu_features = cyxla_duplicate(features, strlen(features));
    if (compiled->data == NULL || compiled->platform == NULL ||
        compiled->device_kind == NULL || compiled->cpu_features == NULL) {
      status = cyxla_error_out_of_memory(error, "an executable");
    }
  }
  if (status != CYXLA_OK) cyxla_compiled_free(compiled);
  return status;
}

bool cyxla_compiled_read(cyxla_reader *reader, cyxla_compiled *compiled,
                         bool *is_out_of_memory) {
  const unsigned char *data;

  memset(compiled, 0, sizeof(*compiled));
  compiled->plugin_bytes = cyxla_read_u64(reader);
  compiled->plugin_hash = cyxla_read_u64(reader);
  compiled->pjrt_api_major = cyxla_read_u32(reader);
  compiled->pjrt_api_minor = cyxla_read_u32(reader);
  compiled->code_hash = cyxla_read_u64(reader);
  compiled->options_hash = cyxla_read_u64(reader);
  compiled->xla_flags_hash = cyxla_read_u64(reader);
  compiled->platform = cyxla_read_text(reader, is_out_of_memory);
  compiled->device_kind = cyxla_read_text(reader, is_out_of_memory);
  compiled->cpu_features = cyxla_read_text(reader, is_out_of_memory);
  data = cyxla_read_bytes(reader, &compiled->bytes);
  if (compiled->platform != NULL && compiled->device_kind != NULL &&
      compiled->cpu_features != NULL && cyxla_reader_is_done(reader)) {
    compiled->data = cyxla_duplicate(data, compiled->bytes);
    if (compiled->data == NULL) *is_out_of_memory = true;
  }
  if (compiled->data == NULL) {
    cyxla_compiled_free(compiled);
    return false;
  }
  cyxla_plugin_format_identity(compiled->plugin_bytes, compiled->plugin_hash,
                               compiled->plugin_identity);
  return true;
}

void cyxla_compiled_write(cyxla_writer *writer, const cyxla_compiled *compiled) {
  cyxla_write_u64(writer, compiled->plugin_bytes);
  cyxla_write_u64(writer, compiled->plugin_hash);
  cyxla_write_u32(writer, compiled->pjrt_api_major);
  cyxla_write_u32(writer, compiled->pjrt_api_minor);
  cyxla_write_u64(writer, compiled->code_hash);
  cyxla_write_u64(writer, compiled->options_hash);
  cyxla_write_u64(writer, compiled->xla_flags_hash);
  cyxla_write_string(writer, compiled->platform);
  cyxla_write_string(writer, compiled->device_kind);
  cyxla_write_string(writer, compiled->cpu_features);
  cyxla_write_bytes(writer, compiled->data, compiled->bytes);
}

bool cyxla_compiled_belongs(const cyxla_compiled *compiled,
                            const cyxla_program *program) {
  return compiled->code_hash == program->code_hash &&
         compiled->options_hash == program->compile_options_hash;
}

bool cyxla_compiled_replaces(const cyxla_compiled *compiled,
                             const cyxla_compiled *old) {
  return (compiled->is_direct || !old->is_direct) &&
         compiled->code_hash == old->code_hash &&
         compiled->options_hash == old->options_hash &&
         compiled->plugin_bytes == old->plugin_bytes &&
         compiled->plugin_hash == old->plugin_hash &&
         strcmp(compiled->platform, old->platform) == 0 &&
         strcmp(compiled->device_kind, old->device_kind) == 0 &&
         strcmp(compiled->cpu_features, old->cpu_features) == 0;
}

/* All that costs nothing to compare. The plugin's hash comes last, since its library
 * may have to be read for it. */
static bool may_fit(const cyxla_compiled *compiled, const cyxla_runtime *runtime) {
  const PJRT_Api_Version *version = &runtime->plugin->api->pjrt_api_version;

  return compiled->bytes > 0 && compiled->plugin_bytes == runtime->plugin->file.bytes &&
         compiled->pjrt_api_major == (uint32_t)version->major_version &&
         compiled->pjrt_api_minor == (uint32_t)version->minor_version &&
         compiled->xla_flags_hash == runtime->plugin->xla_flags_hash &&
         strcmp(compiled->platform, runtime->platform) == 0 &&
         strcmp(compiled->device_kind, runtime->device_kinds[0]) == 0 &&
         cyxla_machine_has_all(cyxla_cpu_features(), compiled->cpu_features);
}

cyxla_status cyxla_compiled_find(const cyxla_program *program,
                                 const cyxla_runtime *runtime,
                                 const cyxla_compiled **found, cyxla_error *error) {
  *found = NULL;
  for (size_t i = 0; i < program->compiled.count; i++) {
    const cyxla_compiled *compiled = &program->compiled.items[i];
    uint64_t bytes, hash;
    cyxla_status status;
    if (!may_fit(compiled, runtime)) continue;
    status = cyxla_plugin_identify(runtime->plugin, &bytes, &hash, error);
    if (status == CYXLA_OUT_OF_MEMORY) return status;
    if (status != CYXLA_OK) return CYXLA_OK; /* which build it is cannot be told */
    if (compiled->plugin_hash != hash || compiled->plugin_bytes != bytes) continue;
    if (*found == NULL ||
        strlen(compiled->cpu_features) > strlen((*found)->cpu_features)) {
      *found = compiled;
    }
  }
  return CYXLA_OK;
}

bool cyxla_compiled_fits_processor(const cyxla_compiled *compiled) {
  return cyxla_machine_has_all(cyxla_cpu_features(), compiled->cpu_features);
}

const cyxla_compiled *cyxla_compiled_find_direct(const cyxla_program *program,
                                                 cyxla_error *error) {
  const cyxla_compiled *found = NULL, *other = NULL;

  for (size_t i = 0; i < program->compiled.count; i++) {
    const cyxla_compiled *compiled = &program->compiled.items[i];
    if (!compiled->is_direct || strcmp(compiled->platform, "cpu") != 0) continue;
    if (!cyxla_compiled_fits_processor(compiled)) {
      other = compiled;
    } else if (found == NULL ||
               strlen(compiled->cpu_features) > strlen(found->cpu_features)) {
      found = compiled;
    }
  }
  if (found != NULL) return found;
  if (other == NULL) {
    cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                    "its file holds no code that is called directly");
  } else {
    cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                    "the code in its file is for a processor with the features \"%s\", "
                    "and this one has \"%s\"",
                    other->cpu_features, cyxla_cpu_features());
  }
  return NULL;
}

size_t cyxla_program_num_executables(const cyxla_program *program) {
  return program->compiled.count;
}

cyxla_status cyxla_program_executable_info(const cyxla_program *program, size_t index,
                                           cyxla_executable_info *info,
                                           cyxla_error *error) {
  cyxla_executable_info known = CYXLA_EXECUTABLE_INFO_INIT;
  const cyxla_compiled *compiled;

  CYXLA_REQUIRE(program, error);
  CYXLA_REQUIRE(info, error);
  if (index >= program->compiled.count) {
    return cyxla_error_set(error, CYXLA_INVALID_ARGUMENT,
                           "there is no executable %zu, the program has %zu", index,
                           program->compiled.count);
  }
  compiled = &program->compiled.items[index];
  known.plugin_identity = compiled->plugin_identity;
  known.pjrt_api_major = (int)compiled->pjrt_api_major;
  known.pjrt_api_minor = (int)compiled->pjrt_api_minor;
  known.platform = compiled->platform;
  known.device_kind = compiled->device_kind;
  known.cpu_features = compiled->cpu_features;
  known.bytes = compiled->bytes;
  known.is_direct = compiled->is_direct;
  return cyxla_options_write(info, &known, sizeof(known), "cyxla_executable_info",
                             error);
}
