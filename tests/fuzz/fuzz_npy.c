/* Fuzz target: NumPy's .npy files, as the command line reads and writes them. The first
 * byte of an input says what the others are: a file, a header that a file is made of,
 * how a file differs from the one that is asked for, or an array to be written. */
#define _GNU_SOURCE
#include "npy.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "model_npy.h"

/* The ways to read a file: as one, as a stream of single bytes, and as a stream that
 * cannot be read further where the file ends. */
enum { AS_FILE, AS_BYTES, AS_FAILING, NUM_WAYS };

typedef struct source {
  const uint8_t *data;
  size_t size;
  bool fails;
} source;

static ssize_t read_source(void *cookie, char *buffer, size_t bytes) {
  source *self = cookie;
  /* All at once where that makes no difference. */
  size_t count = self->fails ? self->size : self->size > 0 ? 1 : 0;

  if (count > bytes) count = bytes;
  if (count == 0 && self->fails) {
    errno = EIO;
    return -1;
  }
  if (count > 0) memcpy(buffer, self->data, count);
  self->data += count;
  self->size -= count;
  return (ssize_t)count;
}

/* A file in memory, since a disk is slow. Its descriptor goes to *file. */
static const char *memory_file(int *file) {
  static char path[64];
  static int made = -1;

  if (made < 0) {
    made = memfd_create("fuzz", 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", made);
  }
  FUZZ_CHECK(made >= 0, "a file in memory");
  *file = made;
  return path;
}

static bool read_in_way(const uint8_t *data, size_t size, size_t way,
                        const cyxla_array_spec *spec, void *memory,
                        npy_problem *problem) {
  const cookie_io_functions_t functions = {read_source, NULL, NULL, NULL};
  source from = {data, size, way == AS_FAILING};
  const char *path;
  FILE *stream;
  bool done;
  int file;

  if (way == AS_FILE) {
    path = memory_file(&file);
    FUZZ_CHECK(ftruncate(file, 0) == 0, "an empty file");
    FUZZ_CHECK(pwrite(file, data, size, 0) == (ssize_t)size, "room for the file");
    return npy_read(path, spec, memory, problem);
  }
  stream = fopencookie(&from, "rb", functions);
  FUZZ_CHECK(stream != NULL, "a stream");
  done = npy_read_stream(stream, spec, memory, problem);
  fclose(stream);
  return done;
}

/* A problem is told in printable characters, also where it quotes the file. */
static void check_problem(const npy_problem *problem) {
  const char *end = memchr(problem->text, '\0', sizeof(problem->text));

  FUZZ_CHECK(end != NULL && end > problem->text, "a problem, with an end");
  FUZZ_CHECK(end < problem->text + sizeof(problem->text) - 1, "which is not cut off");
  for (const char *at = problem->text; at < end; at++) {
    FUZZ_CHECK(*at >= 0x20 && *at <= 0x7e, "in printable characters");
  }
}

/* Parses a text in memory of just its size, so that what is read behind it is found
 * out. */
static bool parse(const uint8_t *text, size_t length, npy_header *header) {
  uint8_t *copy = malloc(length + 1);
  npy_problem problem;
  bool done;

  FUZZ_CHECK(copy != NULL, "memory for the text");
  if (length > 0) memcpy(copy + 1, text, length);
  memset(&problem, 0x7f, sizeof(problem));
  done = npy_parse_header((const char *)copy + 1, length, header, &problem);
  if (!done) check_problem(&problem);
  free(copy);
  return done;
}

/* What is parsed is a header, and is none without its last bracket. */
static bool check_header(const uint8_t *text, size_t length, npy_header *header) {
  const uint8_t *last;
  npy_header other;

  if (!parse(text, length, header)) return false;
  FUZZ_CHECK(cyxla_dtype_bytes(header->dtype) > 0, "a dtype");
  FUZZ_CHECK(header->rank <= CYXLA_RANK_MAXIMUM, "ranks are limited");
  for (size_t k = 0; k < header->rank; k++) {
    FUZZ_CHECK(header->shape[k] >= 0, "sizes are 0 or more");
  }
  last = memrchr(text, '}', length);
  FUZZ_CHECK(last != NULL, "a dict has an end");
  FUZZ_CHECK(!parse(text, (size_t)(last - text), &other), "and is none before it");
  return true;
}

/* The values in memory are those in the file. */
static void check_values(const model_array *array, const npy_header *header,
                         const uint8_t *values, const uint8_t *memory) {
  size_t element = cyxla_dtype_bytes(array->spec.dtype);

  for (size_t i = 0; i < array->spec.bytes / element; i++) {
    size_t place = header->is_fortran_order ? model_fortran_position(array, i) : i;
    FUZZ_CHECK(memcmp(memory + i * element, values + place * element, element) == 0,
               "each element is where it belongs");
    FUZZ_CHECK(array->spec.dtype != CYXLA_BOOL || memory[i] <= 1, "a bool is 0 or 1");
  }
}

/* A file that was read holds just the array that was asked for. */
static void check_read(const uint8_t *data, size_t size, const model_array *array,
                       const uint8_t *memory) {
  npy_header header;
  size_t start, length;

  FUZZ_CHECK(size >= MODEL_START_1 && memcmp(data, "\x93NUMPY", 6) == 0, "a file");
  FUZZ_CHECK(data[6] >= 1 && data[6] <= 3 && data[7] == 0, "of a known version");
  start = data[6] == 1 ? MODEL_START_1 : MODEL_START_2;
  FUZZ_CHECK(size >= start, "with the size of a header");
  length = data[6] == 1 ? (size_t)(data[8] | data[9] << 8) : cyxla_load_u32(data + 8);
  FUZZ_CHECK(size - start >= length && check_header(data + start, length, &header),
             "and a header");
  FUZZ_CHECK(header.dtype == array->spec.dtype && header.rank == array->spec.rank,
             "of the array's dtype and rank");
  for (size_t k = 0; k < header.rank; k++) {
    FUZZ_CHECK(header.shape[k] == array->shape[k], "and of its shape");
  }
  FUZZ_CHECK(size - start - length == array->spec.bytes, "with as many bytes");
  check_values(array, &header, data + start + length, memory);
}

/* Reads a file into memory of the array's size and says whether that was possible. */
static bool read_and_check(const uint8_t *data, size_t size, size_t way,
                           const model_array *array, uint8_t *memory) {
  npy_problem problem;

  memset(&problem, 0x7f, sizeof(problem));
  if (read_in_way(data, size, way, &array->spec, memory, &problem)) {
    FUZZ_CHECK(way != AS_FAILING, "a stream that fails is not read");
    check_read(data, size, array, memory);
    return true;
  }
  check_problem(&problem);
  return false;
}

/* What is written is read again: all of it, and neither less nor more. */
static void check_write(fuzz_input *input, const model_array *array, size_t way,
                        const uint8_t *values, uint8_t *memory) {
  size_t cut = (size_t)fuzz_take_byte(input) << 8 | fuzz_take_byte(input);
  npy_problem problem;
  off_t size;
  uint8_t *data;
  int file;

  FUZZ_CHECK(npy_write(memory_file(&file), &array->spec, values, &problem), "written");
  size = lseek(file, 0, SEEK_END);
  data = calloc((size_t)size + 1, 1);
  FUZZ_CHECK(size > (off_t)array->spec.bytes && data != NULL, "memory for the file");
  FUZZ_CHECK(pread(file, data, (size_t)size, 0) == size, "the file");
  FUZZ_CHECK(((size_t)size - array->spec.bytes) % 64 == 0, "the array is aligned");
  FUZZ_CHECK(
      read_and_check(data, (size_t)size, way, array, memory) == (way != AS_FAILING),
      "it is read again");
  FUZZ_CHECK(way == AS_FAILING || array->spec.bytes == 0 ||
                 memcmp(memory, values, array->spec.bytes) == 0,
             "as the same bytes");
  FUZZ_CHECK(!read_and_check(data, (size_t)size + 1, way, array, memory),
             "a byte more is too much");
  FUZZ_CHECK(!read_and_check(data, cut % (size_t)size, way, array, memory),
             "and one less too little");
  free(data);
}

static void run_write(fuzz_input *input, const model_array *array, size_t way,
                      uint8_t *memory) {
  cyxla_writer values = {0};
  size_t taken;

  model_write_values(&values, array, array->spec.bytes);
  FUZZ_CHECK(!values.failed, "memory for the array");
  taken = input->size < values.size ? input->size : values.size;
  for (size_t i = 0; i < taken; i++) {
    uint8_t byte = fuzz_take_byte(input);
    values.data[i] = array->spec.dtype == CYXLA_BOOL ? byte & 1 : byte;
  }
  check_write(input, array, way, values.data, memory);
  cyxla_writer_free(&values);
}

/* The file around a header, with too few or too many bytes behind it or as many as are
 * asked for. */
static void write_around(fuzz_input *input, const model_array *array,
                         cyxla_writer *file) {
  unsigned version = 1 + (unsigned)fuzz_take_below(input, 3);
  size_t change = fuzz_take_below(input, 8), bytes = array->spec.bytes;

  if (change == 7) bytes++;
  if (change == 6 && bytes > 0) bytes--;
  model_write_start(file, version, input->size);
  cyxla_write_raw(file, input->data, input->size);
  model_write_values(file, array, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input input = {data, size};
  const size_t kind = fuzz_take_below(&input, 4);
  const size_t way = fuzz_take_below(&input, NUM_WAYS);
  const long live = cyxla_memory_live();
  cyxla_writer file = {0};
  model_array array;
  npy_header header;
  uint8_t *memory;
  bool is_read;

  model_take_array(&input, &array);
  memory = malloc(array.spec.bytes);
  FUZZ_CHECK(memory != NULL, "memory for the array");
  if (kind == 0) {
    read_and_check(input.data, input.size, way, &array, memory);
  } else if (kind == 1) {
    write_around(&input, &array, &file);
    check_header(input.data, input.size, &header);
    read_and_check(file.data, file.size, way, &array, memory);
  } else if (kind == 2) {
    is_read = model_write_file(&input, &file, &array) && way != AS_FAILING;
    FUZZ_CHECK(read_and_check(file.data, file.size, way, &array, memory) == is_read,
               "what is like the array is read, and nothing else");
  } else {
    run_write(&input, &array, way, memory);
  }
  FUZZ_CHECK(!file.failed, "memory for the file");
  cyxla_writer_free(&file);
  free(memory);
  FUZZ_CHECK(cyxla_memory_live() == live, "all memory is given back");
  return 0;
}
