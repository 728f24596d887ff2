/* Loops: whether a program surely ends, and soon, whatever it is called with. */
#ifndef CYXLA_DIRECT_LOOPS_H
#define CYXLA_DIRECT_LOOPS_H

#include "hlo.h"

/* Whether all loops of a module go around as often as it says, and not very often. XLA
 * compiles small loops into kernels, where thunks do not show them. */
bool cyxla_loops_end_soon(const cyxla_hlo *hlo);

#endif
