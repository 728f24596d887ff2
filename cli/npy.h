/* NumPy's files for one array each, .npy, of the versions 1, 2 and 3 of the format.
 * Nothing in a file is believed before it is checked: no length of a file leads to an
 * allocation that the program's own arrays do not need. */
#ifndef CYXLA_CLI_NPY_H
#define CYXLA_CLI_NPY_H

#include <cyxla.h>
#include <stdio.h>

/* Longer headers are refused; that of 64 dimensions has less than 2 KiB. */
enum { NPY_HEADER_MAXIMUM = 65536 };

/* What is wrong: what was found and what was expected, without the name of the file. */
typedef struct npy_problem {
  char text[4096];
} npy_problem;

/* Writes what is wrong and returns false. */
bool npy_fail(npy_problem *problem, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* NumPy's code of a dtype with its byte order, such as "<f4". */
enum { NPY_CODE_SIZE = 8 };
void npy_write_code(char *code, cyxla_dtype dtype);

typedef struct npy_header {
  cyxla_dtype dtype;
  bool is_fortran_order; /* the first index runs fastest, as in column-major matrices */
  size_t rank;
  int64_t shape[CYXLA_RANK_MAXIMUM];
} npy_header;

/* Parses the header's text, such as "{'descr': '<f4', 'fortran_order': False, 'shape':
 * (3,), }", which need not end with a zero byte. NumPy has no code for bfloat16:
 * arrays of ml_dtypes.bfloat16 are written as '<V2', two bytes of any kind, which is
 * read as bfloat16, as is the name itself. Numbers in the other byte order than the
 * machine's are refused. */
bool npy_parse_header(const char *text, size_t length, npy_header *header,
                      npy_problem *problem);

/* Reads the header of a file alone. A pipe is refused, since its array could not be
 * read afterwards. */
bool npy_read_header(const char *path, npy_header *header, npy_problem *problem);

/* Reads a file's array, which has to be of the specification's dtype and shape, into
 * memory of its size. What is in Fortran order is put into C order, which takes the
 * same memory once more. The stream has to end behind the array. */
bool npy_read_stream(FILE *stream, const cyxla_array_spec *spec, void *memory,
                     npy_problem *problem);
bool npy_read(const char *path, const cyxla_array_spec *spec, void *memory,
              npy_problem *problem);

/* Writes an array as NumPy would, in version 1 of the format. After a failure there is
 * no file. */
bool npy_write(const char *path, const cyxla_array_spec *spec, const void *memory,
               npy_problem *problem);

#endif
