/* cyxla plugins: what can be told about plugins without Python. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include <cyxla.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

typedef struct listing {
  bool is_json;
  size_t count;
} listing;

static void print_json(const char *source, const char *path, cyxla_status status,
                       const cyxla_plugin_info *info, const cyxla_error *error) {
  fputs("  {\"source\": ", stdout);
  print_json_string(source);
  fputs(", \"path\": ", stdout);
  print_json_string(path);
  fputs(", \"pjrt_api_version\": ", stdout);
  if (info->pjrt_api_minor > 0) {
    printf("[%d, %d]", info->pjrt_api_major, info->pjrt_api_minor);
  } else {
    fputs("null", stdout);
  }
  fputs(", \"stablehlo_version\": ", stdout);
  if (info->stablehlo_version[0] > 0) {
    printf("[%lld, %lld, %lld]", (long long)info->stablehlo_version[0],
           (long long)info->stablehlo_version[1],
           (long long)info->stablehlo_version[2]);
  } else {
    fputs("null", stdout);
  }
  fputs(", \"extensions\": [", stdout);
  for (size_t i = 0; i < info->num_extensions; i++) {
    if (i > 0) fputs(", ", stdout);
    print_json_string(cyxla_extension_name(info->extensions[i]));
  }
  fputs("], \"problem\": ", stdout);
  if (status == CYXLA_OK) {
    fputs("null", stdout);
  } else {
    print_json_string(error->message);
  }
  putchar('}');
}

static void print_text(const char *source, const char *path, cyxla_status status,
                       const cyxla_plugin_info *info, const cyxla_error *error) {
  printf("%s\n  path        %s\n", source, path);
  if (info->pjrt_api_minor > 0) {
    printf("  PJRT API    %d.%d\n", info->pjrt_api_major, info->pjrt_api_minor);
  }
  if (info->stablehlo_version[0] > 0) {
    printf("  StableHLO   %lld.%lld.%lld\n", (long long)info->stablehlo_version[0],
           (long long)info->stablehlo_version[1],
           (long long)info->stablehlo_version[2]);
  }
  if (info->num_extensions > 0) fputs("  extensions ", stdout);
  for (size_t i = 0; i < info->num_extensions; i++) {
    printf("%s %s", i > 0 ? "," : "", cyxla_extension_name(info->extensions[i]));
  }
  if (info->num_extensions > 0) putchar('\n');
  if (status != CYXLA_OK) printf("  cannot be used: %s\n", error->message);
}

static void list_plugin(listing *list, const char *source, const char *path) {
  cyxla_plugin_info info = CYXLA_PLUGIN_INFO_INIT;
  cyxla_error error;
  cyxla_status status = cyxla_plugin_inspect(path, &info, &error);

  if (list->is_json) {
    fputs(list->count > 0 ? ",\n" : "", stdout);
    print_json(source, path, status, &info, &error);
  } else {
    print_text(source, path, status, &info, &error);
  }
  list->count++;
}

static bool ends_like_a_library(const char *name) {
  size_t length = strlen(name);

  return (length > 3 && strcmp(name + length - 3, ".so") == 0) ||
         (length > 6 && strcmp(name + length - 6, ".dylib") == 0) ||
         (length > 4 && strcmp(name + length - 4, ".dll") == 0);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The libraries in a directory, sorted, as an array that ends with NULL; NULL if the
 * directory cannot be read or there is no memory left. */
static char **read_libraries(const char *path) {
  DIR *directory = opendir(path);
  struct dirent *entry;
  char **names = directory != NULL ? calloc(1, sizeof(*names)) : NULL;
  size_t count = 0;

  while (names != NULL && (entry = readdir(directory)) != NULL) {
    char **larger;
    if (!ends_like_a_library(entry->d_name)) continue;
    larger = realloc(names, (count + 2) * sizeof(*names));
    if (larger == NULL) break;
    names = larger;
    names[count] = malloc(strlen(path) + strlen(entry->d_name) + 2);
    if (names[count] == NULL) break;
    sprintf(names[count++], "%s/%s", path, entry->d_name);
    names[count] = NULL;
  }
  if (directory != NULL) closedir(directory);
  if (names != NULL) qsort(names, count, sizeof(*names), compare_names);
  return names;
}

static bool list_directory(listing *list, const char *path) {
  char **libraries = read_libraries(path);

  if (libraries == NULL) return false;
  for (size_t i = 0; libraries[i] != NULL; i++) {
    list_plugin(list, path, libraries[i]);
    free(libraries[i]);
  }
  free(libraries);
  return true;
}

static bool is_directory(const char *path) {
  struct stat information;

  return stat(path, &information) == 0 && S_ISDIR(information.st_mode);
}

static int list_arguments(listing *list, int argc, char **argv) {
  int code = EXIT_DONE;

  for (int i = 0; i < argc; i++) {
    if (is_option(argv[i])) continue;
    if (!is_directory(argv[i])) {
      list_plugin(list, "argument", argv[i]);
    } else if (!list_directory(list, argv[i])) {
      report(command_plugins.name, "the directory %s cannot be read", argv[i]);
      code = EXIT_FAILED;
    }
  }
  return code;
}

static int run(int argc, char **argv) {
  listing list = {false, 0};
  const char *given = getenv("CYXLA_PLUGIN");
  int code;

  for (int i = 0; i < argc; i++) {
    if (!is_option(argv[i])) continue;
    if (strcmp(argv[i], "--json") != 0) return refuse_option(&command_plugins, argv[i]);
    list.is_json = true;
  }
  if (list.is_json) fputs("[\n", stdout);
  if (given != NULL && given[0] != '\0') list_plugin(&list, "CYXLA_PLUGIN", given);
  code = list_arguments(&list, argc, argv);
  if (list.is_json) fputs(list.count > 0 ? "\n]\n" : "]\n", stdout);
  if (list.count == 0 && !list.is_json) {
    puts(
        "no plugin was found: CYXLA_PLUGIN is not set, and no directory holds one;\n"
        "python -m cyxla lists those in Python's packages, and a file that was\n"
        "compiled names its own, which needs neither");
  }
  return code;
}

const command command_plugins = {
    "plugins",
    "list plugins: of CYXLA_PLUGIN, and in directories",
    "usage: cyxla plugins [--json] [DIRECTORY | LIBRARY]...\n\n"
    "Lists the plugin that CYXLA_PLUGIN names, the libraries in each DIRECTORY and "
    "each\n"
    "LIBRARY: PJRT API, StableHLO version, extensions, and why one cannot be used.\n"
    "Each is loaded into this process. Plugins in Python's packages are listed by\n"
    "python -m cyxla.\n\n"
    "  --json   print a JSON list\n\n"
    "Exit codes: 0 success, 1 a directory cannot be read, 2 wrong usage.\n",
    run,
};
