#include "encoding.h"

#include <stdint.h>
#include <string.h>

#include "memory.h"
#include "test.h"

static cyxla_reader reader_of(const void *data, size_t size) {
  cyxla_reader reader = {data, size, 0, false};

  return reader;
}

static void numbers_are_little_endian(void) {
  unsigned char bytes[8];

  cyxla_store_u32(bytes, 0x04030201u);
  EXPECT_BYTES(bytes, "\x01\x02\x03\x04", 4);
  EXPECT_EQUAL(cyxla_load_u32(bytes), 0x04030201u);
  cyxla_store_u64(bytes, 0xf8f7f6f504030201u);
  EXPECT_BYTES(bytes, "\x01\x02\x03\x04\xf5\xf6\xf7\xf8", 8);
  EXPECT_EQUAL(cyxla_load_u64(bytes), 0xf8f7f6f504030201u);
}

static void what_is_written_is_read(void) {
  cyxla_writer writer = {0};
  cyxla_reader reader;
  const unsigned char *data;
  size_t bytes;

  cyxla_write_u32(&writer, 7);
  cyxla_write_u64(&writer, UINT64_MAX);
  cyxla_write_bytes(&writer, "\0\1", 2);
  cyxla_write_string(&writer, "text");
  cyxla_write_bytes(&writer, NULL, 0);
  cyxla_write_raw(&writer, "raw", 3);
  EXPECT_TRUE(!writer.failed);
  reader = reader_of(writer.data, writer.size - 3);
  EXPECT_EQUAL(cyxla_read_u32(&reader), 7);
  EXPECT_EQUAL(cyxla_read_u64(&reader), UINT64_MAX);
  data = cyxla_read_bytes(&reader, &bytes);
  EXPECT_EQUAL(bytes, 2);
  EXPECT_BYTES(data, "\0\1", 2);
  data = cyxla_read_bytes(&reader, &bytes);
  EXPECT_EQUAL(bytes, 4);
  EXPECT_BYTES(data, "text", 4);
  EXPECT_TRUE(!cyxla_reader_is_done(&reader));
  data = cyxla_read_bytes(&reader, &bytes);
  EXPECT_EQUAL(bytes, 0);
  EXPECT_TRUE(data != NULL);
  EXPECT_TRUE(cyxla_reader_is_done(&reader));
  EXPECT_BYTES(writer.data + writer.size - 3, "raw", 3);
  cyxla_writer_free(&writer);
  EXPECT_NULL(writer.data);
}

static void a_writer_grows(void) {
  static unsigned char block[1000];
  cyxla_writer writer = {0};

  for (int i = 0; i < 100; i++) {
    memset(block, i, sizeof(block));
    cyxla_write_raw(&writer, block, sizeof(block));
  }
  EXPECT_EQUAL(writer.size, 100 * sizeof(block));
  for (int i = 0; i < 100; i++) {
    memset(block, i, sizeof(block));
    EXPECT_BYTES(writer.data + (size_t)i * sizeof(block), block, sizeof(block));
  }
  cyxla_writer_free(&writer);
}

static void padding_reaches_the_alignment(void) {
  static const unsigned char zeros[64];
  cyxla_writer writer = {0};

  cyxla_write_padding(&writer, 64);
  EXPECT_EQUAL(writer.size, 0);
  cyxla_write_raw(&writer, "a", 1);
  cyxla_write_padding(&writer, 64);
  EXPECT_EQUAL(writer.size, 64);
  EXPECT_BYTES(writer.data + 1, zeros, 63);
  cyxla_write_padding(&writer, 64);
  EXPECT_EQUAL(writer.size, 64);
  cyxla_writer_free(&writer);
}

static void a_writer_without_memory_stays_failed(void) {
  static const unsigned char block[300];
  cyxla_writer writer = {0};

  cyxla_write_u32(&writer, 1);
  cyxla_memory_fail_after(0);
  cyxla_write_raw(&writer, block, sizeof(block));
  EXPECT_TRUE(writer.failed);
  cyxla_write_u32(&writer, 1);
  cyxla_write_u64(&writer, 1);
  cyxla_write_string(&writer, "a");
  cyxla_write_padding(&writer, 64);
  EXPECT_TRUE(writer.failed);
  EXPECT_EQUAL(writer.size, 4);
  cyxla_writer_free(&writer);
}

static void a_size_that_cannot_be_fails(void) {
  cyxla_writer writer = {0};

  cyxla_write_u32(&writer, 1);
  cyxla_write_raw(&writer, "", SIZE_MAX);
  EXPECT_TRUE(writer.failed);
  cyxla_writer_free(&writer);
}

static void a_reader_without_data_stays_failed(void) {
  cyxla_reader reader = reader_of("\1\2\3\4\5", 5);
  size_t bytes = 1;

  EXPECT_EQUAL(cyxla_read_u64(&reader), 0);
  EXPECT_TRUE(reader.failed);
  EXPECT_EQUAL(cyxla_read_u32(&reader), 0);
  EXPECT_NULL(cyxla_read_bytes(&reader, &bytes));
  EXPECT_EQUAL(bytes, 0);
  EXPECT_EQUAL(cyxla_read_count(&reader, 1), 0);
  EXPECT_TRUE(!cyxla_reader_is_done(&reader));
}

static void bytes_may_not_be_more_than_there_are(void) {
  static const uint64_t counts[] = {5, 100, UINT64_MAX, UINT64_MAX - 7};

  for (size_t i = 0; i < TEST_COUNT(counts); i++) {
    unsigned char data[12] = {0};
    size_t bytes = 1;
    cyxla_store_u64(data, counts[i]);
    cyxla_reader reader = reader_of(data, sizeof(data));
    EXPECT_NULL(cyxla_read_bytes(&reader, &bytes));
    EXPECT_EQUAL(bytes, 0);
    EXPECT_TRUE(reader.failed);
  }
}

static void counts_may_not_be_more_than_the_data_can_hold(void) {
  unsigned char data[8 + 24] = {0};

  cyxla_store_u64(data, 3);
  cyxla_reader reader = reader_of(data, sizeof(data));
  EXPECT_EQUAL(cyxla_read_count(&reader, 8), 3);
  EXPECT_TRUE(!reader.failed);
  reader = reader_of(data, sizeof(data));
  EXPECT_EQUAL(cyxla_read_count(&reader, 9), 0);
  EXPECT_TRUE(reader.failed);
  cyxla_store_u64(data, UINT64_MAX);
  reader = reader_of(data, sizeof(data));
  EXPECT_EQUAL(cyxla_read_count(&reader, 8), 0);
  EXPECT_TRUE(reader.failed);
}

TEST_MAIN(TEST_CASE(numbers_are_little_endian), TEST_CASE(what_is_written_is_read),
          TEST_CASE(a_writer_grows), TEST_CASE(padding_reaches_the_alignment),
          TEST_CASE(a_writer_without_memory_stays_failed),
          TEST_CASE(a_size_that_cannot_be_fails),
          TEST_CASE(a_reader_without_data_stays_failed),
          TEST_CASE(bytes_may_not_be_more_than_there_are),
          TEST_CASE(counts_may_not_be_more_than_the_data_can_hold))
