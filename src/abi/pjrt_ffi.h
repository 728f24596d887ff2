/* The extension of the PJRT C API through which handlers of XLA's typed FFI are
 * registered. See pjrt_types.h for where these declarations come from. */
#ifndef CYXLA_ABI_PJRT_FFI_H
#define CYXLA_ABI_PJRT_FFI_H

#include "abi/pjrt.h"

typedef struct {
  size_t struct_size;
  const char *target_name;
  size_t target_name_size;
  void *handler; /* an XLA_FFI_Handler of the stage execute */
  const char *platform_name;
  size_t platform_name_size;
  uint32_t traits;
} PJRT_FFI_Register_Handler_Args;

typedef struct {
  PJRT_Extension_Base base;
  PJRT_UnusedFunction *type_register;
  PJRT_UnusedFunction *user_data_add;
  PJRT_Error *(*register_handler)(PJRT_FFI_Register_Handler_Args *args);
} PJRT_FFI_Extension;

#endif
