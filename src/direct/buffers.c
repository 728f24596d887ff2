#include "buffers.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "memory.h"
#include "refusal.h"

/* Fields of the messages of xla/service/hlo.proto. */
enum { ASSIGNMENT_LOGICAL_BUFFERS = 1, ASSIGNMENT_ALLOCATIONS = 3 };
enum { LOGICAL_ID = 1, LOGICAL_DEFINED_AT = 3 };
enum { LOCATION_SHAPE_INDEX = 3, LOCATION_INSTRUCTION = 4 };
enum {
  ALLOCATION_INDEX = 1,
  ALLOCATION_SIZE = 2,
  ALLOCATION_IS_THREAD_LOCAL = 3,
  ALLOCATION_IS_ENTRY_PARAMETER = 5,
  ALLOCATION_PARAMETER_NUMBER = 6,
  ALLOCATION_MAYBE_LIVE_OUT = 7,
  ALLOCATION_COLOR = 8,
  ALLOCATION_ASSIGNED = 9,
  ALLOCATION_PARAMETER_SHAPE_INDEX = 10,
  ALLOCATION_IS_TUPLE = 11,
  ALLOCATION_IS_CONSTANT = 12,
  ALLOCATION_LAST = 13
};
enum { ASSIGNED_LOGICAL_ID = 1, ASSIGNED_OFFSET = 2 };
enum { PROGRAM_PARAMETERS = 1, PROGRAM_RESULT = 2, SHAPE_TUPLE = 4 };

/* Steps from an output to what defines it. */
enum { STEPS_MAXIMUM = 256 };

/* A value, and where it is defined and lies. */
typedef struct logical_buffer {
  int64_t id;
  cyxla_hlo_place place;
  int64_t allocation; /* -1: none */
  uint64_t offset;
} logical_buffer;

typedef struct reading {
  const cyxla_hlo *hlo;
  const cyxla_program *program;
  cyxla_allocation_list *list;
  bool *may_live_out;      /* [list->count] */
  logical_buffer *buffers; /* [num_buffers], in the order of ids */
  size_t num_buffers;
  logical_buffer **places; /* [num_buffers], in the order of places */
} reading;

static int compare_buffers(const void *a, const void *b) {
  const logical_buffer *one = a, *other = b;

  return one->id < other->id ? -1 : one->id > other->id;
}

static int compare_places(const cyxla_hlo_place *a, const cyxla_hlo_place *b) {
  if (a->instruction != b->instruction) return a->instruction < b->instruction ? -1 : 1;
  if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
  for (size_t i = 0; i < a->depth; i++) {
    if (a->index[i] != b->index[i]) return a->index[i] < b->index[i] ? -1 : 1;
  }
  return 0;
}

static int compare_by_place(const void *a, const void *b) {
  const logical_buffer *const *one = a, *const *other = b;

  return compare_places(&(*one)->place, &(*other)->place);
}

static cyxla_status read_logical_buffers(reading *in, cyxla_wire assignment,
                                         cyxla_error *error) {
  size_t count = cyxla_wire_count(assignment, ASSIGNMENT_LOGICAL_BUFFERS);
  cyxla_wire_field field;

  in->buffers = cyxla_allocate_array(count, sizeof(*in->buffers));
  in->places = cyxla_allocate_array(count, sizeof(*in->places));
  if (in->buffers == NULL || in->places == NULL) {
    return cyxla_error_out_of_memory(error, "code");
  }
  while (assignment.bytes > 0 && cyxla_wire_next(&assignment, &field)) {
    logical_buffer *buffer = &in->buffers[in->num_buffers];
    cyxla_wire location;
    if (field.number != ASSIGNMENT_LOGICAL_BUFFERS ||
        field.type != CYXLA_WIRE_COUNTED) {
      continue;
    }
    location = cyxla_wire_content(field.content, LOGICAL_DEFINED_AT);
    buffer->id = (int64_t)cyxla_wire_value(field.content, LOGICAL_ID);
    buffer->allocation = -1;
    buffer->place.instruction =
        (int64_t)cyxla_wire_value(location, LOCATION_INSTRUCTION);
    buffer->place.depth = cyxla_wire_numbers(
        location, LOCATION_SHAPE_INDEX, buffer->place.index, CYXLA_HLO_DEPTH_MAXIMUM);
    /* What lies deeper cannot be looked for, and so is never found. */
    if (buffer->place.depth > CYXLA_HLO_DEPTH_MAXIMUM) {
      buffer->place.instruction = -1;
      buffer->place.depth = 0;
    }
    in->num_buffers++;
  }
  qsort(in->buffers, in->num_buffers, sizeof(*in->buffers), compare_buffers);
  for (size_t i = 0; i < in->num_buffers; i++) in->places[i] = &in->buffers[i];
  qsort(in->places, in->num_buffers, sizeof(*in->places), compare_by_place);
  for (size_t i = 1; i < in->num_buffers; i++) {
    if (in->places[i]->place.instruction >= 0 &&
        compare_by_place(&in->places[i - 1], &in->places[i]) == 0) {
      return cyxla_direct_refuse("a value of it lies in two places", error);
    }
  }
  return CYXLA_OK;
}

/* The value that is assigned to an allocation; NULL where it is not in the list. */
static logical_buffer *find_assigned(const reading *in, cyxla_wire assigned) {
  const logical_buffer key = {
      .id = (int64_t)cyxla_wire_value(assigned, ASSIGNED_LOGICAL_ID)};

  return in->num_buffers > 0 ? bsearch(&key, in->buffers, in->num_buffers,
                                       sizeof(*in->buffers), compare_buffers)
                             : NULL;
}

/* Notes that a value lies in an allocation; false where it lies in one already. */
static bool read_assigned(reading *in, cyxla_wire assigned, size_t index) {
  logical_buffer *buffer = find_assigned(in, assigned);

  if (buffer == NULL) return true;
  if (buffer->allocation >= 0) return false;
  buffer->allocation = (int64_t)index;
  buffer->offset = cyxla_wire_value(assigned, ASSIGNED_OFFSET);
  return true;
}

static cyxla_status read_constant(reading *in, cyxla_wire message,
                                  cyxla_allocation *allocation, cyxla_error *error) {
  cyxla_wire_field field;

  while (message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    const logical_buffer *buffer;
    const cyxla_hlo_instruction *instruction;
    if (field.number != ALLOCATION_ASSIGNED || field.type != CYXLA_WIRE_COUNTED)
      continue;
    buffer = find_assigned(in, field.content);
    if (buffer == NULL || buffer->offset != 0 || buffer->place.depth > 0) continue;
    instruction = cyxla_hlo_find(in->hlo, buffer->place.instruction);
    /* An element of 8 bytes takes at least one, so that the constant is no longer. */
    if (instruction == NULL || allocation->bytes / 8 > instruction->message.bytes) {
      continue;
    }
    if (allocation->constant == NULL) {
      allocation->constant = cyxla_aligned_alloc(allocation->bytes);
    }
    if (allocation->constant == NULL)
      return cyxla_error_out_of_memory(error, "a constant");
    if (cyxla_hlo_literal(instruction->message, allocation->constant,
                          allocation->bytes)) {
      return CYXLA_OK;
    }
  }
  return cyxla_direct_refuse("it has a constant without a value that is known", error);
}

static cyxla_status place_input(reading *in, cyxla_wire message,
                                cyxla_allocation *allocation, cyxla_error *error) {
  uint64_t number = cyxla_wire_value(message, ALLOCATION_PARAMETER_NUMBER);

  if (number >= in->program->inputs.count ||
      in->program->inputs.specs[number].bytes != allocation->bytes ||
      cyxla_wire_content(message, ALLOCATION_PARAMETER_SHAPE_INDEX).bytes > 0) {
    return cyxla_direct_refuse("its inputs are not those of its signature", error);
  }
  for (size_t i = 0; i < in->list->count; i++) {
    if (in->list->items[i].input == (int64_t)number) {
      return cyxla_direct_refuse("an input of it has two places", error);
    }
  }
  allocation->input = (int64_t)number;
  return CYXLA_OK;
}

static cyxla_status read_allocation(reading *in, cyxla_wire message, size_t index,
                                    cyxla_error *error) {
  cyxla_allocation *allocation = &in->list->items[index];
  cyxla_wire rest = message;
  cyxla_wire_field field;

  while (rest.bytes > 0) {
    if (!cyxla_wire_next(&rest, &field) || field.number > ALLOCATION_LAST) {
      return cyxla_direct_refuse("it has an allocation with a field that is not known",
                                 error);
    }
    if (field.number == ALLOCATION_ASSIGNED && field.type == CYXLA_WIRE_COUNTED &&
        !read_assigned(in, field.content, index)) {
      return cyxla_direct_refuse("a value of it lies in two places", error);
    }
  }
  if (cyxla_wire_value(message, ALLOCATION_INDEX) != index ||
      cyxla_wire_value(message, ALLOCATION_SIZE) > (uint64_t)INT64_MAX / 2 ||
      cyxla_wire_value(message, ALLOCATION_COLOR) != 0) {
    return cyxla_direct_refuse("it has an allocation that is not known", error);
  }
  allocation->bytes = (size_t)cyxla_wire_value(message, ALLOCATION_SIZE);
  allocation->input = allocation->output = -1;
  allocation->is_thread_local =
      cyxla_wire_value(message, ALLOCATION_IS_THREAD_LOCAL) != 0;
  allocation->is_constant = cyxla_wire_value(message, ALLOCATION_IS_CONSTANT) != 0;
  in->may_live_out[index] = cyxla_wire_value(message, ALLOCATION_MAYBE_LIVE_OUT) != 0 &&
                            cyxla_wire_value(message, ALLOCATION_IS_TUPLE) == 0;
  if (cyxla_wire_value(message, ALLOCATION_IS_ENTRY_PARAMETER) != 0) {
    return place_input(in, message, allocation, error);
  }
  return CYXLA_OK;
}

static cyxla_status read_allocations(reading *in, cyxla_wire assignment,
                                     cyxla_error *error) {
  size_t count = cyxla_wire_count(assignment, ASSIGNMENT_ALLOCATIONS);
  cyxla_wire rest = assignment;
  cyxla_wire_field field;
  size_t index = 0;

  in->list->items = cyxla_allocate_array(count, sizeof(*in->list->items));
  in->may_live_out = cyxla_allocate_array(count, sizeof(*in->may_live_out));
  if (in->list->items == NULL || in->may_live_out == NULL) {
    return cyxla_error_out_of_memory(error, "code");
  }
  while (rest.bytes > 0 && cyxla_wire_next(&rest, &field)) {
    cyxla_status status;
    if (field.number != ASSIGNMENT_ALLOCATIONS || field.type != CYXLA_WIRE_COUNTED) {
      continue;
    }
    status = read_allocation(in, field.content, index++, error);
    if (status != CYXLA_OK) return status;
    in->list->count = index;
  }
  for (index = 0; assignment.bytes > 0 && cyxla_wire_next(&assignment, &field);) {
    cyxla_status status = CYXLA_OK;
    if (field.number != ASSIGNMENT_ALLOCATIONS || field.type != CYXLA_WIRE_COUNTED) {
      continue;
    }
    if (in->list->items[index].is_constant) {
      status = read_constant(in, field.content, &in->list->items[index], error);
    }
    if (status != CYXLA_OK) return status;
    index++;
  }
  return CYXLA_OK;
}

static const logical_buffer *find_value(const reading *in,
                                        const cyxla_hlo_place *place) {
  size_t low = 0, high = in->num_buffers;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_places(&in->places[middle]->place, place);
    if (order == 0) return in->places[middle];
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

static cyxla_status place_output(reading *in, int64_t root, bool is_tuple, size_t index,
                                 cyxla_error *error) {
  cyxla_hlo_place place = {root, is_tuple ? 1 : 0, {(int64_t)index}};
  const logical_buffer *value = find_value(in, &place);
  cyxla_allocation *allocation;

  for (int i = 0; value == NULL && i < STEPS_MAXIMUM; i++) {
    if (!cyxla_hlo_step(in->hlo, &place)) break;
    value = find_value(in, &place);
  }
  if (value == NULL || value->allocation < 0) {
    return cyxla_direct_refuse("where an output of it lies cannot be told", error);
  }
  allocation = &in->list->items[value->allocation];
  if (!in->may_live_out[value->allocation] || value->offset != 0 ||
      allocation->output >= 0 || allocation->is_constant ||
      allocation->is_thread_local ||
      allocation->bytes != in->program->outputs.specs[index].bytes) {
    return cyxla_direct_refuse("an output of it shares its memory", error);
  }
  if (allocation->input >= 0 &&
      in->program->inputs.specs[allocation->input].aliased_output != (int64_t)index) {
    return cyxla_direct_refuse("an output of it is an input that is not donated",
                               error);
  }
  allocation->output = (int64_t)index;
  return CYXLA_OK;
}

static bool is_as_signed(cyxla_wire message, const cyxla_array_spec *spec) {
  cyxla_hlo_shape shape;

  return cyxla_hlo_shape_read(message, &shape) && shape.is_row_major &&
         cyxla_hlo_dtype(shape.element_type) == spec->dtype &&
         shape.rank == spec->rank &&
         (shape.rank == 0 ||
          memcmp(shape.sizes, spec->shape, shape.rank * sizeof(shape.sizes[0])) == 0);
}

/* Whether all arrays of a message's field, one after the other, are those of a list. */
static bool are_as_signed(cyxla_wire message, uint64_t number,
                          const cyxla_program_arrays *arrays) {
  cyxla_wire_field field;
  size_t count = 0;

  while (message.bytes > 0 && cyxla_wire_next(&message, &field)) {
    if (field.number != number || field.type != CYXLA_WIRE_COUNTED) continue;
    if (count >= arrays->count || !is_as_signed(field.content, &arrays->specs[count])) {
      return false;
    }
    count++;
  }
  return count == arrays->count;
}

static cyxla_status place_outputs(reading *in, cyxla_error *error) {
  const cyxla_program_arrays *outputs = &in->program->outputs;
  const cyxla_hlo_computation *entry =
      cyxla_hlo_find_computation(in->hlo, in->hlo->entry);
  cyxla_wire result = cyxla_wire_content(in->hlo->parameters, PROGRAM_RESULT);
  cyxla_status status = CYXLA_OK;
  cyxla_hlo_shape shape;
  bool is_tuple;

  if (entry == NULL || !cyxla_hlo_shape_read(result, &shape)) {
    return cyxla_direct_refuse("its module has no entry", error);
  }
  is_tuple = shape.element_type == CYXLA_HLO_TUPLE;
  if (!are_as_signed(in->hlo->parameters, PROGRAM_PARAMETERS, &in->program->inputs) ||
      (is_tuple ? !are_as_signed(result, SHAPE_TUPLE, outputs)
                : outputs->count != 1 || !is_as_signed(result, &outputs->specs[0]))) {
    return cyxla_direct_refuse(
        "its arrays are not those of its signature in row-major order", error);
  }
  for (size_t i = 0; status == CYXLA_OK && i < outputs->count; i++) {
    status = place_output(in, entry->root, is_tuple, i, error);
  }
  return status;
}

/* Calls have a donated input and its output in one place, and the caller may bind both
 * to the same memory. A signature may say so of code that knows nothing of it. */
static cyxla_status check_donations(const reading *in, cyxla_error *error) {
  for (size_t i = 0; i < in->list->count; i++) {
    const cyxla_allocation *item = &in->list->items[i];
    const cyxla_array_spec *spec =
        item->input >= 0 ? &in->program->inputs.specs[item->input] : NULL;
    if (spec != NULL && spec->bytes > 0 && spec->aliased_output >= 0 &&
        item->output != spec->aliased_output) {
      return cyxla_direct_refuse(
          "an input of it is donated to an output that lies elsewhere", error);
    }
  }
  return CYXLA_OK;
}

static void mark_scratch(cyxla_allocation_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    cyxla_allocation *item = &list->items[i];
    item->is_scratch = item->input < 0 && item->output < 0 && !item->is_constant &&
                       !item->is_thread_local;
  }
}

cyxla_status cyxla_buffers_read(cyxla_wire assignment, const cyxla_hlo *hlo,
                                const cyxla_program *program,
                                cyxla_allocation_list *list, cyxla_error *error) {
  reading in = {hlo, program, list, NULL, NULL, 0, NULL};
  cyxla_status status;

  memset(list, 0, sizeof(*list));
  status = read_logical_buffers(&in, assignment, error);
  if (status == CYXLA_OK) status = read_allocations(&in, assignment, error);
  if (status == CYXLA_OK) status = place_outputs(&in, error);
  if (status == CYXLA_OK) status = check_donations(&in, error);
  cyxla_release(in.may_live_out);
  cyxla_release(in.buffers);
  cyxla_release(in.places);
  if (status == CYXLA_OK) mark_scratch(list);
  if (status != CYXLA_OK) cyxla_buffers_free(list);
  return status;
}

void cyxla_buffers_free(cyxla_allocation_list *list) {
  for (size_t i = 0; i < list->count; i++) cyxla_aligned_free(list->items[i].constant);
  cyxla_release(list->items);
  memset(list, 0, sizeof(*list));
}
