/* Direct code on trial: the first runs of it happen both ways, directly and through the
 * plugin, whose results count until all bits were the same. */
#include <string.h>

#include "atomic.h"
#include "call.h"
#include "error.h"

bool cyxla_call_has_same_outputs(const cyxla_call *call, const cyxla_call *other,
                                 size_t *different) {
  for (size_t i = 0; i < cyxla_call_num_outputs(call); i++) {
    const size_t bytes = cyxla_call_output_spec(call, i)->bytes;
    if (bytes == 0 ||
        memcmp(cyxla_call_output(call, i), cyxla_call_output(other, i), bytes) == 0) {
      continue;
    }
    *different = i;
    return false;
  }
  return true;
}

/* The witness reads arrays of its own, since a direct run may write over donated ones.
 */
static cyxla_status run_witness(const cyxla_call *call, cyxla_error *error) {
  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    const size_t bytes = cyxla_call_input_spec(call, i)->bytes;
    if (bytes > 0) {
      memcpy(call->witness->inputs[i].array, call->inputs[i].array, bytes);
    }
  }
  return cyxla_call_run(call->witness, error);
}

/* What the plugin computed, in the place of what the direct code did. */
static void take_from_witness(cyxla_call *call) {
  for (size_t i = 0; i < cyxla_call_num_outputs(call); i++) {
    cyxla_call_direct_fetch(call, i, cyxla_call_output(call->witness, i));
  }
}

/* From the end of the trial on the memory of the witness is needed no more. */
static void dismiss_witness(cyxla_call *call) {
  cyxla_call_destroy(call->witness);
  call->witness = NULL;
}

/* Compares a direct run with the one that the witness has made. True where the outputs
 * are what they have to be, and direct code has written them. */
static bool try_directly(cyxla_call *call) {
  cyxla_executable *executable = call->executable;
  size_t different;

  if (cyxla_call_run_directly(call, NULL) == CYXLA_OK &&
      cyxla_call_has_same_outputs(call, call->witness, &different)) {
    cyxla_atomic_add(&executable->trials, -1);
    return true;
  }
  cyxla_atomic_store(&executable->trials, CYXLA_TRIALS_FAILED);
  return false;
}

/* One run at a time compares, so that none is still at it when the last one counts. The
 * others have the plugin's results. */
static bool try_in_turn(cyxla_call *call) {
  cyxla_executable *executable = call->executable;
  bool is_direct = false;

  if (cyxla_atomic_add(&executable->num_trying, 1) == 1 &&
      cyxla_atomic_load(&executable->trials) > 0) {
    is_direct = try_directly(call);
  }
  cyxla_atomic_add(&executable->num_trying, -1);
  return is_direct;
}

cyxla_status cyxla_call_run_on_trial(cyxla_call *call, cyxla_error *error) {
  const cyxla_executable *executable = call->executable;
  cyxla_status status;

  if (cyxla_atomic_load(&executable->trials) == 0) {
    dismiss_witness(call);
    return cyxla_call_run_directly(call, error);
  }
  status = run_witness(call, error);
  if (status != CYXLA_OK) {
    cyxla_call_release_outputs(call);
    return status;
  }
  if (!try_in_turn(call)) take_from_witness(call);
  if (cyxla_atomic_load(&executable->trials) == 0) dismiss_witness(call);
  return CYXLA_OK;
}
