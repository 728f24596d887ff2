/* The header of a .npy file: a literal of Python, a dict with three keys. */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "npy.h"

enum { TEXT_SIZE = 64 };

typedef struct cursor {
  const char *at;
  const char *end;
} cursor;

bool npy_fail(npy_problem *problem, const char *format, ...) {
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(problem->text, sizeof(problem->text), format, arguments);
  va_end(arguments);
  return false;
}

static void skip_spaces(cursor *in) {
  while (in->at < in->end && (*in->at == ' ' || *in->at == '\n' || *in->at == '\t')) {
    in->at++;
  }
}

/* Whether a character comes next, which is then passed. */
static bool accept(cursor *in, char c) {
  skip_spaces(in);
  if (in->at == in->end || *in->at != c) return false;
  in->at++;
  return true;
}

static bool accept_word(cursor *in, const char *word) {
  size_t length = strlen(word);

  skip_spaces(in);
  if ((size_t)(in->end - in->at) < length) return false;
  if (memcmp(in->at, word, length) != 0) return false;
  in->at += length;
  return true;
}

/* A string of printable characters, without escapes, of fewer than TEXT_SIZE. */
static bool read_text(cursor *in, char *text) {
  size_t length = 0;
  char quote;

  skip_spaces(in);
  if (in->at == in->end || (*in->at != '\'' && *in->at != '"')) return false;
  quote = *in->at++;
  for (; in->at < in->end && *in->at != quote; in->at++) {
    if (*in->at < 0x20 || *in->at > 0x7e || *in->at == '\\') return false;
    if (length + 1 == TEXT_SIZE) return false;
    text[length++] = *in->at;
  }
  text[length] = '\0';
  return accept(in, quote);
}

static bool read_size(cursor *in, int64_t *size) {
  int64_t value = 0;

  skip_spaces(in);
  if (in->at == in->end || *in->at < '0' || *in->at > '9') return false;
  for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
    int digit = *in->at - '0';
    if (value > (INT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *size = value;
  return true;
}

/* The byte order of this machine, as NumPy writes it. */
static char native_order(void) {
  const uint16_t one = 1;
  unsigned char first;

  memcpy(&first, &one, 1);
  return first == 1 ? '<' : '>';
}

static const struct {
  char code[4];
  cyxla_dtype dtype;
} CODES[] = {
    {"b1", CYXLA_BOOL},      {"i1", CYXLA_INT8},        {"i2", CYXLA_INT16},
    {"i4", CYXLA_INT32},     {"i8", CYXLA_INT64},       {"u1", CYXLA_UINT8},
    {"u2", CYXLA_UINT16},    {"u4", CYXLA_UINT32},      {"u8", CYXLA_UINT64},
    {"f2", CYXLA_FLOAT16},   {"f4", CYXLA_FLOAT32},     {"f8", CYXLA_FLOAT64},
    {"c8", CYXLA_COMPLEX64}, {"c16", CYXLA_COMPLEX128}, {"V2", CYXLA_BFLOAT16},
};
enum { NUM_CODES = sizeof(CODES) / sizeof(CODES[0]) };

/* The dtype of a code such as "f4", 0 for one that is none. */
static cyxla_dtype dtype_of_code(const char *code) {
  for (size_t i = 0; i < NUM_CODES; i++) {
    if (strcmp(CODES[i].code, code) == 0) return CODES[i].dtype;
  }
  return (cyxla_dtype)0;
}

void npy_write_code(char *code, cyxla_dtype dtype) {
  size_t i = 0;

  while (i + 1 < NUM_CODES && CODES[i].dtype != dtype) i++;
  code[0] = cyxla_dtype_bytes(dtype) == 1 ? '|' : native_order();
  strcpy(code + 1, CODES[i].code);
}

static bool read_dtype(cursor *in, cyxla_dtype *dtype, npy_problem *problem) {
  char text[TEXT_SIZE];
  bool has_order;

  skip_spaces(in);
  if (in->at < in->end && *in->at == '[') {
    return npy_fail(problem,
                    "holds records of several fields, expected an array of numbers");
  }
  if (!read_text(in, text))
    return npy_fail(problem, "has a header whose 'descr' is no text");
  *dtype = cyxla_dtype_from_name(text);
  if (*dtype != 0) return true;
  has_order = text[0] != '\0' && strchr("<>|=", text[0]) != NULL;
  *dtype = dtype_of_code(text + (has_order ? 1 : 0));
  if (*dtype == 0) {
    return npy_fail(problem, "has the dtype '%s', which cyxla does not have", text);
  }
  if ((text[0] == '<' || text[0] == '>') && text[0] != native_order() &&
      cyxla_dtype_bytes(*dtype) > 1) {
    return npy_fail(problem,
                    "has the dtype '%s', in the other byte order than this machine; "
                    "convert it in Python with array.astype(\"%s\")",
                    text, cyxla_dtype_name(*dtype));
  }
  return true;
}

static bool read_shape(cursor *in, npy_header *header, npy_problem *problem) {
  if (!accept(in, '('))
    return npy_fail(problem, "has a header whose 'shape' is no tuple");
  header->rank = 0;
  while (!accept(in, ')')) {
    if (header->rank == CYXLA_RANK_MAXIMUM) {
      return npy_fail(problem, "has more than %d dimensions", CYXLA_RANK_MAXIMUM);
    }
    if (!read_size(in, &header->shape[header->rank])) {
      return npy_fail(problem,
                      "has a header whose 'shape' holds something that is no size");
    }
    header->rank++;
    if (accept(in, ',')) continue;
    /* (3) is a number in Python, and no tuple. */
    if (header->rank > 1 && accept(in, ')')) break;
    return npy_fail(problem, "has a header whose 'shape' is no tuple");
  }
  return true;
}

static bool read_order(cursor *in, npy_header *header, npy_problem *problem) {
  header->is_fortran_order = accept_word(in, "True");
  if (header->is_fortran_order || accept_word(in, "False")) return true;
  return npy_fail(problem,
                  "has a header whose 'fortran_order' is neither True nor False");
}

/* Reads the value of a key and notes in *seen which keys there were. */
static bool read_value(cursor *in, const char *key, unsigned *seen, npy_header *header,
                       npy_problem *problem) {
  static const char *const KEYS[] = {"descr", "fortran_order", "shape"};
  unsigned index = 0;

  while (index < 3 && strcmp(KEYS[index], key) != 0) index++;
  if (index == 3)
    return npy_fail(problem, "has a header with the unknown key '%s'", key);
  if ((*seen & (1u << index)) != 0) {
    return npy_fail(problem, "has a header with the key '%s' twice", key);
  }
  *seen |= 1u << index;
  if (index == 0) return read_dtype(in, &header->dtype, problem);
  if (index == 1) return read_order(in, header, problem);
  return read_shape(in, header, problem);
}

bool npy_parse_header(const char *text, size_t length, npy_header *header,
                      npy_problem *problem) {
  cursor in = {text, text + length};
  unsigned seen = 0;
  char key[TEXT_SIZE];

  memset(header, 0, sizeof(*header));
  if (!accept(&in, '{')) return npy_fail(problem, "has a header that is no dict");
  while (!accept(&in, '}')) {
    if (!read_text(&in, key) || !accept(&in, ':')) {
      return npy_fail(problem, "has a header that is no dict");
    }
    if (!read_value(&in, key, &seen, header, problem)) return false;
    if (accept(&in, ',')) continue;
    if (accept(&in, '}')) break;
    return npy_fail(problem, "has a header that is no dict");
  }
  skip_spaces(&in);
  if (in.at != in.end) return npy_fail(problem, "has a header with more than a dict");
  if (seen != 7) {
    return npy_fail(problem,
                    "has a header without one of the keys 'descr', "
                    "'fortran_order' and 'shape'");
  }
  return true;
}
