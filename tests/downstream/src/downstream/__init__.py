"""Two extension modules that run JAX functions without the GIL."""
