/* A program that does nothing, for what a process costs at least.
 *
 * usage: empty [peak]   prints the most memory that it had in use
 */
#include "peak.h"

int main(int argc, char **argv) {
  (void)argv;
  return argc > 1 ? print_peak() : EXIT_SUCCESS;
}
