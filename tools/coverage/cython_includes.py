"""Cython's plugin for coverage, made to measure included files (.pxi) as well.

Coverage asks the plugin for a frame's source without telling which file it belongs to,
since plugins like this one find that out per frame; Cython's fails then where the frame
is of an included file. And what an included file executes while the module is imported
is reported under the name of the file that includes it, so only the lines inside its
functions can be measured.
"""

from Cython import Coverage


class IncludesTracer(Coverage.CythonModuleTracer):
    def dynamic_source_filename(self, filename, frame):
        return super().dynamic_source_filename(filename or self.module_file, frame)


class IncludesReporter(Coverage.CythonModuleReporter):
    def lines(self):
        lines = super().lines()
        if self.filename.endswith(".pxi"):
            lines = {line for line in lines if not self.is_definition(line)}
        return lines

    def is_definition(self, line):
        """Whether a line runs while the module is imported, as far as ours go."""
        code = self._code[line]
        beginnings = ("@", "def ", "cdef ", "cpdef ", "class ")
        return not code.startswith(" ") or code.lstrip().startswith(beginnings)


Coverage.CythonModuleTracer = IncludesTracer
Coverage.CythonModuleReporter = IncludesReporter
coverage_init = Coverage.coverage_init
