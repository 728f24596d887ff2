/* The caller's floating-point environment, which XLA's code must not touch: it raises
 * flags, and would end a caller that traps on them. Nor may the caller's rounding
 * change what a program computes, or what the compiler folds. */
#ifndef CYXLA_FPENV_H
#define CYXLA_FPENV_H

#if defined(__SSE__) || defined(_M_X64)

#include <xmmintrin.h>

/* XLA's code for x86 uses the vector unit only, but the handlers of a program may use
 * the older x87 unit, as some of OpenBLAS's functions do. The control registers of both
 * are kept by hand, at a tenth of what the C library's functions cost. */
typedef struct cyxla_fpenv {
  unsigned int vector;        /* control and flags */
  unsigned short x87_control; /* of the compilers that use the unit */
  unsigned short x87_status;
} cyxla_fpenv;

/* All traps masked, rounding to nearest, denormals as they are; of the x87
 * unit also the full precision. For kernels, as XLA has it, denormals are zero both as
 * inputs and as results. */
enum {
  CYXLA_FPENV_DEFAULT = 0x1F80,
  CYXLA_FPENV_KERNELS = 0x9FC0,
  CYXLA_FPENV_FLAGS = 0x3F,
  CYXLA_FPENV_X87_DEFAULT = 0x37F,
  CYXLA_FPENV_X87_FLAGS = 0x3F
};

/* Gives the x87 unit its flags back, which rarely change. */
void cyxla_fpenv_restore_x87_flags(unsigned short status);

#if defined(__GNUC__)

static inline void cyxla_fpenv_enter_x87(cyxla_fpenv *saved) {
  const unsigned short control = CYXLA_FPENV_X87_DEFAULT;

  __asm__ volatile("fnstcw %0" : "=m"(saved->x87_control));
  __asm__ volatile("fnstsw %0" : "=m"(saved->x87_status));
  if (saved->x87_control != control) {
    /* fldcw would trap on a flag that was raised before its trap was enabled. */
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(control));
  }
}

static inline void cyxla_fpenv_leave_x87(const cyxla_fpenv *saved) {
  unsigned short control, status;

  __asm__ volatile("fnstcw %0" : "=m"(control));
  __asm__ volatile("fnstsw %0" : "=m"(status));
  if (((status ^ saved->x87_status) & CYXLA_FPENV_X87_FLAGS) != 0) {
    cyxla_fpenv_restore_x87_flags(saved->x87_status);
  }
  if (saved->x87_control != control) {
    __asm__ volatile("fldcw %0" : : "m"(saved->x87_control));
  }
}

#else /* Microsoft's compiler has neither the unit nor the assembler for it. */
#define cyxla_fpenv_enter_x87(saved) (void)(saved)
#define cyxla_fpenv_leave_x87(saved) (void)(saved)
#endif

/* Saves control bits and flags, and sets the control bits that a process begins with.
 * Flags stay as they are, as for any function that is called. */
static inline void cyxla_fpenv_enter(cyxla_fpenv *saved) {
  saved->vector = _mm_getcsr();
  /* Writing the register holds up the processor for longer than reading it. */
  if ((saved->vector & ~(unsigned int)CYXLA_FPENV_FLAGS) != CYXLA_FPENV_DEFAULT) {
    _mm_setcsr(CYXLA_FPENV_DEFAULT | (saved->vector & CYXLA_FPENV_FLAGS));
  }
  cyxla_fpenv_enter_x87(saved);
}

/* Puts everything back as it was saved. */
static inline void cyxla_fpenv_leave(const cyxla_fpenv *saved) {
  cyxla_fpenv_leave_x87(saved);
  if (_mm_getcsr() != saved->vector) _mm_setcsr(saved->vector);
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
