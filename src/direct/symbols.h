/* The functions of the C library that XLA's machine code calls. */
#ifndef CYXLA_DIRECT_SYMBOLS_H
#define CYXLA_DIRECT_SYMBOLS_H

/* The address of a function that code may call; NULL for a name that is not in the
 * list, or that the machine's C library lacks. */
void *cyxla_direct_symbol(const char *name);

#endif
