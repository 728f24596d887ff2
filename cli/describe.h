/* Arrays and names as the commands print them. */
#ifndef CYXLA_CLI_DESCRIBE_H
#define CYXLA_CLI_DESCRIBE_H

#include <cyxla.h>

/* A dtype and the sizes of all dimensions. */
enum { ARRAY_TEXT_SIZE = 16 + 21 * CYXLA_RANK_MAXIMUM };

typedef struct array_text {
  char text[ARRAY_TEXT_SIZE];
} array_text;

/* Such as "float32[2,3]", and "float32[]" for a scalar. */
array_text describe_array(cyxla_dtype dtype, size_t rank, const int64_t *shape);
array_text describe_spec(const cyxla_array_spec *spec);

#endif
