#include "npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"

/* The file's first bytes: a signature and the version. */
static const unsigned char MAGIC[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { MAGIC_SIZE = sizeof(MAGIC), HEADER_ALIGNMENT = 64 };

/* NumPy leaves room in a header for a first size of so many digits, for those who
 * append to a file. */
enum { FIRST_SIZE_DIGITS = 21 };

/* Reads so many bytes, or says that the file ends before. */
static bool read_bytes(FILE *stream, void *memory, size_t bytes, const char *what,
                       npy_problem *problem) {
  size_t count;

  errno = 0;
  count = bytes > 0 ? fread(memory, 1, bytes, stream) : 0;
  if (count == bytes) return true;
  if (ferror(stream)) return npy_fail(problem, "cannot be read: %s", strerror(errno));
  return npy_fail(problem, "ends after %zu of the %zu bytes of its %s", count, bytes,
                  what);
}

static bool read_header(FILE *stream, npy_header *header, npy_problem *problem) {
  unsigned char start[MAGIC_SIZE + 2], size[4] = {0, 0, 0, 0};
  size_t length;
  char *text;
  bool done;

  errno = 0;
  if (fread(start, 1, sizeof(start), stream) != sizeof(start) && ferror(stream)) {
    return npy_fail(problem, "cannot be read: %s", strerror(errno));
  }
  if (feof(stream) || memcmp(start, MAGIC, MAGIC_SIZE) != 0) {
    return npy_fail(
        problem, "is no .npy file; numpy.save writes them, and numpy.load reads .npz");
  }
  if (start[MAGIC_SIZE] < 1 || start[MAGIC_SIZE] > 3 || start[MAGIC_SIZE + 1] != 0) {
    return npy_fail(problem,
                    "has version %d.%d of the format .npy, expected 1.0, 2.0 or 3.0",
                    start[MAGIC_SIZE], start[MAGIC_SIZE + 1]);
  }
  if (!read_bytes(stream, size, start[MAGIC_SIZE] == 1 ? 2 : 4, "header's size",
                  problem)) {
    return false;
  }
  length =
      size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
  if (length > NPY_HEADER_MAXIMUM) {
    return npy_fail(problem, "has a header of %zu bytes, expected %d at most", length,
                    NPY_HEADER_MAXIMUM);
  }
  text = malloc(length + 1);
  if (text == NULL) return npy_fail(problem, "cannot be read: there is no memory left");
  done = read_bytes(stream, text, length, "header", problem) &&
         npy_parse_header(text, length, header, problem);
  free(text);
  return done;
}

static bool compare(const npy_header *header, const cyxla_array_spec *spec,
                    npy_problem *problem) {
  array_text found = describe_array(header->dtype, header->rank, header->shape);
  array_text expected = describe_spec(spec);

  if (strcmp(found.text, expected.text) == 0) return true;
  if (header->dtype != spec->dtype) {
    return npy_fail(
        problem,
        "holds %s, expected %s; convert it in Python with array.astype(\"%s\")",
        found.text, expected.text, cyxla_dtype_name(spec->dtype));
  }
  return npy_fail(problem, "holds %s, expected %s", found.text, expected.text);
}

/* Copies an array whose first index runs fastest to one whose last one does. */
static void put_into_c_order(const cyxla_array_spec *spec, const char *from, char *to) {
  size_t element = cyxla_dtype_bytes(spec->dtype), place = 0;
  size_t strides[CYXLA_RANK_MAXIMUM];
  int64_t index[CYXLA_RANK_MAXIMUM] = {0};
  size_t stride = element;

  for (size_t k = 0; k < spec->rank; k++) {
    strides[k] = stride;
    stride *= (size_t)spec->shape[k];
  }
  for (size_t done = 0; done < spec->bytes; done += element) {
    size_t k = spec->rank;
    memcpy(to + done, from + place, element);
    /* On to the next index, the last dimension first. */
    while (k-- > 0) {
      place += strides[k];
      if (++index[k] < spec->shape[k]) break;
      place -= strides[k] * (size_t)spec->shape[k];
      index[k] = 0;
    }
  }
}

/* Whether the file ends here, which one that cannot be read further does not tell. */
static bool read_end(FILE *stream, const cyxla_array_spec *spec, npy_problem *problem) {
  errno = 0;
  if (fgetc(stream) != EOF) {
    return npy_fail(problem, "has more bytes than the %zu of its array", spec->bytes);
  }
  if (ferror(stream)) return npy_fail(problem, "cannot be read: %s", strerror(errno));
  return true;
}

static bool read_values(FILE *stream, const npy_header *header,
                        const cyxla_array_spec *spec, void *memory,
                        npy_problem *problem) {
  void *read = memory;
  bool done;

  if (header->is_fortran_order && spec->rank > 1 && spec->bytes > 0) {
    read = malloc(spec->bytes);
    if (read == NULL)
      return npy_fail(problem, "cannot be read: there is no memory left");
  }
  done = read_bytes(stream, read, spec->bytes, "array", problem);
  if (read != memory) {
    if (done) put_into_c_order(spec, read, memory);
    free(read);
  }
  return done && read_end(stream, spec, problem);
}

/* XLA's code takes it for granted that a bool is 0 or 1. */
static bool check_bools(const cyxla_array_spec *spec, const unsigned char *values,
                        npy_problem *problem) {
  if (spec->dtype != CYXLA_BOOL) return true;
  for (size_t i = 0; i < spec->bytes; i++) {
    if (values[i] > 1) {
      return npy_fail(problem, "holds a bool that is %d, expected 0 or 1", values[i]);
    }
  }
  return true;
}

bool npy_read_header(const char *path, npy_header *header, npy_problem *problem) {
  FILE *stream = fopen(path, "rb");
  bool done;

  if (stream == NULL) return npy_fail(problem, "cannot be opened: %s", strerror(errno));
  done = ftell(stream) == 0 ? read_header(stream, header, problem)
                            : npy_fail(problem,
                                       "can be read only once, as a pipe, and its "
                                       "shape is needed before; give --size N");
  fclose(stream);
  return done;
}

bool npy_read_stream(FILE *stream, const cyxla_array_spec *spec, void *memory,
                     npy_problem *problem) {
  npy_header header;

  return read_header(stream, &header, problem) && compare(&header, spec, problem) &&
         read_values(stream, &header, spec, memory, problem) &&
         check_bools(spec, memory, problem);
}

bool npy_read(const char *path, const cyxla_array_spec *spec, void *memory,
              npy_problem *problem) {
  FILE *stream = fopen(path, "rb");
  bool done;

  if (stream == NULL) return npy_fail(problem, "cannot be opened: %s", strerror(errno));
  done = npy_read_stream(stream, spec, memory, problem);
  fclose(stream);
  return done;
}

/* Writes the header, filled up with spaces so that the array begins at a multiple of
 * 64 bytes, as NumPy does for the sake of mapping the file. */
static void write_header(FILE *stream, const cyxla_array_spec *spec) {
  char text[ARRAY_TEXT_SIZE + 128], code[NPY_CODE_SIZE];
  int length, padding = 0, start = MAGIC_SIZE + 4;

  npy_write_code(code, spec->dtype);
  length = snprintf(text, sizeof(text),
                    "{'descr': '%s', 'fortran_order': False, 'shape': (", code);
  for (size_t i = 0; i < spec->rank; i++) {
    int added = snprintf(text + length, sizeof(text) - (size_t)length, "%s%lld",
                         i > 0 ? ", " : "", (long long)spec->shape[i]);
    if (i == 0) padding = FIRST_SIZE_DIGITS - added;
    length += added;
  }
  length += snprintf(text + length, sizeof(text) - (size_t)length, "%s), }",
                     spec->rank == 1 ? "," : "");
  padding += HEADER_ALIGNMENT - 1 - (start + length + padding) % HEADER_ALIGNMENT;
  fwrite(MAGIC, 1, MAGIC_SIZE, stream);
  fputc(1, stream);
  fputc(0, stream);
  fputc((length + padding + 1) & 0xff, stream);
  fputc((length + padding + 1) >> 8, stream);
  fprintf(stream, "%s%*s\n", text, padding, "");
}

bool npy_write(const char *path, const cyxla_array_spec *spec, const void *memory,
               npy_problem *problem) {
  FILE *stream = fopen(path, "wb");
  bool done;

  if (stream == NULL)
    return npy_fail(problem, "cannot be written: %s", strerror(errno));
  errno = 0;
  write_header(stream, spec);
  if (spec->bytes > 0) fwrite(memory, 1, spec->bytes, stream);
  done = !ferror(stream);
  if (fclose(stream) != 0) done = false;
  if (done) return true;
  npy_fail(problem, "cannot be written: %s",
           errno != 0 ? strerror(errno) : "no reason given");
  remove(path);
  return false;
}
