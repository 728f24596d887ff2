#include "error.h"

#include <stdio.h>
#include <string.h>

#include "test.h"
#include "test_fake.h"

/* A table whose errors are the texts themselves, and whose code is a variable. */
static int fake_code;
static PJRT_Error *code_failure;
static const char *fake_message;
static size_t fake_message_bytes;
static int num_destroyed;

static void destroy(PJRT_Error_Destroy_Args *args) {
  EXPECT_EQUAL(args->struct_size, sizeof(*args));
  EXPECT_TRUE(args->error != NULL);
  num_destroyed++;
}

static void message(PJRT_Error_Message_Args *args) {
  EXPECT_EQUAL(args->struct_size, sizeof(*args));
  args->message = fake_message;
  args->message_size = fake_message_bytes;
}

static PJRT_Error *get_code(PJRT_Error_GetCode_Args *args) {
  EXPECT_EQUAL(args->struct_size, sizeof(*args));
  args->code = (PJRT_Error_Code)fake_code;
  return code_failure;
}

static PJRT_Error *fail_with(PJRT_Api *api, int code, const char *text, size_t bytes) {
  static char object;

  memset(api, 0, sizeof(*api));
  api->PJRT_Error_Destroy = destroy;
  api->PJRT_Error_Message = message;
  api->PJRT_Error_GetCode = get_code;
  fake_code = code;
  code_failure = NULL;
  fake_message = text;
  fake_message_bytes = bytes;
  num_destroyed = 0;
  return (PJRT_Error *)&object;
}

static void every_status_has_a_name(void) {
  EXPECT_TEXT(cyxla_status_name(CYXLA_OK), "OK");
  EXPECT_TEXT(cyxla_status_name(CYXLA_INVALID_ARGUMENT), "INVALID_ARGUMENT");
  EXPECT_TEXT(cyxla_status_name(CYXLA_UNAUTHENTICATED), "UNAUTHENTICATED");
  EXPECT_TEXT(cyxla_status_name(CYXLA_OUT_OF_MEMORY), "OUT_OF_MEMORY");
  EXPECT_TEXT(cyxla_status_name(CYXLA_SIGNATURE_MISMATCH), "SIGNATURE_MISMATCH");
  for (int i = CYXLA_OK; i <= CYXLA_UNAUTHENTICATED; i++) {
    EXPECT_TRUE(strcmp(cyxla_status_name((cyxla_status)i), "UNRECOGNIZED") != 0);
  }
  for (int i = CYXLA_OUT_OF_MEMORY; i <= CYXLA_SIZE_NOT_FOUND; i++) {
    EXPECT_TRUE(strcmp(cyxla_status_name((cyxla_status)i), "UNRECOGNIZED") != 0);
  }
}

static void numbers_that_are_no_status_are_unrecognized(void) {
  static const int numbers[] = {17, 99, CYXLA_SIZE_NOT_FOUND + 1, 127};

  for (size_t i = 0; i < TEST_COUNT(numbers); i++) {
    EXPECT_TEXT(cyxla_status_name((cyxla_status)numbers[i]), "UNRECOGNIZED");
  }
}

static void set_fills_in_status_and_message(void) {
  cyxla_error error;

  EXPECT_EQUAL(cyxla_error_set(&error, CYXLA_FILE_INVALID, "%d of %s", 3, "x"),
               CYXLA_FILE_INVALID);
  EXPECT_EQUAL(error.status, CYXLA_FILE_INVALID);
  EXPECT_TEXT(error.message, "3 of x");
}

static void set_accepts_no_error(void) {
  EXPECT_EQUAL(cyxla_error_set(NULL, CYXLA_FILE_INVALID, "x"), CYXLA_FILE_INVALID);
  EXPECT_EQUAL(cyxla_error_out_of_memory(NULL, "x"), CYXLA_OUT_OF_MEMORY);
}

static void a_message_that_just_fits_is_kept(void) {
  char text[CYXLA_ERROR_MESSAGE_SIZE];
  cyxla_error error;

  memset(text, 'a', sizeof(text));
  text[sizeof(text) - 1] = '\0';
  cyxla_error_set(&error, CYXLA_INTERNAL, "%s", text);
  EXPECT_TEXT(error.message, text);
}

static void a_long_message_ends_with_dots(void) {
  char text[CYXLA_ERROR_MESSAGE_SIZE + 1];
  cyxla_error error;

  memset(text, 'a', sizeof(text));
  text[sizeof(text) - 1] = '\0';
  cyxla_error_set(&error, CYXLA_INTERNAL, "%s", text);
  EXPECT_EQUAL(strlen(error.message), CYXLA_ERROR_MESSAGE_SIZE - 1);
  EXPECT_TEXT(error.message + CYXLA_ERROR_MESSAGE_SIZE - 5, "a...");
}

static void a_long_message_is_not_cut_inside_a_character(void) {
  char text[2 * CYXLA_ERROR_MESSAGE_SIZE + 1];

  /* Characters of two bytes, which start at even and at odd places. */
  for (int shift = 0; shift < 2; shift++) {
    cyxla_error error;
    size_t end;
    for (int i = 0; i < CYXLA_ERROR_MESSAGE_SIZE; i++)
      memcpy(text + 2 * i, "\xc3\xa9", 2);
    text[2 * CYXLA_ERROR_MESSAGE_SIZE] = '\0';
    cyxla_error_set(&error, CYXLA_INTERNAL, "%s%s", shift == 1 ? "a" : "", text);
    end = strlen(error.message);
    EXPECT_TEXT(error.message + end - 3, "...");
    EXPECT_EQUAL((unsigned char)error.message[end - 4], 0xa9);
    EXPECT_EQUAL((end - 3 - (size_t)shift) % 2, 0);
  }
}

static void no_failure_of_a_plugin_is_ok(void) {
  PJRT_Api api;
  cyxla_error error = {CYXLA_INTERNAL, "untouched"};

  fail_with(&api, 0, "", 0);
  EXPECT_EQUAL(cyxla_error_from_pjrt(&api, NULL, "test", &error), CYXLA_OK);
  EXPECT_TEXT(error.message, "untouched");
  EXPECT_EQUAL(num_destroyed, 0);
}

static void codes_of_a_plugin_pass_through(void) {
  PJRT_Api api;

  for (int code = 1; code <= 16; code++) {
    cyxla_error error;
    PJRT_Error *failure = fail_with(&api, code, "reason and more", 6);
    EXPECT_EQUAL(cyxla_error_from_pjrt(&api, failure, "do it", &error), code);
    EXPECT_EQUAL(error.status, code);
    EXPECT_TEXT(error.message, "the plugin cannot do it: reason");
    EXPECT_EQUAL(num_destroyed, 1);
  }
}

static void the_plugin_s_path_is_told_where_it_is_given(void) {
  PJRT_Api api;
  cyxla_error error;
  PJRT_Error *failure = fail_with(&api, 5, "reason", 6);

  EXPECT_EQUAL(cyxla_error_from_plugin(&api, "a.so", failure, "do it", &error),
               CYXLA_NOT_FOUND);
  EXPECT_TEXT(error.message, "the plugin a.so cannot do it: reason");
  EXPECT_EQUAL(num_destroyed, 1);
}

static void a_plugin_s_error_is_destroyed_also_where_nobody_wants_it(void) {
  PJRT_Api api;
  PJRT_Error *failure = fail_with(&api, 5, "x", 1);

  EXPECT_EQUAL(cyxla_error_from_pjrt(&api, failure, "do it", NULL), CYXLA_NOT_FOUND);
  EXPECT_EQUAL(num_destroyed, 1);
}

static void codes_that_are_none_are_unknown(void) {
  static const int codes[] = {0, 17, 1000, -1};
  PJRT_Api api;

  for (size_t i = 0; i < TEST_COUNT(codes); i++) {
    cyxla_error error;
    PJRT_Error *failure = fail_with(&api, codes[i], "x", 1);
    EXPECT_ERROR(cyxla_error_from_pjrt(&api, failure, "do it", &error), CYXLA_UNKNOWN,
                 &error, "do it: x");
  }
}

static void an_error_without_a_code_is_unknown_and_both_are_destroyed(void) {
  PJRT_Api api;
  cyxla_error error;
  PJRT_Error *failure = fail_with(&api, 5, "x", 1);

  code_failure = failure;
  EXPECT_ERROR(cyxla_error_from_pjrt(&api, failure, "do it", &error), CYXLA_UNKNOWN,
               &error, "do it: x");
  EXPECT_EQUAL(num_destroyed, 2);
}

static void an_error_may_have_no_message(void) {
  PJRT_Api api;
  cyxla_error error;
  PJRT_Error *failure = fail_with(&api, 5, NULL, 100);

  EXPECT_ERROR(cyxla_error_from_pjrt(&api, failure, "do it", &error), CYXLA_NOT_FOUND,
               &error, "the plugin cannot do it: ");
}

static void a_plugin_s_long_message_is_cut_off(void) {
  static char text[3 * CYXLA_ERROR_MESSAGE_SIZE];
  PJRT_Api api;
  cyxla_error error;

  memset(text, 'a', sizeof(text));
  PJRT_Error *failure = fail_with(&api, 5, text, sizeof(text));
  EXPECT_ERROR(cyxla_error_from_pjrt(&api, failure, "do it", &error), CYXLA_NOT_FOUND,
               &error, "aaa...");
  EXPECT_EQUAL(strlen(error.message), CYXLA_ERROR_MESSAGE_SIZE - 1);
}

static void a_text_is_added_as_far_as_it_fits(void) {
  cyxla_error error;
  char longest[CYXLA_ERROR_MESSAGE_SIZE];

  cyxla_error_set(&error, CYXLA_INTERNAL, "first");
  cyxla_error_append(&error, ", second");
  EXPECT_TEXT(error.message, "first, second");
  memset(longest, 'x', sizeof(longest) - 1);
  longest[sizeof(longest) - 1] = '\0';
  cyxla_error_append(&error, longest);
  EXPECT_TEXT(error.message, "first, second");
  cyxla_error_append(NULL, "nothing");
}

TEST_MAIN(TEST_CASE(a_text_is_added_as_far_as_it_fits),
          TEST_CASE(every_status_has_a_name),
          TEST_CASE(numbers_that_are_no_status_are_unrecognized),
          TEST_CASE(set_fills_in_status_and_message), TEST_CASE(set_accepts_no_error),
          TEST_CASE(a_message_that_just_fits_is_kept),
          TEST_CASE(a_long_message_ends_with_dots),
          TEST_CASE(a_long_message_is_not_cut_inside_a_character),
          TEST_CASE(no_failure_of_a_plugin_is_ok),
          TEST_CASE(codes_of_a_plugin_pass_through),
          TEST_CASE(the_plugin_s_path_is_told_where_it_is_given),
          TEST_CASE(a_plugin_s_error_is_destroyed_also_where_nobody_wants_it),
          TEST_CASE(codes_that_are_none_are_unknown),
          TEST_CASE(an_error_without_a_code_is_unknown_and_both_are_destroyed),
          TEST_CASE(an_error_may_have_no_message),
          TEST_CASE(a_plugin_s_long_message_is_cut_off))
