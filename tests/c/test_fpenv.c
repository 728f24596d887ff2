#define _GNU_SOURCE /* feenableexcept */
#include "fpenv.h"

#include <fenv.h>

#include "test.h"

/* What foreign code may leave behind. */
static void change_everything(void) {
  volatile double zero = 0.0, quotient = 1.0 / zero;
  volatile long double wide_zero = 0.0L, wide_quotient = 1.0L / wide_zero;

  (void)quotient;
  (void)wide_quotient;
  fesetround(FE_UPWARD);
  feenableexcept(FE_OVERFLOW);
}

static void restore_default(void *unused) {
  (void)unused;
  fesetenv(FE_DFL_ENV);
}

static void what_foreign_code_changes_is_put_back(void) {
  cyxla_fpenv caller;

  test_defer(restore_default, NULL);
  cyxla_fpenv_enter(&caller);
  change_everything();
  cyxla_fpenv_leave(&caller);
  EXPECT_EQUAL(fegetround(), FE_TONEAREST);
  EXPECT_EQUAL(fegetexcept(), 0);
  EXPECT_EQUAL(fetestexcept(FE_ALL_EXCEPT), 0);
}

static void the_caller_s_own_choices_come_back(void) {
  cyxla_fpenv caller;

  test_defer(restore_default, NULL);
  fesetround(FE_DOWNWARD);
  feraiseexcept(FE_INVALID);
  feenableexcept(FE_DIVBYZERO);
  cyxla_fpenv_enter(&caller);
  EXPECT_EQUAL(fegetround(), FE_TONEAREST);
  EXPECT_EQUAL(fegetexcept(), 0);
  change_everything();
  cyxla_fpenv_leave(&caller);
  EXPECT_EQUAL(fegetround(), FE_DOWNWARD);
  EXPECT_EQUAL(fegetexcept(), FE_DIVBYZERO);
  EXPECT_EQUAL(fetestexcept(FE_ALL_EXCEPT), FE_INVALID);
}

/* The control bits need not change on the way in, and only the flags on the way out. */
static void flags_come_back_where_nothing_else_changes(void) {
  cyxla_fpenv caller;
  volatile double zero = 0.0, quotient;

  test_defer(restore_default, NULL);
  for (int i = 0; i < 2; i++) {
    feclearexcept(FE_ALL_EXCEPT);
    if (i == 1) feraiseexcept(FE_INEXACT | FE_DIVBYZERO);
    cyxla_fpenv_enter(&caller);
    if (i == 0) {
      quotient = 1.0 / zero;
      (void)quotient;
    } else {
      feclearexcept(FE_ALL_EXCEPT);
    }
    cyxla_fpenv_leave(&caller);
    EXPECT_EQUAL(fetestexcept(FE_ALL_EXCEPT), i == 0 ? 0 : FE_INEXACT | FE_DIVBYZERO);
  }
}

/* A trap that is enabled after its flag was raised waits for the next instruction of
 * the x87 unit, which must not be one of ours. */
static void a_flag_whose_trap_was_enabled_later_does_not_trap(void) {
  const unsigned short quiet = 0x37f, trapping = 0x37f & ~4;
  volatile long double zero = 0.0L, quotient = 1.0L / zero;
  unsigned short status = 0;
  cyxla_fpenv caller;

  (void)quotient;
  test_defer(restore_default, NULL);
  __asm__ volatile("fldcw %0" : : "m"(trapping));
  cyxla_fpenv_enter(&caller);
  change_everything();
  cyxla_fpenv_leave(&caller);
  __asm__ volatile("fnstsw %0" : "=m"(status));
  __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(quiet));
  EXPECT_EQUAL(status & 0x3f, 4);
}

TEST_MAIN(TEST_CASE(a_flag_whose_trap_was_enabled_later_does_not_trap),
          TEST_CASE(flags_come_back_where_nothing_else_changes),
          TEST_CASE(what_foreign_code_changes_is_put_back),
          TEST_CASE(the_caller_s_own_choices_come_back))
