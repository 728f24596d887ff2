/* The options that the plugins of a platform are known to read, and of which type. */
#ifndef CYXLA_KNOWN_OPTIONS_H
#define CYXLA_KNOWN_OPTIONS_H

#include "plugin.h"

/* Refuses an option of the wrong type, which plugins report by numbers, and one that
 * the plugin would ignore without a word. */
cyxla_status cyxla_known_options_check(const cyxla_runtime_options *options,
                                       const cyxla_plugin *plugin, cyxla_error *error);

/* Whether options are for a platform: the one that they ask for, else the one that the
 * name of the plugin's library tells. Plugins and callers differ in case. */
bool cyxla_platform_is(const char *name, const cyxla_runtime_options *options);

#endif
