#include "ffi_future.h"

#include "lock.h"
#include "memory.h"

struct XLA_FFI_Future {
  cyxla_lock lock;
  cyxla_condition completed;
  bool is_complete;
  XLA_FFI_Error *failure;
};

XLA_FFI_Future *cyxla_ffi_future_create(void) {
  XLA_FFI_Future *future = cyxla_allocate(sizeof(*future));

  if (future == NULL) return NULL;
  cyxla_lock_create(&future->lock);
  cyxla_condition_create(&future->completed);
  return future;
}

bool cyxla_ffi_future_complete(XLA_FFI_Future *future, XLA_FFI_Error *failure) {
  bool is_first;

  cyxla_lock_acquire(&future->lock);
  is_first = !future->is_complete;
  if (is_first) {
    future->is_complete = true;
    future->failure = failure;
    /* With the lock: without it the other thread may have destroyed the condition. */
    cyxla_condition_wake(&future->completed);
  }
  cyxla_lock_release(&future->lock);
  return is_first;
}

XLA_FFI_Error *cyxla_ffi_future_take(XLA_FFI_Future *future) {
  XLA_FFI_Error *failure;

  cyxla_lock_acquire(&future->lock);
  while (!future->is_complete) {
    cyxla_condition_wait(&future->completed, &future->lock);
  }
  failure = future->failure;
  cyxla_lock_release(&future->lock);
  cyxla_condition_destroy(&future->completed);
  cyxla_lock_destroy(&future->lock);
  cyxla_release(future);
  return failure;
}
