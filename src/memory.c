#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "atomic.h"
#if defined(_WIN32)
#include <malloc.h>
#endif

static volatile long live;
static volatile long allocations;
static volatile long failure_countdown = -1;

void cyxla_memory_fail_after(long n) {
  cyxla_atomic_store(&failure_countdown, n < 0 ? -1 : n + 1);
}

long cyxla_memory_live(void) {
  return cyxla_atomic_load(&live);
}

long cyxla_memory_allocations(void) {
  return cyxla_atomic_load(&allocations);
}

static bool is_made_to_fail(void) {
  if (cyxla_atomic_load(&failure_countdown) < 0) return false;
  return cyxla_atomic_add(&failure_countdown, -1) == 0;
}

static void *count(void *memory) {
  if (memory != NULL) {
    cyxla_atomic_add(&live, 1);
    cyxla_atomic_add(&allocations, 1);
  }
  return memory;
}

void *cyxla_allocate(size_t bytes) {
  if (is_made_to_fail()) return NULL;
  return count(calloc(1, bytes > 0 ? bytes : 1));
}

void *cyxla_allocate_array(size_t count, size_t element_bytes) {
  if (element_bytes > 0 && count > SIZE_MAX / element_bytes) return NULL;
  return cyxla_allocate(count * element_bytes);
}

void cyxla_release(void *memory) {
  if (memory == NULL) return;
  cyxla_atomic_add(&live, -1);
  free(memory);
}

void *cyxla_duplicate(const void *data, size_t bytes) {
  char *copy = bytes < SIZE_MAX ? cyxla_allocate(bytes + 1) : NULL;

  if (copy != NULL && bytes > 0) memcpy(copy, data, bytes);
  return copy;
}

void *cyxla_aligned_alloc(size_t bytes) {
  void *memory = NULL;

  /* A whole number of cache lines, so that no other allocation shares the last one. */
  if (bytes > SIZE_MAX - CYXLA_ALIGNMENT || is_made_to_fail()) return NULL;
  bytes = (bytes + CYXLA_ALIGNMENT - 1) / CYXLA_ALIGNMENT * CYXLA_ALIGNMENT;
  if (bytes == 0) bytes = CYXLA_ALIGNMENT;
#if defined(_WIN32)
  memory = _aligned_malloc(bytes, CYXLA_ALIGNMENT);
#else
  if (posix_memalign(&memory, CYXLA_ALIGNMENT, bytes) != 0) return NULL;
#endif
  if (memory != NULL) memset(memory, 0, bytes);
  return count(memory);
}

void cyxla_aligned_free(void *memory) {
  if (memory == NULL) return;
  cyxla_atomic_add(&live, -1);
#if defined(_WIN32)
  _aligned_free(memory);
#else
  free(memory);
#endif
}
