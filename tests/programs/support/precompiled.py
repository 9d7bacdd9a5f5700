"""The standard headers that cost more than all else in a program's compilation, parsed once for a run of the corpus.

<thread> is a second of parsing, <atomic> 0.6; every fourth program includes one of them. A program that does gets
the same header first, precompiled: `-include-pch` has the meaning of an #include at the top of the file, and the one
in the program finds its guard defined. Only a header that the source itself includes is given to it, and only if
nothing precedes its own #include lines, so no source sees a name or a macro that it did not ask for. The code is
that of the plain compilation, and so are the lines of the instructions (by disassembly at O2, 119 sources) but for
some in libstdc++ itself, in two examples: a member of std::pair that has no line of its own is given another one.
"""

import fcntl
import os
import re
import shutil
import subprocess

# The most costly first: <future> includes most of <thread>, which includes <atomic>. A header that fewer than five
# programs would get is not worth its own precompilation.
HEADERS = ("future", "thread", "atomic", "mutex")

DIRECTIVE = re.compile(r"^\s*#\s*(.*)", re.M)
INCLUDE = re.compile(r"include\s*<(\w+)>")

# A compilation that this is for: one C++ source without options of its own, which could be at odds with the header's.
COMPILATION = re.compile(r"%clangxx (%s|%examples/\w+\.cpp)(?=(?: %support| -l\w+)* -o )")


class CompilationError(Exception):
    """A header alone does not compile; the text is what the compiler says."""


def header_of(text):
    """The header of HEADERS to precompile for the source `text`, or None."""
    directives = DIRECTIVE.findall(text)
    if not directives or not directives[0].startswith("include"):
        return None
    included = {match[1] for line in directives if (match := INCLUDE.match(line))}
    return next((header for header in HEADERS if header in included), None)


class PrecompiledHeaders:
    """Makes a header when the first program wants it. The workers of lit are processes: whoever comes second waits.
    Nothing is kept from an earlier run, so that no compiler or header but the present one is tested."""

    def __init__(self, compiler, folder):
        self.compiler = compiler.split()
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)

    def substitutions(self, script, sources):
        """lit's substitutions for the text of a test, `script`, in which `sources` gives the files for %-names."""
        result = []
        for name in sorted(set(COMPILATION.findall(script))):
            with open(sources(name), encoding="utf-8") as source:
                header = header_of(source.read())
            if header:
                pattern = rf"%clangxx {re.escape(name)}(?=(?: %support| -l\w+)* -o )"
                result.append((pattern, f"%clangxx -include-pch {self.precompiled(header)} {name}"))
        return result

    def precompiled(self, header):
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, f"{header}.pch")
        with open(f"{path}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(path):
                self.compile(header, path)
        return path

    def compile(self, header, path):
        source = os.path.join(self.folder, f"{header}.h")
        with open(source, "w", encoding="ascii") as file:
            file.write(f"#include <{header}>\n")
        command = [*self.compiler, "-x", "c++-header", source, "-o", path]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                              encoding="utf-8", errors="replace")
        if done.returncode != 0:
            raise CompilationError(f"{' '.join(command)}\n{done.stderr}")
