/* The solver of linalg/tridiagonal.c for one dtype, which defines before it includes
 * this:
 *   VALUE, REAL       the type of the numbers, and that of their absolute values
 *   NAME(x)           the name of a function for the dtype
 *   ABSOLUTE, PART    the functions for the absolute value and for the real part
 *   EPSILON, SMALLEST of REAL: the distance of 1 from the next number, and the smallest
 *                     number whose inverse is finite
 *
 * A row of U, the upper factor, has its diagonal and two numbers beside it, since rows
 * are swapped. L is not kept: x goes through it as it comes up. */

typedef struct NAME(system) {
  int64_t n, num_columns;
  const VALUE *lower, *diagonal, *upper; /* [n]; lower[0] and upper[n - 1] are unused */
  const VALUE *b;                        /* [n, num_columns], by columns */
  VALUE *x;                              /* like b */
  VALUE *u0, *u1, *u2;                   /* [n] */
  VALUE *row;                            /* [num_columns] */
} NAME(system);

/* x[to] = source[from] - factor * other[of], by rows; both are b or x. */
static void NAME(combine)(const NAME(system) * s, const VALUE *source, int64_t from,
                          VALUE factor, const VALUE *other, int64_t of, int64_t to) {
  for (int64_t j = 0; j < s->num_columns; j++) {
    s->x[j * s->n + to] = source[j * s->n + from] - factor * other[j * s->n + of];
  }
}

static void NAME(copy_row)(const NAME(system) * s, int64_t from, int64_t to) {
  for (int64_t j = 0; j < s->num_columns; j++) {
    s->x[j * s->n + to] = s->b[j * s->n + from];
  }
}

/* Eliminates the lower diagonal's number in row k + 1, and swaps the rows before if
 * that one is larger beside its row's size. Returns the size of what became row k + 1;
 * `size` is that of row k. */
static REAL NAME(eliminate)(const NAME(system) * s, int64_t k, REAL size) {
  VALUE below = s->lower[k + 1], next = s->diagonal[k + 1];
  VALUE beyond = k + 2 < s->n ? s->upper[k + 1] : 0;
  REAL next_size = ABSOLUTE(below) + ABSOLUTE(next) + ABSOLUTE(beyond);
  REAL share = s->u0[k] == 0 ? 0 : ABSOLUTE(s->u0[k]) / size;
  VALUE factor, old = s->u1[k];

  s->u2[k] = 0;
  if (below == 0) {
    s->u0[k + 1] = next;
    s->u1[k + 1] = beyond;
    NAME(copy_row)(s, k + 1, k + 1);
    return next_size;
  }
  if (ABSOLUTE(below) / next_size <= share) {
    factor = below / s->u0[k];
    s->u0[k + 1] = next - factor * old;
    s->u1[k + 1] = beyond;
    NAME(combine)(s, s->b, k + 1, factor, s->x, k, k + 1);
    return next_size;
  }
  factor = s->u0[k] / below;
  s->u0[k] = below;
  s->u1[k] = next;
  s->u2[k] = beyond;
  s->u0[k + 1] = old - factor * next;
  s->u1[k + 1] = -factor * beyond;
  NAME(combine)(s, s->x, k, factor, s->b, k + 1, k + 1);
  NAME(copy_row)(s, k + 1, k);
  return ABSOLUTE(s->u0[k + 1]) + ABSOLUTE(s->u1[k + 1]);
}

static REAL NAME(larger)(REAL a, REAL b) {
  return a > b ? a : b;
}

/* Factors and solves with L. Returns the largest number of U, as far as jaxlib looks
 * at it: not at the last row but one. */
static REAL NAME(factor)(const NAME(system) * s) {
  REAL size = ABSOLUTE(s->diagonal[0]);
  REAL largest = size;

  s->u0[0] = s->diagonal[0];
  s->u1[0] = s->n > 1 ? s->upper[0] : 0;
  s->u2[0] = 0;
  largest = NAME(larger)(largest, ABSOLUTE(s->u1[0]));
  size += ABSOLUTE(s->u1[0]);
  NAME(copy_row)(s, 0, 0);
  for (int64_t k = 0; k + 1 < s->n; k++) {
    size = NAME(eliminate)(s, k, size);
    if (k + 2 >= s->n) continue;
    largest = NAME(larger)(largest, ABSOLUTE(s->u0[k]));
    largest = NAME(larger)(largest, ABSOLUTE(s->u1[k]));
    largest = NAME(larger)(largest, ABSOLUTE(s->u2[k]));
  }
  return NAME(larger)(largest, ABSOLUTE(s->u0[s->n - 1]));
}

/* The pivot as it is where the row can be divided by it, else moved away from 0 in
 * steps that double, or scaled up together with the row. */
static VALUE NAME(safe_pivot)(const NAME(system) * s, VALUE pivot, REAL step) {
  const REAL largest_factor = 1 / SMALLEST;
  REAL largest = 0;

  step = NAME(larger)(step, SMALLEST);
  if (PART(pivot) < 0) step = -step;
  for (int64_t j = 0; j < s->num_columns; j++) {
    largest = NAME(larger)(largest, ABSOLUTE(s->row[j]));
  }
  while (ABSOLUTE(pivot) < 1) {
    REAL size = ABSOLUTE(pivot);
    bool is_tiny = size < SMALLEST;
    bool overflows = is_tiny ? size == 0 || largest * SMALLEST > size
                             : largest > size * largest_factor;
    if (!overflows) {
      if (!is_tiny) break;
      for (int64_t j = 0; j < s->num_columns; j++) s->row[j] *= largest_factor;
      return pivot * largest_factor;
    }
    pivot += step;
    step *= 2;
  }
  return pivot;
}

static void NAME(solve)(const NAME(system) * s) {
  REAL step = EPSILON * NAME(factor)(s);

  for (int64_t k = s->n - 1; k >= 0; k--) {
    VALUE inverse;
    for (int64_t j = 0; j < s->num_columns; j++) {
      const VALUE *x = s->x + j * s->n;
      s->row[j] = x[k];
      if (k + 1 < s->n) s->row[j] -= s->u1[k] * x[k + 1];
      if (k + 2 < s->n) s->row[j] -= s->u2[k] * x[k + 2];
    }
    inverse = 1 / NAME(safe_pivot)(s, s->u0[k], step);
    for (int64_t j = 0; j < s->num_columns; j++) {
      s->x[j * s->n + k] = s->row[j] * inverse;
    }
  }
}

/* Solves the systems of a batch, with memory for 3 n + num_columns numbers. */
static void NAME(solve_batch)(const tridiagonal_batch *batch, void *memory) {
  VALUE *numbers = memory;
  NAME(system) s = {.n = batch->n, .num_columns = batch->num_columns};

  s.u0 = numbers;
  s.u1 = s.u0 + s.n;
  s.u2 = s.u1 + s.n;
  s.row = s.u2 + s.n;
  for (int64_t i = 0; i < batch->count; i++) {
    s.lower = (const VALUE *)batch->lower + i * s.n;
    s.diagonal = (const VALUE *)batch->diagonal + i * s.n;
    s.upper = (const VALUE *)batch->upper + i * s.n;
    s.b = (const VALUE *)batch->b + i * s.n * s.num_columns;
    s.x = (VALUE *)batch->x + i * s.n * s.num_columns;
    NAME(solve)(&s);
  }
}

#undef VALUE
#undef REAL
#undef NAME
#undef ABSOLUTE
#undef PART
#undef EPSILON
#undef SMALLEST
