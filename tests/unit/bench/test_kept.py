"""Executables are built again if anything that goes into them has changed, and only then.

The compiler is a script around the real one that counts how often it compiles.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import tempfile
import unittest
from pathlib import Path

import support
from harness import detectors, kept
from harness.build import Builder, BuildFailed
from harness.detectors import Toolchain
from harness.process import Launcher
from harness.programs import Program, Source


class Building(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source = self.folder / "program.c"
        self.source.write_text('#include "answer.h"\nint main(void) { return ANSWER; }\n')
        self.header = self.folder / "answer.h"
        self.header.write_text("#define ANSWER 0\n")
        self.program = Program("program", "own", "arrays", (Source(self.source),), "tiny", (f"-I{self.folder}",))
        self.compiler = self.write_compiler("")
        self.launcher = Launcher(self.folder, support.CC)

    def write_compiler(self, text: str) -> str:
        """As a driver of BigFoot, too, with a plugin beside it."""
        bin_folder = self.folder / "product" / "bin"
        for part in (bin_folder, self.folder / "product" / "lib"):
            part.mkdir(parents=True, exist_ok=True)
        (self.folder / "product" / "lib" / "libbigfoot_pass.so").write_text("plugin")
        for name in ("cc", "bigfoot-clang", "bigfoot-clang++"):
            script = bin_folder / name
            # The real one does not know --detector.
            real = f"""exec {support.CC} $(echo "$@" | sed 's/--detector=[a-z]*//')"""
            script.write_text(f'#!/bin/sh\n{text}\necho "$@" >> {self.folder}/calls\n{real}\n')
            script.chmod(0o755)
        return str(bin_folder / "cc")

    def build(self, detector: str = "base", program: Program | None = None, fresh: bool = False):
        toolchain = Toolchain(self.compiler, self.compiler, self.folder / "product" / "bin")
        builder = Builder(self.folder / "work", toolchain, self.launcher, fresh)
        program = program or self.program
        was_kept = builder.is_kept(program, detectors.DETECTORS[detector])
        built = builder.build(program, detectors.DETECTORS[detector])
        self.assertEqual(built.is_kept, was_kept)
        self.assertTrue(built.executable.exists())
        return built

    def compilations(self) -> int:
        return sum(" -c " in line for line in (self.folder / "calls").read_text().splitlines())

    def assert_builds(self, expected: bool, **options) -> None:
        before = self.compilations()
        self.assertEqual(self.build(**options).is_kept, not expected)
        self.assertEqual(self.compilations() - before, int(expected))

    def test_nothing_has_changed(self):
        first = self.build()
        self.assert_builds(False)
        self.assertEqual(self.build().cpu_seconds, first.cpu_seconds)

    def test_the_source_changed(self):
        self.build()
        self.source.write_text("int main(void) { return 1; }\n")
        self.assert_builds(True)
        self.assert_builds(False)

    def test_a_header_changed(self):
        self.build()
        self.header.write_text("#define ANSWER 1\n")
        self.assert_builds(True)
        self.assertEqual(self.launcher.run([str(self.build().executable)]).exit_code, 1)

    def test_a_header_is_gone(self):
        self.build()
        self.header.unlink()
        with self.assertRaises(BuildFailed):
            self.build()

    def test_a_newer_time_with_the_same_text_is_no_change(self):
        self.build()
        os.utime(self.header, (2_000_000_000, 2_000_000_000))
        self.assert_builds(False)

    def test_the_compiler_changed(self):
        self.build()
        self.write_compiler("# another one")
        self.assert_builds(True)

    def test_flags_changed(self):
        self.build()
        changed = dataclasses.replace(self.program, flags=(*self.program.flags, "-DOTHER"))
        self.assert_builds(True, program=changed)
        self.assert_builds(False, program=changed)

    def test_libraries_changed(self):
        self.build()
        self.assert_builds(True, program=dataclasses.replace(self.program, libraries=("-lm",)))

    def test_the_plugin_changed(self):
        self.build()
        self.build("bigfoot")
        (self.folder / "product" / "lib" / "libbigfoot_pass.so").write_text("another plugin")
        self.assert_builds(True, detector="bigfoot")
        self.assert_builds(False, detector="base")

    def test_detectors_have_executables_of_their_own(self):
        self.build("base")
        self.assert_builds(True, detector="fasttrack")

    def test_the_executable_is_gone(self):
        self.build().executable.unlink()
        self.assert_builds(True)

    def test_fresh_builds_everything(self):
        self.build()
        self.assert_builds(True, fresh=True)

    def test_a_build_that_failed_leaves_nothing_to_keep(self):
        self.build()
        text = self.source.read_text()
        self.source.write_text("this is not C")
        with self.assertRaises(BuildFailed):
            self.build()
        self.source.write_text(text)
        self.assert_builds(True)

    def test_a_record_that_was_cut_short_is_none(self):
        built = self.build()
        (built.executable.parent / kept.NAME).write_text('{"recipe": ')
        self.assert_builds(True)

    def test_commands_that_build_the_same_at_once_build_it_once(self):
        toolchain = Toolchain(self.compiler, self.compiler, self.folder / "product" / "bin")
        builders = [Builder(self.folder / "work", toolchain, self.launcher) for _ in range(8)]
        base = detectors.DETECTORS["base"]
        with concurrent.futures.ThreadPoolExecutor(len(builders)) as pool:
            built = list(pool.map(lambda builder: builder.build(self.program, base), builders))
        self.assertEqual(sorted(b.is_kept for b in built), [False] + [True] * 7)
        self.assertEqual(self.compilations(), 1)

    def test_objects_are_not_left(self):
        folder = self.build().executable.parent
        self.assertEqual({path.name for path in folder.iterdir()}, {"program", kept.NAME})


class Prerequisites(unittest.TestCase):
    def test_as_compilers_write_them(self):
        text = "a.o: a.c \\\n  /usr/include/with\\ space.h b$$.h\n"
        self.assertEqual(kept.prerequisites(text), ["a.c", "/usr/include/with space.h", "b$.h"])


if __name__ == "__main__":
    unittest.main()
