/* Clients, their options and their devices. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_internal.h"

typedef struct {
  const char *name;
  PJRT_NamedValue_Type type;
} known_option;

/* Those of XLA's CPU plugin, and one of each other type. */
static const known_option known_options[] = {
    {"cpu_device_count", PJRT_NamedValue_kInt64},
    {"process_id", PJRT_NamedValue_kInt64},
    {"asynchronous", PJRT_NamedValue_kBool},
    {"preallocate", PJRT_NamedValue_kBool},
    {"allocator", PJRT_NamedValue_kString},
    {"memory_fraction", PJRT_NamedValue_kFloat},
    {"visible_devices", PJRT_NamedValue_kInt64List},
};

static PJRT_Error *check_option(const PJRT_NamedValue *option) {
  for (size_t i = 0; i < sizeof known_options / sizeof known_options[0]; i++) {
    if (strlen(known_options[i].name) != option->name_size ||
        memcmp(known_options[i].name, option->name, option->name_size) != 0) {
      continue;
    }
    if (known_options[i].type == option->type) return NULL;
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                      "Option passed to PJRT_Client_Create with name %s has type index "
                      "%d but expected type index is %d",
                      known_options[i].name, (int)option->type,
                      (int)known_options[i].type);
  }
  if (fake_get(FAKE_ANY_OPTION) != 0) return NULL;
  return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                    "Unexpected option name passed to PJRT_Client_Create: %.*s",
                    (int)option->name_size, option->name);
}

PJRT_Error *fake_Client_Create(PJRT_Client_Create_Args *args) {
  FAKE_ENTER(Client_Create, args);
  const struct timespec duration = {0, 1000 * fake_get(FAKE_CLIENT_MICROSECONDS)};
  nanosleep(&duration, NULL);
  fake_record_options(args->create_options, args->num_options);
  long num_devices = fake_get(FAKE_NUM_DEVICES);
  for (size_t i = 0; i < args->num_options; i++) {
    const PJRT_NamedValue *option = &args->create_options[i];
    if (option->struct_size < sizeof *option) {
      fake_violate("a client option's struct_size is smaller than the struct");
    }
    PJRT_Error *error = check_option(option);
    if (error != NULL) return error;
    if (num_devices != 0 && option->name_size == strlen("cpu_device_count") &&
        memcmp(option->name, "cpu_device_count", option->name_size) == 0) {
      num_devices = (long)option->value.int64_value;
    }
  }
  if (num_devices < 0 || num_devices > FAKE_MAX_DEVICES) {
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT, "%ld devices are too many",
                      num_devices);
  }
  args->client = NULL;
  if (fake_get(FAKE_NULL_CLIENT) != 0) return NULL;
  PJRT_Client *client = fake_allocate(sizeof *client);
  client->platform_bytes = strlen(fake_get_text(FAKE_TEXT_PLATFORM));
  client->platform = fake_allocate(client->platform_bytes);
  memcpy(client->platform, fake_get_text(FAKE_TEXT_PLATFORM), client->platform_bytes);
  client->num_devices = (size_t)num_devices;
  for (size_t i = 0; i < client->num_devices; i++) {
    client->devices[i].client = client;
    client->devices[i].id = (int)i;
    client->device_list[i] = &client->devices[i];
  }
  fake_count(FAKE_CLIENT, 1);
  args->client = client;
  return NULL;
}

PJRT_Error *fake_Client_Destroy(PJRT_Client_Destroy_Args *args) {
  if (fake_count_live(FAKE_CLIENT) == 1 &&
      fake_count_live(FAKE_BUFFER) + fake_count_live(FAKE_LOADED_EXECUTABLE) > 0) {
    fake_violate("destroyed a client before its buffers and executables");
  }
  free(args->client->platform);
  free(args->client);
  fake_count(FAKE_CLIENT, -1);
  FAKE_ENTER(Client_Destroy, args);
  return NULL;
}

PJRT_Error *fake_Client_PlatformName(PJRT_Client_PlatformName_Args *args) {
  FAKE_ENTER(Client_PlatformName, args);
  args->platform_name = args->client->platform;
  args->platform_name_size = args->client->platform_bytes;
  return NULL;
}

PJRT_Error *fake_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args *args) {
  FAKE_ENTER(Client_PlatformVersion, args);
  args->platform_version = "fake 1.0 and more";
  args->platform_version_size = strlen("fake 1.0");
  return NULL;
}

PJRT_Error *fake_Client_Devices(PJRT_Client_Devices_Args *args) {
  FAKE_ENTER(Client_Devices, args);
  args->devices = args->client->device_list;
  args->num_devices = args->client->num_devices;
  return NULL;
}

PJRT_Error *fake_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args *args) {
  FAKE_ENTER(Client_AddressableDevices, args);
  args->addressable_devices = args->client->device_list;
  args->num_addressable_devices = args->client->num_devices;
  return NULL;
}

PJRT_Error *fake_Device_GetDescription(PJRT_Device_GetDescription_Args *args) {
  FAKE_ENTER(Device_GetDescription, args);
  args->device_description = (PJRT_DeviceDescription *)args->device;
  return NULL;
}

PJRT_Error *fake_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args *args) {
  FAKE_ENTER(DeviceDescription_Id, args);
  args->id = ((PJRT_Device *)args->device_description)->id;
  return NULL;
}

PJRT_Error *fake_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args *args) {
  FAKE_ENTER(DeviceDescription_Kind, args);
  args->device_kind = "fake device and more";
  args->device_kind_size = strlen("fake device");
  return NULL;
}
