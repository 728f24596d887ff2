#include "test_direct_programs.h"

#include <string.h>

#include "executable.h"
#include "hash.h"
#include "test.h"
#include "test_conformance_support.h"
#include "test_fake.h"

#define ARRAY "tensor<300xf32>"
#define BINARY "(" ARRAY ", " ARRAY ") -> " ARRAY
#define MAIN "func.func public @main(%choice: tensor<i1>, %number: tensor<i32>,\n"
#define SUM(result, array)                                      \
  "%zero" result                                                \
  " = stablehlo.constant dense<0.0> : tensor<f32>\n"            \
  "%" result " = stablehlo.reduce(" array " init: %zero" result \
  ") applies\n"                                                 \
  "    stablehlo.add across dimensions = [0] : (" ARRAY         \
  ", tensor<f32>) -> "                                          \
  "tensor<f32>\n"
#define SPREAD(result, scalar)                       \
  "%" result " = stablehlo.broadcast_in_dim " scalar \
  ", dims = [] : "                                   \
  "(tensor<f32>) -> " ARRAY "\n"

static const char ARITHMETIC[] = MAIN
    "    %x: " ARRAY ") -> " ARRAY
    " {\n"
    "  %sine = stablehlo.sine %x : " ARRAY "\n" SUM("sum", "%sine")
        SPREAD("sums", "%sum") "  %ratio = stablehlo.divide %sine, %sums : " ARRAY
                               "\n"
                               "  %arc = stablehlo.atan2 %ratio, %x : " ARRAY
                               "\n"
                               "  %one = stablehlo.constant dense<1.0> : " ARRAY
                               "\n"
                               "  %inverse = stablehlo.divide %one, %x : " ARRAY
                               "\n"
                               "  %same = stablehlo.divide %x, %x : " ARRAY
                               "\n"
                               "  %square = stablehlo.multiply %x, %x : " ARRAY
                               "\n"
                               "  %a = stablehlo.maximum %inverse, %square : " ARRAY
                               "\n"
                               "  %b = stablehlo.multiply %a, %same : " ARRAY
                               "\n"
                               "  %c = stablehlo.subtract %b, %arc : " ARRAY
                               "\n"
                               "  return %c : " ARRAY
                               "\n"
                               "}\n";

static const char LOOPS[] =
    MAIN "    %x: " ARRAY ") -> " ARRAY " {\n"
    "  %half = stablehlo.constant dense<0.5> : " ARRAY "\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  %start = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %step = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %end = stablehlo.constant dense<5> : tensor<i32>\n"
    "  %small = stablehlo.while(%a = %x) : " ARRAY "\n"
    "    cond {\n" SUM("sum", "%a")
    "      %more = stablehlo.compare GT, %sum, %one :\n"
    "          (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "      stablehlo.return %more : tensor<i1>\n"
    "    } do {\n"
    "      %b = stablehlo.multiply %a, %half : " ARRAY "\n"
    "      stablehlo.return %b : " ARRAY "\n"
    "    }\n"
    "  %i, %r = stablehlo.while(%k = %start, %a = %small) : tensor<i32>, " ARRAY "\n"
    "    cond {\n"
    "      %more = stablehlo.compare LT, %k, %end :\n"
    "          (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %more : tensor<i1>\n"
    "    } do {\n"
    "      %next = stablehlo.add %k, %step : tensor<i32>\n" SUM("sum", "%a")
    SPREAD("sums", "%sum")
    "      %b = stablehlo.add %a, %sums : " ARRAY "\n"
    "      stablehlo.return %next, %b : tensor<i32>, " ARRAY "\n"
    "    }\n"
    "  return %r : " ARRAY "\n"
    "}\n";

static const char BRANCHES[] =
    MAIN "    %x: " ARRAY ") -> " ARRAY
         " {\n"
         "  %first = \"stablehlo.if\"(%choice) ({\n" SUM("sum", "%x")
             SPREAD("a", "%sum") "    stablehlo.return %a : " ARRAY
                                 "\n"
                                 "  }, {\n"
                                 "    %a = stablehlo.multiply %x, %x : " ARRAY
                                 "\n"
                                 "    stablehlo.return %a : " ARRAY
                                 "\n"
                                 "  }) : (tensor<i1>) -> " ARRAY
                                 "\n"
                                 "  %second = \"stablehlo.case\"(%number) ({\n"
                                 "    %a = stablehlo.cosine %x : " ARRAY
                                 "\n"
                                 "    stablehlo.return %a : " ARRAY
                                 "\n"
                                 "  }, {\n"
                                 "    %a = stablehlo.negate %x : " ARRAY
                                 "\n"
                                 "    stablehlo.return %a : " ARRAY
                                 "\n"
                                 "  }, {\n"
                                 "    %a = stablehlo.floor %x : " ARRAY
                                 "\n"
                                 "    stablehlo.return %a : " ARRAY
                                 "\n"
                                 "  }) : (tensor<i32>) -> " ARRAY
                                 "\n"
                                 "  %both = stablehlo.add %first, %second : " ARRAY
                                 "\n"
                                 "  return %both : " ARRAY
                                 "\n"
                                 "}\n";

static const char COPY[] = MAIN "    %x: " ARRAY ") -> " ARRAY
                                " {\n"
                                "  return %x : " ARRAY
                                "\n"
                                "}\n";

static const char DONATING[] =
    MAIN "    %x: " ARRAY " {tf.aliasing_output = 0 : i32}) -> " ARRAY
         " {\n"
         "  %a = stablehlo.sine %x : " ARRAY
         "\n"
         "  return %a : " ARRAY
         "\n"
         "}\n";

/* In descending order, by XLA's comparison of the bits. */
static const char SORTING[] =
    MAIN "    %x: " ARRAY ") -> " ARRAY
         " {\n"
         "  %a = \"stablehlo.sort\"(%x) ({\n"
         "  ^bb0(%one: tensor<f32>, %other: tensor<f32>):\n"
         "    %more = stablehlo.compare GT, %one, %other, TOTALORDER :\n"
         "        (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
         "    stablehlo.return %more : tensor<i1>\n"
         "  }) {dimension = 0 : i64, is_stable = true} : (" ARRAY ") -> " ARRAY
         "\n"
         "  return %a : " ARRAY
         "\n"
         "}\n";

typedef enum binding {
  OWN,      /* the call's memory */
  UNALIGNED /* the caller's, which is copied */
} binding;

static const struct {
  const char *name;
  const char *code;
  int64_t aliased_output;
  binding binding;
} programs[DIRECT_NUM_PROGRAMS] = {
    {"arithmetic", ARITHMETIC, -1, OWN},
    {"loops", LOOPS, -1, OWN},
    {"branches", BRANCHES, -1, OWN},
    {"copy", COPY, -1, OWN},
    {"sorting", SORTING, -1, OWN},
    {"donated and unaligned", DONATING, 0, UNALIGNED},
    {"unaligned", ARITHMETIC, -1, UNALIGNED},
};

const char *direct_program_name(size_t index) {
  return programs[index].name;
}

static void destroy_executable(void *executable) {
  cyxla_executable_destroy(executable);
}

cyxla_executable *direct_program_compile(size_t index) {
  static const int64_t shape[1] = {DIRECT_LENGTH};
  const cyxla_array_spec inputs[] = {
      {"choice", CYXLA_BOOL, 0, shape, 0, -1},
      {"number", CYXLA_INT32, 0, shape, 0, -1},
      {"x", CYXLA_FLOAT32, 1, shape, 0, programs[index].aliased_output}};
  const cyxla_array_spec output = {"y", CYXLA_FLOAT32, 1, shape, 0, -1};
  cyxla_executable_options options = CYXLA_EXECUTABLE_OPTIONS_INIT;
  cyxla_runtime *runtime = conformance_runtime();
  cyxla_program *program = test_program(programs[index].code, inputs, 3, &output, 1);
  cyxla_executable *executable;
  cyxla_error error;

  options.tier = CYXLA_TIER_DIRECT;
  EXPECT_OK(
      cyxla_executable_create_with(runtime, program, &options, &executable, &error),
      &error);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
  test_defer(destroy_executable, executable);
  EXPECT_TEXT(cyxla_executable_tier(executable), "direct");
  return executable;
}

static void destroy_call(void *call) {
  cyxla_call_destroy(call);
}

/* Memory that is aligned to floats alone. */
static float *provide_unaligned(void) {
  static const size_t bytes = (DIRECT_LENGTH + 1) * sizeof(float);
  float *memory = cyxla_aligned_alloc(bytes);

  EXPECT_TRUE(memory != NULL);
  memset(memory, 0, bytes);
  test_defer(cyxla_aligned_free, memory);
  return memory + 1;
}

cyxla_call *direct_program_call(size_t index, cyxla_executable *executable, int seed) {
  cyxla_call *call;
  cyxla_error error;

  EXPECT_OK(cyxla_call_create(executable, &call, &error), &error);
  test_defer(destroy_call, call);
  if (programs[index].binding == UNALIGNED) {
    EXPECT_OK(cyxla_call_bind_input(call, 2, provide_unaligned(), &error), &error);
    EXPECT_OK(cyxla_call_bind_output(call, 0, provide_unaligned(), &error), &error);
    EXPECT_TRUE(cyxla_call_input_is_copied(call, 2));
  }
  direct_program_fill(call, seed);
  return call;
}

void direct_program_fill(cyxla_call *call, int seed) {
  /* With zeros these raise each flag. A loop would not end on an infinity. */
  static const float rare[] = {-0.0f, 1e-45f, 1e-38f, 3e38f};
  float *x = cyxla_call_input(call, 2);

  *(bool *)cyxla_call_input(call, 0) = seed % 2 != 0;
  *(int32_t *)cyxla_call_input(call, 1) = seed % 5 - 1;
  for (int i = 0; i < DIRECT_LENGTH; i++) {
    x[i] = (float)((i * 7 + seed * 13) % 31 - 9) / 8;
  }
  for (size_t i = 0; i < TEST_COUNT(rare); i++) {
    x[i * 8] = rare[i] * (1 - (float)seed / 1024);
  }
}

uint64_t direct_program_digest(const cyxla_call *call) {
  return cyxla_hash_bytes(cyxla_call_output(call, 0), DIRECT_LENGTH * sizeof(float));
}

bool direct_program_has(const cyxla_executable *executable, cyxla_operation_kind kind) {
  const cyxla_thunks *thunks = &executable->direct->thunks;

  for (size_t i = 0; i < thunks->num_operations; i++) {
    if (thunks->operations[i].kind == kind) return true;
  }
  return false;
}
