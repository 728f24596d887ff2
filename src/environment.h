/* The environment: the only place that reads or sets its variables. */
#ifndef CYXLA_ENVIRONMENT_H
#define CYXLA_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* CYXLA_PLUGIN, the path of the plugin to load; NULL if it is unset or empty. */
const char *cyxla_environment_plugin(void);

/* CYXLA_LAPACK, the path of the library that holds LAPACK; NULL if it is unset or
 * empty. */
const char *cyxla_environment_lapack(void);

/* CYXLA_CACHE_DIR, the directory of the disk cache or "none"; NULL if it is unset or
 * empty. */
const char *cyxla_environment_cache_directory(void);

/* XDG_CACHE_HOME and HOME, which the directory of the disk cache is in where it is not
 * named; NULL if they are unset or empty. */
const char *cyxla_environment_user_caches(void);
const char *cyxla_environment_home(void);

/* The number of threads that XLA's variables ask for, as text; NULL if they are unset
 * or empty. */
const char *cyxla_environment_num_threads(void);

/* CYXLA_TIER, how calls run; NULL if it is unset or empty. */
const char *cyxla_environment_tier(void);

/* Whether CYXLA_PERF_MAP asks for a file that tells perf the names of code: it is set,
 * and not to 0. */
bool cyxla_environment_perf_map(void);

/* CYXLA_CODE_DIR, the directory for files that code is mapped from; NULL if it is unset
 * or empty. */
const char *cyxla_environment_code_directory(void);

/* False if CYXLA_MIRROR_JAX is 0: Python then leaves jaxlib's registration of handlers
 * alone. */
bool cyxla_environment_mirror_jax(void);

/* The options of XLA's that plugins take from the environment; "" where it is unset. */
const char *cyxla_environment_xla_flags(void);

/* Sets what plugins read from the environment once, when they are loaded:
 *   XLA's log level, TF_CPP_MIN_LOG_LEVEL: to CYXLA_LOG (0 information, 1 warnings, 2
 *   errors, 3 fatal errors only) if that is set. Else to 3, since some plugins log
 * errors in runs that succeed, unless the user has set it to anything but 1, which JAX
 * does. TPU_SKIP_MDS_QUERY on a machine without a TPU, where libtpu would wait for a
 * metadata server for a minute, unless the user has set it. */
void cyxla_environment_prepare_plugins(void);

/* The variables that XLA takes the size of its thread pool from when a client is made.
 */
enum { CYXLA_ENVIRONMENT_NUM_THREAD_VARIABLES = 2 };

typedef struct cyxla_environment_threads {
  char *previous[CYXLA_ENVIRONMENT_NUM_THREAD_VARIABLES]; /* NULL: it was unset */
} cyxla_environment_threads;

/* Sets the variables to a number of threads; false, with nothing changed, if there is
 * no memory left. */
bool cyxla_environment_set_threads(size_t num_threads,
                                   cyxla_environment_threads *saved);

/* Gives the variables back what they were. */
void cyxla_environment_restore_threads(cyxla_environment_threads *saved);

#endif
