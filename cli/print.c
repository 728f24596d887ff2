#include "print.h"

#include <stdio.h>
#include <string.h>

#include "number.h"

/* NumPy's defaults. */
enum { LINE_WIDTH = 75, ELEMENTS_MAXIMUM = 1000, NUM_EDGE = 3 };

typedef struct printing {
  const cyxla_array_spec *spec;
  size_t strides[CYXLA_RANK_MAXIMUM];
  bool is_shortened;
  number_style style;
  int column;  /* characters of the line so far, with spaces that are yet to be written
                */
  int pending; /* such spaces, which are left away at the end of a line */
} printing;

/* The index behind index in a dimension, past those that are not shown. */
static int64_t next_index(const printing *self, size_t axis, int64_t index) {
  int64_t size = self->spec->shape[axis];

  index++;
  if (self->is_shortened && size > 2 * NUM_EDGE && index == NUM_EDGE) {
    return size - NUM_EDGE;
  }
  return index;
}

/* Hands all the elements that are shown to a function. */
static void visit(printing *self, size_t axis, const char *place,
                  void (*function)(number_style *style, const void *number)) {
  if (axis == self->spec->rank) {
    function(&self->style, place);
    return;
  }
  for (int64_t i = 0; i < self->spec->shape[axis]; i = next_index(self, axis, i)) {
    visit(self, axis + 1, place + (size_t)i * self->strides[axis], function);
  }
}

static void write_text(printing *self, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == ' ') {
      self->pending++;
    } else {
      printf("%*s%c", self->pending, "", *text);
      self->pending = 0;
    }
    self->column++;
  }
}

/* Begins a line in the brackets of a dimension. */
static void begin_line(printing *self, size_t axis) {
  putchar('\n');
  self->column = self->pending = (int)axis + 1;
}

/* Writes an element or "..." of the last dimension, in a new line if there is no room
 * and a new line has more. */
static void write_word(printing *self, size_t axis, const char *word) {
  int indentation = (int)axis + 1, width = LINE_WIDTH - (int)axis - 1;

  if (self->column + (int)strlen(word) > width && self->column > indentation) {
    begin_line(self, axis);
  }
  write_text(self, word);
}

static void write_axis(printing *self, size_t axis, const char *place) {
  int64_t size = self->spec->shape[axis], next;
  bool is_last = axis + 1 == self->spec->rank;
  char word[NUMBER_SIZE];

  write_text(self, "[");
  for (int64_t i = 0; i < size; i = next) {
    const char *element = place + (size_t)i * self->strides[axis];
    next = next_index(self, axis, i);
    if (is_last) {
      number_write(&self->style, element, word);
      write_word(self, axis, word);
      if (next < size) write_text(self, " ");
      if (next > i + 1 && next < size) {
        write_word(self, axis, "...");
        write_text(self, " ");
      }
      continue;
    }
    write_axis(self, axis + 1, element);
    for (int gap = 0; gap < 1 + (next > i + 1); gap++) {
      if (next >= size) break;
      for (size_t k = axis + 2; k < self->spec->rank; k++) putchar('\n');
      begin_line(self, axis);
      if (gap < (next > i + 1)) write_text(self, "...");
    }
  }
  write_text(self, "]");
}

void print_array(const cyxla_array_spec *spec, const void *memory) {
  printing self;
  size_t stride = cyxla_dtype_bytes(spec->dtype);
  char text[NUMBER_SIZE];

  if (spec->bytes == 0) {
    puts("[]");
    return;
  }
  if (spec->rank == 0) {
    number_write_alone(spec->dtype, memory, text);
    puts(text);
    return;
  }
  memset(&self, 0, sizeof(self));
  self.spec = spec;
  self.is_shortened = spec->bytes / stride > ELEMENTS_MAXIMUM;
  self.style = number_style_begin(spec->dtype);
  for (size_t k = spec->rank; k-- > 0;) {
    self.strides[k] = stride;
    stride *= (size_t)spec->shape[k];
  }
  visit(&self, 0, memory, number_style_see);
  visit(&self, 0, memory, number_style_fit);
  number_style_end(&self.style);
  write_axis(&self, 0, memory);
  putchar('\n');
}
