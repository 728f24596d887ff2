/* Searching for a plugin without Python. */
#ifndef CYXLA_SEARCH_H
#define CYXLA_SEARCH_H

#include "program_file.h"

/* The path of the plugin for a platform: of CYXLA_PLUGIN, beside the file, of the
 * record, or in the library's own plugin directory, in this order. `file` and `record`
 * may be NULL. The path is freed with cyxla_release. CYXLA_PLUGIN_NOT_FOUND lists the
 * places. */
cyxla_status cyxla_search_plugin(const char *platform, const char *file,
                                 const cyxla_plugin_record *record, char **plugin,
                                 cyxla_error *error);

#endif
