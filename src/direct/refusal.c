#include "refusal.h"

#include "error.h"

cyxla_status cyxla_direct_refuse(const char *reason, cyxla_error *error) {
  return cyxla_error_set(error, CYXLA_UNIMPLEMENTED, "%s", reason);
}

cyxla_status cyxla_code_refuse(const char *what, const char *name, cyxla_error *error) {
  return cyxla_error_set(error, CYXLA_UNIMPLEMENTED, "its code %s%s", what, name);
}
