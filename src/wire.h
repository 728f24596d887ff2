/* The wire format of protocol buffers, in which XLA's messages are serialized: read
 * field by field, with every length checked. */
#ifndef CYXLA_WIRE_H
#define CYXLA_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a message, or a counted field's content. */
typedef struct cyxla_wire {
  const unsigned char *data;
  size_t bytes;
} cyxla_wire;

typedef enum cyxla_wire_type {
  CYXLA_WIRE_VARINT = 0,
  CYXLA_WIRE_64_BITS = 1,
  CYXLA_WIRE_COUNTED = 2,
  CYXLA_WIRE_32_BITS = 5
} cyxla_wire_type;

typedef struct cyxla_wire_field {
  uint64_t number;
  cyxla_wire_type type;
  uint64_t value;     /* of a varint */
  cyxla_wire content; /* of all other types */
} cyxla_wire_field;

/* Takes the next field off a message that is not empty. False for what is no field, and
 * for groups, which no message of XLA has. */
bool cyxla_wire_next(cyxla_wire *rest, cyxla_wire_field *field);

/* Takes the next number off a list of them without tags. */
bool cyxla_wire_next_varint(cyxla_wire *rest, uint64_t *value);

/* The last field of that number and type counts, as in every message. Of a message that
 * is broken, what stands before the break counts. */
cyxla_wire cyxla_wire_content(cyxla_wire message, uint64_t number);
uint64_t cyxla_wire_value(cyxla_wire message, uint64_t number);

/* Whether content is just that text. */
bool cyxla_wire_is_text(cyxla_wire content, const char *text);

/* Copies content that is a text; false where there is no room for it. */
bool cyxla_wire_text(cyxla_wire content, char *text, size_t capacity);

/* How many fields of that number hold messages or other counted bytes. */
size_t cyxla_wire_count(cyxla_wire message, uint64_t number);

/* Whether a message has fields of these numbers only: a number is a bit of the mask. */
bool cyxla_wire_has_only(cyxla_wire message, uint64_t mask);
#define CYXLA_WIRE_BIT(number) ((uint64_t)1 << (number))
/* The mask of the fields from 1 on. */
#define CYXLA_WIRE_BITS_UP_TO(last) (CYXLA_WIRE_BIT((last) + 1) - CYXLA_WIRE_BIT(1))

/* The numbers of a repeated field, whether they stand in a list or one by one: how many
 * there are, of which the first `capacity` are written. */
size_t cyxla_wire_numbers(cyxla_wire message, uint64_t number, int64_t *numbers,
                          size_t capacity);

#endif
