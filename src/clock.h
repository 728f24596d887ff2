/* The clock that tells how long something took. */
#ifndef CYXLA_CLOCK_H
#define CYXLA_CLOCK_H

/* Seconds since some time in the past, never set back. */
double cyxla_clock_seconds(void);

#endif
