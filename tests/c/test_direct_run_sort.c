/* Sorts, top-k and copies between layouts of executables that CPU plugins made, run
 * without them; see direct/make.py. */
#include <string.h>

#include "test_direct_support.h"

enum { ROWS = 5, COLUMNS = 4, SIDE = 7 };

/* With one NaN, which comes last, and zeros of both signs, which are equal. */
static const float NUMBERS[ROWS][COLUMNS] = {{3, 0.0f, -2, 8},
                                             {1, -0.0f, -2, 7},
                                             {2, -1, 5, 0},
                                             {-4, 0.0f, 1, 9},
                                             {0, -0.0f, 4, 6}};
static const int32_t WHOLE[ROWS][COLUMNS] = {
    {7, -2, 4, 1}, {3, 3, 3, 3}, {9, 8, 7, 6}, {-1, 5, 2, 2}, {3, 0, 1, 0}};

static test_seat *run(const char *name) {
  test_seat *own = test_load(name);
  float numbers[ROWS][COLUMNS];
  const uint32_t nan = 0x7fc00000;

  memcpy(numbers, NUMBERS, sizeof(numbers));
  memcpy(&numbers[2][3], &nan, sizeof(nan));
  memcpy(own->inputs[0], numbers, sizeof(numbers));
  memcpy(own->inputs[1], WHOLE, sizeof(WHOLE));
  EXPECT_TRUE(cyxla_direct_run(&own->call));
  return own;
}

/* Along the rows, by a comparator of one key. */
static void expect_sorted_columns(const test_seat *own) {
  static const float sorted[ROWS][COLUMNS - 1] = {
      {-4, -1, -2}, {0, 0.0f, -2}, {1, -0.0f, 1}, {2, 0.0f, 4}, {3, -0.0f, 5}};
  const float (*found)[COLUMNS] = own->outputs[0];
  uint32_t last;

  for (size_t i = 0; i < ROWS; i++) {
    EXPECT_BYTES(found[i], sorted[i], sizeof(sorted[i]));
  }
  EXPECT_EQUAL(found[0][3], 6);
  EXPECT_EQUAL(found[3][3], 9);
  memcpy(&last, &found[4][3], sizeof(last));
  EXPECT_EQUAL(last, 0x7fc00000);
}

/* Each row by the remainders and then the numbers, from the largest on. */
static void expect_sorted_by_keys(const test_seat *own) {
  const int32_t (*remainders)[COLUMNS] = own->outputs[1];
  const int32_t (*numbers)[COLUMNS] = own->outputs[2];
  const float (*moved)[COLUMNS] = own->outputs[3];

  for (size_t i = 0; i < ROWS; i++) {
    for (size_t k = 0; k < COLUMNS; k++) {
      size_t from = 0;
      EXPECT_TRUE(k == 0 || remainders[i][k - 1] < remainders[i][k] ||
                  (remainders[i][k - 1] == remainders[i][k] &&
                   numbers[i][k - 1] <= numbers[i][k]));
      /* Whole numbers of a row differ, or are equal all over. */
      while (WHOLE[i][from] != -numbers[i][k]) from++;
      EXPECT_EQUAL((WHOLE[i][from] % 3 + 3) % 3, remainders[i][k]);
      if (i == 0) EXPECT_BYTES(&moved[i][k], &NUMBERS[i][from], sizeof(float));
    }
  }
  EXPECT_BYTES(moved[1], NUMBERS[1], sizeof(moved[1]));
}

static void sorts_are_run(void) {
  static const char *const names[] = {"sorts", "sorts_old"};
  static const int32_t places[] = {3, 1, 4, 0, 2}, largest[] = {3, 0, 3, 0};
  static const float numbers[] = {8, 3, 7, 1};

  for (size_t i = 0; i < TEST_COUNT(names); i++) {
    const test_seat *own = run(names[i]);
    const int64_t *order = own->outputs[4];
    expect_sorted_columns(own);
    expect_sorted_by_keys(own);
    for (size_t k = 0; k < ROWS; k++) EXPECT_EQUAL(order[k], places[k]);
    EXPECT_BYTES(own->outputs[5], numbers, sizeof(numbers));
    EXPECT_BYTES(own->outputs[6], largest, sizeof(largest));
  }
}

static void layouts_are_changed(void) {
  test_seat *own = test_load("turns_old");
  float (*x)[SIDE][SIDE] = own->inputs[1], (*y)[SIDE][SIDE] = own->outputs[0];
  size_t num_transposes = 0;

  for (size_t i = 0; i < own->call.direct->thunks.num_operations; i++) {
    num_transposes +=
        own->call.direct->thunks.operations[i].kind == CYXLA_OPERATION_TRANSPOSE;
  }
  EXPECT_TRUE(num_transposes > 0);
  for (size_t i = 0; i < SIDE * SIDE * SIDE; i++) (&x[0][0][0])[i] = (float)i;
  for (unsigned char is_turned = 0; is_turned < 2; is_turned++) {
    memcpy(own->inputs[0], &is_turned, 1);
    EXPECT_TRUE(cyxla_direct_run(&own->call));
    for (size_t i = 0; i < SIDE; i++) {
      for (size_t k = 0; k < SIDE; k++) {
        for (size_t l = 0; l < SIDE; l++) {
          EXPECT_EQUAL(y[i][k][l], is_turned ? x[k][l][i] : 2 * x[i][k][l]);
        }
      }
    }
  }
}

TEST_MAIN(TEST_CASE(sorts_are_run), TEST_CASE(layouts_are_changed))
