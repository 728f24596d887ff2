#include "executable_check.h"

#include <string.h>

#include "error.h"

static cyxla_status check_devices(const PJRT_Api *api, PJRT_Executable *compiled,
                                  cyxla_error *error) {
  PJRT_Executable_NumReplicas_Args replicas = {sizeof(replicas), NULL, compiled, 0};
  PJRT_Executable_NumPartitions_Args partitions = {sizeof(partitions), NULL, compiled,
                                                   0};
  cyxla_status status =
      cyxla_error_from_pjrt(api, api->PJRT_Executable_NumReplicas(&replicas),
                            "count the replicas of an executable", error);

  if (status != CYXLA_OK) return status;
  status = cyxla_error_from_pjrt(api, api->PJRT_Executable_NumPartitions(&partitions),
                                 "count the partitions of an executable", error);
  if (status != CYXLA_OK) return status;
  if (replicas.num_replicas == 1 && partitions.num_partitions == 1) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_UNIMPLEMENTED,
                         "the program needs %zu replicas and %zu partitions, and cyxla "
                         "runs programs of one device",
                         replicas.num_replicas, partitions.num_partitions);
}

static cyxla_status check_count(const char *what, size_t found, size_t expected,
                                cyxla_error *error) {
  if (found == expected) return CYXLA_OK;
  return cyxla_error_set(error, CYXLA_SIGNATURE_MISMATCH,
                         "the compiled program has %zu %s, and its signature says %zu",
                         found, what, expected);
}

static cyxla_status check_dtypes(const PJRT_Api *api, PJRT_Executable *compiled,
                                 const cyxla_program_arrays *outputs,
                                 cyxla_error *error) {
  PJRT_Executable_OutputElementTypes_Args types = {sizeof(types), NULL, compiled, NULL,
                                                   0};
  cyxla_status status =
      cyxla_error_from_pjrt(api, api->PJRT_Executable_OutputElementTypes(&types),
                            "tell the dtypes of the outputs", error);

  if (status != CYXLA_OK) return status;
  status = check_count("outputs", types.num_output_types, outputs->count, error);
  if (status != CYXLA_OK) return status;
  for (size_t i = 0; i < outputs->count; i++) {
    const cyxla_array_spec *spec = &outputs->specs[i];
    if ((int)types.output_types[i] != (int)spec->dtype) {
      return cyxla_error_set(error, CYXLA_SIGNATURE_MISMATCH,
                             "output %s of the compiled program has dtype %s, and its "
                             "signature says %s",
                             spec->name,
                             cyxla_dtype_name((cyxla_dtype)types.output_types[i]),
                             cyxla_dtype_name(spec->dtype));
    }
  }
  return CYXLA_OK;
}

static cyxla_status check_shapes(const PJRT_Api *api, PJRT_Executable *compiled,
                                 const cyxla_program_arrays *outputs,
                                 cyxla_error *error) {
  PJRT_Executable_OutputDimensions_Args shapes = {sizeof(shapes), NULL, compiled, 0,
                                                  NULL,           NULL};
  cyxla_status status =
      cyxla_error_from_pjrt(api, api->PJRT_Executable_OutputDimensions(&shapes),
                            "tell the shapes of the outputs", error);
  size_t first = 0;

  if (status != CYXLA_OK) return status;
  status = check_count("outputs", shapes.num_outputs, outputs->count, error);
  if (status != CYXLA_OK) return status;
  for (size_t i = 0; i < outputs->count; i++) {
    const cyxla_array_spec *spec = &outputs->specs[i];
    if (shapes.dim_sizes[i] != spec->rank ||
        (spec->rank > 0 &&
         memcmp(shapes.dims + first, spec->shape, spec->rank * sizeof(int64_t)) != 0)) {
      return cyxla_error_set(error, CYXLA_SIGNATURE_MISMATCH,
                             "output %s of the compiled program has another shape than "
                             "its signature says",
                             spec->name);
    }
    first += shapes.dim_sizes[i];
  }
  return CYXLA_OK;
}

/* Only told, never needed, so a plugin that cannot is no failure. */
static int64_t read_code_bytes(const PJRT_Api *api, PJRT_Executable *compiled) {
  PJRT_Executable_SizeOfGeneratedCodeInBytes_Args args = {sizeof(args), NULL, compiled,
                                                          -1};

  if (!CYXLA_PLUGIN_HAS(api, PJRT_Executable_SizeOfGeneratedCodeInBytes) ||
      cyxla_error_from_pjrt(api, api->PJRT_Executable_SizeOfGeneratedCodeInBytes(&args),
                            "tell the size of the code", NULL) != CYXLA_OK) {
    return -1;
  }
  return args.size_in_bytes;
}

cyxla_status cyxla_executable_describe(const cyxla_executable *executable,
                                       PJRT_Executable **description,
                                       cyxla_error *error) {
  const PJRT_Api *api = executable->runtime->plugin->api;
  PJRT_LoadedExecutable_GetExecutable_Args args = {sizeof(args), NULL,
                                                   executable->loaded, NULL};
  cyxla_status status =
      cyxla_error_from_pjrt(api, api->PJRT_LoadedExecutable_GetExecutable(&args),
                            "describe an executable", error);

  if (status == CYXLA_OK) *description = args.executable;
  return status;
}

void cyxla_executable_description_destroy(const cyxla_executable *executable,
                                          PJRT_Executable *description) {
  const PJRT_Api *api = executable->runtime->plugin->api;
  PJRT_Executable_Destroy_Args args = {sizeof(args), NULL, description};

  cyxla_error_from_pjrt(api, api->PJRT_Executable_Destroy(&args),
                        "destroy the description of an executable", NULL);
}

cyxla_status cyxla_executable_check(cyxla_executable *executable, cyxla_error *error) {
  const PJRT_Api *api = executable->runtime->plugin->api;
  const cyxla_program_arrays *outputs = &executable->program->outputs;
  PJRT_Executable *compiled;
  cyxla_status status = cyxla_executable_describe(executable, &compiled, error);

  if (status != CYXLA_OK) return status;
  status = check_devices(api, compiled, error);
  if (status == CYXLA_OK) status = check_dtypes(api, compiled, outputs, error);
  if (status == CYXLA_OK) status = check_shapes(api, compiled, outputs, error);
  executable->code_bytes = read_code_bytes(api, compiled);
  cyxla_executable_description_destroy(executable, compiled);
  return status;
}
