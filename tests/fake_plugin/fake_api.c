/* The function table and the attributes of the fake plugin. */
#include "fake_internal.h"

static PJRT_Api table;

static PJRT_Extension_Base *chain_extensions(void) {
  static PJRT_Extension_Base unknown;
  PJRT_Extension_Base *ffi = fake_ffi_extension();
  ffi->next = &unknown;
  unknown.struct_size = sizeof unknown;
  unknown.type = (PJRT_Extension_Type)1000;
  unknown.next = NULL;
  switch ((fake_extensions)fake_get(FAKE_EXTENSIONS)) {
    case FAKE_EXTENSIONS_TWO: break;
    case FAKE_EXTENSIONS_NONE: return NULL;
    case FAKE_EXTENSIONS_ENDLESS: unknown.next = ffi; break;
  }
  return ffi;
}

void fake_fill_table(void) {
  table.extension_start = chain_extensions();
  table.struct_size = (size_t)fake_get(FAKE_API_STRUCT_SIZE);
  table.pjrt_api_version.struct_size = sizeof table.pjrt_api_version;
  table.pjrt_api_version.major_version = (int)fake_get(FAKE_API_MAJOR);
  table.pjrt_api_version.minor_version = (int)fake_get(FAKE_API_MINOR);
#define FAKE_FILL(name) \
  table.PJRT_##name = fake_is_removed(FAKE_##name) ? NULL : fake_##name;
  FAKE_INFALLIBLE_FUNCTIONS(FAKE_FILL)
  FAKE_FALLIBLE_FUNCTIONS(FAKE_FILL)
}

__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void);

const PJRT_Api *GetPjrtApi(void) {
  return &table;
}

PJRT_Error *fake_Plugin_Initialize(PJRT_Plugin_Initialize_Args *args) {
  FAKE_ENTER(Plugin_Initialize, args);
  return NULL;
}

/* Names and texts go on behind their sizes, so that a caller who takes them for C
 * strings is found out. */
static void fill_attributes(PJRT_NamedValue *attributes) {
  static const int64_t current[3] = {1, 18, 1};
  static const int64_t minimum[3] = {0, 9, 0};
  attributes[0].name = "xla_version_and_more";
  attributes[0].name_size = sizeof "xla_version" - 1;
  attributes[0].type = PJRT_NamedValue_kInt64;
  attributes[0].value.int64_value = 2;
  attributes[0].value_size = 1;
  attributes[1].name = "stablehlo_current_version_and_more";
  attributes[1].name_size = sizeof "stablehlo_current_version" - 1;
  attributes[1].type = PJRT_NamedValue_kInt64List;
  attributes[1].value.int64_array_value = current;
  attributes[1].value_size = 3;
  attributes[2].name = "stablehlo_minimum_version_and_more";
  attributes[2].name_size = sizeof "stablehlo_minimum_version" - 1;
  attributes[2].type = PJRT_NamedValue_kInt64List;
  attributes[2].value.int64_array_value = minimum;
  attributes[2].value_size = 3;
  for (int i = 0; i < 3; i++) attributes[i].struct_size = sizeof attributes[i];
}

PJRT_Error *fake_Plugin_Attributes(PJRT_Plugin_Attributes_Args *args) {
  static PJRT_NamedValue attributes[3];
  FAKE_ENTER(Plugin_Attributes, args);
  fill_attributes(attributes);
  switch ((fake_attributes)fake_get(FAKE_ATTRIBUTES)) {
    case FAKE_ATTRIBUTES_NORMAL: break;
    case FAKE_ATTRIBUTES_NONE:
      args->attributes = NULL;
      args->num_attributes = 0;
      return NULL;
    case FAKE_ATTRIBUTES_WRONG_TYPE:
      attributes[1].type = PJRT_NamedValue_kString;
      attributes[1].value.string_value = "1.18.1 and more";
      attributes[1].value_size = sizeof "1.18.1" - 1;
      break;
    case FAKE_ATTRIBUTES_SHORT_LIST: attributes[1].value_size = 2; break;
  }
  args->attributes = attributes;
  args->num_attributes = 3;
  return NULL;
}
