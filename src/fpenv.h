/* The caller's floating-point environment, which XLA's code must not touch: it raises
 * flags, and would end a caller that traps on them. Nor may the caller's rounding
 * change what a program computes, or what the compiler folds. */
#ifndef CYXLA_FPENV_H
#define CYXLA_FPENV_H

#if defined(__SSE__) || defined(_M_X64)

/* XLA's code for x86 uses the vector unit only, so its control register is all there is
 * to keep, at a tenth of what the C library's functions cost. */
#include <xmmintrin.h>

typedef unsigned int cyxla_fpenv;

/* No flags, all traps masked, rounding to nearest, denormals as they are. */
enum { CYXLA_FPENV_DEFAULT = 0x1F80 };

/* Saves control bits and flags, and sets those that a process begins with. */
static inline void cyxla_fpenv_enter(cyxla_fpenv *saved) {
  *saved = _mm_getcsr();
  _mm_setcsr(CYXLA_FPENV_DEFAULT);
}

/* Puts everything back as it was saved. */
static inline void cyxla_fpenv_leave(const cyxla_fpenv *saved) {
  _mm_setcsr(*saved);
}

#else

#include <fenv.h>

typedef fenv_t cyxla_fpenv;

static inline void cyxla_fpenv_enter(cyxla_fpenv *saved) {
  fegetenv(saved);
  fesetenv(FE_DFL_ENV);
}

static inline void cyxla_fpenv_leave(const cyxla_fpenv *saved) {
  fesetenv(saved);
}

#endif

#endif
