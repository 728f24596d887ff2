#include "machine.h"

#include <string.h>

#include "test.h"

static void expect_described(const cyxla_cpuid *cpuid, const char *expected) {
  char text[CYXLA_MACHINE_FEATURES_BYTES];

  cyxla_machine_describe(cpuid, text);
  EXPECT_TEXT(text, expected);
}

static void features_are_named_in_order(void) {
  cyxla_cpuid cpuid;

  memset(&cpuid, 0, sizeof(cpuid));
  expect_described(&cpuid, "x86-64");
  cpuid.leaf_1_edx = 1u << 26;
  cpuid.leaf_7_ebx = 1u << 8 | 1u << 19;
  cpuid.leaf_extended_ecx = 1u << 5;
  expect_described(&cpuid, "x86-64 adx bmi2 lzcnt sse2");
}

static void registers_that_the_system_does_not_keep_are_of_no_use(void) {
  cyxla_cpuid cpuid;

  memset(&cpuid, 0, sizeof(cpuid));
  cpuid.leaf_1_ecx = 1u << 28 | 1u << 20;
  cpuid.leaf_7_ebx = 1u << 5 | 1u << 16;
  cpuid.leaf_7_edx = 1u << 24;
  expect_described(&cpuid, "x86-64 sse4.2");
  cpuid.xcr0 = 0x2;
  expect_described(&cpuid, "x86-64 sse4.2");
  cpuid.xcr0 = 0x6;
  expect_described(&cpuid, "x86-64 avx avx2 sse4.2");
  cpuid.xcr0 = 0xe6;
  expect_described(&cpuid, "x86-64 avx avx2 avx512f sse4.2");
  cpuid.xcr0 = 0x600e6;
  expect_described(&cpuid, "x86-64 amx-tile avx avx2 avx512f sse4.2");
}

static void the_longest_text_fits_and_names_nothing_twice(void) {
  char text[CYXLA_MACHINE_FEATURES_BYTES];
  const char *previous = NULL, *name;
  cyxla_cpuid cpuid;

  memset(&cpuid, 0xff, sizeof(cpuid));
  cyxla_machine_describe(&cpuid, text);
  EXPECT_TRUE(strlen(text) < sizeof(text) / 2);
  EXPECT_TEXT(strtok(text, " "), "x86-64");
  while ((name = strtok(NULL, " ")) != NULL) {
    if (previous != NULL) EXPECT_TRUE(strcmp(previous, name) < 0);
    previous = name;
  }
  EXPECT_TEXT(previous, "xop");
}

static void this_machine_has_what_it_has(void) {
  const char *features = cyxla_cpu_features();

  EXPECT_TRUE(features == cyxla_cpu_features());
  EXPECT_TRUE(cyxla_machine_has_all(features, features));
#if defined(__x86_64__)
  EXPECT_TRUE(cyxla_machine_has_all(features, "x86-64 cmov sse2"));
#endif
}

static void all_that_is_needed_has_to_be_there(void) {
  static const char present[] = "x86-64 aes avx avx2";

  EXPECT_TRUE(cyxla_machine_has_all(present, "x86-64"));
  EXPECT_TRUE(cyxla_machine_has_all(present, "x86-64 avx2 aes"));
  EXPECT_TRUE(cyxla_machine_has_all(present, "x86-64  avx "));
  EXPECT_TRUE(!cyxla_machine_has_all(present, "x86-64 avx avx512f"));
  EXPECT_TRUE(!cyxla_machine_has_all(present, "x86-64 av"));
  EXPECT_TRUE(!cyxla_machine_has_all(present, "x86-64 avx22"));
}

static void another_architecture_fits_nothing(void) {
  EXPECT_TRUE(!cyxla_machine_has_all("x86-64 avx", "aarch64"));
  EXPECT_TRUE(!cyxla_machine_has_all("x86-64 avx", "avx"));
  EXPECT_TRUE(!cyxla_machine_has_all("x86-64 avx", "x86"));
  EXPECT_TRUE(!cyxla_machine_has_all("aarch64", "x86-64"));
  EXPECT_TRUE(!cyxla_machine_has_all("aarch64", ""));
  EXPECT_TRUE(!cyxla_machine_has_all("aarch64", " aarch64"));
  EXPECT_TRUE(!cyxla_machine_has_all("", ""));
}

TEST_MAIN(TEST_CASE(features_are_named_in_order),
          TEST_CASE(registers_that_the_system_does_not_keep_are_of_no_use),
          TEST_CASE(the_longest_text_fits_and_names_nothing_twice),
          TEST_CASE(this_machine_has_what_it_has),
          TEST_CASE(all_that_is_needed_has_to_be_there),
          TEST_CASE(another_architecture_fits_nothing))
