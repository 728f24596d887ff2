"""The exceptions of cyxla."""


class Error(RuntimeError):
    """An error of the C library or of a plugin.

    ``status`` is the name of its status, such as ``"PLUGIN_NOT_FOUND"``; cyxla.h lists
    them.
    """

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class FileError(Error, OSError):
    """A file that cannot be read or written."""
