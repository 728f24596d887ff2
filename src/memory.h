/* Memory: the only place that allocates. Allocations are counted, and tests can make
 * one of them fail. */
#ifndef CYXLA_MEMORY_H
#define CYXLA_MEMORY_H

#include "cyxla.h"

/* Zeroed memory; NULL if there is none left. A size of 0 gives a valid pointer. */
void *cyxla_allocate(size_t bytes);

/* Zeroed memory for count elements; NULL also where the product overflows. */
void *cyxla_allocate_array(size_t count, size_t element_bytes);

/* Frees what the two functions above returned; NULL is allowed. */
void cyxla_release(void *memory);

/* A copy of bytes, followed by a zero byte that is not part of them, so that it serves
 * text as well. NULL if there is no memory left. */
void *cyxla_duplicate(const void *data, size_t bytes);

/* For tests: the allocation after the next n fails, and those after it succeed again.
 * A negative n stops that. */
void cyxla_memory_fail_after(long n);

/* For tests: allocations that have not been freed, and allocations ever made. */
long cyxla_memory_live(void);
long cyxla_memory_allocations(void);

#endif
