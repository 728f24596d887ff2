/* Thunks with sequences inside them: calls, loops and conditionals. */
#include "refusal.h"
#include "thunks_reading.h"

/* Fields of the messages of xla/backends/cpu/runtime/thunk.proto. */
enum { WHILE_CONDITION = 1, WHILE_BODY = 2, WHILE_TRIP_COUNT = 3, WHILE_PREDICATE = 4 };
enum { TRIP_COUNT_VALUE = 1, TRIP_COUNT_IS_KNOWN = 2 };
enum { CONDITIONAL_BRANCHES = 1, CONDITIONAL_INDEX = 2 };
enum { CALL_SEQUENCE = 1 };

/* The sequences in a field, one after the other. */
static cyxla_status read_sequences(cyxla_thunks_reading *in, cyxla_wire message,
                                   uint64_t number, size_t first, size_t count,
                                   cyxla_error *error) {
  cyxla_wire_field field;
  cyxla_status status = CYXLA_OK;
  size_t done = 0;

  while (status == CYXLA_OK && done < count && message.bytes > 0 &&
         cyxla_wire_next(&message, &field)) {
    if (field.number == number && field.type == CYXLA_WIRE_COUNTED) {
      status = cyxla_thunks_read_sequence(in, field.content, first + done++, error);
    }
  }
  return status;
}

static cyxla_status reserve_sequences(cyxla_thunks_reading *in, size_t index,
                                      size_t count, cyxla_error *error) {
  size_t first;
  cyxla_status status = cyxla_thunks_reserve_sequences(in, count, &first, error);

  in->thunks->operations[index].first_sequence = first;
  in->thunks->operations[index].num_sequences = count;
  return status;
}

cyxla_status cyxla_thunks_read_call(cyxla_thunks_reading *in, cyxla_wire message,
                                    size_t index, cyxla_error *error) {
  cyxla_status status = reserve_sequences(in, index, 1, error);

  if (status != CYXLA_OK) return status;
  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(CALL_SEQUENCE)) ||
      cyxla_wire_count(message, CALL_SEQUENCE) > 1) {
    return cyxla_direct_refuse("it has a call with a field that is not known", error);
  }
  in->thunks->operations[index].kind = CYXLA_OPERATION_CALL;
  return cyxla_thunks_read_sequence(in, cyxla_wire_content(message, CALL_SEQUENCE),
                                    in->thunks->operations[index].first_sequence,
                                    error);
}

cyxla_status cyxla_thunks_read_while(cyxla_thunks_reading *in, cyxla_wire message,
                                     size_t index, cyxla_error *error) {
  cyxla_wire trips = cyxla_wire_content(message, WHILE_TRIP_COUNT);
  cyxla_status status = reserve_sequences(in, index, 2, error);
  size_t first, bytes;

  if (status != CYXLA_OK) return status;
  first = in->thunks->operations[index].first_sequence;
  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(WHILE_PREDICATE)) ||
      !cyxla_wire_has_only(trips, CYXLA_WIRE_BITS_UP_TO(TRIP_COUNT_IS_KNOWN))) {
    return cyxla_direct_refuse("it has a loop with a field that is not known", error);
  }
  in->thunks->operations[index].kind = CYXLA_OPERATION_WHILE;
  in->thunks->operations[index].trip_count = CYXLA_TRIP_COUNT_UNKNOWN;
  if (cyxla_wire_value(trips, TRIP_COUNT_IS_KNOWN) != 0) {
    int64_t count = (int64_t)cyxla_wire_value(trips, TRIP_COUNT_VALUE);
    if (count < 0)
      return cyxla_direct_refuse("it has a loop of a negative length", error);
    in->thunks->operations[index].trip_count = count;
  } else {
    in->thunks->always_ends = false;
  }
  status = cyxla_thunks_add_slice(in, cyxla_wire_content(message, WHILE_PREDICATE),
                                  &bytes, error);
  if (status == CYXLA_OK && bytes != 1) {
    status =
        cyxla_direct_refuse("it has a loop with a condition that is no bool", error);
  }
  if (status == CYXLA_OK) {
    status = cyxla_thunks_read_sequence(
        in, cyxla_wire_content(message, WHILE_CONDITION), first, error);
  }
  if (status != CYXLA_OK) return status;
  return cyxla_thunks_read_sequence(in, cyxla_wire_content(message, WHILE_BODY),
                                    first + 1, error);
}

cyxla_status cyxla_thunks_read_conditional(cyxla_thunks_reading *in, cyxla_wire message,
                                           size_t index, cyxla_error *error) {
  size_t count = cyxla_wire_count(message, CONDITIONAL_BRANCHES), bytes;
  cyxla_status status;

  if (!cyxla_wire_has_only(message, CYXLA_WIRE_BITS_UP_TO(CONDITIONAL_INDEX)) ||
      count == 0) {
    return cyxla_direct_refuse("it has a conditional with a field that is not known",
                               error);
  }
  status = reserve_sequences(in, index, count, error);
  if (status != CYXLA_OK) return status;
  in->thunks->operations[index].kind = CYXLA_OPERATION_CONDITIONAL;
  status = cyxla_thunks_add_slice(in, cyxla_wire_content(message, CONDITIONAL_INDEX),
                                  &bytes, error);
  if (status != CYXLA_OK) return status;
  /* A bool chooses the first branch where it is true; a number of 4 bytes, any. */
  if (bytes != 4 && (bytes != 1 || count != 2)) {
    return cyxla_direct_refuse("it has a conditional on neither a bool nor an int32",
                               error);
  }
  return read_sequences(in, message, CONDITIONAL_BRANCHES,
                        in->thunks->operations[index].first_sequence, count, error);
}
