/* The knobs, the counters, and the failures that are asked for. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_internal.h"

#define FAKE_MAX_OPTIONS 16

static const char *const function_names[FAKE_NUM_FUNCTIONS] = {
#define FAKE_NAME(name) "PJRT_" #name,
    FAKE_INFALLIBLE_FUNCTIONS(FAKE_NAME) FAKE_FALLIBLE_FUNCTIONS(FAKE_NAME)};

static const long knob_defaults[FAKE_NUM_KNOBS] = {
    [FAKE_ERROR_CODE] = PJRT_Error_Code_INTERNAL,
    [FAKE_API_MAJOR] = PJRT_API_MAJOR,
    [FAKE_API_MINOR] = PJRT_API_MINOR,
    [FAKE_API_STRUCT_SIZE] = sizeof(PJRT_Api),
    [FAKE_FFI_MINOR] = 4,
    [FAKE_NUM_DEVICES] = 1,
    [FAKE_NUM_PARTITIONS] = 1,
    [FAKE_NUM_REPLICAS] = 1,
    [FAKE_NUM_OUTPUTS] = -1,
    [FAKE_NUM_OUTPUT_TYPES] = -1,
    [FAKE_OUTPUT_TYPE] = -1,
    [FAKE_OUTPUT_RANK] = -1,
    [FAKE_OUTPUT_SIZE] = -1,
    [FAKE_CODE_BYTES] = 1234,
    [FAKE_ZERO_COPY] = 1,
    [FAKE_ON_CPU] = 1,
};

static struct {
  pthread_mutex_t lock;
  long knobs[FAKE_NUM_KNOBS];
  char texts[FAKE_NUM_TEXTS][256];
  long live[FAKE_NUM_KINDS];
  long calls;
  long calls_of[FAKE_NUM_FUNCTIONS];
  long fail_at; /* number of the call that fails, -1: none */
  bool fail_after;
  int fail_function;   /* a fake_function, -1: none */
  int failed_function; /* a fake_function, -1: none */
  void (*in_execution)(void);
  bool removed[FAKE_NUM_FUNCTIONS];
  char violation[256];
  char options[FAKE_MAX_OPTIONS][128];
  size_t num_options;
  char environment[128];
  void *compile_options;
  size_t compile_options_bytes;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void) {
  pthread_mutex_lock(&state.lock);
}

static void unlock(void) {
  pthread_mutex_unlock(&state.lock);
}

__attribute__((constructor)) static void start(void) {
  fake_plugin_reset();
}

__attribute__((destructor)) static void stop(void) {
  free(state.compile_options);
}

void fake_plugin_reset(void) {
  lock();
  fake_ffi_forget();
  memcpy(state.knobs, knob_defaults, sizeof state.knobs);
  strcpy(state.texts[FAKE_TEXT_PLATFORM], "cpu");
  strcpy(state.texts[FAKE_TEXT_ERROR_MESSAGE], "injected failure");
  state.calls = 0;
  memset(state.calls_of, 0, sizeof state.calls_of);
  state.fail_at = -1;
  state.fail_function = -1;
  state.failed_function = -1;
  state.in_execution = NULL;
  memset(state.removed, 0, sizeof state.removed);
  state.violation[0] = '\0';
  state.num_options = 0;
  state.environment[0] = '\0';
  free(state.compile_options);
  state.compile_options = NULL;
  state.compile_options_bytes = 0;
  unlock();
  fake_fill_table();
}

static int find_function(const char *name) {
  for (int i = 0; name != NULL && i < FAKE_NUM_FUNCTIONS; i++) {
    if (strcmp(function_names[i], name) == 0) return i;
  }
  if (name != NULL) {
    fprintf(stderr, "fake plugin: no function is named %s\n", name);
    abort();
  }
  return -1;
}

void fake_plugin_set(fake_knob knob, long value) {
  lock();
  state.knobs[knob] = value;
  unlock();
  fake_fill_table();
}

void fake_plugin_set_text(fake_text which, const char *text) {
  lock();
  snprintf(state.texts[which], sizeof state.texts[which], "%s", text);
  unlock();
}

void fake_plugin_fail_call(long n) {
  lock();
  state.fail_at = n < 0 ? -1 : state.calls + n;
  state.fail_after = false;
  unlock();
}

void fake_plugin_fail_from(long n) {
  fake_plugin_fail_call(n);
  lock();
  state.fail_after = true;
  unlock();
}

void fake_plugin_fail_function(const char *name) {
  int function = find_function(name);
  lock();
  state.fail_function = function;
  unlock();
}

void fake_plugin_call_in_execution(void (*function)(void)) {
  lock();
  state.in_execution = function;
  unlock();
}

void fake_call_in_execution(void) {
  lock();
  void (*function)(void) = state.in_execution;
  unlock();
  if (function != NULL) function();
}

void fake_plugin_remove_function(const char *name) {
  int function = find_function(name);
  lock();
  if (function < 0) {
    memset(state.removed, 0, sizeof state.removed);
  } else {
    state.removed[function] = true;
  }
  unlock();
  fake_fill_table();
}

const char *fake_plugin_failed_function(void) {
  return state.failed_function >= 0 ? function_names[state.failed_function] : NULL;
}

long fake_plugin_calls(void) {
  lock();
  long calls = state.calls;
  unlock();
  return calls;
}

long fake_plugin_calls_of(const char *name) {
  int function = find_function(name);
  lock();
  long calls = function < 0 ? 0 : state.calls_of[function];
  unlock();
  return calls;
}

long fake_plugin_live(fake_kind kind) {
  lock();
  long live = state.live[kind];
  unlock();
  return live;
}

long fake_plugin_live_total(void) {
  long total = 0;
  for (int kind = 0; kind < FAKE_NUM_KINDS; kind++) total += fake_plugin_live(kind);
  return total;
}

const char *fake_plugin_violation(void) {
  return state.violation[0] != '\0' ? state.violation : NULL;
}

const char *fake_plugin_client_option(size_t index) {
  return index < state.num_options ? state.options[index] : NULL;
}

const char *fake_plugin_environment(void) {
  return state.environment;
}

const void *fake_plugin_compile_options(size_t *bytes) {
  *bytes = state.compile_options_bytes;
  return state.compile_options;
}

/* As XLA's code may, which ends a caller who traps on it unless the traps are masked:
 * in the vector unit and, with the widest type, in the x87 unit of processors that have
 * one, which a handler may use. */
static void divide_by_zero(void) {
  volatile double zero = 0.0, quotient = 1.0 / zero;
  volatile long double wide_zero = 0.0L, wide_quotient = 1.0L / wide_zero;
  (void)quotient;
  (void)wide_quotient;
}

PJRT_Error *fake_enter(fake_function function, size_t given_bytes, size_t known_bytes) {
  lock();
  long call = state.calls++;
  state.calls_of[function]++;
  bool fails = function == (fake_function)state.fail_function ||
               (state.fail_at >= 0 &&
                (state.fail_after ? call >= state.fail_at : call == state.fail_at));
  if (fails) state.failed_function = (int)function;
  bool divides = state.knobs[FAKE_DIVIDES_BY_ZERO] != 0;
  unlock();
  if (divides) divide_by_zero();
  if (given_bytes < known_bytes) {
    fake_violate("struct_size is smaller than the struct");
    return fake_error(PJRT_Error_Code_INVALID_ARGUMENT,
                      "Unexpected %s_Args size: expected %zu, got %zu",
                      function_names[function], known_bytes, given_bytes);
  }
  if (!fails) return NULL;
  return fake_error((PJRT_Error_Code)fake_get(FAKE_ERROR_CODE), "%s",
                    fake_get_text(FAKE_TEXT_ERROR_MESSAGE));
}

long fake_get(fake_knob knob) {
  lock();
  long value = state.knobs[knob];
  unlock();
  return value;
}

const char *fake_get_text(fake_text which) {
  return state.texts[which];
}

void fake_count(fake_kind kind, long change) {
  lock();
  state.live[kind] += change;
  unlock();
}

long fake_count_live(fake_kind kind) {
  return fake_plugin_live(kind);
}

void fake_violate(const char *rule) {
  lock();
  if (state.violation[0] == '\0') {
    snprintf(state.violation, sizeof state.violation, "%s", rule);
  }
  unlock();
}

static void format_option(const PJRT_NamedValue *option, char *text, size_t bytes) {
  int length = (int)option->name_size;
  switch (option->type) {
    case PJRT_NamedValue_kString:
      snprintf(text, bytes, "%.*s=string %.*s", length, option->name,
               (int)option->value_size, option->value.string_value);
      break;
    case PJRT_NamedValue_kInt64:
      snprintf(text, bytes, "%.*s=int64 %lld", length, option->name,
               (long long)option->value.int64_value);
      break;
    case PJRT_NamedValue_kInt64List: {
      size_t end =
          (size_t)snprintf(text, bytes, "%.*s=int64_list", length, option->name);
      for (size_t i = 0; i < option->value_size && end < bytes; i++) {
        end += (size_t)snprintf(text + end, bytes - end, " %lld",
                                (long long)option->value.int64_array_value[i]);
      }
      break;
    }
    case PJRT_NamedValue_kFloat:
      snprintf(text, bytes, "%.*s=float %g", length, option->name,
               (double)option->value.float_value);
      break;
    case PJRT_NamedValue_kBool:
      snprintf(text, bytes, "%.*s=bool %s", length, option->name,
               option->value.bool_value ? "true" : "false");
      break;
  }
}

void fake_record_options(const PJRT_NamedValue *options, size_t num_options) {
  const char *pjrt_nproc = getenv("PJRT_NPROC"), *nproc = getenv("NPROC");

  lock();
  snprintf(state.environment, sizeof state.environment, "PJRT_NPROC=%s NPROC=%s",
           pjrt_nproc != NULL ? pjrt_nproc : "", nproc != NULL ? nproc : "");
  state.num_options = num_options < FAKE_MAX_OPTIONS ? num_options : FAKE_MAX_OPTIONS;
  for (size_t i = 0; i < state.num_options; i++) {
    format_option(&options[i], state.options[i], sizeof state.options[i]);
  }
  unlock();
}

void fake_record_compile_options(const void *options, size_t bytes) {
  void *copy = fake_allocate(bytes);
  if (bytes > 0) memcpy(copy, options, bytes);
  lock();
  free(state.compile_options);
  state.compile_options = copy;
  state.compile_options_bytes = bytes;
  unlock();
}

bool fake_is_removed(fake_function function) {
  lock();
  bool removed = state.removed[function];
  unlock();
  return removed;
}

void *fake_allocate(size_t bytes) {
  void *memory = calloc(1, bytes > 0 ? bytes : 1);
  if (memory == NULL) abort();
  return memory;
}
