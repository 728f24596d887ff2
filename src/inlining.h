/* Which functions a compiler is not to write into their callers. */
#ifndef CYXLA_INLINING_H
#define CYXLA_INLINING_H

/* For what a short function only calls sometimes: written into it, its registers would
 * be saved and restored each time. And for what must be in one place only. */
#if defined(__GNUC__)
#define CYXLA_NOT_INLINED __attribute__((noinline))
#else
#define CYXLA_NOT_INLINED
#endif

#endif
