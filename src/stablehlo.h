/* StableHLO artifacts: which version of StableHLO one is written for. */
#ifndef CYXLA_STABLEHLO_H
#define CYXLA_STABLEHLO_H

#include "cyxla.h"

/* The version that the first bytes of an artifact name; false where they name none. */
bool cyxla_stablehlo_version(const void *code, size_t bytes, int64_t version[3]);

/* Whether a version comes after another. */
bool cyxla_stablehlo_is_later(const int64_t version[3], const int64_t other[3]);

#endif
