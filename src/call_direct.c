/* Calls that run machine code directly. */
#include <string.h>

#include "call.h"
#include "error.h"
#include "fpenv.h"
#include "inlining.h"
#include "memory.h"

#if defined(__SSE__) || defined(_M_X64)
#include <xmmintrin.h>

/* One instruction for both ways, since the processor foresees whether control bits
 * change. With an instruction for each way that failed on Zen 3 for a few in a hundred
 * places where kernels may lie in memory, in each run from then on, and both ways
 * together took 44 nanoseconds instead of 2. */
#if defined(__GNUC__)
static CYXLA_NOT_INLINED void set_control(const unsigned int *control) {
  __asm__ volatile("ldmxcsr %0" : : "m"(*control));
}
#else
static CYXLA_NOT_INLINED void set_control(const volatile unsigned int *control) {
  _mm_setcsr(*control);
}
#endif

/* The caller's control bits and flags are read at each run, and nearly always are those
 * of the run before. So what kernels run with, and what the caller gets back, is loaded
 * from memory that has not changed for long: the processor goes on with it, and need
 * not wait until the register was read and a value was made of it, which takes 5 of 9
 * nanoseconds. */
static void enter_kernels(cyxla_call *call) {
  const unsigned int caller = _mm_getcsr();

  if (caller != call->caller_control) {
    call->caller_control = caller;
    /* With the caller's flags, since flags that change hold some processors up: 5
     * instead of 20 to 70 nanoseconds. */
    call->kernel_control = CYXLA_FPENV_KERNELS | (caller & CYXLA_FPENV_FLAGS);
  }
  set_control(&call->kernel_control);
}

static void leave_kernels(const cyxla_call *call) {
  set_control(&call->caller_control);
}
#else /* No direct code is made on other processors. */
enum { CYXLA_FPENV_KERNELS = 0 };

static void enter_kernels(cyxla_call *call) {
  (void)call;
}

static void leave_kernels(const cyxla_call *call) {
  (void)call;
}
#endif

/* Where the code writes an output: the bound memory, if that is aligned, else the
 * call's own. */
static void *target_of(const cyxla_call *call, size_t index) {
  const cyxla_call_output_state *output = &call->outputs[index];

  return output->bound != NULL && cyxla_call_is_aligned(output->bound) ? output->bound
                                                                       : output->copy;
}

static bool provide_staging(cyxla_call_input_state *input, size_t bytes) {
  if (input->mode != CYXLA_INPUT_STAGED) return true;
  if (input->staging == NULL) input->staging = cyxla_aligned_alloc(bytes);
  return input->staging != NULL;
}

bool cyxla_call_direct_copies_input(const cyxla_call *call, size_t index) {
  const cyxla_call_input_state *input = &call->inputs[index];
  const cyxla_array_spec *spec = cyxla_call_input_spec(call, index);

  if (spec->bytes == 0) return false;
  /* The code reads a donated input where it writes the output. */
  return input->mode == CYXLA_INPUT_STAGED ||
         (spec->aliased_output >= 0 &&
          target_of(call, (size_t)spec->aliased_output) != input->array);
}

/* After an array has moved. */
static void note_copies(cyxla_call *call) {
  call->copies_inputs = call->keeps_outputs = false;
  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    if (cyxla_call_direct_copies_input(call, i)) call->copies_inputs = true;
  }
}

static void place_output(cyxla_call *call, size_t index) {
  cyxla_direct_call_place_output(call->direct, index, target_of(call, index));
}

static cyxla_status place_input(cyxla_call *call, size_t index, cyxla_error *error) {
  cyxla_call_input_state *input = &call->inputs[index];

  input->mode =
      cyxla_call_is_aligned(input->array) ? CYXLA_INPUT_SHARED : CYXLA_INPUT_STAGED;
  if (!provide_staging(input, cyxla_call_input_spec(call, index)->bytes)) {
    return cyxla_error_out_of_memory(error, "an input");
  }
  cyxla_direct_call_place_input(
      call->direct, index,
      input->mode == CYXLA_INPUT_STAGED ? input->staging : input->array);
  return CYXLA_OK;
}

void cyxla_call_direct_place_output(cyxla_call *call, size_t index) {
  place_output(call, index);
  note_copies(call);
}

cyxla_status cyxla_call_direct_place_input(cyxla_call *call, size_t index,
                                           cyxla_error *error) {
  cyxla_status status = place_input(call, index, error);

  if (status == CYXLA_OK) note_copies(call);
  return status;
}

cyxla_status cyxla_call_direct_create(cyxla_call *call, const cyxla_direct *direct,
                                      cyxla_error *error) {
  cyxla_status status;

  call->caller_control = 0;
  call->kernel_control = CYXLA_FPENV_KERNELS;
  call->direct = cyxla_allocate(sizeof(*call->direct));
  if (call->direct == NULL) return cyxla_error_out_of_memory(error, "a call");
  status = cyxla_direct_call_create(direct, call->direct, error);
  if (status != CYXLA_OK) return status;
  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    cyxla_call_input_state *input = &call->inputs[i];
    input->own = cyxla_aligned_alloc(cyxla_call_input_spec(call, i)->bytes);
    if (input->own == NULL) return cyxla_error_out_of_memory(error, "an input");
    input->array = input->own;
  }
  for (size_t i = 0; i < cyxla_call_num_outputs(call); i++) {
    call->outputs[i].copy = cyxla_aligned_alloc(cyxla_call_output_spec(call, i)->bytes);
    if (call->outputs[i].copy == NULL) {
      return cyxla_error_out_of_memory(error, "an output");
    }
  }
  for (size_t i = 0; i < cyxla_call_num_outputs(call); i++) place_output(call, i);
  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    status = place_input(call, i, error);
    if (status != CYXLA_OK) return status;
  }
  note_copies(call);
  return CYXLA_OK;
}

void cyxla_call_direct_destroy(cyxla_call *call) {
  if (call->direct == NULL) return;
  if (call->direct->direct != NULL) cyxla_direct_call_free(call->direct);
  cyxla_release(call->direct);
}

/* What lies elsewhere than the code reads it. */
static CYXLA_NOT_INLINED void copy_inputs(cyxla_call *call) {
  for (size_t i = 0; i < cyxla_call_num_inputs(call); i++) {
    const cyxla_call_input_state *input = &call->inputs[i];
    const cyxla_array_spec *spec = cyxla_call_input_spec(call, i);
    if (spec->bytes == 0) continue;
    if (input->mode == CYXLA_INPUT_STAGED) {
      memcpy(input->staging, input->array, spec->bytes);
    }
    /* The code reads a donated input where it writes the output. */
    if (spec->aliased_output >= 0) {
      void *target = target_of(call, (size_t)spec->aliased_output);
      if (target != input->array) memcpy(target, input->array, spec->bytes);
    }
  }
}

void cyxla_call_direct_fetch(cyxla_call *call, size_t index, const void *source) {
  cyxla_call_output_state *output = &call->outputs[index];
  const size_t bytes = cyxla_call_output_spec(call, index)->bytes;
  void *target = output->bound != NULL ? output->bound : output->copy;

  call->keeps_outputs = false;
  output->is_bound = output->bound != NULL;
  output->is_copied = output->is_bound && source != output->bound;
  output->array = target;
  if (source != target && bytes > 0) memcpy(target, source, bytes);
}

static bool run_kernels(cyxla_call *call) {
  bool done;

  enter_kernels(call);
  done = cyxla_direct_run(call->direct);
  leave_kernels(call);
  return done;
}

/* Gives all outputs the places where the caller reads them. */
static CYXLA_NOT_INLINED void fetch_outputs(cyxla_call *call) {
  bool keeps = true;

  for (size_t i = 0; i < cyxla_call_num_outputs(call); i++) {
    const void *written = target_of(call, i);
    cyxla_call_direct_fetch(call, i, written);
    if (call->outputs[i].array != written) keeps = false;
  }
  call->keeps_outputs = keeps;
}

static CYXLA_NOT_INLINED cyxla_status fail(cyxla_call *call, cyxla_error *error) {
  cyxla_status status = CYXLA_OK;

  cyxla_call_release_outputs(call);
  if (call->direct->seats != NULL) {
    status = cyxla_custom_call_take_error(call->direct->seats, error);
  }
  if (status != CYXLA_OK) return status;
  return cyxla_error_set(error, CYXLA_INTERNAL, "a kernel of the program has failed");
}

cyxla_status cyxla_call_direct_run(cyxla_call *call, cyxla_error *error) {
  if (call->copies_inputs) copy_inputs(call);
  if (!run_kernels(call)) return fail(call, error);
  if (!call->keeps_outputs) fetch_outputs(call);
  return CYXLA_OK;
}
