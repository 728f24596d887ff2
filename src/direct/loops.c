#include "loops.h"

#include <string.h>

/* Fields of the message xla.HloInstructionProto. */
enum { INSTRUCTION_BACKEND_CONFIG = 43 };

/* Rounds of a loop together with those that it is in, which take about a second where
 * each is a few operations of the plugin. */
enum { ROUNDS_MAXIMUM = 1 << 20 };

/* Deeper than XLA nests computations. */
enum { DEPTH_MAXIMUM = 64 };

/* How often a loop goes around; more than ROUNDS_MAXIMUM where that is not known. XLA's
 * configuration of a loop is JSON that begins with it. */
static uint64_t rounds_of(const cyxla_hlo_instruction *loop) {
  static const char start[] = "{\"known_trip_count\":{\"n\":\"";
  cyxla_wire text = cyxla_wire_content(loop->message, INSTRUCTION_BACKEND_CONFIG);
  uint64_t rounds = 0;
  size_t i = sizeof(start) - 1;

  if (text.bytes <= i || memcmp(text.data, start, i) != 0) return UINT64_MAX;
  for (; i < text.bytes && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
    rounds = 10 * rounds + (uint64_t)(text.data[i] - '0');
    if (rounds > ROUNDS_MAXIMUM) return UINT64_MAX;
  }
  return i < text.bytes && text.data[i] == '"' && i > sizeof(start) - 1 ? rounds
                                                                        : UINT64_MAX;
}

/* A loop, in the loops around it. */
static bool ends_soon(const cyxla_hlo *hlo, const cyxla_hlo_instruction *loop) {
  const cyxla_hlo_instruction *at = loop;
  uint64_t rounds = 1;

  for (int depth = 0; at != NULL && depth < DEPTH_MAXIMUM; depth++) {
    const cyxla_hlo_computation *computation;
    if (cyxla_hlo_is(at, "while")) {
      const uint64_t more = rounds_of(at);
      if (more > ROUNDS_MAXIMUM || rounds * more > ROUNDS_MAXIMUM) return false;
      rounds *= more;
    }
    computation = cyxla_hlo_find_computation(hlo, at->computation);
    if (computation == NULL || computation->has_callers) return false;
    at = computation->caller;
  }
  return at == NULL;
}

bool cyxla_loops_end_soon(const cyxla_hlo *hlo) {
  for (size_t i = 0; i < hlo->num_instructions; i++) {
    const cyxla_hlo_instruction *at = &hlo->instructions[i];
    if (cyxla_hlo_is(at, "while") && !ends_soon(hlo, at)) return false;
  }
  return true;
}
