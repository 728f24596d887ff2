/* What the kernels of a program cost, called with ready frames and nothing around them:
 * the reference for what a direct call adds. */
#ifndef KERNEL_LOOP_H
#define KERNEL_LOOP_H

#include <cyxla.h>

typedef struct kernel_loop kernel_loop;

/* Opens a .cyxla file whose code needs no plugin. The program has to be nothing but
 * kernels that follow one another and are called once. NULL where it is not, or where
 * something else fails, which is told on standard error. */
kernel_loop *kernel_loop_create(const char *file);
void kernel_loop_destroy(kernel_loop *loop);

size_t kernel_loop_num_kernels(const kernel_loop *loop);

/* The array of an input, to be filled in before a run, and that of an output. */
void *kernel_loop_input(kernel_loop *loop, size_t index);
const void *kernel_loop_output(const kernel_loop *loop, size_t index);

/* Calls all kernels `count` times, with the control bits that they need set once.
 * Returns the nanoseconds of all calls together, -1 where one failed. */
double kernel_loop_time(kernel_loop *loop, long count);

#endif
