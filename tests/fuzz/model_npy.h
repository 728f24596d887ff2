/* A model of .npy files for fuzz targets: arrays, files of them, and whether a file has
 * to be read. It knows the format from NumPy's description, not from what is tested. */
#ifndef FUZZ_MODEL_NPY_H
#define FUZZ_MODEL_NPY_H

#include <cyxla.h>
#include <stdbool.h>

#include "encoding.h"
#include "input.h"

/* An array that a program asks for, of at most a few KiB. */
typedef struct model_array {
  cyxla_array_spec spec; /* its shape is the one below */
  int64_t shape[CYXLA_RANK_MAXIMUM];
} model_array;

/* The signature, the version and the header's size, as they are in version 1 and in
 * those behind it. */
enum { MODEL_START_1 = 10, MODEL_START_2 = 12 };

void model_take_array(fuzz_input *input, model_array *array);

/* Writes what is before a header of so many bytes. The versions are 1, 2 and 3; what
 * would be a later one is written like them. */
void model_write_start(cyxla_writer *file, unsigned version, size_t length);

/* Writes numbers of the array, which differ from their neighbours as far as there are
 * that many; bools are 0 or 1. */
void model_write_values(cyxla_writer *file, const model_array *array, size_t bytes);

/* Writes a whole file as the input has it: of this array, or of one that differs in
 * one thing or several. Returns whether it has to be read. */
bool model_write_file(fuzz_input *input, cyxla_writer *file, const model_array *array);

/* Where in an array whose first index runs fastest the element is that has a position
 * in one whose last index does. */
size_t model_fortran_position(const model_array *array, size_t position);

#endif
