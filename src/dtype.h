/* Element types: the one place that knows their names and sizes. The functions are
 * public and declared in cyxla.h. */
#ifndef CYXLA_DTYPE_H
#define CYXLA_DTYPE_H

#include "cyxla.h"

/* True for the values of cyxla_dtype, whatever number is given. */
bool cyxla_dtype_is_valid(int64_t dtype);

#endif
