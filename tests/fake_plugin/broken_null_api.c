/* A plugin without a function table. */
#include <stddef.h>

const void *GetPjrtApi(void);

const void *GetPjrtApi(void) {
  return NULL;
}
