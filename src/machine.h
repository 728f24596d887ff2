/* Which instructions this machine's processor has. Machine code that was compiled on
 * one machine runs on another only if that has them all. */
#ifndef CYXLA_MACHINE_H
#define CYXLA_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cyxla.h"

/* What the instruction cpuid of x86-64 tells, as far as the names depend on it: the
 * registers of a leaf, and which state the operating system keeps (XCR0). */
typedef struct cyxla_cpuid {
  uint32_t leaf_1_ecx;
  uint32_t leaf_1_edx;
  uint32_t leaf_7_ebx;
  uint32_t leaf_7_ecx;
  uint32_t leaf_7_edx;
  uint32_t leaf_7_1_eax;
  uint32_t leaf_7_1_edx;
  uint32_t leaf_extended_ecx;
  uint64_t xcr0;
} cyxla_cpuid;

/* Bytes that any text of features needs at most, with the zero byte. */
enum { CYXLA_MACHINE_FEATURES_BYTES = 1024 };

/* Writes the text of an x86-64 processor. */
void cyxla_machine_describe(const cyxla_cpuid *cpuid,
                            char text[CYXLA_MACHINE_FEATURES_BYTES]);

/* Whether each name in `needed` is also in `present`. Both are texts as
 * cyxla_cpu_features returns, and `needed` may hold anything. */
bool cyxla_machine_has_all(const char *present, const char *needed);

#endif
