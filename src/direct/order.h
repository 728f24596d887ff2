/* Orders: what proves of a comparison that it is one. */
#ifndef CYXLA_DIRECT_ORDER_H
#define CYXLA_DIRECT_ORDER_H

#include "hlo.h"

/* Whether a computation, whose parameters are by turns of one element and of another,
 * says of any numbers that the one comes first as an order of all would, in which
 * elements may share a place: it calculates the same keys, of any kind, of the one and
 * of the other, and compares them as whole numbers, each where those before it are
 * equal. False also where it is an order that is not seen to be one. Takes off the
 * budget what is looked at. */
bool cyxla_order_is_known(const cyxla_hlo *hlo,
                          const cyxla_hlo_computation *computation, size_t *budget);

#endif
