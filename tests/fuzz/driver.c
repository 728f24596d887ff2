/* Drives a fuzz target where there is no libFuzzer, with the same arguments:
 *
 *   fuzz_target [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-timeout=SECONDS]
 *               [-artifact_prefix=PREFIX] [FILE_OR_DIRECTORY...]
 *
 * Runs the target on each file, and then on changes of them until there were N runs or
 * the time is over; without either of these, on the files alone. The changes follow
 * from the seed. A target that was compiled with -fsanitize-coverage=trace-pc tells
 * where it has been, and inputs that get to a new place are changed further.
 *
 * The runs are made by a child. However that ends, by a sanitizer, a signal or because
 * a run takes too long, its last input lies in memory that is shared with its parent,
 * which leaves it in the file PREFIXcrash-HASH and fails.
 */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "input.h"
#include "mutate.h"

enum { NUM_PLACES = 1 << 16, FILE_BYTES_MAXIMUM = 1 << 20, RUNS_BETWEEN_LOOKS = 64 };

typedef struct options {
  unsigned long runs, seconds, seed, timeout;
  const char *prefix;
} options;

/* What parent and child have in common. */
typedef struct shared {
  unsigned long runs;
  bool is_running, is_done;
  size_t size;
  uint8_t data[FILE_BYTES_MAXIMUM];
} shared;

static shared *state;
static fuzz_entry *entries;
static size_t num_entries;
static bool places[NUM_PLACES];
static size_t num_places;

/* Called by the compiler's instrumentation, from everywhere in the target. The place
 * is counted from a function of the target, since programs are loaded anywhere. */
void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void) {
  uintptr_t place = (uintptr_t)__builtin_return_address(0);

  place -= (uintptr_t)LLVMFuzzerTestOneInput;
  place = (place ^ place >> 16) % NUM_PLACES;
  if (!places[place]) num_places++;
  places[place] = true;
}

static void fail(const char *what, const char *name) {
  fprintf(stderr, "%s %s: %s\n", what, name, strerror(errno));
  exit(2);
}

static void add_entry(const uint8_t *data, size_t size) {
  if ((num_entries & (num_entries + 1)) == 0) {
    entries = realloc(entries, (num_entries + 1) * 2 * sizeof(*entries));
    if (entries == NULL) fail("cannot keep", "an input");
  }
  entries[num_entries].data = malloc(size + 1);
  if (entries[num_entries].data == NULL) fail("cannot keep", "an input");
  if (size > 0) memcpy(entries[num_entries].data, data, size);
  entries[num_entries++].size = size;
}

static void read_file(const char *path) {
  static uint8_t data[FILE_BYTES_MAXIMUM];
  FILE *file = fopen(path, "rb");
  size_t size;

  if (file == NULL) fail("cannot open", path);
  size = fread(data, 1, sizeof(data), file);
  if (ferror(file)) fail("cannot read", path);
  fclose(file);
  add_entry(data, size);
}

static int is_visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static void read_files(const char *path) {
  struct dirent **names;
  struct stat status;
  int count;

  if (stat(path, &status) != 0) fail("cannot find", path);
  if (!S_ISDIR(status.st_mode)) {
    read_file(path);
    return;
  }
  /* In an order that is the same everywhere. */
  count = scandir(path, &names, is_visible, alphasort);
  if (count < 0) fail("cannot read", path);
  for (int i = 0; i < count; i++) {
    char file[4096];
    snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
    read_file(file);
    free(names[i]);
  }
  free(names);
}

/* In memory of just its size, so that what is read behind it is found out; malloc(0)
 * has a byte that is not. */
static void run(const uint8_t *data, size_t size, unsigned long timeout) {
  size_t before = size == 0 ? 1 : 0;
  uint8_t *block = malloc(before + size);

  if (block == NULL) fail("cannot copy", "an input");
  if (size > 0) {
    memcpy(block, data, size);
    memmove(state->data, data, size);
  }
  state->size = size;
  state->runs++;
  state->is_running = true;
  alarm((unsigned)timeout);
  if (LLVMFuzzerTestOneInput(block + before, size) != 0) abort();
  alarm(0);
  state->is_running = false;
  free(block);
}

static double now(void) {
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool is_over(const options *used, double start) {
  if (used->runs > 0 && state->runs >= used->runs) return true;
  if (used->seconds == 0) return used->runs == 0;
  return state->runs % RUNS_BETWEEN_LOOKS == 0 &&
         now() - start >= (double)used->seconds;
}

/* All that the child does. */
static void run_all(const char *name, const options *used) {
  uint64_t random = used->seed;
  size_t num_files = num_entries;
  double start = now();

  for (size_t i = 0; i < num_files; i++) {
    run(entries[i].data, entries[i].size, used->timeout);
  }
  if (num_entries == 0) add_entry(NULL, 0);
  while (!is_over(used, start)) {
    const fuzz_entry *entry = &entries[fuzz_random(&random, num_entries)];
    const fuzz_entry *other = &entries[fuzz_random(&random, num_entries)];
    uint8_t data[FUZZ_BYTES_MAXIMUM];
    size_t known = num_places;
    size_t size = entry->size < sizeof(data) ? entry->size : sizeof(data);
    memcpy(data, entry->data, size);
    size = fuzz_mutate(&random, data, size, other);
    run(data, size, used->timeout);
    if (num_places > known) add_entry(data, size);
  }
  printf("%s: %zu files, %lu runs, %zu inputs kept, %zu places, %.0f s\n", name,
         num_files, state->runs, num_entries, num_places, now() - start);
  state->is_done = true;
}

static void leave_input(const options *used) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  char path[4096];
  FILE *file;

  for (size_t i = 0; i < state->size; i++) {
    hash = (hash ^ state->data[i]) * UINT64_C(0x100000001b3);
  }
  snprintf(path, sizeof(path), "%scrash-%016llx", used->prefix,
           (unsigned long long)hash);
  file = fopen(path, "wb");
  if (file == NULL) fail("cannot write", path);
  if (fwrite(state->data, 1, state->size, file) != state->size || fclose(file) != 0) {
    fail("cannot write", path);
  }
  fprintf(stderr, "the input of %zu bytes is left in %s\n", state->size, path);
}

/* Waits for the child, and says how it ended. */
static int judge(const char *name, const options *used, pid_t child) {
  int status;

  while (waitpid(child, &status, 0) != child) {
    if (errno != EINTR) fail("cannot wait for", name);
  }
  if (state->is_done && WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  if (!state->is_running) {
    fprintf(stderr, "%s: failed between runs, as of a leak\n", name);
    return 1;
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    fprintf(stderr, "%s: run %lu took longer than %lu s; ", name, state->runs,
            used->timeout);
  } else {
    fprintf(stderr, "%s: run %lu ended the process; ", name, state->runs);
  }
  leave_input(used);
  return 1;
}

static bool read_number(const char *argument, const char *name, unsigned long *number) {
  size_t length = strlen(name);
  char *end;

  if (strncmp(argument, name, length) != 0) return false;
  errno = 0;
  *number = strtoul(argument + length, &end, 10);
  if (end == argument + length || *end != '\0' || errno != 0) {
    errno = EINVAL;
    fail("no number in", argument);
  }
  return true;
}

static void read_argument(const char *argument, options *used) {
  static const char prefix[] = "-artifact_prefix=";

  if (argument[0] != '-') {
    read_files(argument);
  } else if (strncmp(argument, prefix, sizeof(prefix) - 1) == 0) {
    used->prefix = argument + sizeof(prefix) - 1;
  } else if (!read_number(argument, "-runs=", &used->runs) &&
             !read_number(argument, "-max_total_time=", &used->seconds) &&
             !read_number(argument, "-seed=", &used->seed) &&
             !read_number(argument, "-timeout=", &used->timeout)) {
    errno = EINVAL;
    fail("unknown argument", argument);
  }
}

int main(int argc, char **argv) {
  options used = {0, 0, 1, 60, ""};
  const char *slash = strrchr(argv[0], '/');
  const char *name = slash != NULL ? slash + 1 : argv[0];
  pid_t child;

  for (int i = 1; i < argc; i++) read_argument(argv[i], &used);
  state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0);
  if (state == MAP_FAILED) fail("cannot share", "memory");
  fflush(NULL);
  child = fork();
  if (child < 0) fail("cannot fork", name);
  if (child == 0) {
    run_all(name, &used);
    exit(0); /* here leaks are looked for */
  }
  return judge(name, &used, child);
}
