#include "signature.h"

#include <string.h>

#include "memory.h"
#include "test.h"

static const int64_t shape[3] = {2, 0, 1};
static const cyxla_array_spec specs[2] = {
    {"state.velocity", CYXLA_FLOAT64, 3, shape, 0, -1},
    {"n", CYXLA_INT32, 0, NULL, 4, 1},
};

static cyxla_writer write_specs(size_t count) {
  cyxla_program_arrays arrays = {(cyxla_array_spec *)specs, count};
  cyxla_writer writer = {0};

  cyxla_signature_write(&writer, &arrays);
  EXPECT_TRUE(!writer.failed);
  return writer;
}

static bool read(const unsigned char *data, size_t size, cyxla_program_arrays *arrays,
                 bool *is_out_of_memory) {
  cyxla_reader reader = {data, size, 0, false};
  bool is_read = cyxla_signature_read(&reader, arrays, is_out_of_memory);

  return is_read && cyxla_reader_is_done(&reader);
}

/* Reading fails, for a reason other than memory. */
static void expect_invalid(const unsigned char *data, size_t size) {
  cyxla_program_arrays arrays;
  bool is_out_of_memory = true;
  bool is_read = read(data, size, &arrays, &is_out_of_memory);

  cyxla_program_arrays_free(&arrays);
  EXPECT_TRUE(!is_read);
  EXPECT_TRUE(!is_out_of_memory);
}

static void what_is_written_is_read(void) {
  cyxla_writer writer = write_specs(2);
  cyxla_program_arrays arrays;
  bool is_out_of_memory;

  EXPECT_TRUE(read(writer.data, writer.size, &arrays, &is_out_of_memory));
  EXPECT_EQUAL(arrays.count, 2);
  EXPECT_TEXT(arrays.specs[0].name, "state.velocity");
  EXPECT_EQUAL(arrays.specs[0].dtype, CYXLA_FLOAT64);
  EXPECT_EQUAL(arrays.specs[0].rank, 3);
  EXPECT_BYTES(arrays.specs[0].shape, shape, sizeof(shape));
  EXPECT_EQUAL(arrays.specs[0].aliased_output, -1);
  EXPECT_TEXT(arrays.specs[1].name, "n");
  EXPECT_EQUAL(arrays.specs[1].rank, 0);
  EXPECT_EQUAL(arrays.specs[1].aliased_output, 1);
  cyxla_program_arrays_free(&arrays);
  EXPECT_NULL(arrays.specs);
  cyxla_writer_free(&writer);
}

static void a_signature_may_be_empty(void) {
  cyxla_writer writer = write_specs(0);
  cyxla_program_arrays arrays;
  bool is_out_of_memory;

  EXPECT_TRUE(read(writer.data, writer.size, &arrays, &is_out_of_memory));
  EXPECT_EQUAL(arrays.count, 0);
  cyxla_program_arrays_free(&arrays);
  cyxla_writer_free(&writer);
}

static void every_cut_is_invalid(void) {
  cyxla_writer writer = write_specs(2);

  for (size_t size = 0; size < writer.size; size++) {
    /* A copy of just that size, so that a read behind it is found out. */
    unsigned char *cut = cyxla_duplicate(writer.data, size);
    expect_invalid(cut, size);
    cyxla_release(cut);
  }
  cyxla_writer_free(&writer);
}

static void names_with_a_zero_byte_are_invalid(void) {
  cyxla_writer writer = write_specs(1);

  writer.data[8 + 8 + 5] = '\0';
  expect_invalid(writer.data, writer.size);
  cyxla_writer_free(&writer);
}

static void huge_counts_and_ranks_are_invalid(void) {
  cyxla_writer writer = write_specs(1);

  cyxla_store_u64(writer.data, UINT64_MAX);
  expect_invalid(writer.data, writer.size);
  cyxla_store_u64(writer.data, 1);
  cyxla_store_u64(writer.data + 8 + 8 + strlen(specs[0].name) + 4, UINT64_MAX / 8);
  expect_invalid(writer.data, writer.size);
  cyxla_writer_free(&writer);
}

static void no_memory_is_told_apart(void) {
  cyxla_writer writer = write_specs(2);

  for (long n = 0; n < 5; n++) {
    cyxla_program_arrays arrays;
    bool is_out_of_memory = false;
    cyxla_memory_fail_after(n);
    EXPECT_TRUE(!read(writer.data, writer.size, &arrays, &is_out_of_memory));
    cyxla_memory_fail_after(-1);
    cyxla_program_arrays_free(&arrays);
    EXPECT_TRUE(is_out_of_memory);
  }
  cyxla_writer_free(&writer);
}

TEST_MAIN(TEST_CASE(what_is_written_is_read), TEST_CASE(a_signature_may_be_empty),
          TEST_CASE(every_cut_is_invalid),
          TEST_CASE(names_with_a_zero_byte_are_invalid),
          TEST_CASE(huge_counts_and_ranks_are_invalid),
          TEST_CASE(no_memory_is_told_apart))
