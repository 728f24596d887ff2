/* The environment: the only place that reads or sets its variables. */
#ifndef CYXLA_ENVIRONMENT_H
#define CYXLA_ENVIRONMENT_H

/* CYXLA_PLUGIN, the path of the plugin to load; NULL if it is unset or empty. */
const char *cyxla_environment_plugin(void);

/* Sets XLA's log level before a plugin is loaded, since plugins read it once: to
 * CYXLA_LOG (0 information, 1 warnings, 2 errors, 3 fatal errors only), or to errors
 * only. A TF_CPP_MIN_LOG_LEVEL of the user's own is left alone. */
void cyxla_environment_set_log_level(void);

#endif
