/* What the commands take from the operating system: all of it is here and in
 * progress.c, so that another system needs no more than these two files. */
#ifndef CYXLA_CLI_SYSTEM_H
#define CYXLA_CLI_SYSTEM_H

#include <stdbool.h>
#include <stdio.h>

/* Seconds since some moment, of a clock that nobody sets. */
double seconds_now(void);

/* Whether a stream is a terminal, which somebody may be looking at. */
bool is_terminal(FILE *stream);

/* Makes a directory; true also where there is one. errno tells why not. */
bool make_directory(const char *path);

typedef struct thread thread;

/* Starts a thread that runs a function; NULL where there can be no more threads. */
thread *thread_start(void (*function)(void *argument), void *argument);

/* Waits for the end of a thread and frees it; NULL is allowed. */
void thread_join(thread *started);

#endif
