"""What a process has one of: the runtime, and the lock of all that changes it."""

import os
import threading

# The runtime of the plugin that is loaded, None before. It is set under the lock.
runtime = None

# Whoever loads a plugin registers handlers and types, so one thread may take it twice.
lock = threading.RLock()


def forget_lock():
    """In a forked child nobody would release a lock that another thread held."""
    global lock
    lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_lock)
