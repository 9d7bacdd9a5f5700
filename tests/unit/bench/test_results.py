"""The format of campaigns: what is written is read back, and what is no campaign is refused in one line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
from harness import plan, programs, results, revision
from harness.derive import derive
from support import campaign, case, cell

import bench


def small_campaign() -> results.Campaign:
    counters = {"checks": 1.0, "accesses": 3.0, "locks": 7.0}
    fasttrack = cell("fasttrack", [3.123456, 3.2], compile_cpu_seconds=2.0, counters=counters)
    fasttrack.samples[1] = results.Sample(3.2, 6.4, 2_000_000, instructions=123_456_789, races=True)
    base = cell("base", [1.0, 1.1], compile_cpu_seconds=1.0)
    crashed = case("sor", results.Cell("base", results.CRASHED, "SIGSEGV"))
    return campaign(case("crypt", base, fasttrack), crashed, runs=2)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "results.json"

    def write(self, text: str) -> Path:
        self.path.write_text(text)
        return self.path

    def unreadable(self, path: Path) -> str:
        with self.assertRaises(results.Unreadable) as raised:
            results.load(path)
        message = str(raised.exception)
        self.assertNotIn("\n", message)
        self.assertTrue(message.startswith(f"{path}: "))
        return message

    def test_what_is_written_is_read(self):
        results.write_json(small_campaign(), self.path)
        self.assertEqual(results.load(self.path), small_campaign())

    def test_a_record_gives_the_same_figures_to_four_digits(self):
        whole = small_campaign()
        results.write_record(whole, self.path)
        kept = results.load(self.path)
        self.assertEqual((kept.revision, kept.detectors), (whole.revision, whole.detectors))
        self.assertEqual(kept.cases[0].cells["fasttrack"].counters, {"checks": 1.0, "accesses": 3.0})
        self.assertEqual(kept.cases[0].cells["fasttrack"].samples[0].seconds, 3.123)
        self.assertEqual(kept.cases[0].cells["fasttrack"].samples[1].instructions, 123_456_789)
        mine, theirs = (derive(c)[0].rows[0].figures["fasttrack"] for c in (kept, whole))
        self.assertAlmostEqual(mine.overhead, theirs.overhead, 3)
        self.assertEqual((mine.check_ratio, mine.races), (theirs.check_ratio, True))

    def test_a_record_says_nothing_of_where_the_tree_is(self):
        made = small_campaign()
        made.cases[1].cells["base"].detail = f"no such file: {support.REPOSITORY}/bench/cache/sor.o"
        results.write_record(made, self.path)
        self.assertEqual(results.load(self.path).cases[1].cells["base"].detail, "no such file: bench/cache/sor.o")

    def test_a_record_has_nothing_that_can_be_derived(self):
        results.write_record(small_campaign(), self.path)
        document = json.loads(self.path.read_text())
        self.assertNotIn("settings", document)
        self.assertEqual(len(self.path.read_text().splitlines()), 2 + len(document["cases"]))

    def test_what_is_no_campaign_is_refused(self):
        self.assertIn("No such file", self.unreadable(self.folder / "nothing.json"))
        self.assertIn("Is a directory", self.unreadable(self.folder))
        self.assertIn("not JSON", self.unreadable(self.write('{"schema": ')))
        self.assertIn("not JSON", self.unreadable(self.write("")))
        for text in ("[]", "3", "null", '{"cases": []}'):
            self.assertIn("not a campaign", self.unreadable(self.write(text)))

    def test_bytes_that_are_no_text_are_refused(self):
        self.path.write_bytes(b"\x89PNG\xff\xfe")
        self.assertIn("not JSON", self.unreadable(self.path))

    def test_another_version_is_named(self):
        message = self.unreadable(self.write('{"schema": "bigfoot-bench/1", "cases": []}'))
        self.assertIn("bigfoot-bench/1", message)
        self.assertIn(results.SCHEMA, message)

    def test_a_campaign_with_a_part_missing_is_refused(self):
        document = small_campaign().to_json()
        for broken in ("seed", "cases"):
            without = {key: value for key, value in document.items() if key != broken}
            self.assertIn(broken, self.unreadable(self.write(json.dumps(without))))
        document["cases"][0]["cells"][0]["samples"]["seconds"] = ["soon", "later"]
        self.assertIn('seconds of a sample is "soon"', self.unreadable(self.write(json.dumps(document))))
        document["cases"][0]["cells"][0]["samples"]["seconds"] = [1.0]
        self.unreadable(self.write(json.dumps(document)))


    def test_values_of_other_kinds_are_refused(self):
        whole = json.dumps(small_campaign().to_json())

        def changed(part: str, key: str, value) -> dict:
            document = json.loads(whole)
            case = document["cases"][0]
            parts = {"campaign": document, "case": case, "cell": case["cells"][0], "samples": case["cells"][0]["samples"]}
            self.assertIn(key, parts[part])
            parts[part][key] = [value for _ in parts[part][key]] if part == "samples" else value
            return document

        for part, key, value in (
            ("campaign", "runs", "5"), ("campaign", "runs", 0), ("campaign", "machine", None),
            ("campaign", "detectors", "base"), ("campaign", "detectors", []), ("campaign", "notes", [1]),
            ("case", "group", None), ("case", "threads", "2"), ("case", "threads", 0), ("case", "racy", 1),
            ("cell", "status", "fine"), ("cell", "detector", "eraser"), ("cell", "counters", {"checks": "many"}),
            ("samples", "seconds", None), ("samples", "seconds", 0), ("samples", "seconds", float("nan")),
            ("samples", "peak_rss_bytes", 0), ("samples", "peak_rss_bytes", True),
        ):  # fmt: skip
            with self.subTest(part=part, key=key, value=value):
                self.unreadable(self.write(json.dumps(changed(part, key, value))))

    def test_what_is_too_deep_to_be_read(self):
        self.assertIn("not JSON", self.unreadable(self.write("[" * 100_000)))


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def line_of(self, *arguments: str) -> str:
        with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit) as ended:
            bench.main(["--out", str(self.folder / "out"), "--page", str(self.folder / "page.html"), *arguments])
        self.assertEqual(ended.exception.code, 2)
        (line,) = error.getvalue().splitlines()
        return line

    def test_bad_input_is_one_line_and_exit_code_2(self):
        other = self.folder / "other.json"
        other.write_text('{"name": "package"}')
        for expected, arguments in {
            "did you mean 'raytracer'": ["--programs", "raytracr"],
            "no detector is called 'eraser'": ["--detectors", "eraser"],
            "no size is called 'huge'": ["--sizes", "huge"],
            "not a campaign": ["--diff", str(other)],
            "No such file": ["--from-json", str(self.folder / "nothing.json")],
            "unrecognized arguments": ["--fast"],
            "Not a directory": ["--work", str(other / "work")],
            "takes numbers from 1 to 256": ["--threads", "two"],
        }.items():
            with self.subTest(arguments):
                self.assertIn(expected, self.line_of(*arguments))

    def test_a_folder_of_drivers_that_is_not_there(self):
        with mock.patch.dict(os.environ, {"BIGFOOT_BIN": str(self.folder / "nowhere")}):
            self.assertIn("there is no folder", self.line_of("--work", str(self.folder / "work")))

    def test_an_earlier_campaign_is_shown_against_another(self):
        old, new, record = (self.folder / name for name in ("old.json", "new.json", "record.json"))
        results.write_json(small_campaign(), old)
        changed = small_campaign()
        changed.cases[0].program = "series"
        results.write_json(changed, new)
        arguments = ["--from-json", str(new), "--diff", str(old), "--record", str(record), "--out", str(self.folder)]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = bench.main([*arguments, "--page", str(self.folder / "page.html"), "--work", str(self.folder)])
        self.assertEqual(status, 0)
        self.assertIn("Only in the new campaign:\n  series A x2", said.getvalue())
        self.assertIn("Only in the old campaign:\n  crypt A x2", said.getvalue())
        self.assertEqual(results.load(record).cases[0].program, "series")

    def test_quick_is_everything_at_its_quick_size(self):
        chosen = bench.parse_arguments(["--quick", "--out", str(self.folder), "--work", str(self.folder)])
        self.assertEqual({p.suite for p in chosen.programs}, {p.suite for p in programs.OWN} | {"real"})
        self.assertEqual([d.name for d in chosen.detectors], ["base", "fasttrack", "bigfoot", "tsan"])
        cases = plan.cases_of(chosen.programs, chosen.sizes, chosen.threads, chosen.scaling)
        for program, of_program in zip(chosen.programs, cases):
            self.assertEqual(of_program.size, program.default_size if program.racy else program.quick_size)
        self.assertEqual({c.size_label for c in cases}, {"quick"})

    def test_what_quick_stands_for_can_be_chosen_beside_it(self):
        chosen = bench.parse_arguments(
            ["--quick", "--programs", "kernels", "--out", str(self.folder), "--work", str(self.folder)]
        )
        self.assertEqual([p.name for p in chosen.programs], [p.name for p in programs.JAVA_GRANDE])
        self.assertEqual(chosen.sizes, ["quick"])


class Revision(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(self.folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def test_outside_of_a_repository_there_is_none(self):
        self.assertEqual(revision.describe(self.folder), (None, False))

    def test_a_tree_is_clean_until_something_but_a_record_changes(self):
        self.git("init", "-q")
        (self.folder / "source.cpp").write_text("int x;")
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        head = self.git("rev-parse", "--short=12", "HEAD")
        self.assertEqual(revision.describe(self.folder), (head, True))
        (self.folder / "bench" / "recorded").mkdir(parents=True)
        (self.folder / "bench" / "recorded" / "quick.json").write_text("{}")
        (self.folder / "README.md").write_text("figures")
        self.assertEqual(revision.describe(self.folder), (head, True))
        (self.folder / "source.cpp").write_text("int y;")
        self.assertEqual(revision.describe(self.folder), (head, False))


if __name__ == "__main__":
    unittest.main()
