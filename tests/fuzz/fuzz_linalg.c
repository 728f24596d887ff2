/* Fuzz target: the handlers of linear algebra, called with frames that are right but
 * for some changes, and with a model of LAPACK that checks what it is given. */
#include <string.h>

#include "cyxla_ffi.h"
#include "input.h"
#include "linalg/targets.h"
#include "model_lapack.h"

enum { NUM_BUFFERS = 6, NUM_ATTRIBUTES = 4, RANK = 4, SIZES = 5, MESSAGE_BYTES = 1024 };

/* The arrays of each routine, in the order of the targets. An array is a letter for its
 * dtype (v: the target's, r: its real one, c: its complex one, i: int32) and one for
 * each size of a matrix or vector: m, n, k (the lesser of the two), b (n - 1), o (the
 * order of the side of a matrix), p (m + 1), u and w (of singular vectors). With ~ it
 * is there for real numbers only. Attributes are names with what their values may be.
 */
static const struct {
  const char *arguments, *results, *attributes;
} SHAPES[] = {
    {"voo vmn", "vmn", "side:LR uplo:LU trans_x:NTC diag:NU"},
    {"vm vm vm vmn", "vm vm vm vmn i", ""},
    {"vnn", "vnn i", "uplo:LU"},
    {"vmn", "vmn ik i", ""},
    {"vmn", "vmn vk", ""},
    {"vmn in", "vmn in vk", ""},
    {"vmn vk", "vmn", ""},
    {"vok vk vmn", "vmn", "left:? transpose:?"},
    {"vmn", "vmn rk vmu vwn i", "mode:ASN"},
    {"vmn", "vmn rk vmu vwn i", "mode:ASN"},
    {"vnn", "vnn rn i", "mode:NV uplo:LU"},
    {"vnn", "vn ~vn cnn cnn i", "compute_left:NV compute_right:NV"},
    {"vnn", "vnn vnn vn ~vn i i", "mode:NV sort:N"},
    {"vnn", "vnn vb i", "low:# high:#"},
    {"vnn", "vnn rn rb vb i", "uplo:LU"},
    {"vm vm vm vmn", "vmn", ""},
    {"vk ip ik vnk", "vmk", ""},
};

typedef struct array_list {
  XLA_FFI_Buffer buffers[NUM_BUFFERS];
  int64_t dims[NUM_BUFFERS][RANK];
  void *pointers[NUM_BUFFERS];
  int types[NUM_BUFFERS];
  int64_t count;
} array_list;

typedef struct linalg_frame {
  fuzz_input *input;
  const cyxla_linalg_dtype *dtype;
  int64_t batch, m, n;
  char side, mode;
  array_list arguments, results;
  XLA_FFI_Scalar scalars[NUM_ATTRIBUTES];
  int32_t values[NUM_ATTRIBUTES];
  XLA_FFI_ByteSpan names[NUM_ATTRIBUTES];
  XLA_FFI_ByteSpan *name_pointers[NUM_ATTRIBUTES];
  XLA_FFI_AttrType attribute_types[NUM_ATTRIBUTES];
  void *attributes[NUM_ATTRIBUTES];
  int64_t num_attributes;
} linalg_frame;

static char message[MESSAGE_BYTES];

static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  FUZZ_CHECK(strlen(args->message) < sizeof(message), "the message is short");
  FUZZ_CHECK(strchr(args->message, ':') != NULL, "the message names the target");
  strcpy(message, args->message);
  return (XLA_FFI_Error *)message;
}

static int64_t size_of(const linalg_frame *frame, char letter) {
  int64_t rank = frame->m < frame->n ? frame->m : frame->n;

  switch (letter) {
    case 'm': return frame->m;
    case 'n': return frame->n;
    case 'k': return rank;
    case 'b': return frame->n > 0 ? frame->n - 1 : 0;
    case 'o': return frame->side == 'L' ? frame->m : frame->n;
    case 'p': return frame->m + 1;
    case 'u': return frame->mode == 'A' ? frame->m : rank;
    default: return frame->mode == 'A' ? frame->n : rank;
  }
}

static XLA_FFI_DataType dtype_of(const linalg_frame *frame, char letter) {
  switch (letter) {
    case 'v': return frame->dtype->value;
    case 'r': return frame->dtype->real;
    case 'c': return frame->dtype->complex_value;
    default: return XLA_FFI_DataType_S32;
  }
}

static size_t bytes_of(XLA_FFI_DataType dtype) {
  for (int i = 0; i < CYXLA_LINALG_NUM_DTYPES; i++) {
    if (cyxla_linalg_dtypes[i].value == dtype) return cyxla_linalg_dtypes[i].bytes;
  }
  return dtype == XLA_FFI_DataType_S64 ? 8 : 4;
}

/* Adds the array that a text begins with, and returns what follows. */
static const char *add_array(linalg_frame *frame, array_list *list, const char *text,
                             bool is_batched) {
  bool is_there = *text != '~' || !frame->dtype->is_complex;
  XLA_FFI_Buffer *buffer = &list->buffers[list->count];
  int64_t *dims = list->dims[list->count];

  if (*text == '~') text++;
  buffer->struct_size = sizeof(*buffer);
  buffer->dtype = dtype_of(frame, *text++);
  buffer->dims = dims;
  buffer->rank = 0;
  if (is_batched) dims[buffer->rank++] = frame->batch;
  while (*text != ' ' && *text != '\0') dims[buffer->rank++] = size_of(frame, *text++);
  if (is_there) list->count++;
  return *text == ' ' ? text + 1 : text;
}

static void add_attribute(linalg_frame *frame, const char *name, size_t length,
                          const char *choices, size_t num_choices) {
  int64_t i = frame->num_attributes++;
  uint8_t choice = fuzz_take_byte(frame->input);

  frame->names[i] = (XLA_FFI_ByteSpan){name, length};
  frame->name_pointers[i] = &frame->names[i];
  frame->attribute_types[i] = XLA_FFI_AttrType_SCALAR;
  frame->attributes[i] = &frame->scalars[i];
  frame->scalars[i] = (XLA_FFI_Scalar){XLA_FFI_DataType_U8, &frame->values[i]};
  frame->values[i] = choice >= 0xf0 ? choice : choices[choice % num_choices];
  if (*choices == '?') {
    frame->scalars[i].dtype = XLA_FFI_DataType_PRED;
    frame->values[i] = choice % 2;
  } else if (*choices == '#') {
    frame->scalars[i].dtype = XLA_FFI_DataType_S32;
    frame->values[i] = name[0] == 'l' ? 1 : (int32_t)frame->n;
    if (choice > 0x80) frame->values[i] = choice - 0xc0;
  }
  if (memcmp(name, "side", 4) == 0) frame->side = (char)frame->values[i];
  if (memcmp(name, "left", 4) == 0) frame->side = frame->values[i] != 0 ? 'L' : 'R';
  if (memcmp(name, "mode", 4) == 0) frame->mode = (char)frame->values[i];
}

static void add_attributes(linalg_frame *frame, const char *text) {
  while (*text != '\0') {
    const char *colon = strchr(text, ':');
    size_t num_choices = strcspn(colon + 1, " ");
    add_attribute(frame, text, (size_t)(colon - text), colon + 1, num_choices);
    text = colon + 1 + num_choices;
    if (*text == ' ') text++;
  }
}

/* Changes something of a frame that was right. */
static void change(linalg_frame *frame) {
  static const XLA_FFI_DataType dtypes[] = {
      XLA_FFI_DataType_F32, XLA_FFI_DataType_F64,  XLA_FFI_DataType_S32,
      XLA_FFI_DataType_C64, XLA_FFI_DataType_C128, XLA_FFI_DataType_S64};
  array_list *list =
      fuzz_take_below(frame->input, 2) == 0 ? &frame->arguments : &frame->results;
  size_t what = fuzz_take_below(frame->input, 6);
  XLA_FFI_Buffer *buffer;

  if (list->count == 0) return;
  buffer = &list->buffers[fuzz_take_below(frame->input, (size_t)list->count)];
  switch (what) {
    case 0: list->count--; break;
    case 1: buffer->dtype = dtypes[fuzz_take_below(frame->input, 6)]; break;
    case 2:
      if (buffer->rank > 0) buffer->rank--;
      break;
    case 3:
      if (buffer->rank < RANK) buffer->dims[buffer->rank++] = 1;
      break;
    case 4:
      if (frame->num_attributes > 0) frame->num_attributes--;
      break;
    default:
      if (buffer->rank == 0) break;
      buffer->dims[fuzz_take_below(frame->input, (size_t)buffer->rank)] =
          (int64_t)fuzz_take_below(frame->input, SIZES + 2);
  }
}

/* Gives each array memory of its size. Integers are small, as starts of rows and
 * columns are; a result may take over the first argument's. */
static void allocate(linalg_frame *frame, array_list *list, const array_list *others) {
  for (int64_t i = 0; i < list->count; i++) {
    XLA_FFI_Buffer *buffer = &list->buffers[i];
    const XLA_FFI_Buffer *other = others != NULL ? &others->buffers[0] : NULL;
    size_t bytes = bytes_of(buffer->dtype), count = 1;
    bool is_taken_over = other != NULL && others->count > 0 && i == 0 &&
                         fuzz_take_below(frame->input, 2) == 1 &&
                         buffer->dtype == other->dtype && buffer->rank == other->rank;
    for (int64_t k = 0; k < buffer->rank; k++) {
      count *= (size_t)buffer->dims[k];
      if (is_taken_over) is_taken_over = buffer->dims[k] == other->dims[k];
    }
    list->pointers[i] = buffer;
    list->types[i] = XLA_FFI_ArgType_BUFFER;
    if (is_taken_over) {
      buffer->data = other->data;
      continue;
    }
    buffer->data = count > 0 ? calloc(count, bytes) : NULL;
    if (bytes == 4 && buffer->dtype == XLA_FFI_DataType_S32) {
      for (size_t k = 0; k < count; k++) {
        ((int32_t *)buffer->data)[k] = (int32_t)fuzz_take_byte(frame->input) / 16;
      }
    } else {
      fuzz_take_bytes(frame->input, buffer->data, count * bytes);
    }
  }
}

static void release(linalg_frame *frame) {
  const void *first =
      frame->arguments.count > 0 ? frame->arguments.buffers[0].data : NULL;

  for (int64_t i = 0; i < frame->results.count; i++) {
    if (frame->results.buffers[i].data != first) free(frame->results.buffers[i].data);
  }
  for (int64_t i = 0; i < frame->arguments.count; i++) {
    free(frame->arguments.buffers[i].data);
  }
}

/* A copy of the first argument, which no handler may change; NULL where a result has
 * taken over its memory, or it has none. */
static void *copy_of_first(const linalg_frame *frame, size_t *bytes) {
  const XLA_FFI_Buffer *first = &frame->arguments.buffers[0];
  bool is_taken_over =
      frame->results.count > 0 && frame->results.buffers[0].data == first->data;
  void *copy;

  *bytes = bytes_of(first->dtype);
  for (int64_t i = 0; i < first->rank; i++) *bytes *= (size_t)first->dims[i];
  if (frame->arguments.count == 0 || is_taken_over || *bytes == 0) return NULL;
  copy = malloc(*bytes);
  if (copy != NULL) memcpy(copy, first->data, *bytes);
  return copy;
}

static void call(linalg_frame *frame, XLA_FFI_Handler *handler) {
  const XLA_FFI_Api api = {.struct_size = sizeof(api),
                           .XLA_FFI_Error_Create = create_error};
  XLA_FFI_CallFrame made = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                            .api = &api,
                            .stage = XLA_FFI_ExecutionStage_EXECUTE};
  size_t bytes;
  void *before;

  before = copy_of_first(frame, &bytes);
  made.args.size = frame->arguments.count;
  made.args.types = (XLA_FFI_ArgType *)frame->arguments.types;
  made.args.args = frame->arguments.pointers;
  made.rets.size = frame->results.count;
  made.rets.types = (XLA_FFI_RetType *)frame->results.types;
  made.rets.rets = frame->results.pointers;
  made.attrs.size = frame->num_attributes;
  made.attrs.types = frame->attribute_types;
  made.attrs.names = frame->name_pointers;
  made.attrs.attrs = frame->attributes;
  handler(&made);
  FUZZ_CHECK(
      before == NULL || memcmp(before, frame->arguments.buffers[0].data, bytes) == 0,
      "arguments stay as they are");
  free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const size_t num_shapes = sizeof(SHAPES) / sizeof(SHAPES[0]);
  fuzz_input input = {data, size};
  linalg_frame frame;
  size_t target = fuzz_take_below(&input, cyxla_linalg_num_targets());
  size_t shape = target / CYXLA_LINALG_NUM_DTYPES, num_changes;
  bool is_of_lapack = shape + 2 < num_shapes, is_batched;
  const char *text;

  /* The last two targets are of one shape each, for all dtypes. */
  if (!is_of_lapack) shape = num_shapes - (cyxla_linalg_num_targets() - target);
  memset(&frame, 0, sizeof(frame));
  frame.input = &input;
  frame.dtype = &cyxla_linalg_dtypes[is_of_lapack ? target % CYXLA_LINALG_NUM_DTYPES
                                                  : fuzz_take_below(&input, 4)];
  is_batched = shape + 1 < num_shapes && fuzz_take_below(&input, 2) == 1;
  frame.batch = (int64_t)fuzz_take_below(&input, 4);
  frame.m = (int64_t)fuzz_take_below(&input, SIZES);
  frame.n = (int64_t)fuzz_take_below(&input, SIZES);
  add_attributes(&frame, SHAPES[shape].attributes);
  for (text = SHAPES[shape].arguments; *text != '\0';) {
    text = add_array(&frame, &frame.arguments, text, is_batched);
  }
  for (text = SHAPES[shape].results; *text != '\0';) {
    text = add_array(&frame, &frame.results, text, is_batched);
  }
  num_changes = fuzz_take_below(&input, 4);
  if (is_of_lapack) {
    size_t integer_bytes = fuzz_take_below(&input, 2) == 0 ? 4 : 8;
    cyxla_linalg_set_function(
        target,
        model_lapack_function(target, integer_bytes, fuzz_take_below(&input, 9)),
        integer_bytes);
  }
  for (size_t i = 0; i < num_changes; i++) change(&frame);
  allocate(&frame, &frame.arguments, NULL);
  allocate(&frame, &frame.results, &frame.arguments);
  call(&frame, cyxla_linalg_handler(target));
  release(&frame);
  return 0;
}
