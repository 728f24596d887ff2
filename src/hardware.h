/* Hardware that this machine has. */
#ifndef CYXLA_HARDWARE_H
#define CYXLA_HARDWARE_H

#include <stdbool.h>

/* Whether the PCI bus has a device of Google's, as every machine with a TPU. */
bool cyxla_hardware_has_tpu(void);

/* The same of a directory as Linux lists the devices of the bus in. */
bool cyxla_hardware_has_googles(const char *devices);

#endif
