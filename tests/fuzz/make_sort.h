/* Thunks that change the order of numbers, and comparators, that an input describes. */
#ifndef FUZZ_MAKE_SORT_H
#define FUZZ_MAKE_SORT_H

#include "encoding.h"
#include "input.h"

void fuzz_put_transpose(fuzz_input *input, cyxla_writer *copy);
void fuzz_put_sort(fuzz_input *input, cyxla_writer *sort);
void fuzz_put_top_k(fuzz_input *input, cyxla_writer *top_k);

/* The comparator k, as one more computation of a module. */
void fuzz_put_comparator(fuzz_input *input, cyxla_writer *module);

#endif
