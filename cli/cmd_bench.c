/* cyxla bench: how long a call takes. */
#include <cyxla.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "prepare.h"
#include "samples.h"
#include "system.h"

enum { THREADS_MAXIMUM = 1024, SECONDS_MAXIMUM = 1000000000 };

/* Reading the clock costs as much as a run that is called directly, so that short runs
 * are measured many at a time. */
enum { RUNS_OF_SHORT = 100 };
static const double SECONDS_OF_SHORT = 2e-6;

/* What one thread does and finds. */
typedef struct lane {
  cyxla_call *call;
  thread *runner;
  double seconds; /* how long to run */
  int num_timed;  /* runs that are timed together */
  double begin, end;
  samples times;
  cyxla_status status;
  cyxla_error error;
} lane;

typedef struct bench {
  double seconds;
  unsigned long long num_threads;
  int num_timed;
  lane *lanes; /* [num_threads] */
} bench;

typedef struct result {
  double seconds; /* from the first run's begin to the last one's end */
  size_t num_runs;
  double minimum, median, percentile_99;
} result;

static void run_times(lane *self, int count) {
  for (int i = 0; i < count && self->status == CYXLA_OK; i++) {
    self->status = cyxla_call_run(self->call, &self->error);
  }
}

static void measure(void *argument) {
  lane *self = argument;
  double before, now;

  /* The first run in a thread makes what the later ones find there. */
  run_times(self, 1);
  self->begin = self->end = before = seconds_now();
  while (self->status == CYXLA_OK && before - self->begin < self->seconds) {
    run_times(self, self->num_timed);
    now = seconds_now();
    samples_add(&self->times, (now - before) / self->num_timed);
    self->end = before = now;
  }
}

/* How many runs are timed together. What fails here fails again when it is measured. */
static int count_timed(lane *self) {
  double shortest = SECONDS_OF_SHORT;

  if (strcmp(cyxla_executable_tier(cyxla_call_executable(self->call)), "direct") != 0) {
    return 1;
  }
  for (int i = 0; i <= 10 && self->status == CYXLA_OK; i++) {
    double start = seconds_now(), seconds;
    run_times(self, 1);
    seconds = seconds_now() - start;
    /* The first run may take longer, but not so much. */
    if (seconds > 1000 * SECONDS_OF_SHORT) break;
    if (i > 0 && seconds < shortest) shortest = seconds;
  }
  self->status = CYXLA_OK;
  return shortest < SECONDS_OF_SHORT ? RUNS_OF_SHORT : 1;
}

static bool make_lane(lane *self, const prepared *made, double seconds) {
  cyxla_error error;

  self->seconds = seconds;
  self->times.seconds = malloc(SAMPLES_MAXIMUM * sizeof(*self->times.seconds));
  if (self->times.seconds == NULL) {
    report(command_bench.name, "there is no memory left");
    return false;
  }
  if (cyxla_call_create(made->executable, &self->call, &error) != CYXLA_OK) {
    report(command_bench.name, "%s", error.message);
    return false;
  }
  return inputs_bind(&command_bench, &made->inputs, self->call);
}

/* Has all threads run, and waits for them. */
static bool run_lanes(const bench *self) {
  bool done = true;

  for (size_t i = 0; i < self->num_threads && done; i++) {
    self->lanes[i].runner = thread_start(measure, &self->lanes[i]);
    done = self->lanes[i].runner != NULL;
    if (!done) report(command_bench.name, "there can be no more than %zu threads", i);
  }
  for (size_t i = 0; i < self->num_threads; i++) thread_join(self->lanes[i].runner);
  for (size_t i = 0; i < self->num_threads && done; i++) {
    done = self->lanes[i].status == CYXLA_OK;
    if (!done) report(command_bench.name, "%s", self->lanes[i].error.message);
  }
  return done;
}

static bool summarize(const bench *self, result *found) {
  size_t count = (size_t)self->num_threads, total = 0;
  samples *times = malloc(count * sizeof(*times));
  double begin = self->lanes[0].begin, end = self->lanes[0].end;
  float *sorted = NULL;

  memset(found, 0, sizeof(*found));
  found->minimum = self->lanes[0].times.minimum;
  for (size_t i = 0; times != NULL && i < count; i++) {
    const lane *one = &self->lanes[i];
    times[i] = one->times;
    total += one->times.count;
    found->num_runs += one->times.num_runs * (size_t)self->num_timed;
    if (one->times.minimum < found->minimum) found->minimum = one->times.minimum;
    if (one->begin < begin) begin = one->begin;
    if (one->end > end) end = one->end;
  }
  found->seconds = end - begin;
  if (times != NULL) sorted = malloc(total * sizeof(*sorted));
  if (sorted != NULL) {
    found->median = samples_quantile(times, count, sorted, 0.5);
    found->percentile_99 = samples_quantile(times, count, sorted, 0.99);
  } else {
    report(command_bench.name, "there is no memory left");
  }
  free(times);
  free(sorted);
  return sorted != NULL;
}

static void print_json(const bench *self, const prepared *made, const result *found) {
  const cyxla_executable *executable = made->executable;

  fputs("{\n  \"file\": ", stdout);
  print_json_string(made->file);
  fputs(",\n  \"platform\": ", stdout);
  print_json_string(cyxla_program_platform(cyxla_executable_program(executable)));
  fputs(",\n  \"tier\": ", stdout);
  print_json_string(cyxla_executable_tier(executable));
  if (cyxla_program_num_sizes(made->program) > 1) {
    printf(",\n  \"size\": %zu", made->size.number);
  }
  printf(",\n  \"compile_seconds\": %.9g,\n  \"is_deserialized\": %s,\n",
         cyxla_executable_compile_seconds(executable),
         cyxla_executable_is_deserialized(executable) ? "true" : "false");
  printf("  \"threads\": %llu,\n  \"runs\": %zu,\n  \"runs_per_time\": %d,\n",
         self->num_threads, found->num_runs, self->num_timed);
  printf("  \"seconds\": %.9g,\n  \"runs_per_second\": %.9g,\n", found->seconds,
         (double)found->num_runs / found->seconds);
  printf("  \"minimum_seconds\": %.9g,\n  \"median_seconds\": %.9g,\n", found->minimum,
         found->median);
  printf("  \"percentile_99_seconds\": %.9g\n}\n", found->percentile_99);
}

static void print_time(const char *name, double seconds) {
  if (seconds < 1e-6) {
    printf("  %-16s %.1f ns\n", name, seconds * 1e9);
  } else if (seconds < 1e-3) {
    printf("  %-16s %.2f us\n", name, seconds * 1e6);
  } else if (seconds < 1) {
    printf("  %-16s %.2f ms\n", name, seconds * 1e3);
  } else {
    printf("  %-16s %.2f s\n", name, seconds);
  }
}

static void print_description(const bench *self, const prepared *made,
                              const result *found) {
  const cyxla_executable *executable = made->executable;

  print_escaped(stdout, made->file);
  printf("\n  platform         ");
  print_escaped(stdout, cyxla_program_platform(cyxla_executable_program(executable)));
  if (cyxla_program_num_sizes(made->program) > 1) {
    printf("\n  size             %zu", made->size.number);
  }
  printf("\n  tier             %s\n", cyxla_executable_tier(executable));
  print_time(cyxla_executable_is_deserialized(executable) ? "loading" : "compiling",
             cyxla_executable_compile_seconds(executable));
  printf("  threads          %llu\n", self->num_threads);
  printf("  runs             %zu in %.2f s, %.6g a second\n", found->num_runs,
         found->seconds, (double)found->num_runs / found->seconds);
  if (self->num_timed > 1) printf("  timed together   %d runs\n", self->num_timed);
  print_time("minimum", found->minimum);
  print_time("median", found->median);
  print_time("99th percentile", found->percentile_99);
}

static int run_bench(bench *self, const prepared *made, bool is_json) {
  result found;
  bool done = true;

  self->lanes = calloc((size_t)self->num_threads, sizeof(*self->lanes));
  if (self->lanes == NULL) {
    report(command_bench.name, "there is no memory left");
    return EXIT_FAILED;
  }
  for (size_t i = 0; i < self->num_threads && done; i++) {
    done = make_lane(&self->lanes[i], made, self->seconds);
  }
  self->num_timed = done ? count_timed(&self->lanes[0]) : 1;
  for (size_t i = 0; i < self->num_threads; i++) {
    self->lanes[i].num_timed = self->num_timed;
  }
  done = done && run_lanes(self) && summarize(self, &found);
  if (done && is_json) print_json(self, made, &found);
  if (done && !is_json) print_description(self, made, &found);
  for (size_t i = 0; i < self->num_threads; i++) {
    cyxla_call_destroy(self->lanes[i].call);
    free(self->lanes[i].times.seconds);
  }
  free(self->lanes);
  return done ? EXIT_DONE : EXIT_FAILED;
}

static int read_numbers(bench *self, const char *seconds, const char *threads) {
  self->seconds = 1;
  self->num_threads = 1;
  if (seconds != NULL && !parse_positive(seconds, SECONDS_MAXIMUM, &self->seconds)) {
    report(command_bench.name,
           "--seconds is %s, expected a number above 0 and up to %d", seconds,
           SECONDS_MAXIMUM);
    return EXIT_MISUSED;
  }
  if (threads != NULL &&
      !parse_count(threads, 1, THREADS_MAXIMUM, &self->num_threads)) {
    report(command_bench.name, "--threads is %s, expected a number from 1 to %d",
           threads, THREADS_MAXIMUM);
    return EXIT_MISUSED;
  }
  return EXIT_DONE;
}

static int run(int argc, char **argv) {
  prepare_options how = {false, false, false, false, NULL, NULL, NULL, FILL_ZEROS};
  bool has_seconds = false, has_threads = false, is_json = false;
  const char *seconds = NULL, *threads = NULL;
  const option options[] = {{"--seconds", &has_seconds, &seconds},
                            {"--threads", &has_threads, &threads},
                            {"--json", &is_json, NULL},
                            {"--zeros", &how.has_zeros, NULL},
                            {"--random", &how.has_random, &how.seed},
                            {"--plugin", &how.has_plugin, &how.plugin},
                            {"--size", &how.has_size, &how.size}};
  bench self = {0, 0, 1, NULL};
  prepared made;
  int code = take_options(&command_bench, options, 7, &argc, argv);

  if (code == EXIT_DONE) code = read_numbers(&self, seconds, threads);
  if (code != EXIT_DONE) return code;
  code = prepare_inputs(&command_bench, &how, argc, argv, &made);
  if (code == EXIT_DONE) code = prepare_executable(&command_bench, &how, &made);
  if (code == EXIT_DONE) code = run_bench(&self, &made, is_json);
  prepared_free(&made);
  return code;
}

const command command_bench = {
    "bench",
    "measure how long a call takes",
    "usage: cyxla bench [OPTION...] FILE [ARRAY.npy | NAME=ARRAY.npy]...\n\n"
    "Compiles the program of a .cyxla file, runs it again and again, and tells the\n"
    "minimum, the median and the 99th percentile of the time of a run, and how many "
    "runs\n"
    "there were. Code that the file holds for the plugin is loaded, which is told, "
    "and\n"
    "not compiled. Inputs are given as to cyxla run; the others are zero.\n\n"
    "  --seconds S        run for that long; default 1\n"
    "  --threads N        threads with a call each that run at once; default 1\n"
    "  --json             print a JSON object, with times in seconds\n"
    "  --zeros            inputs that are not given are zero, which is the default\n"
    "  --random SEED      inputs that are not given are random numbers: from 0 to 1,\n"
    "                     whole ones from 0 to 9\n"
    "  --size N           the size, as cyxla info numbers them from 0; otherwise the\n"
    "                     shapes of the arrays that are given tell which one\n"
    "  --plugin LIBRARY   the plugin; otherwise it is looked for, CYXLA_PLUGIN "
    "first\n\n"
    "Exit codes: 0 success; 1 a file is wrong, or compiling or running fails; 2 wrong\n"
    "usage, also where a size is missing or unknown.\n",
    run,
};
