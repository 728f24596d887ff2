#include "frame.h"

#include <string.h>

enum {
  NUM_ARGUMENTS = 6,
  NUM_ATTRIBUTES = 8,
  NUM_EXTENSIONS = 4,
  NUM_ELEMENTS_MAXIMUM = 512, /* of an array that has memory */
  RANK_MAXIMUM = 5,
  DEPTH_MAXIMUM = 2, /* of dictionaries */
  MESSAGE_BYTES = 4096,
  ALIAS = 0x80, /* bytes from here on ask for a result in an argument's memory */
  ANY = 0xf0    /* bytes from here on stand for what XLA does not make */
};

typedef struct builder {
  fuzz_input *input;
  const fuzz_frame_options *options;
  fuzz_frame built;
  size_t capacity;
} builder;

static char created_message[MESSAGE_BYTES];

static const XLA_FFI_DataType DTYPES[] = {
    XLA_FFI_DataType_F32,  XLA_FFI_DataType_F64, XLA_FFI_DataType_S32,
    XLA_FFI_DataType_S64,  XLA_FFI_DataType_C64, XLA_FFI_DataType_C128,
    XLA_FFI_DataType_PRED, XLA_FFI_DataType_U8,  XLA_FFI_DataType_S8,
    XLA_FFI_DataType_S16,  XLA_FFI_DataType_U16, XLA_FFI_DataType_U32,
    XLA_FFI_DataType_U64,  XLA_FFI_DataType_F16, XLA_FFI_DataType_BF16,
};

static const int64_t ODD_SIZES[] = {
    -1,           INT64_MIN, INT64_MAX, INT64_C(1) << 62,    INT64_C(1) << 32,
    INT32_MAX,    INT32_MIN, -2,        INT64_C(3037000500), INT64_MAX / 2 + 1,
    INT64_MAX / 3};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

size_t fuzz_dtype_bytes(XLA_FFI_DataType dtype) {
  switch (dtype) {
    case XLA_FFI_DataType_PRED:
    case XLA_FFI_DataType_S8:
    case XLA_FFI_DataType_U8: return 1;
    case XLA_FFI_DataType_S16:
    case XLA_FFI_DataType_U16:
    case XLA_FFI_DataType_F16:
    case XLA_FFI_DataType_BF16: return 2;
    case XLA_FFI_DataType_S32:
    case XLA_FFI_DataType_U32:
    case XLA_FFI_DataType_F32: return 4;
    case XLA_FFI_DataType_S64:
    case XLA_FFI_DataType_U64:
    case XLA_FFI_DataType_F64:
    case XLA_FFI_DataType_C64: return 8;
    case XLA_FFI_DataType_C128: return 16;
    default: return 0;
  }
}

static XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  FUZZ_CHECK(args->struct_size >= sizeof(*args), "the error's struct is complete");
  FUZZ_CHECK(strlen(args->message) < sizeof(created_message), "the message is short");
  strcpy(created_message, args->message);
  return (XLA_FFI_Error *)created_message;
}

static const XLA_FFI_Api API = {
    .struct_size = sizeof(XLA_FFI_Api),
    .api_version = {sizeof(XLA_FFI_Api_Version), NULL, XLA_FFI_API_MAJOR,
                    XLA_FFI_API_MINOR},
    .XLA_FFI_Error_Create = create_error,
};

const char *fuzz_frame_message(void) {
  return created_message;
}

/* Zeroed memory that ends where it ends, also where it has no bytes: malloc(0) has one
 * that the sanitizer lets pass. `offset` makes it lie badly aligned. */
static void *allocate(builder *self, size_t bytes, size_t offset) {
  size_t before = bytes == 0 || offset > 0 ? 16 + offset : 0;
  uint8_t *block = calloc(1, before + bytes);

  if (self->built.num_blocks == self->capacity) {
    self->capacity = self->capacity * 2 + 64;
    self->built.blocks =
        realloc(self->built.blocks, self->capacity * sizeof(*self->built.blocks));
  }
  if (block == NULL || self->built.blocks == NULL) abort();
  self->built.blocks[self->built.num_blocks++] = block;
  return block + before;
}

/* Memory filled with what comes next in the input. */
static void *allocate_filled(builder *self, size_t bytes, size_t offset) {
  void *memory = allocate(self, bytes, offset);

  fuzz_take_bytes(self->input, memory, bytes);
  return memory;
}

/* A byte that may ask for what XLA does not make. */
static uint8_t take_choice(builder *self, bool *is_odd) {
  uint8_t byte = fuzz_take_byte(self->input);

  *is_odd = byte >= ANY && !self->options->is_as_by_xla;
  return byte;
}

static XLA_FFI_DataType take_dtype(builder *self) {
  bool is_odd;
  uint8_t choice = take_choice(self, &is_odd);

  if (!is_odd) return DTYPES[choice % COUNT(DTYPES)];
  return (XLA_FFI_DataType)(choice - ANY < 8 ? choice : choice - 0xff);
}

/* How many of something there are, and what the frame says, which is a negative number
 * at times. */
static size_t take_count(builder *self, size_t limit, int64_t *said) {
  bool is_odd;
  uint8_t choice = take_choice(self, &is_odd);
  size_t count = is_odd ? 0 : choice % limit;

  *said = (int64_t)count;
  if (is_odd) *said = choice % 2 == 0 ? -1 : INT64_MIN;
  return count;
}

/* The values of an array, and of bools only those that there are. */
static void *take_values(builder *self, XLA_FFI_DataType dtype, size_t count,
                         size_t offset) {
  size_t bytes = count * fuzz_dtype_bytes(dtype);
  uint8_t *values = allocate_filled(self, bytes, offset);

  if (dtype == XLA_FFI_DataType_PRED && self->options->is_as_by_xla) {
    for (size_t i = 0; i < count; i++) values[i] &= 1;
  }
  return values;
}

static XLA_FFI_Buffer *take_buffer(builder *self) {
  XLA_FFI_Buffer *buffer = allocate(self, sizeof(*buffer), 0);
  size_t count = 1, rank;
  bool is_odd, has_memory;

  buffer->struct_size = sizeof(*buffer);
  buffer->dtype = take_dtype(self);
  rank = take_count(self, RANK_MAXIMUM, &buffer->rank);
  has_memory = buffer->rank >= 0;
  if (rank > 0) buffer->dims = allocate(self, rank * sizeof(int64_t), 0);
  for (size_t i = 0; i < rank; i++) {
    uint8_t choice = take_choice(self, &is_odd);
    size_t size = choice % 8;
    if (is_odd) {
      buffer->dims[i] = ODD_SIZES[choice % COUNT(ODD_SIZES)];
      has_memory = false;
      continue;
    }
    if (count * size > NUM_ELEMENTS_MAXIMUM) size = 1;
    buffer->dims[i] = (int64_t)size;
    count *= size;
  }
  if (has_memory && count > 0)
    buffer->data = take_values(self, buffer->dtype, count, 0);
  return buffer;
}

/* A result that takes over the memory of an argument, which a program may ask for where
 * both are alike. NULL where that is not to be. */
static XLA_FFI_Buffer *take_alias(builder *self, const XLA_FFI_Args *arguments,
                                  uint8_t choice) {
  const XLA_FFI_Buffer *argument;
  XLA_FFI_Buffer *buffer;
  size_t bytes;

  if (choice < ALIAS || arguments == NULL || arguments->size <= 0) return NULL;
  if (arguments->types[choice % arguments->size] != XLA_FFI_ArgType_BUFFER) return NULL;
  argument = arguments->args[choice % arguments->size];
  buffer = allocate(self, sizeof(*buffer), 0);
  *buffer = *argument;
  bytes = argument->rank > 0 ? (size_t)argument->rank * sizeof(int64_t) : 0;
  buffer->dims = allocate(self, bytes, 0);
  if (bytes > 0) memcpy(buffer->dims, argument->dims, bytes);
  return buffer;
}

/* Arguments and results are alike but for the names of their types, and for what
 * results take over of arguments, which are NULL for arguments themselves. */
static void take_buffers(builder *self, const XLA_FFI_Args *arguments, int64_t *said,
                         int **types, void ***buffers) {
  size_t count = take_count(self, NUM_ARGUMENTS, said);

  *types = allocate(self, count * sizeof(**types), 0);
  *buffers = allocate(self, count * sizeof(**buffers), 0);
  for (size_t i = 0; i < count; i++) {
    bool is_odd;
    uint8_t choice = take_choice(self, &is_odd);
    (*types)[i] = is_odd ? choice - 0xf8 : XLA_FFI_ArgType_BUFFER;
    if ((*types)[i] != XLA_FFI_ArgType_BUFFER) {
      (*buffers)[i] = allocate(self, 0, 0);
      continue;
    }
    (*buffers)[i] = take_alias(self, arguments, choice);
    if ((*buffers)[i] == NULL) (*buffers)[i] = take_buffer(self);
  }
}

/* Text without an end, NULL at times where there is none. */
static XLA_FFI_ByteSpan *take_text(builder *self, size_t limit) {
  XLA_FFI_ByteSpan *span = allocate(self, sizeof(*span), 0);
  uint8_t choice = fuzz_take_byte(self->input);

  span->len = choice % limit;
  if (span->len > 0 || choice > 0x7f) span->ptr = allocate_filled(self, span->len, 0);
  return span;
}

static XLA_FFI_ByteSpan *take_name(builder *self) {
  uint8_t choice = fuzz_take_byte(self->input);
  XLA_FFI_ByteSpan *span;
  const char *name;
  char *copy;

  if (self->options->num_names == 0 || choice >= ANY) return take_text(self, 9);
  name = self->options->names[choice % self->options->num_names];
  span = allocate(self, sizeof(*span), 0);
  span->len = strlen(name);
  copy = allocate(self, span->len, 0);
  memcpy(copy, name, span->len);
  span->ptr = copy;
  return span;
}

static void *take_scalar(builder *self) {
  XLA_FFI_Scalar *scalar = allocate(self, sizeof(*scalar), 0);
  bool is_odd;
  uint8_t choice;

  scalar->dtype = take_dtype(self);
  choice = take_choice(self, &is_odd);
  scalar->value = take_values(self, scalar->dtype, 1, is_odd ? choice % 8 : 0);
  return scalar;
}

static void *take_array(builder *self) {
  XLA_FFI_Array *array = allocate(self, sizeof(*array), 0);

  array->dtype = take_dtype(self);
  array->size = fuzz_take_below(self->input, 9);
  if (array->size > 0) array->data = take_values(self, array->dtype, array->size, 0);
  return array;
}

static bool is_taken(const XLA_FFI_Attrs *attributes, const XLA_FFI_ByteSpan *name) {
  for (int64_t i = 0; i < attributes->size; i++) {
    const XLA_FFI_ByteSpan *other = attributes->names[i];
    if (other->len == name->len &&
        (name->len == 0 || memcmp(other->ptr, name->ptr, name->len) == 0)) {
      return true;
    }
  }
  return false;
}

static void take_attributes(builder *self, XLA_FFI_Attrs *attributes, int depth);

static void *take_attribute(builder *self, XLA_FFI_AttrType *type, int depth) {
  static const XLA_FFI_AttrType TYPES[] = {
      XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_ARRAY, XLA_FFI_AttrType_STRING,
      XLA_FFI_AttrType_DICTIONARY};
  bool is_odd;
  uint8_t choice = take_choice(self, &is_odd);

  *type = is_odd ? (XLA_FFI_AttrType)(choice - 0xf8) : TYPES[choice % COUNT(TYPES)];
  switch (*type) {
    case XLA_FFI_AttrType_SCALAR: return take_scalar(self);
    case XLA_FFI_AttrType_ARRAY: return take_array(self);
    case XLA_FFI_AttrType_STRING: return take_text(self, 17);
    case XLA_FFI_AttrType_DICTIONARY: {
      XLA_FFI_Attrs *inner = allocate(self, sizeof(*inner), 0);
      take_attributes(self, inner, depth + 1);
      return inner;
    }
    default: return allocate(self, 0, 0);
  }
}

static void take_attributes(builder *self, XLA_FFI_Attrs *attributes, int depth) {
  int64_t said = 0;
  size_t count = depth <= DEPTH_MAXIMUM ? take_count(self, NUM_ATTRIBUTES, &said) : 0;

  attributes->struct_size = sizeof(*attributes);
  attributes->types = allocate(self, count * sizeof(*attributes->types), 0);
  attributes->names = allocate(self, count * sizeof(*attributes->names), 0);
  attributes->attrs = allocate(self, count * sizeof(*attributes->attrs), 0);
  for (size_t i = 0; i < count; i++) {
    XLA_FFI_ByteSpan *name = take_name(self);
    XLA_FFI_AttrType type;
    void *attribute = take_attribute(self, &type, depth);
    if (self->options->is_as_by_xla && is_taken(attributes, name)) continue;
    attributes->names[attributes->size] = name;
    attributes->types[attributes->size] = type;
    attributes->attrs[attributes->size++] = attribute;
  }
  if (said < 0) attributes->size = said;
}

/* A chain of extensions, some of which ask what the handler is. Their structs end where
 * an older version of the FFI ends them. */
static void take_extensions(builder *self) {
  XLA_FFI_InternalExtension **end = &self->built.frame->extension_start;
  size_t count = fuzz_take_below(self->input, NUM_EXTENSIONS);

  for (size_t i = 0; i < count; i++) {
    int type = (int)fuzz_take_below(self->input, 4);
    bool asks = type == XLA_FFI_Extension_Metadata;
    size_t bytes =
        asks ? sizeof(XLA_FFI_Metadata_Extension) : sizeof(XLA_FFI_InternalExtension);
    XLA_FFI_InternalExtension *extension = allocate(self, bytes, 0);
    extension->struct_size = bytes;
    extension->type = (XLA_FFI_InternalExtension_Type)type;
    if (asks) {
      XLA_FFI_Metadata *metadata = allocate(self, XLA_FFI_Metadata_STRUCT_SIZE, 0);
      memset(metadata, 0xa5, XLA_FFI_Metadata_STRUCT_SIZE);
      metadata->struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
      ((XLA_FFI_Metadata_Extension *)extension)->metadata = metadata;
      if (self->built.metadata == NULL) self->built.metadata = metadata;
    }
    *end = extension;
    end = &extension->next;
  }
}

fuzz_frame fuzz_frame_build(fuzz_input *input, const fuzz_frame_options *options) {
  builder self = {input, options, {NULL, NULL, NULL, 0}, 0};
  /* Frames of later versions are longer. */
  size_t bytes = XLA_FFI_CallFrame_STRUCT_SIZE + 8 * fuzz_take_below(input, 3);
  XLA_FFI_CallFrame *frame = allocate(&self, bytes, 0);
  int *types;

  created_message[0] = '\0';
  self.built.frame = frame;
  frame->struct_size = bytes;
  frame->api = &API;
  frame->stage = (XLA_FFI_ExecutionStage)fuzz_take_below(input, 5);
  take_extensions(&self);
  frame->args.struct_size = sizeof(frame->args);
  take_buffers(&self, NULL, &frame->args.size, &types, &frame->args.args);
  frame->args.types = (XLA_FFI_ArgType *)types;
  frame->rets.struct_size = sizeof(frame->rets);
  take_buffers(&self, &frame->args, &frame->rets.size, &types, &frame->rets.rets);
  frame->rets.types = (XLA_FFI_RetType *)types;
  take_attributes(&self, &frame->attrs, 0);
  return self.built;
}

void fuzz_frame_free(fuzz_frame *built) {
  for (size_t i = 0; i < built->num_blocks; i++) free(built->blocks[i]);
  free(built->blocks);
  memset(built, 0, sizeof(*built));
}
