/* Conversions to numbers of 16 bits, which XLA's machine code calls where the processor
 * has no instruction for them. They compute what those of XLA's own runtime do: from
 * float64 by way of float32. */
#ifndef CYXLA_DIRECT_CONVERSIONS_H
#define CYXLA_DIRECT_CONVERSIONS_H

/* The number lies in the lower 16 bits of what is returned, which is where code for
 * x86-64 looks for it: in the register of a float. */
float cyxla_truncate_float_to_bfloat16(float x);
float cyxla_truncate_double_to_bfloat16(double x);
float cyxla_truncate_double_to_half(double x);

#endif
