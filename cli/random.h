/* Numbers to try a program with. */
#ifndef CYXLA_CLI_RANDOM_H
#define CYXLA_CLI_RANDOM_H

#include <cyxla.h>

/* Fills an array with numbers that follow from the seed: real and complex ones and
 * their parts from 0 to below 1, whole ones from 0 to 9, and bools. They are the same
 * on every machine. */
void fill_with_random(const cyxla_array_spec *spec, unsigned long long seed,
                      void *memory);

#endif
