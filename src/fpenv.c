#include "fpenv.h"

#if defined(__SSE__) && defined(__GNUC__)

/* The environment of the x87 unit as an instruction stores and loads it: the status is
 * in the second of seven words, of which the others stay as they are. */
void cyxla_fpenv_restore_x87_flags(unsigned short status) {
  unsigned int environment[7];

  __asm__ volatile("fnstenv %0" : "=m"(environment));
  environment[1] &= ~(unsigned int)(CYXLA_FPENV_X87_FLAGS | 0x8080); /* and summaries */
  environment[1] |= status & CYXLA_FPENV_X87_FLAGS;
  __asm__ volatile("fldenv %0" : : "m"(environment));
}

#endif
