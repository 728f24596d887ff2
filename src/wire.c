#include "wire.h"

#include <string.h>

bool cyxla_wire_next_varint(cyxla_wire *rest, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64 && rest->bytes > 0; shift += 7) {
    unsigned char byte = *rest->data++;
    rest->bytes--;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

static bool take_bytes(cyxla_wire *rest, uint64_t bytes, cyxla_wire *content) {
  if (bytes > rest->bytes) return false;
  content->data = rest->data;
  content->bytes = (size_t)bytes;
  rest->data += content->bytes;
  rest->bytes -= content->bytes;
  return true;
}

bool cyxla_wire_next(cyxla_wire *rest, cyxla_wire_field *field) {
  uint64_t tag, bytes;

  field->value = 0;
  field->content.data = NULL;
  field->content.bytes = 0;
  if (!cyxla_wire_next_varint(rest, &tag)) return false;
  field->number = tag >> 3;
  field->type = (cyxla_wire_type)(tag & 7);
  switch (field->type) {
    case CYXLA_WIRE_VARINT: return cyxla_wire_next_varint(rest, &field->value);
    case CYXLA_WIRE_64_BITS: return take_bytes(rest, 8, &field->content);
    case CYXLA_WIRE_COUNTED:
      return cyxla_wire_next_varint(rest, &bytes) &&
             take_bytes(rest, bytes, &field->content);
    case CYXLA_WIRE_32_BITS: return take_bytes(rest, 4, &field->content);
    default: return false;
  }
}

cyxla_wire cyxla_wire_content(cyxla_wire message, uint64_t number) {
  cyxla_wire found = {NULL, 0};
  cyxla_wire_field field;

  while (message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    if (field.number == number && field.type == CYXLA_WIRE_COUNTED) {
      found = field.content;
    }
  }
  return found;
}

uint64_t cyxla_wire_value(cyxla_wire message, uint64_t number) {
  cyxla_wire_field field;
  uint64_t found = 0;

  while (message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    if (field.number == number && field.type == CYXLA_WIRE_VARINT) found = field.value;
  }
  return found;
}

bool cyxla_wire_is_text(cyxla_wire content, const char *text) {
  return content.bytes == strlen(text) &&
         (content.bytes == 0 || memcmp(content.data, text, content.bytes) == 0);
}

bool cyxla_wire_text(cyxla_wire content, char *text, size_t capacity) {
  if (content.bytes >= capacity) return false;
  if (content.bytes > 0) memcpy(text, content.data, content.bytes);
  text[content.bytes] = '\0';
  return true;
}

size_t cyxla_wire_count(cyxla_wire message, uint64_t number) {
  cyxla_wire_field field;
  size_t count = 0;

  while (message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    if (field.number == number && field.type == CYXLA_WIRE_COUNTED) count++;
  }
  return count;
}

bool cyxla_wire_has_only(cyxla_wire message, uint64_t mask) {
  cyxla_wire_field field;

  while (message.bytes > 0) {
    if (!cyxla_wire_next(&message, &field) || field.number > 63 ||
        (mask >> field.number & 1) == 0) {
      return false;
    }
  }
  return true;
}

size_t cyxla_wire_numbers(cyxla_wire message, uint64_t number, int64_t *numbers,
                          size_t capacity) {
  cyxla_wire_field field;
  size_t count = 0;

  while (message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    uint64_t value = field.value;
    if (field.number != number) continue;
    if (field.type == CYXLA_WIRE_VARINT) {
      if (count < capacity) numbers[count] = (int64_t)value;
      count++;
    }
    if (field.type != CYXLA_WIRE_COUNTED) continue;
    while (field.content.bytes > 0 && cyxla_wire_next_varint(&field.content, &value)) {
      if (count < capacity) numbers[count] = (int64_t)value;
      count++;
    }
  }
  return count;
}
