#include "direct/comparator.h"

#include <string.h>

#include "test_comparators_support.h"

static void *code(const cyxla_kernel_frame *frame) {
  (void)frame;
  return NULL;
}

static cyxla_object_symbol symbol;
static cyxla_object_set objects;
static char symbol_name[] = "by number";

/* What is found by default: a comparator of two arrays, of s32 and of f32, that
 * compares the first, and all that a test changes of it. */
typedef struct scenario {
  const char *name; /* asked for */
  const char *symbol, *listed, *computation, *other_computation;
  uint64_t kind;
  uint64_t types[4];
  uint64_t numbers[4]; /* of its parameters */
  size_t num_parameters;
  cyxla_dtype dtypes[CYXLA_SORT_OPERANDS_MAXIMUM];
  size_t num_arrays;
  const char *comparison;
  size_t budget;
} scenario;

static const scenario USUAL = {"by number",
                               "by number",
                               "by number",
                               "by number",
                               "another",
                               2,
                               {TEST_S32, TEST_S32, TEST_F32, TEST_F32},
                               {0, 1, 2, 3},
                               4,
                               {CYXLA_INT32, CYXLA_FLOAT32},
                               2,
                               "SIGNED",
                               1000};

static cyxla_status find(const scenario *given, cyxla_comparator **found,
                         cyxla_error *error) {
  test_message module = {0}, comparator = {0}, other = {0}, result = {0};
  cyxla_comparator_source source;
  cyxla_wire name = {(const unsigned char *)given->name, strlen(given->name)};
  cyxla_kernel *kernel = code;

  strcpy(symbol_name, given->symbol);
  symbol.name = symbol_name;
  memcpy(&symbol.address, &kernel, sizeof(kernel));
  objects.symbols = &symbol;
  objects.num_symbols = 1;
  for (size_t i = 0; i < given->num_parameters; i++) {
    test_put_parameter(&comparator, (int64_t)i + 1, given->numbers[i], given->types[i]);
  }
  test_put_compare(&comparator, 5, "LT", given->comparison, 1, 2);
  test_put_compare(&other, 9, "LT", "SIGNED", 1, 2);
  test_put_computation(&module, given->other_computation, 7, 9, &other);
  test_put_computation(&module, given->computation, 1, 5, &comparator);
  test_put_number(&result, 5, 2);
  test_put_symbol(&result, 1, "a kernel");
  test_put_symbol(&result, given->kind, given->listed);
  source.hlo = test_read_module(&module);
  source.objects = &objects;
  source.result = test_wire(&result);
  source.budget = given->budget;
  return cyxla_comparator_find(&source, name, given->dtypes, given->num_arrays, found,
                               error);
}

static void expect_refused(const scenario *given, const char *reason) {
  cyxla_comparator *found = NULL;
  cyxla_error error;

  EXPECT_ERROR(find(given, &found, &error), CYXLA_UNIMPLEMENTED, &error, reason);
  EXPECT_TRUE(found == NULL);
}

static void a_comparator_is_found_by_its_name(void) {
  cyxla_comparator *found = NULL;
  cyxla_error error;

  EXPECT_OK(find(&USUAL, &found, &error), &error);
  EXPECT_TRUE((void (*)(void))found == (void (*)(void))code);
}

static void a_function_that_is_no_comparator_is_refused(void) {
  scenario given = USUAL;
  char long_name[513];

  given.name = "by nothing";
  expect_refused(&given, "its comparator by nothing is not there");
  given = USUAL;
  given.symbol = "by digit";
  expect_refused(&given, "its comparator by number is not there");
  given = USUAL;
  given.listed = "by numbers";
  expect_refused(&given, "its comparator by number is not there");
  given = USUAL;
  given.kind = 1;
  expect_refused(&given, "its comparator by number is not there");
  memset(long_name, 'l', 512);
  long_name[512] = '\0';
  given.name = long_name;
  expect_refused(&given, "it has a sort whose comparator has a long name");
}

static void a_comparator_of_other_arrays_is_refused(void) {
  static const char reason[] = "it has a sort whose comparator is not of its arrays";
  scenario given = USUAL;

  given.computation = "by numbers";
  expect_refused(&given, reason);
  given = USUAL;
  given.other_computation = "by number";
  expect_refused(&given, reason);
  given = USUAL;
  given.num_arrays = 1;
  expect_refused(&given, reason);
  given = USUAL;
  given.num_arrays = 3;
  given.dtypes[2] = CYXLA_INT32;
  expect_refused(&given, reason);
  given = USUAL;
  given.num_parameters = 3;
  expect_refused(&given, reason);
  given = USUAL;
  given.numbers[3] = 2;
  expect_refused(&given, reason);
  given = USUAL;
  given.numbers[3] = 4;
  expect_refused(&given, reason);
  given = USUAL;
  given.numbers[3] = UINT64_MAX;
  expect_refused(&given, reason);
}

/* It would read 8 bytes of 4. */
static void a_comparator_of_other_types_is_refused(void) {
  for (size_t i = 0; i < 4; i++) {
    scenario given = USUAL;
    given.types[i] = TEST_F64;
    expect_refused(&given, "it has a sort whose comparator is not of its arrays");
  }
}

static void a_comparison_that_is_no_order_is_refused(void) {
  scenario given = USUAL;

  given.comparison = "FLOAT";
  expect_refused(&given,
                 "it has a sort by a comparison that is not known to be an order");
}

static void what_is_looked_at_is_limited(void) {
  cyxla_comparator *found = NULL;
  scenario given = USUAL;
  cyxla_error error;

  for (given.budget = 0; given.budget < 18; given.budget++) {
    EXPECT_STATUS(find(&given, &found, &error), CYXLA_UNIMPLEMENTED, &error);
  }
  given.budget = 40;
  EXPECT_OK(find(&given, &found, &error), &error);
}

TEST_MAIN(TEST_CASE(a_comparator_is_found_by_its_name),
          TEST_CASE(a_function_that_is_no_comparator_is_refused),
          TEST_CASE(a_comparator_of_other_arrays_is_refused),
          TEST_CASE(a_comparator_of_other_types_is_refused),
          TEST_CASE(a_comparison_that_is_no_order_is_refused),
          TEST_CASE(what_is_looked_at_is_limited))
