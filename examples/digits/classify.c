/* Reads handwritten digits with the network that train.py saved, without Python.
 *
 * usage: classify digits.cyxla held-out.bin
 *
 * Exits with 0 if at least 95 % of the images are read correctly, with 1 if they are
 * not or something fails, and with 2 if it is called wrongly. */
#define _POSIX_C_SOURCE 200112L /* clock_gettime */

#include <cyxla.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 8, PIXELS = SIDE * SIDE, INK = 16, DIGITS = 10, IMAGES_A_ROW = 4 };

static const double WANTED_ACCURACY = 0.95;
static const char EXPECTED_SIGNATURE[] =
    "image uint8[8 x 8] -> digit int32[], probabilities float32[10]";

/* A record of held-out.bin; without padding, since everything in it is a byte. */
typedef struct image {
  uint8_t digit;
  uint8_t pixels[PIXELS];
} image;

/* What the network says of an image. */
typedef struct answer {
  int32_t digit;
  float probability;
  double microseconds;
} answer;

static double now_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* The images of an open file; NULL, having said why, if it is not a file of images. */
static image *read_images_from(FILE *file, const char *path, size_t *num_images) {
  image *images;
  long bytes = -1;

  if (fseek(file, 0, SEEK_END) == 0) bytes = ftell(file);
  if (bytes < 0 || fseek(file, 0, SEEK_SET) != 0) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return NULL;
  }
  if (bytes == 0 || bytes % (long)sizeof(image) != 0) {
    fprintf(stderr,
            "%s has %ld bytes, expected a multiple of %zu, the bytes of an image\n",
            path, bytes, sizeof(image));
    return NULL;
  }
  *num_images = (size_t)bytes / sizeof(image);
  images = malloc((size_t)bytes);
  if (images == NULL ||
      fread(images, sizeof(image), *num_images, file) != *num_images) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    free(images);
    return NULL;
  }
  for (size_t i = 0; i < *num_images; i++) {
    if (images[i].digit >= DIGITS) {
      fprintf(stderr, "%s: image %zu has the label %d, expected 0 to 9\n", path, i,
              images[i].digit);
      free(images);
      return NULL;
    }
  }
  return images;
}

static image *read_images(const char *path, size_t *num_images) {
  image *images;
  FILE *file = fopen(path, "rb");

  if (file == NULL) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return NULL;
  }
  images = read_images_from(file, path, num_images);
  fclose(file);
  return images;
}

static void print_array(FILE *stream, const cyxla_array_spec *array) {
  fprintf(stream, "%s %s[", array->name, cyxla_dtype_name(array->dtype));
  for (size_t i = 0; i < array->rank; i++) {
    fprintf(stream, i == 0 ? "%" PRId64 : " x %" PRId64, array->shape[i]);
  }
  fprintf(stream, "]");
}

/* Prints what a program takes and returns, such as "x float32[3] -> y float32[3]". */
static void print_signature(FILE *stream, const cyxla_executable *network) {
  for (size_t i = 0; i < cyxla_executable_num_inputs(network); i++) {
    if (i > 0) fprintf(stream, ", ");
    print_array(stream, cyxla_executable_input(network, i));
  }
  for (size_t i = 0; i < cyxla_executable_num_outputs(network); i++) {
    fprintf(stream, i == 0 ? " -> " : ", ");
    print_array(stream, cyxla_executable_output(network, i));
  }
  fprintf(stream, "\n");
}

static bool is_array(const cyxla_array_spec *array, cyxla_dtype dtype, size_t count) {
  return array != NULL && array->dtype == dtype &&
         array->bytes == count * cyxla_dtype_bytes(dtype);
}

/* Whether the program is what this one was written for. Arrays are read and written
 * through pointers, so their types have to be known before. */
static bool is_digit_reader(const cyxla_executable *network) {
  size_t digit = cyxla_executable_find_output(network, "digit");
  size_t probabilities = cyxla_executable_find_output(network, "probabilities");

  return cyxla_executable_num_inputs(network) == 1 &&
         is_array(cyxla_executable_input(network, 0), CYXLA_UINT8, PIXELS) &&
         is_array(cyxla_executable_output(network, digit), CYXLA_INT32, 1) &&
         is_array(cyxla_executable_output(network, probabilities), CYXLA_FLOAT32,
                  DIGITS);
}

/* Reads every image. False, with the error filled in, if a run fails. */
static bool read_digits(cyxla_executable *network, const image *images,
                        size_t num_images, answer *answers, cyxla_error *error) {
  size_t digit_index = cyxla_executable_find_output(network, "digit");
  size_t probabilities_index = cyxla_executable_find_output(network, "probabilities");
  cyxla_call *call;
  void *input;

  if (cyxla_call_create(network, &call, error) != CYXLA_OK) return false;
  input = cyxla_call_input(call, 0);
  for (size_t i = 0; i < num_images; i++) {
    double start = now_microseconds();
    const int32_t *digit;
    const float *probabilities;

    memcpy(input, images[i].pixels, PIXELS);
    if (cyxla_call_run(call, error) != CYXLA_OK) {
      cyxla_call_destroy(call);
      return false;
    }
    digit = cyxla_call_output(call, digit_index);
    probabilities = cyxla_call_output(call, probabilities_index);
    answers[i].digit = *digit;
    if (*digit >= 0 && *digit < DIGITS) answers[i].probability = probabilities[*digit];
    answers[i].microseconds = now_microseconds() - start;
  }
  cyxla_call_destroy(call);
  return true;
}

/* Draws images side by side, each with its label and what it was read as below. */
static void draw(const image *images, const answer *answers, const size_t *chosen,
                 size_t num_chosen) {
  static const char shades[] = " .:-=+*#%@";
  const int darkest = (int)sizeof(shades) - 2;

  for (size_t row = 0; row < SIDE; row++) {
    for (size_t i = 0; i < num_chosen; i++) {
      printf("  ");
      for (size_t column = 0; column < SIDE; column++) {
        int ink = images[chosen[i]].pixels[row * SIDE + column];
        char shade = shades[ink < INK ? ink * darkest / INK : darkest];
        printf("%c%c", shade, shade);
      }
    }
    printf("\n");
  }
  for (size_t i = 0; i < num_chosen; i++) {
    printf("  %d read as %d, %3.0f %%", images[chosen[i]].digit,
           (int)answers[chosen[i]].digit, 100.0 * answers[chosen[i]].probability);
  }
  printf("\n\n");
}

static void draw_examples(const image *images, const answer *answers,
                          size_t num_images) {
  size_t correct[IMAGES_A_ROW], wrong[IMAGES_A_ROW];
  size_t num_correct = 0, num_wrong = 0;

  for (size_t i = 0; i < num_images; i++) {
    if (answers[i].digit == images[i].digit) {
      if (num_correct < IMAGES_A_ROW) correct[num_correct++] = i;
    } else {
      if (num_wrong < IMAGES_A_ROW) wrong[num_wrong++] = i;
    }
  }
  if (num_correct > 0) {
    printf("Read correctly:\n");
    draw(images, answers, correct, num_correct);
  }
  if (num_wrong > 0) {
    printf("Misread:\n");
    draw(images, answers, wrong, num_wrong);
  }
}

static int compare_microseconds(const void *left, const void *right) {
  double a = ((const answer *)left)->microseconds;
  double b = ((const answer *)right)->microseconds;
  return (a > b) - (a < b);
}

/* Prints how well and how fast the images were read. Sorts the answers. Returns whether
 * they were read well enough. */
static bool print_summary(const image *images, answer *answers, size_t num_images) {
  size_t num_correct = 0;
  double accuracy;

  for (size_t i = 0; i < num_images; i++) {
    if (answers[i].digit == images[i].digit) num_correct++;
  }
  accuracy = (double)num_correct / (double)num_images;
  qsort(answers, num_images, sizeof(answer), compare_microseconds);
  printf("accuracy       %.4f (%zu of %zu held-out images)\n", accuracy, num_correct,
         num_images);
  printf("time an image  %.2f microseconds (median), %.2f (minimum)\n",
         answers[num_images / 2].microseconds, answers[0].microseconds);
  if (accuracy < WANTED_ACCURACY) {
    fprintf(stderr, "an accuracy of at least %.2f was expected\n", WANTED_ACCURACY);
  }
  return accuracy >= WANTED_ACCURACY;
}

static int classify(cyxla_executable *network, const image *images, size_t num_images) {
  cyxla_error error;
  bool is_accurate;
  answer *answers = calloc(num_images, sizeof(answer));

  if (answers == NULL) {
    fprintf(stderr, "no memory for %zu answers\n", num_images);
    return EXIT_FAILURE;
  }
  if (!read_digits(network, images, num_images, answers, &error)) {
    fprintf(stderr, "%s\n", error.message);
    free(answers);
    return EXIT_FAILURE;
  }
  draw_examples(images, answers, num_images);
  is_accurate = print_summary(images, answers, num_images);
  free(answers);
  return is_accurate ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  cyxla_executable *network;
  cyxla_error error;
  double start = now_microseconds();
  image *images;
  size_t num_images;
  int status = EXIT_FAILURE;

  if (argc != 3) {
    fprintf(stderr, "usage: %s digits.cyxla held-out.bin\n", argv[0]);
    fprintf(stderr, "Both files are written by train.py.\n");
    return 2;
  }
  if (cyxla_open(argv[1], NULL, &network, &error) != CYXLA_OK) {
    fprintf(stderr, "%s\n", error.message);
    return EXIT_FAILURE;
  }
  printf("%s opened in %.0f ms: ", argv[1], (now_microseconds() - start) * 1e-3);
  print_signature(stdout, network);
  printf("\n");
  if (!is_digit_reader(network)) {
    fprintf(stderr, "%s: found ", argv[1]);
    print_signature(stderr, network);
    fprintf(stderr, "expected %s\n", EXPECTED_SIGNATURE);
  } else if ((images = read_images(argv[2], &num_images)) != NULL) {
    status = classify(network, images, num_images);
    free(images);
  }
  cyxla_executable_destroy(network);
  return status;
}
