#define _XOPEN_SOURCE 700
#include "hardware.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "test.h"

/* A device in a directory of the test's own; without a vendor it has no such file. */
static void add_device(const char *devices, const char *name, const char *vendor) {
  char path[1024];
  FILE *file;

  snprintf(path, sizeof(path), "%s/%s", devices, name);
  EXPECT_EQUAL(mkdir(path, 0777), 0);
  if (vendor == NULL) return;
  snprintf(path, sizeof(path), "%s/%s/vendor", devices, name);
  file = fopen(path, "w");
  EXPECT_TRUE(file != NULL);
  fputs(vendor, file);
  fclose(file);
}

static void a_device_of_google_s_is_found(void) {
  const char *devices = test_temporary_path("devices");

  EXPECT_EQUAL(mkdir(devices, 0777), 0);
  add_device(devices, "0000:00:01.0", "0x8086\n");
  add_device(devices, "0000:00:02.0", NULL);
  add_device(devices, "0000:00:03.0", "");
  EXPECT_TRUE(!cyxla_hardware_has_googles(devices));
  add_device(devices, "0000:00:04.0", "0x1ae0\n");
  EXPECT_TRUE(cyxla_hardware_has_googles(devices));
}

static void without_a_list_of_devices_there_is_none(void) {
  char name[600];

  EXPECT_TRUE(!cyxla_hardware_has_googles(test_temporary_path("nothing")));
  memset(name, 'x', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  EXPECT_TRUE(!cyxla_hardware_has_googles(name));
}

static void a_device_whose_path_is_too_long_is_passed_over(void) {
  const char *top = test_temporary_path("long");
  char name[201], devices[1024];

  memset(name, 'x', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  snprintf(devices, sizeof(devices), "%s/%s", top, name);
  EXPECT_EQUAL(mkdir(top, 0777), 0);
  EXPECT_EQUAL(mkdir(devices, 0777), 0);
  snprintf(devices, sizeof(devices), "%s/%s/%s", top, name, name);
  EXPECT_EQUAL(mkdir(devices, 0777), 0);
  add_device(devices, name, NULL);
  EXPECT_TRUE(!cyxla_hardware_has_googles(devices));
}

static void this_machine_can_be_asked(void) {
  EXPECT_EQUAL(cyxla_hardware_has_tpu(),
               cyxla_hardware_has_googles("/sys/bus/pci/devices"));
}

TEST_MAIN(TEST_CASE(a_device_of_google_s_is_found),
          TEST_CASE(without_a_list_of_devices_there_is_none),
          TEST_CASE(a_device_whose_path_is_too_long_is_passed_over),
          TEST_CASE(this_machine_can_be_asked))
