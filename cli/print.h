/* Arrays in text, as NumPy prints them. */
#ifndef CYXLA_CLI_PRINT_H
#define CYXLA_CLI_PRINT_H

#include <cyxla.h>

/* Prints an array on standard output, in lines of 75 characters. Of more than 1000
 * elements the first and last three of each dimension are printed. */
void print_array(const cyxla_array_spec *spec, const void *memory);

#endif
