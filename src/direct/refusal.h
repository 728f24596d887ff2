/* Refusals: what is said of code that is not known, or not all of it. */
#ifndef CYXLA_DIRECT_REFUSAL_H
#define CYXLA_DIRECT_REFUSAL_H

#include "cyxla.h"

/* The error CYXLA_UNIMPLEMENTED with a reason, as in "it has a sort of nothing". */
cyxla_status cyxla_direct_refuse(const char *reason, cyxla_error *error);

/* The same of machine code: "its code <what><name>". */
cyxla_status cyxla_code_refuse(const char *what, const char *name, cyxla_error *error);

#endif
