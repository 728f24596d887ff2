/* A library that can be loaded but is no plugin. */
int not_a_plugin(void);

int not_a_plugin(void) {
  return 1;
}
