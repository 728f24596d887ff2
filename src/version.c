#include "cyxla.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *cyxla_version(void) {
  static const char version[] = TEXT(CYXLA_VERSION_MAJOR) "." TEXT(
      CYXLA_VERSION_MINOR) "." TEXT(CYXLA_VERSION_PATCH);
  return version;
}
