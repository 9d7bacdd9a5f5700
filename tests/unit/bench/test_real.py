"""The real programs: their descriptions, fetching (with an npm and an apt written by the test), and being left out."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
from harness import programs
from harness.build import Builder, helper_of
from harness.detectors import DETECTORS, Toolchain
from harness.process import Launcher
from real import command, debian_source, fetch, projects

PACKAGE = {"npm": "some-package", "version": "1.2.3"}


def write_archive(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


class WithTools(unittest.TestCase):
    """A scratch cache, and tools that the test writes before all others on the path."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cache = self.folder / "cache" / "packages"
        self.calls = self.folder / "calls"
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        self.use_path(f"{self.tools}:/usr/bin:/bin")
        said = mock.patch("sys.stderr", io.StringIO())
        self.said = said.start()
        self.addCleanup(said.stop)

    def use_path(self, path: str) -> None:
        patch = mock.patch.dict(os.environ, {"PATH": path})
        patch.start()
        self.addCleanup(patch.stop)

    def use_tool(self, name: str, script: str) -> None:
        tool = self.tools / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.calls}\n{script}\n')
        tool.chmod(0o755)

    def called(self, words: str) -> int:
        return sum(words in line for line in self.calls.read_text().splitlines()) if self.calls.exists() else 0


class Fetching(WithTools):
    def use_npm(self, script: str) -> None:
        self.use_tool("npm", script)

    def use_archive(self, files: dict[str, str]) -> None:
        archive = self.folder / "archive.tgz"
        write_archive(archive, files)
        # npm pack NAME --silent --pack-destination FOLDER prints the name of the archive.
        self.use_npm(f'cp {archive} "$5/some-package-1.2.3.tgz"; echo some-package-1.2.3.tgz')

    def test_a_package_is_unpacked_once(self):
        self.use_archive({"package/deps/a.c": "int a;"})
        first = fetch.fetch("some", PACKAGE, self.cache)
        self.assertEqual((first.folder / "deps" / "a.c").read_text(), "int a;")
        self.assertEqual(first.version, "1.2.3")
        self.assertEqual(fetch.fetch("some", PACKAGE, self.cache), first)
        self.assertEqual(self.called("some-package@1.2.3"), 1)
        self.assertEqual(self.called(""), 1)

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
        with mock.patch.object(command, "TIMEOUT", 0.2):
            with self.assertRaisesRegex(fetch.Unavailable, "did not answer"):
                fetch.fetch("some", PACKAGE, self.cache)

    def test_a_debian_package_that_is_not_installed_says_how_to(self):
        package = {"debian": "libnothing-dev", "header": "/usr/include/nothing/nothing.h"}
        with self.assertRaisesRegex(fetch.Unavailable, "apt-get install libnothing-dev"):
            fetch.fetch("nothing", package, self.cache)

    def test_a_debian_package_that_is_installed_has_the_version_that_dpkg_knows(self):
        self.use_tool("dpkg-query", "printf 2021.8-1")
        header = self.folder / "include" / "nothing.h"
        header.parent.mkdir()
        header.touch()
        fetched = fetch.fetch("nothing", {"debian": "libnothing-dev", "header": str(header)}, self.cache)
        self.assertEqual(fetched, fetch.Package(header.parent, "2021.8-1"))


class FetchingSources(WithTools):
    """Debian source packages."""

    PACKAGE = {"debian-source": "hello"}

    def setUp(self):
        super().setUp()
        self.machine = self.folder / "etc"
        (self.machine / "sources.list.d").mkdir(parents=True)
        (self.machine / "sources.list").write_text("deb [arch=amd64] http://one.invalid stable main # first\n")
        patch = mock.patch.object(debian_source, "MACHINE", self.machine)
        patch.start()
        self.addCleanup(patch.stop)
        self.apt = self.cache.parent / "apt"
        self.use_tool("apt-config", """cat <<'END'
Acquire "";
Acquire::http::Proxy "http://proxy.invalid";
APT::Update::Post-Invoke:: "rm -rf everything";
END""")
        self.use_tool("dpkg-source", 'for last; do :; done; mkdir "$last"; echo "int hello;" > "$last/hello.c"')
        self.use_apt()

    def use_apt(self, update: str = "", source: str = "") -> None:
        """An apt-get that offers version 1:2.10-3 of every package, after these commands."""
        offer = """printf 'Format: 3.0\\nSource: it\\nVersion: 1:2.10-3\\n' > it_2.10-3.dsc"""
        self.use_tool("apt-get", f"""echo "config $APT_CONFIG" >> {self.calls}
case "$*" in
  *update) {update or ":"} ;;
  *source*) {source or offer} ;;
esac""")

    def fetch(self, package: dict | None = None) -> fetch.Package:
        return fetch.fetch("hello", package or self.PACKAGE, self.cache)

    def assert_unavailable(self, reason: str) -> None:
        with self.assertRaisesRegex(fetch.Unavailable, reason) as caught:
            self.fetch()
        self.assertEqual(len(str(caught.exception).splitlines()), 1)
        left = list(self.cache.iterdir()) if self.cache.exists() else []
        self.assertEqual(left, [], "a failed fetch left something behind")

    def test_a_package_is_fetched_once_and_its_folder_names_its_version(self):
        first = self.fetch()
        self.assertEqual(first, fetch.Package(self.cache / "hello-2.10-3", "2.10-3"))
        self.assertEqual((first.folder / "hello.c").read_text(), "int hello;\n")
        self.assertEqual(list(self.cache.iterdir()), [first.folder])
        self.assertIn("fetching the source package hello", self.said.getvalue())
        before = self.calls.read_text()
        self.assertEqual(self.fetch(), first)
        self.assertEqual(self.calls.read_text(), before, "what is in the cache was asked for again")

    def test_what_debian_added_is_not_fetched(self):
        self.fetch()
        sources = [line for line in self.calls.read_text().splitlines() if " source hello" in line]
        self.assertEqual(len(sources), 2)
        self.assertIn("--dsc-only", sources[0])
        self.assertIn("--tar-only", sources[1])
        self.assertEqual(self.called("--skip-debianization"), 1)

    def test_of_several_packages_each_has_a_folder(self):
        fetched = self.fetch({"debian-source": ["hello", "world"]})
        self.assertEqual(fetched.version, "2.10-3_2.10-3")
        self.assertEqual(sorted(path.name for path in fetched.folder.iterdir()), ["hello", "world"])
        self.assertTrue((fetched.folder / "world" / "hello.c").exists())

    def test_apt_works_in_the_folder_of_the_bench_alone(self):
        self.fetch()
        configuration = (self.apt / "apt.conf").read_text()
        self.assertEqual(self.called(f"config {self.apt}/apt.conf"), self.called("apt-get"))
        self.assertIn(f'Dir::State::lists "{self.apt}/lists";', configuration)
        self.assertIn("proxy.invalid", configuration)
        self.assertNotIn("Post-Invoke", configuration)
        self.assertEqual(
            (self.apt / "sources.list.d" / "machine.list").read_text(),
            "deb-src [arch=amd64] http://one.invalid stable main\n",
        )

    def test_lists_are_fetched_again_when_they_are_old_or_the_sources_have_changed(self):
        self.fetch()
        fetch.fetch("other", self.PACKAGE, self.cache)
        self.assertEqual(self.called("update"), 1)
        old = os.stat(self.apt / "updated").st_mtime - debian_source.LISTS_FRESH_SECONDS - 1
        os.utime(self.apt / "updated", (old, old))
        fetch.fetch("third", self.PACKAGE, self.cache)
        self.assertEqual(self.called("update"), 2)
        (self.machine / "sources.list").write_text("deb http://two.invalid stable main\n")
        fetch.fetch("fourth", self.PACKAGE, self.cache)
        self.assertEqual(self.called("update"), 3)

    def test_fresh_lists_that_name_files_which_are_gone_are_fetched_again(self):
        marker = self.folder / "newer"
        self.use_apt(source=f"""[ -e {marker} ] || {{ echo 'E: 404 Not Found' >&2; exit 100; }}
            echo 'Version: 2.11-1' > it_2.11-1.dsc""", update=f"[ ! -e {self.apt}/updated ] || touch {marker}")
        with self.assertRaisesRegex(fetch.Unavailable, "404"):
            self.fetch()
        self.assertEqual(self.called("update"), 1, "lists that were just fetched were fetched again")
        self.assertEqual(self.fetch().version, "2.11-1")

    def test_an_archive_that_cannot_be_reached_is_a_reason(self):
        self.use_apt(
            update="echo 'E: Failed to fetch: could not resolve' >&2; exit 100",
            source="echo 'E: Unable to find a source package for hello' >&2; exit 100",
        )
        self.assert_unavailable("hello failed: .*lists could not be fetched: Failed to fetch: could not resolve")

    def test_one_archive_that_cannot_be_reached_does_not_hide_the_others(self):
        self.use_apt(update="echo 'E: Failed to fetch' >&2; exit 100")
        self.assertEqual(self.fetch().version, "2.10-3")

    def test_an_archive_that_does_not_answer_is_a_reason(self):
        self.use_apt(update="exec sleep 100")
        with mock.patch.object(command, "TIMEOUT", 0.2):
            self.assert_unavailable("apt-get update did not answer in 0.2 s")

    def test_an_unknown_package_is_a_reason(self):
        self.use_apt(source="echo 'E: Unable to find a source package for hello' >&2; exit 100")
        self.assert_unavailable("apt-get source hello failed: Unable to find a source package for hello$")

    def test_a_fetch_that_is_cut_short_leaves_nothing(self):
        self.use_apt(source="echo half > it_1.orig.tar.gz; kill -9 $$")
        self.assert_unavailable("apt-get source hello failed: no reason given")
        self.use_apt()
        self.use_tool("dpkg-source", 'for last; do :; done; mkdir "$last"; echo "dpkg-source: error: no patch" >&2; exit 2')
        self.assert_unavailable("could not unpack hello: dpkg-source: error: no patch")

    def test_a_machine_without_apt_is_a_reason(self):
        self.use_path("/nonexistent")
        self.assert_unavailable("apt-get is not installed")

    def test_a_machine_without_dpkg_source_says_what_installs_it(self):
        (self.tools / "dpkg-source").unlink()
        self.use_path(str(self.tools))
        self.assert_unavailable("scripts/setup scripts/packages-bench.txt")

    def test_malformed_sources_are_a_reason(self):
        for name, text, reason in (
            ("sources.list", "deb http://one.invalid\n", "sources.list:1 is not a line of apt's sources: deb http"),
            ("sources.list", "dab http://one.invalid stable main\n", "sources.list:1 is not a line"),
            ("sources.list", "# nothing\n", "apt has no sources"),
            ("sources.list.d/a.sources", "Types: deb\nURIs: http://a.invalid\n", "a.sources: .* has no suites"),
            ("sources.list.d/a.sources", "Types: deb\nwhatever\n", "a.sources: not a field .*: whatever"),
        ):
            with self.subTest(text):
                for path in self.machine.rglob("*.*"):
                    if path.is_file():
                        path.unlink()
                (self.machine / name).write_text(text)
                self.assert_unavailable(reason)

    def test_sources_keep_what_signs_them(self):
        (self.machine / "sources.list").write_text(
            "deb [signed-by=/k.gpg] http://a.invalid s main\n"
            "deb-src [signed-by=/k.gpg] http://a.invalid s main\n"
            "deb cdrom:[Debian 12]/ s main\n"
        )
        (self.machine / "sources.list.d" / "b.sources").write_text(
            "# why\nTypes: deb deb-src\nURIs: http://b.invalid\nSuites: s t\nComponents: main\n"
            "Signed-By:\n -----BEGIN-----\n .\n abc\n\n\n"
            "Enabled: no\nTypes: deb\nURIs: http://c.invalid\nSuites: s\n"
        )
        lines, paragraphs = debian_source.source_entries(self.machine)
        self.assertEqual(lines, ["deb-src [signed-by=/k.gpg] http://a.invalid s main"])
        self.assertEqual(
            paragraphs,
            [
                "Types: deb-src\nUris: http://b.invalid\nSuites: s t\nComponents: main\n"
                "Signed-By:\n -----BEGIN-----\n .\n abc\n"
            ],
        )


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
            program = project.program(fetch.Package(package, "1.0"))
            self.assertEqual(program.version, "1.0")
            self.assertEqual([s.path.name for s in program.sources], ["workload.cpp", "a.c", "b.c"])
            self.assertEqual(program.flags, (f"-I{folder / 'mine'}", f"-I{package / 'include'}"))

    def test_a_pattern_without_a_match_is_a_changed_package(self):
        with tempfile.TemporaryDirectory() as name:
            project = projects.Project(
                Path(name), {"sources": [{"files": ["gone/*.c"]}], "workload": [], "default_size": "A"}
            )
            with self.assertRaisesRegex(fetch.Unavailable, "gone"):
                project.program(fetch.Package(Path(name), ""))


class Helpers(unittest.TestCase):
    def test_a_helper_is_built_beside_the_program_without_the_detector(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "workload.cpp").write_text("int main() {}\n")
            (folder / "load.cpp").write_text("int main() {}\n")
            description = {
                "workload": ["workload.cpp"],
                "helper": "load.cpp",
                "default_size": "A",
                "group": "servers",
            }
            program = projects.Project(folder, description).program(fetch.Package(folder, ""))
            builder = Builder(folder, Toolchain(support.CC, support.CXX, folder), Launcher(folder, support.CC))
            executable = builder.build(program, DETECTORS["tsan"]).executable
            self.assertIn(b"__tsan_init", executable.read_bytes())
            self.assertNotIn(b"__tsan_init", helper_of(executable).read_bytes())


class Descriptions(unittest.TestCase):
    def test_every_description_is_complete(self):
        described = projects.all_projects()
        self.assertGreaterEqual(len(described), 5)
        for project in described:
            with self.subTest(project.name):
                description = project.description
                ways = ({"npm", "version"}, {"debian", "header"}, {"debian-source"})
                self.assertIn(set(description["package"]), ways)
                self.assertIn(description["default_size"], programs.SIZES)
                self.assertIn(description.get("quick_size", "small"), programs.SIZES)
                self.assertIn(description["group"], programs.GROUPS)
                helper = [description["helper"]] if "helper" in description else []
                for workload in (*description["workload"], *helper):
                    self.assertTrue((project.folder / workload).exists())
                for override in description.get("overrides", ()):
                    self.assertTrue((project.folder / override).is_dir())


if __name__ == "__main__":
    unittest.main()
