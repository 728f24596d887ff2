/* Rows in the order of whole numbers are sorted by their bytes, from the lowest on,
 * each time keeping the order of before; a few of them by insertion. */
#include "sort_column.h"

enum { FEW = 64, VALUES_OF_A_BYTE = 256 };

/* Bytes are exchanged for those whose order without a sign is the one wanted: all bits
 * are turned around if it is descending, and the sign if there is one. */
static unsigned char flip_of(size_t place, size_t bytes, bool is_signed,
                             bool is_descending) {
  unsigned char flip = is_descending ? 0xff : 0;

  return place == bytes - 1 && is_signed ? flip ^ 0x80 : flip;
}

/* Puts rows to where the next one with their byte goes; code runs only on machines
 * whose lowest byte is the first. */
static inline void sort_by_byte(const cyxla_sort_column *columns, size_t num_columns,
                                size_t count, size_t bytes, size_t place,
                                unsigned char flip, size_t *starts) {
  const unsigned char *keys = columns[0].elements;

  for (size_t i = 0; i < count; i++) {
    const size_t to = starts[keys[i * bytes + place] ^ flip]++;
    cyxla_sort_move(columns[0].room + to * bytes, keys + i * bytes, bytes);
    for (size_t k = 1; k < num_columns; k++) {
      const size_t other = columns[k].element_bytes;
      cyxla_sort_move(columns[k].room + to * other, columns[k].elements + i * other,
                      other);
    }
  }
}

/* Where the numbers with each value of a byte begin; whether they have more than one.
 */
static bool find_starts(const unsigned char *numbers, size_t count, size_t bytes,
                        size_t place, unsigned char flip, size_t *starts) {
  size_t counts[VALUES_OF_A_BYTE] = {0}, start = 0;

  for (size_t i = 0; i < count; i++) counts[numbers[i * bytes + place] ^ flip]++;
  for (size_t i = 0; i < VALUES_OF_A_BYTE; i++) {
    if (counts[i] == count) return false;
    starts[i] = start;
    start += counts[i];
  }
  return true;
}

/* From the lowest byte on. */
static void sort_many(cyxla_sort_column *columns, size_t num_columns, size_t count,
                      bool is_signed, bool is_descending) {
  const size_t bytes = columns[0].element_bytes;
  size_t starts[VALUES_OF_A_BYTE];

  for (size_t i = 0; i < bytes; i++) {
    const unsigned char flip = flip_of(i, bytes, is_signed, is_descending);
    if (!find_starts(columns[0].elements, count, bytes, i, flip, starts)) continue;
    switch (bytes) {
      case 1: sort_by_byte(columns, num_columns, count, 1, i, flip, starts); break;
      case 2: sort_by_byte(columns, num_columns, count, 2, i, flip, starts); break;
      case 4: sort_by_byte(columns, num_columns, count, 4, i, flip, starts); break;
      default: sort_by_byte(columns, num_columns, count, 8, i, flip, starts); break;
    }
    cyxla_sort_exchange(columns, num_columns);
  }
}

static void sort_few(cyxla_sort_column *columns, size_t num_columns, size_t count,
                     bool is_signed, bool is_descending) {
  const size_t bytes = columns[0].element_bytes;
  const uint64_t sign = is_signed ? (uint64_t)1 << (8 * bytes - 1) : 0;
  const uint64_t flip = is_descending ? ~sign : sign;
  uint64_t numbers[FEW];
  size_t rows[FEW];

  for (size_t i = 0; i < count; i++) {
    uint64_t number = 0;
    size_t at = i;
    memcpy(&number, columns[0].elements + i * bytes, bytes);
    number ^= flip;
    for (; at > 0 && number < numbers[at - 1]; at--) {
      numbers[at] = numbers[at - 1];
      rows[at] = rows[at - 1];
    }
    numbers[at] = number;
    rows[at] = i;
  }
  for (size_t k = 0; k < num_columns; k++) {
    const size_t other = columns[k].element_bytes;
    for (size_t i = 0; i < count; i++) {
      cyxla_sort_move(columns[k].room + i * other,
                      columns[k].elements + rows[i] * other, other);
    }
  }
  cyxla_sort_exchange(columns, num_columns);
}

void cyxla_sort_numbers(cyxla_sort_column *columns, size_t num_columns, size_t count,
                        bool is_signed, bool is_descending) {
  if (count <= FEW) {
    sort_few(columns, num_columns, count, is_signed, is_descending);
  } else {
    sort_many(columns, num_columns, count, is_signed, is_descending);
  }
}
