/* One call of a target of linear algebra: what its handler reads from the call frame,
 * checked, and the memory that LAPACK works in.
 *
 * The first thing that is wrong becomes the call's error; whatever is asked after that
 * gives nothing. So a handler reads all that it needs and then looks once. LAPACK must
 * not be called with an argument that it refuses: the reference LAPACK ends the process
 * then.
 *
 * Matrices are column-major: the programs ask for that layout. In front of a matrix's
 * two dimensions are those of the batch. */
#ifndef CYXLA_LINALG_CALL_H
#define CYXLA_LINALG_CALL_H

#include "cyxla_ffi.h"
#include "library.h"

typedef struct cyxla_linalg_dtype {
  const char *name;
  char letter; /* in the names of functions */
  XLA_FFI_DataType value;
  XLA_FFI_DataType real;          /* of absolute values */
  XLA_FFI_DataType complex_value; /* of eigenvalues */
  size_t bytes;
  size_t real_bytes;
  bool is_complex;
} cyxla_linalg_dtype;

enum { CYXLA_LINALG_NUM_DTYPES = 4 };
extern const cyxla_linalg_dtype cyxla_linalg_dtypes[CYXLA_LINALG_NUM_DTYPES];

enum { CYXLA_LINALG_NUM_BLOCKS = 6 };

typedef struct cyxla_linalg_call {
  XLA_FFI_CallFrame *frame;
  const char *target;
  const cyxla_linalg_dtype *dtype;
  cyxla_library_function *function; /* of Fortran, for the dtype */
  size_t integer_bytes;
  int64_t batch; /* how many matrices; of the first that was read, -1 before */
  XLA_FFI_Error *error;
  void *blocks[CYXLA_LINALG_NUM_BLOCKS]; /* freed when the call is over */
  size_t num_blocks;
} cyxla_linalg_call;

/* An argument that is a batch of matrices. */
typedef struct cyxla_linalg_matrix {
  const void *data;
  int64_t rows;
  int64_t columns;
  int64_t leading; /* the distance of columns in elements, at least 1 */
  size_t bytes;    /* of one matrix */
} cyxla_linalg_matrix;

/* Sets the call's error, unless it has one. The message names the target. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cyxla_linalg_fail(cyxla_linalg_call *call, const char *format, ...);

/* The argument of an index as matrices of the call's dtype. */
cyxla_linalg_matrix cyxla_linalg_read_matrix(cyxla_linalg_call *call, int64_t index);

/* The same, square. */
cyxla_linalg_matrix cyxla_linalg_read_square(cyxla_linalg_call *call, int64_t index);

/* The data of an argument or result of a dtype, which has for each matrix of the batch
 * `rank` (0, 1 or 2) dimensions. */
const void *cyxla_linalg_argument(cyxla_linalg_call *call, int64_t index,
                                  XLA_FFI_DataType dtype, int rank, int64_t rows,
                                  int64_t columns);
void *cyxla_linalg_result(cyxla_linalg_call *call, int64_t index,
                          XLA_FFI_DataType dtype, int rank, int64_t rows,
                          int64_t columns);

/* A result that begins as a copy of the matrices and is overwritten. */
char *cyxla_linalg_result_of(cyxla_linalg_call *call, int64_t index,
                             const cyxla_linalg_matrix *matrix);

/* The result with LAPACK's info for each matrix. */
int32_t *cyxla_linalg_info(cyxla_linalg_call *call, int64_t index);

/* An attribute that is one of the characters of `choices`. */
char cyxla_linalg_option(cyxla_linalg_call *call, const char *name,
                         const char *choices);
bool cyxla_linalg_flag(cyxla_linalg_call *call, const char *name);

/* An attribute that is an int32. */
int64_t cyxla_linalg_number(cyxla_linalg_call *call, const char *name);

/* The last dimension of an argument of the call's dtype. */
int64_t cyxla_linalg_length(cyxla_linalg_call *call, int64_t index);

/* What LAPACK wrote to an integer that was 0 before. */
int64_t cyxla_linalg_integer(const cyxla_linalg_call *call, const int64_t *integer);

/* Integers of LAPACK's width, from and to those of a program. */
void cyxla_linalg_widen(const cyxla_linalg_call *call, void *integers,
                        const int32_t *source, int64_t count);
void cyxla_linalg_narrow(const cyxla_linalg_call *call, int32_t *target,
                         const void *integers, int64_t count);

/* An error where LAPACK may want more elements to work in than its integers can count,
 * which wrap around then without a word. To be called before LAPACK is asked. */
void cyxla_linalg_check_work(cyxla_linalg_call *call, int64_t most);

/* How large a work array is to be, in elements: what LAPACK asks for in its first one,
 * but not less than its documentation says. `info` is what it says about that question
 * itself. */
int64_t cyxla_linalg_work_size(cyxla_linalg_call *call, const void *work,
                               const int64_t *info, int64_t least);

/* A bound of the columns that LAPACK works on at once, of all builds and versions. */
enum { CYXLA_LINALG_BLOCK = 256 };

/* Memory for `count` elements, at least one, until the call is over. */
void *cyxla_linalg_allocate(cyxla_linalg_call *call, int64_t count, size_t bytes);

/* Copies unless both are the same memory. */
void cyxla_linalg_copy(void *target, const void *source, size_t bytes);

/* Whether all real numbers, or parts of complex ones, are finite. */
bool cyxla_linalg_is_finite(const cyxla_linalg_call *call, const void *data,
                            size_t bytes);

#endif
