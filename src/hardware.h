/* Hardware that this machine has. */
#ifndef CYXLA_HARDWARE_H
#define CYXLA_HARDWARE_H

#include <stdbool.h>

/* Whether the PCI bus has a device of Google's, as every machine with a TPU. */
bool cyxla_hardware_has_tpu(void);

#endif
