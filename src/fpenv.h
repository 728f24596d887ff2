/* The caller's floating-point environment, which XLA's code must not touch: it raises
 * flags, and would end a caller that traps on them. */
#ifndef CYXLA_FPENV_H
#define CYXLA_FPENV_H

#include <fenv.h>

/* Saves control bits and flags, clears the flags and masks all traps. */
static inline void cyxla_fpenv_enter(fenv_t *saved) {
  feholdexcept(saved);
}

/* Puts everything back as it was saved. */
static inline void cyxla_fpenv_leave(const fenv_t *saved) {
  fesetenv(saved);
}

#endif
