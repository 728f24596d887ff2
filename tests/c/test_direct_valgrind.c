/* That valgrind shows kernels by name: this program runs itself under it. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "direct/run.h"
#include "test_direct_support.h"

/* Valgrind cannot run what the sanitizers have a part in. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

static const char KERNEL[] = "multiply_fusion"; /* the end of its name */

/* A kernel that reads memory which was freed. */
static void the_program_under_test(void) {
  test_fixture *fixture = test_read_fixture("twice_sine");
  const cyxla_direct *direct = test_create_direct(fixture);
  void *input = NULL, *output = cyxla_aligned_alloc(3 * sizeof(float));
  cyxla_direct_call call;
  cyxla_error error;

  EXPECT_EQUAL(posix_memalign(&input, CYXLA_ALIGNMENT, 3 * sizeof(float)), 0);
  memset(input, 0, 3 * sizeof(float));
  EXPECT_OK(cyxla_direct_call_create(direct, &call, &error), &error);
  cyxla_direct_call_place_input(&call, 0, input);
  cyxla_direct_call_place_output(&call, 0, output);
  free(input);
  EXPECT_TRUE(cyxla_direct_run(&call));
  cyxla_direct_call_free(&call);
  cyxla_aligned_free(output);
}

/* Runs this program under a tool of valgrind's, which writes to a file. */
static const char *run_valgrind(const char *tool, const char *option) {
  const char *path = test_temporary_path(tool);
  char program[4096] = "", which[64], where[4200];
  unsigned char *data;
  size_t bytes;
  char *text;
  int status;
  pid_t child;

  EXPECT_TRUE(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
  snprintf(which, sizeof(which), "--tool=%s", tool);
  snprintf(where, sizeof(where), "%s=%s", option, path);
  fflush(NULL);
  child = fork();
  EXPECT_TRUE(child >= 0);
  if (child == 0) {
    execlp("valgrind", "valgrind", "-q", which, where, program,
           "the_program_under_test", (char *)NULL);
    _exit(1);
  }
  EXPECT_EQUAL(waitpid(child, &status, 0), child);
  EXPECT_EQUAL(status, 0);
  data = test_read_file(path, &bytes);
  text = test_keep(bytes + 1);
  memcpy(text, data, bytes);
  return text;
}

static void a_profile_has_the_names_of_kernels(void) {
  const char *profile;

  test_set_environment("CYXLA_CODE_DIR", "/tmp");
  profile = run_valgrind("callgrind", "--callgrind-out-file");
  EXPECT_CONTAINS(profile, KERNEL);
  EXPECT_CONTAINS(profile, "/cyxla-code-");
}

static void an_error_has_the_names_of_kernels_and_their_callers(void) {
  const char *report;

  test_set_environment("CYXLA_CODE_DIR", "/tmp");
  report = run_valgrind("memcheck", "--log-file");
  EXPECT_CONTAINS(report, "Invalid read of size");
  report = strstr(report, KERNEL);
  EXPECT_CONTAINS(report, "multiply_fusion (in /tmp/cyxla-code-");
  EXPECT_CONTAINS(report, "the_program_under_test (");
}

/* Which is why the directory has to be asked for. */
static void without_a_file_kernels_have_no_names(void) {
  test_set_environment("CYXLA_CODE_DIR", NULL);
  EXPECT_TRUE(strstr(run_valgrind("callgrind", "--callgrind-out-file"), KERNEL) ==
              NULL);
}

int main(int argc, char **argv) {
  static const test_case tests[] = {
      TEST_CASE(a_profile_has_the_names_of_kernels),
      TEST_CASE(an_error_has_the_names_of_kernels_and_their_callers),
      TEST_CASE(without_a_file_kernels_have_no_names)};
  static const test_case inner[] = {TEST_CASE(the_program_under_test)};

  if (argc > 1 && strcmp(argv[1], inner[0].name) == 0) {
    return test_main(argc, argv, inner, 1);
  }
  if (IS_SANITIZED || system("valgrind --version >/dev/null 2>&1") != 0) {
    fprintf(stderr, "valgrind is not installed, or cannot run this build\n");
    return 77; /* what the build takes for skipped */
  }
  return test_main(argc, argv, tests, TEST_COUNT(tests));
}
