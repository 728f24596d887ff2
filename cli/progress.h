/* A line on standard error that tells what takes so long. */
#ifndef CYXLA_CLI_PROGRESS_H
#define CYXLA_CLI_PROGRESS_H

typedef struct progress progress;

/* From a second on, shows "WHAT SUBJECT: N s" until progress_end, where standard error
 * is a terminal. The texts have to live until then. NULL where nothing is to be shown.
 */
progress *progress_begin(const char *what, const char *subject);

/* Takes the line away; NULL is allowed. */
void progress_end(progress *shown);

#endif
