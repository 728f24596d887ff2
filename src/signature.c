#include "signature.h"

#include <string.h>

#include "memory.h"

/* A spec takes at least its name's length, dtype, rank and alias. */
enum { SPEC_BYTES_MINIMUM = 8 + 4 + 8 + 8 };

void cyxla_signature_write(cyxla_writer *writer, const cyxla_program_arrays *arrays) {
  cyxla_write_u64(writer, arrays->count);
  for (size_t i = 0; i < arrays->count; i++) {
    const cyxla_array_spec *spec = &arrays->specs[i];
    cyxla_write_string(writer, spec->name);
    cyxla_write_u32(writer, (uint32_t)spec->dtype);
    cyxla_write_u64(writer, spec->rank);
    for (size_t k = 0; k < spec->rank; k++) {
      cyxla_write_u64(writer, (uint64_t)spec->shape[k]);
    }
    cyxla_write_u64(writer, (uint64_t)spec->aliased_output);
  }
}

static bool read_spec(cyxla_reader *reader, cyxla_array_spec *spec,
                      bool *is_out_of_memory) {
  size_t length;
  const unsigned char *name = cyxla_read_bytes(reader, &length);
  int64_t *shape;

  spec->dtype = (cyxla_dtype)cyxla_read_u32(reader);
  spec->rank = cyxla_read_count(reader, sizeof(int64_t));
  if (reader->failed || (length > 0 && memchr(name, '\0', length) != NULL))
    return false;
  spec->name = cyxla_duplicate(name, length);
  shape = cyxla_allocate_array(spec->rank, sizeof(int64_t));
  spec->shape = shape;
  if (spec->name == NULL || shape == NULL) {
    *is_out_of_memory = true;
    return false;
  }
  for (size_t i = 0; i < spec->rank; i++) shape[i] = (int64_t)cyxla_read_u64(reader);
  spec->aliased_output = (int64_t)cyxla_read_u64(reader);
  return !reader->failed;
}

bool cyxla_signature_read(cyxla_reader *reader, cyxla_program_arrays *arrays,
                          bool *is_out_of_memory) {
  size_t count = cyxla_read_count(reader, SPEC_BYTES_MINIMUM);

  memset(arrays, 0, sizeof(*arrays));
  *is_out_of_memory = false;
  if (reader->failed) return false;
  arrays->specs = cyxla_allocate_array(count, sizeof(*arrays->specs));
  if (arrays->specs == NULL) {
    *is_out_of_memory = true;
    return false;
  }
  arrays->count = count;
  for (size_t i = 0; i < count; i++) {
    if (!read_spec(reader, &arrays->specs[i], is_out_of_memory)) return false;
  }
  return true;
}
