#include "machine.h"

#include <stddef.h>
#include <string.h>

#include "process.h"

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#include <cpuid.h>
#define IS_X86_64 1
#endif

/* State that the operating system has to keep for a feature to be of use: without it
 * the instructions fault, whatever the processor says. */
enum {
  KEEPS_NOTHING = 0,
  KEEPS_YMM = 0x6,
  KEEPS_ZMM = 0xe6,
  KEEPS_TILES = 0x60000,
  KEEPS_REGISTERS = 0x80000
};

#define LEAF(name) offsetof(cyxla_cpuid, name)

/* What compilers generate instructions of, by LLVM's names, in alphabetical order.
 * What only operating systems use is left out. */
static const struct {
  const char *name;
  size_t leaf; /* offset of the register in a cyxla_cpuid */
  unsigned bit;
  uint64_t kept;
} FEATURES[] = {
    {"adx", LEAF(leaf_7_ebx), 19, KEEPS_NOTHING},
    {"aes", LEAF(leaf_1_ecx), 25, KEEPS_NOTHING},
    {"amx-bf16", LEAF(leaf_7_edx), 22, KEEPS_TILES},
    {"amx-complex", LEAF(leaf_7_1_edx), 8, KEEPS_TILES},
    {"amx-fp16", LEAF(leaf_7_1_eax), 21, KEEPS_TILES},
    {"amx-int8", LEAF(leaf_7_edx), 25, KEEPS_TILES},
    {"amx-tile", LEAF(leaf_7_edx), 24, KEEPS_TILES},
    {"apxf", LEAF(leaf_7_1_edx), 21, KEEPS_REGISTERS},
    {"avx", LEAF(leaf_1_ecx), 28, KEEPS_YMM},
    {"avx10.1", LEAF(leaf_7_1_edx), 19, KEEPS_ZMM},
    {"avx2", LEAF(leaf_7_ebx), 5, KEEPS_YMM},
    {"avx512bf16", LEAF(leaf_7_1_eax), 5, KEEPS_ZMM},
    {"avx512bitalg", LEAF(leaf_7_ecx), 12, KEEPS_ZMM},
    {"avx512bw", LEAF(leaf_7_ebx), 30, KEEPS_ZMM},
    {"avx512cd", LEAF(leaf_7_ebx), 28, KEEPS_ZMM},
    {"avx512dq", LEAF(leaf_7_ebx), 17, KEEPS_ZMM},
    {"avx512f", LEAF(leaf_7_ebx), 16, KEEPS_ZMM},
    {"avx512fp16", LEAF(leaf_7_edx), 23, KEEPS_ZMM},
    {"avx512ifma", LEAF(leaf_7_ebx), 21, KEEPS_ZMM},
    {"avx512vbmi", LEAF(leaf_7_ecx), 1, KEEPS_ZMM},
    {"avx512vbmi2", LEAF(leaf_7_ecx), 6, KEEPS_ZMM},
    {"avx512vl", LEAF(leaf_7_ebx), 31, KEEPS_ZMM},
    {"avx512vnni", LEAF(leaf_7_ecx), 11, KEEPS_ZMM},
    {"avx512vp2intersect", LEAF(leaf_7_edx), 8, KEEPS_ZMM},
    {"avx512vpopcntdq", LEAF(leaf_7_ecx), 14, KEEPS_ZMM},
    {"avxifma", LEAF(leaf_7_1_eax), 23, KEEPS_YMM},
    {"avxneconvert", LEAF(leaf_7_1_edx), 5, KEEPS_YMM},
    {"avxvnni", LEAF(leaf_7_1_eax), 4, KEEPS_YMM},
    {"avxvnniint16", LEAF(leaf_7_1_edx), 10, KEEPS_YMM},
    {"avxvnniint8", LEAF(leaf_7_1_edx), 4, KEEPS_YMM},
    {"bmi", LEAF(leaf_7_ebx), 3, KEEPS_NOTHING},
    {"bmi2", LEAF(leaf_7_ebx), 8, KEEPS_NOTHING},
    {"cmov", LEAF(leaf_1_edx), 15, KEEPS_NOTHING},
    {"cx16", LEAF(leaf_1_ecx), 13, KEEPS_NOTHING},
    {"f16c", LEAF(leaf_1_ecx), 29, KEEPS_YMM},
    {"fma", LEAF(leaf_1_ecx), 12, KEEPS_YMM},
    {"fma4", LEAF(leaf_extended_ecx), 16, KEEPS_YMM},
    {"fsgsbase", LEAF(leaf_7_ebx), 0, KEEPS_NOTHING},
    {"gfni", LEAF(leaf_7_ecx), 8, KEEPS_NOTHING},
    {"lzcnt", LEAF(leaf_extended_ecx), 5, KEEPS_NOTHING},
    {"movbe", LEAF(leaf_1_ecx), 22, KEEPS_NOTHING},
    {"movdir64b", LEAF(leaf_7_ecx), 28, KEEPS_NOTHING},
    {"movdiri", LEAF(leaf_7_ecx), 27, KEEPS_NOTHING},
    {"pclmul", LEAF(leaf_1_ecx), 1, KEEPS_NOTHING},
    {"popcnt", LEAF(leaf_1_ecx), 23, KEEPS_NOTHING},
    {"prefetchi", LEAF(leaf_7_1_edx), 14, KEEPS_NOTHING},
    {"prfchw", LEAF(leaf_extended_ecx), 8, KEEPS_NOTHING},
    {"rdrnd", LEAF(leaf_1_ecx), 30, KEEPS_NOTHING},
    {"rdseed", LEAF(leaf_7_ebx), 18, KEEPS_NOTHING},
    {"rtm", LEAF(leaf_7_ebx), 11, KEEPS_NOTHING},
    {"sahf", LEAF(leaf_extended_ecx), 0, KEEPS_NOTHING},
    {"sha", LEAF(leaf_7_ebx), 29, KEEPS_NOTHING},
    {"sha512", LEAF(leaf_7_1_eax), 0, KEEPS_YMM},
    {"sse2", LEAF(leaf_1_edx), 26, KEEPS_NOTHING},
    {"sse3", LEAF(leaf_1_ecx), 0, KEEPS_NOTHING},
    {"sse4.1", LEAF(leaf_1_ecx), 19, KEEPS_NOTHING},
    {"sse4.2", LEAF(leaf_1_ecx), 20, KEEPS_NOTHING},
    {"sse4a", LEAF(leaf_extended_ecx), 6, KEEPS_NOTHING},
    {"ssse3", LEAF(leaf_1_ecx), 9, KEEPS_NOTHING},
    {"tbm", LEAF(leaf_extended_ecx), 21, KEEPS_NOTHING},
    {"vaes", LEAF(leaf_7_ecx), 9, KEEPS_YMM},
    {"vpclmulqdq", LEAF(leaf_7_ecx), 10, KEEPS_YMM},
    {"xop", LEAF(leaf_extended_ecx), 11, KEEPS_YMM},
};
enum { NUM_FEATURES = sizeof(FEATURES) / sizeof(FEATURES[0]) };

void cyxla_machine_describe(const cyxla_cpuid *cpuid,
                            char text[CYXLA_MACHINE_FEATURES_BYTES]) {
  strcpy(text, "x86-64");
  for (size_t i = 0; i < NUM_FEATURES; i++) {
    uint32_t leaf;
    memcpy(&leaf, (const char *)cpuid + FEATURES[i].leaf, sizeof(leaf));
    if ((leaf >> FEATURES[i].bit & 1) == 0) continue;
    if ((cpuid->xcr0 & FEATURES[i].kept) != FEATURES[i].kept) continue;
    strcat(text, " ");
    strcat(text, FEATURES[i].name);
  }
}

#if defined(IS_X86_64)

/* The bit of leaf 1 that says that the operating system has turned XCR0 on. */
enum { OSXSAVE = 1 << 27 };

static uint64_t read_xcr0(void) {
  uint32_t low, high;

  /* xgetbv, as bytes, since the intrinsic needs a compiler's option. */
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static void describe_machine(char text[CYXLA_MACHINE_FEATURES_BYTES]) {
  cyxla_cpuid cpuid;
  unsigned a, b, c, d;

  memset(&cpuid, 0, sizeof(cpuid));
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    cpuid.leaf_1_ecx = c;
    cpuid.leaf_1_edx = d;
    if (c & OSXSAVE) cpuid.xcr0 = read_xcr0();
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    cpuid.leaf_7_ebx = b;
    cpuid.leaf_7_ecx = c;
    cpuid.leaf_7_edx = d;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
      cpuid.leaf_7_1_eax = a;
      cpuid.leaf_7_1_edx = d;
    }
  }
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d)) {
    cpuid.leaf_extended_ecx = c;
  }
  cyxla_machine_describe(&cpuid, text);
}

#else

static void describe_machine(char text[CYXLA_MACHINE_FEATURES_BYTES]) {
#if defined(__aarch64__) || defined(_M_ARM64)
  strcpy(text, "aarch64");
#elif defined(__powerpc64__)
  strcpy(text, "ppc64");
#elif defined(__riscv)
  strcpy(text, "riscv");
#elif defined(__x86_64__) || defined(_M_X64)
  strcpy(text, "x86-64");
#else
  strcpy(text, "unknown");
#endif
}

#endif

const char *cyxla_cpu_features(void) {
  static char text[CYXLA_MACHINE_FEATURES_BYTES];

  cyxla_lock_acquire(&cyxla_process_plugins_lock);
  if (text[0] == '\0') describe_machine(text);
  cyxla_lock_release(&cyxla_process_plugins_lock);
  return text;
}

/* The length of the name that a text begins with, up to a space or the end. */
static size_t name_length(const char *text) {
  return strcspn(text, " ");
}

static bool has(const char *present, const char *name, size_t length) {
  while (*present != '\0') {
    size_t found = name_length(present);
    if (found == length && memcmp(present, name, length) == 0) return true;
    present += found;
    present += strspn(present, " ");
  }
  return false;
}

bool cyxla_machine_has_all(const char *present, const char *needed) {
  /* The architecture comes first. Nothing fits a text that has none. */
  size_t length = name_length(needed);

  if (length == 0 || length != name_length(present) ||
      memcmp(present, needed, length) != 0) {
    return false;
  }
  while (*needed != '\0') {
    length = name_length(needed);
    if (!has(present, needed, length)) return false;
    needed += length;
    needed += strspn(needed, " ");
  }
  return true;
}
