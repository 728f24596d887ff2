#include "direct/places.h"

#include <string.h>

#include "memory.h"
#include "test.h"

static cyxla_places places;

static void release(void *unused) {
  (void)unused;
  cyxla_places_free(&places);
}

static void expect_list(const size_t *slices, size_t count, const size_t *expected,
                        size_t num_expected) {
  EXPECT_EQUAL(count, num_expected);
  for (size_t i = 0; i < count; i++) EXPECT_EQUAL(slices[i], expected[i]);
}

/* Input 1 is donated to output 0; input 2 and output 1 lie in an allocation each, input
 * 0 in one that no slice lies in. */
static void each_array_has_its_slices(void) {
  cyxla_allocation items[5] = {{0}};
  cyxla_slice slices[7] = {{0}};
  const size_t allocations[7] = {4, 1, 2, 1, 3, 4, 1};
  const size_t of_input_2[] = {2}, of_output_0[] = {1, 3, 6}, of_output_1[] = {0, 5};
  const cyxla_allocation_list list = {items, 5};
  cyxla_thunks thunks;
  size_t count;
  const size_t *found;

  memset(&thunks, 0, sizeof(thunks));
  for (size_t i = 0; i < 5; i++) items[i].input = items[i].output = -1;
  items[0].input = 0;
  items[1].input = 1, items[1].output = 0;
  items[2].input = 2;
  items[3].is_scratch = true;
  items[4].output = 1;
  for (size_t i = 0; i < 7; i++) slices[i].allocation = allocations[i];
  thunks.slices = slices;
  thunks.num_slices = 7;
  EXPECT_TRUE(cyxla_places_create(&list, &thunks, &places));
  test_defer(release, NULL);

  for (size_t i = 0; i < 5; i++) {
    found = cyxla_places_of_input(&places, i, &count);
    expect_list(found, count, of_input_2, i == 2 ? 1 : 0);
  }
  found = cyxla_places_of_output(&places, 0, &count);
  expect_list(found, count, of_output_0, 3);
  found = cyxla_places_of_output(&places, 1, &count);
  expect_list(found, count, of_output_1, 2);
  cyxla_places_of_output(&places, 2, &count);
  EXPECT_EQUAL(count, 0);
}

static void without_arrays_there_is_nothing_to_place(void) {
  const cyxla_allocation_list list = {NULL, 0};
  cyxla_thunks thunks;
  size_t count = 1;

  memset(&thunks, 0, sizeof(thunks));
  EXPECT_TRUE(cyxla_places_create(&list, &thunks, &places));
  EXPECT_NULL(cyxla_places_of_input(&places, 0, &count));
  EXPECT_EQUAL(count, 0);
  EXPECT_NULL(cyxla_places_of_output(&places, 0, &count));
  EXPECT_EQUAL(count, 0);
  cyxla_places_free(&places);
}

TEST_MAIN(TEST_CASE(each_array_has_its_slices),
          TEST_CASE(without_arrays_there_is_nothing_to_place))
