/* Attributes of custom calls, read from what MLIR writes. */
#include "direct/attributes.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fpenv.h"
#include "memory.h"
#include "test_direct_support.h"

enum { DUMP_BYTES = 4096 };

static char dump[DUMP_BYTES];

static void add(const char *text) {
  EXPECT_TRUE(strlen(dump) + strlen(text) < sizeof(dump));
  strcat(dump, text);
}

static void add_bytes(const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    char text[4];
    snprintf(text, sizeof(text), "%02x", ((const unsigned char *)data)[i]);
    add(text);
  }
}

static size_t bytes_of(XLA_FFI_DataType dtype) {
  static const size_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 0, 4, 8};

  EXPECT_TRUE((size_t)dtype < TEST_COUNT(bytes));
  return bytes[dtype];
}

/* Each attribute as name, kind, dtype and bytes, of which the lowest comes first. */
static void describe(const XLA_FFI_Attrs *list) {
  EXPECT_EQUAL(list->struct_size, sizeof(*list));
  add("{");
  for (int64_t i = 0; i < list->size; i++) {
    const XLA_FFI_Scalar *scalar = list->attrs[i];
    const XLA_FFI_Array *array = list->attrs[i];
    const XLA_FFI_ByteSpan *string = list->attrs[i];
    char text[64];
    snprintf(text, sizeof(text), "%s%.*s=", i > 0 ? " " : "", (int)list->names[i]->len,
             list->names[i]->ptr);
    add(text);
    switch (list->types[i]) {
      case XLA_FFI_AttrType_SCALAR:
        EXPECT_EQUAL((uintptr_t)scalar->value % 8, 0);
        snprintf(text, sizeof(text), "%d:", (int)scalar->dtype);
        add(text);
        add_bytes(scalar->value, bytes_of(scalar->dtype));
        break;
      case XLA_FFI_AttrType_ARRAY:
        snprintf(text, sizeof(text), "%d[%d]:", (int)array->dtype, (int)array->size);
        add(text);
        add_bytes(array->data, array->size * bytes_of(array->dtype));
        break;
      case XLA_FFI_AttrType_STRING:
        add("\"");
        add_bytes(string->ptr, string->len);
        add("\"");
        break;
      case XLA_FFI_AttrType_DICTIONARY: describe(list->attrs[i]); break;
    }
  }
  add("}");
}

/* The text in memory of just its size. */
static cyxla_wire wire_of(const char *text) {
  test_message message = {0};

  test_put_raw(&message, text, strlen(text));
  return test_wire(&message);
}

static void expect(const char *text, const char *expected) {
  cyxla_attributes attributes = {0};
  cyxla_error error;

  EXPECT_OK(cyxla_attributes_read(wire_of(text), &attributes, &error), &error);
  dump[0] = '\0';
  describe(&attributes.list);
  cyxla_attributes_free(&attributes);
  EXPECT_TEXT(dump, expected);
}

static void refuse_from(const char *text, const char *rest) {
  cyxla_attributes attributes = {0};
  char expected[128];
  cyxla_error error;

  snprintf(expected, sizeof(expected), "attributes that are not known, from \"%s\" on",
           rest);
  EXPECT_ERROR(cyxla_attributes_read(wire_of(text), &attributes, &error),
               CYXLA_UNIMPLEMENTED, &error, expected);
  EXPECT_NULL(attributes.memory);
  EXPECT_EQUAL(attributes.list.size, 0);
}

static void refuse(const char *const *texts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    cyxla_attributes attributes = {0};
    cyxla_error error;
    cyxla_status status = cyxla_attributes_read(wire_of(texts[i]), &attributes, &error);
    if (status != CYXLA_UNIMPLEMENTED) {
      test_fail(__FILE__, __LINE__, "%s is taken", texts[i]);
    }
  }
}

static void there_may_be_none(void) {
  expect("", "{}");
  expect("{}", "{}");
  expect(" { }\n", "{}");
}

static void integers_have_all_widths(void) {
  expect("{a = -5 : i8, b = 200 : ui8, c = -300 : i16, d = 60000 : ui16}",
         "{a=2:fb b=6:c8 c=3:d4fe d=7:60ea}");
  expect("{a = -70000 : i32, b = 4000000000 : ui32}", "{a=4:90eefeff b=8:00286bee}");
  expect("{a = -9223372036854775808 : i64, b = 18446744073709551615 : ui64}",
         "{a=5:0000000000000080 b=9:ffffffffffffffff}");
  expect("{a = 5, b = 007 : i8, c = -1 : si16}",
         "{a=5:0500000000000000 b=2:07 c=3:ffff}");
  /* Without a sign the bits have to fit. */
  expect("{a = 255 : i8, b = 0xFF : i8, c = 0xFFf : i16, d = -128 : i8}",
         "{a=2:ff b=2:ff c=3:ff0f d=2:80}");
}

static void integers_that_do_not_fit_are_refused(void) {
  static const char *const texts[] = {"{a = 256 : i8}",
                                      "{a = -129 : i8}",
                                      "{a = -1 : ui8}",
                                      "{a = -0 : i8}",
                                      "{a = 0x100 : i8}",
                                      "{a = 18446744073709551616 : ui64}",
                                      "{a = 1.0 : i32}",
                                      "{a = 1 : i1}",
                                      "{a = 1 : i128}",
                                      "{a = 1 : i4}",
                                      "{a = 1 : index}",
                                      "{a = 1 : u8}",
                                      "{a = 0x : i8}",
                                      "{a = 0xg : i8}",
                                      "{a = 0x10000000000000000 : ui64}",
                                      "{a = - 1 : i8}",
                                      "{a = -}",
                                      "{a = 1 :}",
                                      "{a = -9223372036854775809 : i64}"};

  refuse(texts, TEST_COUNT(texts));
}

static void floating_point_numbers_are_those_of_mlir(void) {
  expect("{a = 1.000000e+00 : f32, b = 0.1 : f64, c = 2.5}",
         "{a=11:0000803f b=12:9a9999999999b93f c=12:0000000000000440}");
  expect("{a = 1.40129846E-45 : f32, b = 4.940656e-324 : f64, c = -0.000000e+00 : f32}",
         "{a=11:01000000 b=12:0100000000000000 c=11:00000080}");
  expect("{a = 0x7FC00000 : f32, b = 0xFFF0000000000000 : f64, c = 0x1 : f64}",
         "{a=11:0000c07f b=12:000000000000f0ff c=12:0100000000000000}");
  expect("{a = 1.e2 : f32, b = 1.5e3, c = 1.0e39 : f32, d = 1.0e-99999}",
         "{a=11:0000c842 b=12:0000000000709740 c=11:0000807f d=12:0000000000000000}");
  expect("{a = 1.7976931348623157E+308 : f64}", "{a=12:ffffffffffffef7f}");
  /* It is rounded twice, as MLIR does: 1 + 2^-24 + 2^-60 is 1 + 2^-24 as a double. */
  expect(
      "{a = 1.000000059604644775390625867361737988403547205962240695953369140625 : "
      "f32}",
      "{a=11:0000803f}");
}

static void floating_point_numbers_of_other_forms_are_refused(void) {
  static const char *const texts[] = {
      "{a = 3 : f32}",     "{a = -0x1 : f32}", "{a = 0x13F800000 : f32}",
      "{a = 1.0 : f16}",   "{a = 1.0 : bf16}", "{a = 1.0e : f32}",
      "{a = 1.0e+ : f32}", "{a = .5 : f32}",   "{a = 1.0e100001 : f64}",
      "{a = inf : f32}",   "{a = nan}",        "{a = 1.0 : f80}"};
  static char digits[1200] = "{a = ";

  refuse(texts, TEST_COUNT(texts));
  memset(digits + 5, '1', 1110);
  strcpy(digits + 1115, ".0 : f64}");
  refuse((const char *const[]){digits}, 1);
  memcpy(digits + 5, "1.", 2);
  refuse((const char *const[]){digits}, 1);
}

static void the_process_s_own_numbers_do_not_matter(void) {
  const char *before = setlocale(LC_NUMERIC, NULL);
  char kept[64];
  cyxla_fpenv caller;

  snprintf(kept, sizeof(kept), "%s", before);
  setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where it is there */
  cyxla_fpenv_enter(&caller);
#if defined(__SSE__)
  _mm_setcsr(0x7F80 | 0x8040); /* rounding to zero, denormals are zero */
#endif
  expect("{a = 0.1 : f32, b = 1.40129846E-45 : f32}", "{a=11:cdcccc3d b=11:01000000}");
  cyxla_fpenv_leave(&caller);
  setlocale(LC_NUMERIC, kept);
}

static void bools_and_strings(void) {
  expect("{a = true, b = false}", "{a=1:01 b=1:00}");
  expect("{a = \"\", b = \"x y\", c = \"\\22\\5C\\\\\\00\\C3\\a9\\n\\t\\\"\"}",
         "{a=\"\" b=\"782079\" c=\"225c5c00c3a90a0922\"}");
}

static void strings_of_other_forms_are_refused(void) {
  static const char *const texts[] = {
      "{a = \"x}",     "{a = \"x\\\"}",  "{a = \"\\q0\"}",    "{a = \"\\0q\"}",
      "{a = \"\\0\"}", "{a = \"x\ny\"}", "{a = \"x\" : i32}", "{a = \"x",
      "{a = \"x\\",    "{a = trueish}",  "{a = @symbol}",     "{a = 'x'}",
      "{a = t}",       "{a = fals}",     "{a = \"\\"};

  refuse(texts, TEST_COUNT(texts));
}

static void arrays_have_all_types(void) {
  expect(
      "{a = array<i64: 1, -2>, b = array<i8: -1>, c = array<i32>, d = array<i16: 9>}",
      "{a=5[2]:0100000000000000feffffffffffffff b=2[1]:ff c=4[0]: d=3[1]:0900}");
  expect("{a = array<f32: 1.0, 0x7FC00000>, b = array<f64: -1.0>}",
         "{a=11[2]:0000803f0000c07f b=12[1]:000000000000f0bf}");
  expect("{a = dense<[1, 2]> : tensor<2xui8>, b = dense<5> : tensor<3xi16>}",
         "{a=6[2]:0102 b=3[3]:050005000500}");
  expect("{a = dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>, b = dense<7> : tensor<ui32>}",
         "{a=2[4]:010203fc b=8[1]:07000000}");
  expect("{a = dense<> : tensor<0xf32>, b = dense<> : tensor<2x0x3xi64>}",
         "{a=11[0]: b=5[0]:}");
  expect("{a = dense<\"0x0000803F000000c0\"> : tensor<2xf32>}",
         "{a=11[2]:0000803f000000c0}");
  expect("{a = dense<1.0> : tensor<2xf64>}",
         "{a=12[2]:000000000000f03f000000000000f03f}");
}

static void arrays_of_other_forms_are_refused(void) {
  static const char *const texts[] = {
      "{a = array<i1: true>}",
      "{a = array<i64:>}",
      "{a = array<i64: 1,>}",
      "{a = array<i64: 1 2>}",
      "{a = array<i64: 1",
      "{a = array<f32: 1>}",
      "{a = array<i8: 256>}",
      "{a = array<i8 1>}",
      "{a = array<>}",
      "{a = [1, 2]}",
      "{a = dense<1> : vector<2xi8>}",
      "{a = dense<1>}",
      "{a = dense<1",
      "{a = dense<1> : tensor<2xi8",
      "{a = dense<1> : tensor<2xi1>}",
      "{a = dense<1> : tensor<?xi8>}",
      "{a = dense<1> : tensor<2 xi8>}",
      "{a = dense<1> : tensor<2i8>}",
      "{a = dense<1> : tensor<0xi8>}",
      "{a = dense<> : tensor<1xi8>}",
      "{a = dense<[1, 2]> : tensor<3xi8>}",
      "{a = dense<[1, 2]> : tensor<1xi8>}",
      "{a = dense<[1 2]> : tensor<2xi8>}",
      "{a = dense<[1, [2]]> : tensor<2xi8>}",
      "{a = dense<[[1, 2]> : tensor<2x2xi8>}",
      "{a = dense<[1] 2> : tensor<1xi8>}",
      "{a = dense<[256]> : tensor<1xi8>}",
      "{a = dense<(1, 2)> : tensor<1xcomplex<f32>>}",
      "{a = dense<\"0x00\"> : tensor<2xi8>}",
      "{a = dense<\"0X0000\"> : tensor<2xi8>}",
      "{a = dense<\"0x0g00\"> : tensor<2xi8>}",
      "{a = dense<\"0x000g\"> : tensor<2xi8>}",
      "{a = dense<\"0x0000> : tensor<2xi8>}",
      "{a = dense<1> : tensor<99999999999xi8>}",
      "{a = dense<1> : tensor<100000x100000xi8>}",
      "{a = dense<1> : tensor<67108864xi64>}",
      "{a = dense<1> : tensor<33554432xi8>, b = {c = dense<1> : tensor<33554433xi8>}}",
      "{a = dense<1> : "
      "tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"
      "x1x1x1xi8>}",
      "{a = dense_resource<x> : tensor<1xi8>}"};

  refuse(texts, TEST_COUNT(texts));
}

static void dictionaries_lie_in_one_another(void) {
  expect("{a = {b = {c = {}}, d = true}, e = 1 : i8}", "{a={b={c={}} d=1:01} e=2:01}");
  expect("{a={a={a={a={a={a={a={a={a={a={a={a={a={a={a={}}}}}}}}}}}}}}}}",
         "{a={a={a={a={a={a={a={a={a={a={a={a={a={a={a={}}}}}}}}}}}}}}}}");
  refuse_from("{a={a={a={a={a={a={a={a={a={a={a={a={a={a={a={a={}}}}}}}}}}}}}}}}}",
              "{}}}}}}}}}}}}}}}}}");
}

static void attributes_are_in_the_order_of_their_names(void) {
  expect("{b = true, a = true, ab = true, B = true, \"a b\" = true, _ = true}",
         "{B=1:01 _=1:01 a=1:01 a b=1:01 ab=1:01 b=1:01}");
  expect("{a.b$2 = true, true = true, i32 = true, \"\\C3\\A9\" = true}",
         "{a.b$2=1:01 i32=1:01 true=1:01 \xC3\xA9=1:01}");
}

static void dictionaries_of_other_forms_are_refused(void) {
  static const char *const texts[] = {"{a = 1 : i8, a = 2 : i8}",
                                      "{a}",
                                      "{1a = true}",
                                      "{\"\" = true}",
                                      "{a = true,}",
                                      "{, a = true}",
                                      "{a = true b = true}",
                                      "{a = true",
                                      "{a = true} x",
                                      "{a = true}}",
                                      "a = true",
                                      "x",
                                      "{",
                                      "}",
                                      "{a : true}",
                                      "{\"a = true}",
                                      "{$ = true}",
                                      "{a = {b = true}",
                                      "[]",
                                      "{a = {b}}"};
  static char many[40000] = "{";

  refuse(texts, TEST_COUNT(texts));
  refuse_from("{a = true, b = affine_map<(d0) -> (d0)>}", "affine_map<(d0) -> (d0)>}");
  for (int i = 0; i < 4097; i++) {
    snprintf(many + strlen(many), 16, "a%d=0,", i);
  }
  strcpy(many + strlen(many) - 1, "}");
  {
    cyxla_attributes attributes = {0};
    cyxla_error error;
    cyxla_wire text = {(const unsigned char *)many, strlen(many)};
    EXPECT_STATUS(cyxla_attributes_read(text, &attributes, &error), CYXLA_UNIMPLEMENTED,
                  &error);
  }
}

/* Whatever is cut off or changed is refused or read, and all memory given back, of
 * which the harness makes sure. */
static void no_byte_is_trusted(void) {
  static const char text[] =
      "{a = -1.5e3 : f32, b = \"x\\22\", c = dense<[[1], [2]]> : tensor<2x1xi8>, "
      "d = array<i64: 1, 2>, e = {f = true}, g = dense<\"0x01\"> : tensor<1xi8>}";

  for (size_t length = 0; length < strlen(text); length++) {
    for (size_t at = 0; at < length; at++) {
      cyxla_attributes attributes = {0};
      unsigned char *changed = malloc(length);
      memcpy(changed, text, length);
      changed[at] = (unsigned char)"\"<>{}[]:,=-0x"[at % 13];
      cyxla_attributes_read((cyxla_wire){changed, length}, &attributes, NULL);
      cyxla_attributes_free(&attributes);
      free(changed);
    }
  }
}

static void a_lack_of_memory_is_told(void) {
  static const char text[] =
      "{a = 1.5 : f32, b = \"x\", c = dense<\"0x01\"> : tensor<1xi8>, "
      "d = array<i64: 1, 2>, e = {f = true}}";
  cyxla_attributes attributes = {0};
  cyxla_wire wire = wire_of(text);
  cyxla_status status = CYXLA_OUT_OF_MEMORY;
  cyxla_error error;
  int n;

  for (n = 0; status == CYXLA_OUT_OF_MEMORY; n++) {
    cyxla_memory_fail_after(n);
    status = cyxla_attributes_read(wire, &attributes, &error);
    cyxla_memory_fail_after(-1);
    if (status != CYXLA_OK) {
      EXPECT_CONTAINS(error.message, "no memory left for attributes");
    }
  }
  EXPECT_EQUAL(status, CYXLA_OK);
  EXPECT_TRUE(n > 20);
  cyxla_attributes_free(&attributes);
}

TEST_MAIN(TEST_CASE(there_may_be_none), TEST_CASE(integers_have_all_widths),
          TEST_CASE(integers_that_do_not_fit_are_refused),
          TEST_CASE(floating_point_numbers_are_those_of_mlir),
          TEST_CASE(floating_point_numbers_of_other_forms_are_refused),
          TEST_CASE(the_process_s_own_numbers_do_not_matter),
          TEST_CASE(bools_and_strings), TEST_CASE(strings_of_other_forms_are_refused),
          TEST_CASE(arrays_have_all_types),
          TEST_CASE(arrays_of_other_forms_are_refused),
          TEST_CASE(dictionaries_lie_in_one_another),
          TEST_CASE(attributes_are_in_the_order_of_their_names),
          TEST_CASE(dictionaries_of_other_forms_are_refused),
          TEST_CASE(no_byte_is_trusted), TEST_CASE(a_lack_of_memory_is_told))
