/* Runs of what direct code does without the machine code of the executable. */
#ifndef FUZZ_RUN_OPERATIONS_H
#define FUZZ_RUN_OPERATIONS_H

#include "direct/direct.h"

/* Runs operations that are copies that change the layout, sorts and top-k, each in
 * memory of just the sizes of its slices and of the workspace, so that sanitizers find
 * what else they touch. Comparators are one of the target's own, which is no order.
 * Does not run what is large. */
void fuzz_run_operations(const cyxla_direct *direct);

#endif
