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

cyxla_status cyxla_call_run_on_trial(cyxla_call *call, cyxla_error *error) {
  cyxla_executable *executable = call->executable;
  long trials = cyxla_atomic_load(&executable->trials);
  size_t different;
  cyxla_status status;

  if (trials == 0) {
    dismiss_witness(call);
    return cyxla_call_run_directly(call, error);
  }
  status = run_witness(call, error);
  if (status != CYXLA_OK) {
    cyxla_call_release_outputs(call);
    return status;
  }
  if (trials != CYXLA_TRIALS_FAILED) {
    if (cyxla_call_run_directly(call, NULL) == CYXLA_OK &&
        cyxla_call_has_same_outputs(call, call->witness, &different)) {
      /* Where another run has counted meanwhile, this one does not. */
      cyxla_atomic_replace(&executable->trials, trials, trials - 1);
      if (cyxla_atomic_load(&executable->trials) == 0) dismiss_witness(call);
      return CYXLA_OK;
    }
    cyxla_atomic_store(&executable->trials, CYXLA_TRIALS_FAILED);
  }
  take_from_witness(call);
  return CYXLA_OK;
}
