#include "buffer.h"

#include <string.h>

#include "executable.h"
#include "memory.h"
#include "test.h"
#include "test_fake.h"

static const int64_t matrix_shape[2] = {2, 3};

static cyxla_array_spec matrix(void) {
  cyxla_array_spec spec = {"matrix", CYXLA_FLOAT32, 2, matrix_shape, 24, -1};

  return spec;
}

static PJRT_Buffer *create(const cyxla_runtime *runtime, const void *memory,
                           bool is_shared) {
  cyxla_array_spec spec = matrix();
  PJRT_Buffer *buffer;
  cyxla_error error;

  EXPECT_OK(cyxla_buffer_create(runtime, &spec, memory, is_shared, &buffer, &error),
            &error);
  return buffer;
}

static void shared_memory_is_used_where_it_lies(void) {
  cyxla_runtime *runtime;
  float *memory = cyxla_aligned_alloc(24);
  const void *pointer;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  PJRT_Buffer *buffer = create(runtime, memory, true);
  EXPECT_TRUE(cyxla_buffer_is_host_memory(runtime, buffer, memory));
  EXPECT_TRUE(!cyxla_buffer_is_host_memory(runtime, buffer, memory + 1));
  EXPECT_OK(cyxla_buffer_pointer(runtime, buffer, &pointer, &error), &error);
  EXPECT_TRUE(pointer == memory);
  cyxla_buffer_destroy(runtime, buffer);
  cyxla_buffer_destroy(runtime, NULL);
  cyxla_runtime_destroy(runtime);
  cyxla_aligned_free(memory);
}

static void other_memory_is_copied_at_once(void) {
  static const float expected[6] = {1, 2, 3, 4, 5, 6};
  float memory[6] = {1, 2, 3, 4, 5, 6}, copy[6];
  cyxla_array_spec spec = matrix();
  cyxla_runtime *runtime;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  PJRT_Buffer *buffer = create(runtime, memory, false);
  EXPECT_TRUE(!cyxla_buffer_is_host_memory(runtime, buffer, memory));
  memset(memory, 0, sizeof(memory));
  EXPECT_OK(cyxla_buffer_copy_to_host(runtime, buffer, &spec, copy, &error), &error);
  EXPECT_BYTES(copy, expected, sizeof(expected));
  cyxla_buffer_destroy(runtime, buffer);
  cyxla_runtime_destroy(runtime);
}

static void failures_are_passed_on(void) {
  float memory[6] = {0};
  cyxla_array_spec spec = matrix();
  PJRT_Buffer *buffer, *refused = (PJRT_Buffer *)&refused;
  const test_fake *fake = test_fake_start();
  cyxla_runtime *runtime = test_fake_runtime();
  const void *pointer;
  cyxla_error error;

  buffer = create(runtime, memory, false);
  fake->fail_function("PJRT_Client_BufferFromHostBuffer");
  EXPECT_ERROR(cyxla_buffer_create(runtime, &spec, memory, true, &refused, &error),
               CYXLA_INTERNAL, &error, "make a buffer of an input");
  EXPECT_NULL(refused);
  fake->fail_function("PJRT_Buffer_UnsafePointer");
  EXPECT_ERROR(cyxla_buffer_pointer(runtime, buffer, &pointer, &error), CYXLA_INTERNAL,
               &error, "tell where a buffer's memory is");
  EXPECT_TRUE(!cyxla_buffer_is_host_memory(runtime, buffer, memory));
  fake->fail_function("PJRT_Buffer_IsOnCpu");
  EXPECT_TRUE(!cyxla_buffer_is_host_memory(runtime, buffer, memory));
  fake->fail_function("PJRT_Buffer_ToHostBuffer");
  EXPECT_ERROR(cyxla_buffer_copy_to_host(runtime, buffer, &spec, memory, &error),
               CYXLA_INTERNAL, &error, "copy an output to the host");
  fake->fail_function("PJRT_Event_Await");
  EXPECT_ERROR(cyxla_buffer_copy_to_host(runtime, buffer, &spec, memory, &error),
               CYXLA_INTERNAL, &error, "copy an output to the host");
  fake->fail_function("PJRT_Buffer_Destroy");
  cyxla_buffer_destroy(runtime, buffer);
  cyxla_runtime_destroy(runtime);
}

static void no_event_has_happened(void) {
  cyxla_runtime *runtime;
  cyxla_error error;

  test_fake_start();
  runtime = test_fake_runtime();
  EXPECT_OK(cyxla_event_await(runtime, NULL, "test", &error), &error);
  cyxla_runtime_destroy(runtime);
}

/* Runs the sum of two matrices on the fake plugin itself, and tells whether the result
 * is said to be row major. */
static bool is_result_row_major(const test_fake *fake, fake_layout layout) {
  static const char code[] = "input float32[2,3]\noutput float32[2,3] = negate 0";
  cyxla_array_spec spec = matrix();
  cyxla_runtime *runtime = test_fake_runtime();
  cyxla_program *program = test_program(code, &spec, 1, &spec, 1);
  cyxla_executable *executable;
  float elements[6] = {1, 2, 3, 4, 5, 6}, copy[6];
  cyxla_error error;

  EXPECT_OK(cyxla_executable_compile(runtime, program, &executable, &error), &error);
  fake->set(FAKE_LAYOUT, (long)layout);
  PJRT_Buffer *argument = create(runtime, elements, false), *result;
  PJRT_Buffer *const *arguments = &argument;
  PJRT_Buffer **results = &result;
  PJRT_ExecuteOptions options;
  PJRT_LoadedExecutable_Execute_Args args;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  memset(&args, 0, sizeof(args));
  args.struct_size = sizeof(args);
  args.executable = executable->loaded;
  args.options = &options;
  args.argument_lists = &arguments;
  args.num_devices = 1;
  args.num_args = 1;
  args.output_lists = &results;
  EXPECT_TRUE(runtime->plugin->api->PJRT_LoadedExecutable_Execute(&args) == NULL);
  bool is_row_major = cyxla_buffer_is_row_major(runtime, result, 2);
  /* Whatever the layout, a copy is in row-major order. */
  EXPECT_OK(cyxla_buffer_copy_to_host(runtime, result, &spec, copy, &error), &error);
  for (int i = 0; i < 6; i++) EXPECT_EQUAL(copy[i], -elements[i]);
  cyxla_buffer_destroy(runtime, result);
  cyxla_buffer_destroy(runtime, argument);
  cyxla_executable_destroy(executable);
  cyxla_program_destroy(program);
  cyxla_runtime_destroy(runtime);
  return is_row_major;
}

static void only_row_major_orders_are_taken_for_row_major(void) {
  const test_fake *fake = test_fake_start();

  EXPECT_TRUE(is_result_row_major(fake, FAKE_LAYOUT_ROW_MAJOR));
  EXPECT_TRUE(!is_result_row_major(fake, FAKE_LAYOUT_STRIDES_ROW_MAJOR));
  EXPECT_TRUE(!is_result_row_major(fake, FAKE_LAYOUT_COLUMN_MAJOR));
  EXPECT_TRUE(!is_result_row_major(fake, FAKE_LAYOUT_STRIDES_COLUMN_MAJOR));
  EXPECT_TRUE(!is_result_row_major(fake, FAKE_LAYOUT_TILED));
  EXPECT_TRUE(!is_result_row_major(fake, FAKE_LAYOUT_NO_ORDER));
}

static void a_layout_that_is_not_told_is_row_major(void) {
  const test_fake *fake = test_fake_start();

  fake->remove_function("PJRT_Buffer_GetMemoryLayout");
  EXPECT_TRUE(is_result_row_major(fake, FAKE_LAYOUT_ROW_MAJOR));
}

/* A copy is right whatever the layout is, so doubt leads to one. */
static void a_layout_that_cannot_be_told_is_not_row_major(void) {
  const test_fake *fake = test_fake_start();

  fake->fail_function("PJRT_Buffer_GetMemoryLayout");
  EXPECT_TRUE(!is_result_row_major(fake, FAKE_LAYOUT_ROW_MAJOR));
}

TEST_MAIN(TEST_CASE(shared_memory_is_used_where_it_lies),
          TEST_CASE(other_memory_is_copied_at_once), TEST_CASE(failures_are_passed_on),
          TEST_CASE(no_event_has_happened),
          TEST_CASE(only_row_major_orders_are_taken_for_row_major),
          TEST_CASE(a_layout_that_is_not_told_is_row_major),
          TEST_CASE(a_layout_that_cannot_be_told_is_not_row_major))
