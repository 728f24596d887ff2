/* Fuzz target: the signature of a program in a .cyxla file. What is read of one is
 * written as the same bytes again. */
#include "signature.h"

#include <string.h>

#include "input.h"
#include "memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cyxla_reader reader = {data, size, 0, false};
  const long live = cyxla_memory_live();
  cyxla_program_arrays arrays;
  cyxla_writer writer = {0};
  bool is_out_of_memory;

  if (cyxla_signature_read(&reader, &arrays, &is_out_of_memory)) {
    FUZZ_CHECK(!reader.failed && reader.position <= size, "the reader stays within");
    cyxla_signature_write(&writer, &arrays);
    FUZZ_CHECK(writer.size == reader.position, "as much is written as was read");
    FUZZ_CHECK(memcmp(writer.data, data, writer.size) == 0, "the same is written");
  }
  FUZZ_CHECK(!is_out_of_memory, "no count leads to a huge allocation");
  cyxla_program_arrays_free(&arrays);
  cyxla_writer_free(&writer);
  FUZZ_CHECK(cyxla_memory_live() == live, "all memory is given back");
  return 0;
}
