"""The real programs: their descriptions, fetching (with an npm written by the test), and being left out."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401
from harness import programs
from real import fetch, projects

PACKAGE = {"npm": "some-package", "version": "1.2.3"}


def write_archive(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


class Fetching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cache = self.folder / "cache" / "packages"
        self.calls = self.folder / "calls"

    def use_npm(self, script: str) -> None:
        """Puts an npm that runs the script, and nothing else of that name, on the path."""
        tools = self.folder / "tools"
        tools.mkdir()
        npm = tools / "npm"
        npm.write_text(f'#!/bin/sh\necho "$@" >> {self.calls}\n{script}\n')
        npm.chmod(0o755)
        path = f"{tools}:/usr/bin:/bin"
        patch = mock.patch.dict(os.environ, {"PATH": path})
        patch.start()
        self.addCleanup(patch.stop)

    def use_archive(self, files: dict[str, str]) -> None:
        archive = self.folder / "archive.tgz"
        write_archive(archive, files)
        # npm pack NAME --silent --pack-destination FOLDER prints the name of the archive.
        self.use_npm(f'cp {archive} "$5/some-package-1.2.3.tgz"; echo some-package-1.2.3.tgz')

    def test_a_package_is_unpacked_once(self):
        self.use_archive({"package/deps/a.c": "int a;"})
        first = fetch.fetch("some", PACKAGE, self.cache)
        self.assertEqual((first / "deps" / "a.c").read_text(), "int a;")
        self.assertEqual(fetch.fetch("some", PACKAGE, self.cache), first)
        self.assertEqual(len(self.calls.read_text().splitlines()), 1)
        self.assertIn("some-package@1.2.3", self.calls.read_text())

    def test_nothing_is_written_outside_the_package(self):
        self.use_archive({"package/a.c": "", "package/../../escaped": "", "/tmp/bigfoot-absolute-escape": ""})
        fetch.fetch("some", PACKAGE, self.cache)
        self.assertEqual([p.name for p in self.folder.rglob("escaped")], [])
        self.assertFalse(Path("/tmp/bigfoot-absolute-escape").exists())

    def test_a_registry_that_cannot_be_reached_is_a_reason(self):
        self.use_npm("echo 'npm error network unreachable' >&2; exit 1")
        with self.assertRaisesRegex(fetch.Unavailable, "network unreachable"):
            fetch.fetch("some", PACKAGE, self.cache)
        self.assertEqual(list(self.cache.iterdir()), [], "a failed fetch left something behind")

    def test_a_registry_that_does_not_answer_is_a_reason(self):
        self.use_npm("exec sleep 100")
        with mock.patch.object(fetch, "FETCH_TIMEOUT", 0.2):
            with self.assertRaisesRegex(fetch.Unavailable, "did not answer"):
                fetch.fetch("some", PACKAGE, self.cache)

    def test_a_debian_package_that_is_not_installed_says_how_to(self):
        package = {"debian": "libnothing-dev", "header": "/usr/include/nothing/nothing.h"}
        with self.assertRaisesRegex(fetch.Unavailable, "apt-get install libnothing-dev"):
            fetch.fetch("nothing", package, self.cache)


class Preparing(unittest.TestCase):
    def test_what_cannot_be_fetched_is_left_out_with_a_note(self):
        wanted = [programs.OWN[0], *projects.declared()]
        with mock.patch.object(fetch, "fetch", side_effect=fetch.Unavailable("no network")):
            ready, notes = projects.prepare(wanted)
        self.assertEqual(ready, [programs.OWN[0]])
        self.assertEqual(len(notes), len(projects.declared()))
        self.assertTrue(all("left out: no network" in note for note in notes))

    def test_sources_are_those_that_match_and_are_not_excepted(self):
        with tempfile.TemporaryDirectory() as name:
            package, folder = Path(name) / "package", Path(name) / "project"
            (package / "src").mkdir(parents=True)
            for file in ("a.c", "b.c", "a_test.c"):
                (package / "src" / file).touch()
            project = projects.Project(
                folder,
                {
                    "sources": [{"files": ["src/*.c"], "except": ["src/*_test.c"], "flags": ["-w"]}],
                    "includes": ["include"],
                    "overrides": ["mine"],
                    "workload": ["workload.cpp"],
                    "default_size": "A",
                    "group": "bytes",
                },
            )
            program = project.program(package)
            self.assertEqual([s.path.name for s in program.sources], ["workload.cpp", "a.c", "b.c"])
            self.assertEqual(program.flags, (f"-I{folder / 'mine'}", f"-I{package / 'include'}"))

    def test_a_pattern_without_a_match_is_a_changed_package(self):
        with tempfile.TemporaryDirectory() as name:
            project = projects.Project(
                Path(name), {"sources": [{"files": ["gone/*.c"]}], "workload": [], "default_size": "A"}
            )
            with self.assertRaisesRegex(fetch.Unavailable, "gone"):
                project.program(Path(name))


class Descriptions(unittest.TestCase):
    def test_every_description_is_complete(self):
        described = projects.all_projects()
        self.assertGreaterEqual(len(described), 5)
        for project in described:
            with self.subTest(project.name):
                description = project.description
                self.assertTrue({"npm", "version"} <= set(description["package"]) or "debian" in description["package"])
                self.assertIn(description["default_size"], programs.SIZES)
                self.assertIn(description.get("quick_size", "small"), programs.SIZES)
                self.assertIn(description["group"], programs.GROUPS)
                for workload in description["workload"]:
                    self.assertTrue((project.folder / workload).exists())
                for override in description.get("overrides", ()):
                    self.assertTrue((project.folder / override).is_dir())


if __name__ == "__main__":
    unittest.main()
