"""bench parity: what is computed of the figures, that its program has every cell and one check for each access, and
that instructions are counted exactly."""

from __future__ import annotations

import contextlib
import fnmatch
import io
import json
import re
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import support
import parity
from harness import browser, detectors
from harness.build import Builder
from harness.process import Launcher
from parity import Cell, Failed, Table


def cell(row: str, column: str, base: float, bigfoot: float, tsan: float, **more) -> Cell:
    return Cell(row, column, ns={"base": base, "bigfoot": bigfoot, "tsan": tsan}, **more)


def sample() -> Table:
    counts = {"base": 5.0, "bigfoot": 25.0, "tsan": 45.0}
    return Table(
        {"cpu": "test <&>", "clean": True},
        2,
        [
            cell("read8", "same-epoch", 1.0, 2.0, 3.0, instructions=counts),
            cell("read8", "own-earlier", 1.0, 7.0, 3.0),
            cell("write8", "same-epoch", 1.0, 4.0, 1.1),
            cell("write8", "own-earlier", 1.0, 10.0, 4.0),
            Cell("read32", "same-epoch", ns={"base": 1.0, "bigfoot": 2.0}, why_not={"tsan": "not checked by it"}),
            cell("lock-unlock", "alone", 10.0, 20.0, 60.0),
        ],
    )


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = parity.main(list(arguments))
    return code, out.getvalue(), err.getvalue()


class Figures(unittest.TestCase):
    def test_a_ratio_is_of_what_is_added(self):
        first, second = sample().cells[:2]
        self.assertEqual(first.ratio("ns"), 0.5)
        self.assertEqual(second.ratio("ns"), 3.0)
        self.assertEqual(first.ratio("instructions"), 0.5)
        self.assertEqual(first.text("ns"), "1.0/-/2.0 0.50")

    def test_below_the_resolution_there_is_no_ratio(self):
        found = cell("read8", "fresh", 1.0, 1.1, 1.1)
        self.assertIsNone(found.ratio("ns"))
        self.assertEqual(found.remark("ns"), "below the resolution")

    def test_only_theirs_below_the_resolution_is_a_lower_bound(self):
        found = sample().cells[2]
        self.assertAlmostEqual(found.ratio("ns"), 3.0 / 0.2)
        self.assertEqual(found.text("ns"), "3.0/-/0.1 >15.00")
        self.assertEqual(parity.shade(1.0, found.is_bound("ns")), "s5")
        self.assertIn(found, [c for _, c in parity.dearer(sample(), 1.0, "ns")])

    def test_a_cell_that_a_tool_can_not_do_says_why(self):
        found = sample().cells[4]
        self.assertEqual(found.text("ns"), "1.0/-/- *")
        self.assertEqual(found.remark("ns"), "not checked by it")

    def test_the_dearest_come_first_and_the_bound_is_not_among_them(self):
        found = parity.dearer(sample(), 0.5, "ns")
        self.assertEqual([(ratio, c.row) for ratio, c in found], [(found[0][0], "write8"), (3.0, "read8"), (3.0, "write8")])
        self.assertEqual(len(parity.dearer(sample(), 3.0, "ns")), 1)
        self.assertIn("3 of 5 cells", parity.dearer_text(sample(), 1.0))

    def test_instructions_are_of_the_difference_of_two_passes(self):
        listed = {3: parity.Listed(3, "read8", "fresh", 4096, 8, "")}
        self.assertEqual(parity.parse_counts("3 180\n3 100\n", listed), {3: 10.0})
        with self.assertRaises(Failed):
            parity.parse_counts("3 180\n4 100\n", {**listed, 4: listed[3]})

    def test_rows_and_columns_are_chosen_by_patterns(self):
        chosen = sample().select("read*,lock-unlock", "same*,alone")
        self.assertEqual([c.row for c in chosen.cells], ["read8", "read32", "lock-unlock"])
        with self.assertRaisesRegex(Failed, "no row is called 'read9'"):
            sample().select("read9", None)


class Command(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        self.json = self.folder / "table.json"
        self.json.write_text(sample().to_json())
        self.page = str(self.folder / "page.html")

    def test_figures_survive_a_file(self):
        again = self.folder / "again.json"
        code, out, _ = run("--from-json", str(self.json), "--json", str(again), "--page", self.page)
        self.assertEqual(code, 0)
        self.assertEqual(parity.from_json(again.read_text()), sample())
        self.assertIn("1.0/-/2.0 0.50", out)
        self.assertIn("not checked by it", out)

    def test_only_dearer_cells(self):
        code, out, _ = run("--from-json", str(self.json), "--above", "1", "--page", self.page)
        self.assertEqual(code, 0)
        self.assertEqual(re.findall(r"(\w+) +own-earlier", out), ["read8", "write8"])

    def test_bad_input_is_one_line(self):
        broken = self.folder / "broken.json"
        nan = sample().to_json().replace("2.0", "NaN")
        none = Table({}, 1, []).to_json()
        for text in (nan, none, "[" * 100000, "{", "[]", '{"cells": [{"row": 1}]}', json.dumps({"cells": [{"row": "a", "column": "b"}]})):
            broken.write_text(text)
            code, out, err = run("--from-json", str(broken), "--page", self.page)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), text)
        for arguments in (("--rows", "none"), ("--columns", "none")):
            code, _, err = run("--from-json", str(self.json), *arguments, "--page", self.page)
            self.assertEqual((code, err.count("\n")), (2, 1))
        missing = str(self.folder / "missing")
        code, _, err = run("--from-json", missing, "--page", self.page)
        self.assertEqual((code, err.count("\n"), err.count(missing)), (2, 1, 1))
        for arguments in (("--bogus",), ("--runs", "0"), ("--above", "x"), ("--above", "nan"), ("--json", missing + "/x")):
            err = io.StringIO()
            with contextlib.redirect_stderr(err), self.assertRaises(SystemExit) as ended:
                parity.parse_arguments([*arguments])
            self.assertEqual((ended.exception.code, err.getvalue().count("\n")), (2, 1), arguments)

    def test_a_missing_compiler_is_one_line(self):
        with unittest.mock.patch.dict("os.environ", BIGFOOT_BIN=str(self.folder / "nowhere")):
            code, _, err = run("--page", self.page, "--work", str(self.folder / "work"))
        self.assertEqual((code, err.count("\n")), (2, 1))
        self.assertIn("is not installed", err)


class Page(unittest.TestCase):
    def test_every_cell_is_coloured_by_its_ratio(self):
        cells = re.findall(r'<td class="(\w+)"(?: data-ratio="([0-9.]+)")?', parity.page(sample()))
        self.assertEqual([c for c, _ in cells][:4], ["s0", "s5", "s5", "s5"])
        for shade, ratio in cells:
            self.assertEqual(shade, parity.shade(float(ratio) if ratio else None))

    def test_text_is_no_markup(self):
        self.assertIn("test &lt;&amp;&gt;", parity.page(sample()))

    @unittest.skipIf(browser.find() is None, "Chromium is not installed")
    def test_in_a_browser_nothing_overflows_and_cheaper_is_blue(self):
        wide = Table({}, 1, [cell("read8", name, 1.0, 2.0 + i, 5.0) for i, name in enumerate(parity.COLUMNS)])
        script = """<script>
          const wide = document.documentElement.scrollWidth > innerWidth;
          const colours = [...document.querySelectorAll('td[data-ratio]')].map((cell) => {
            const [r, g, b] = getComputedStyle(cell).backgroundColor.match(/[0-9]+/g).map(Number);
            return (b > r) === (Number(cell.dataset.ratio) <= 1);
          });
          document.body.dataset.result = `${wide} ${colours.length} ${colours.every((right) => right)}`;
        </script></body>"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            path.write_text(parity.page(wide).replace("</body>", script))
            dom = browser.run(path, "--dump-dom", "--window-size=800,600").stdout
        self.assertIn(f'data-result="false {len(parity.COLUMNS)} true"', dom)


LOOP = """
int main(void) {
  __asm__ volatile("mov $7, %eax\\n int3\\n mov $1000, %ecx\\n 1: dec %ecx\\n jnz 1b\\n int3\\n"
                   "int3\\n nop\\n nop\\n int3");
  return 3;
}
"""


class Compiled(unittest.TestCase):
    """The program, plain and under ThreadSanitizer: BigFoot's compiler is not there yet when these tests run."""

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.work = Path(cls._folder.name)
        toolchain = detectors.Toolchain(support.CC, support.CXX, cls.work)
        cls.launcher = Launcher(cls.work, support.CC)
        builder = Builder(cls.work, toolchain, cls.launcher)
        cls.built = {t: builder.build(parity.program(), detectors.DETECTORS[t]).executable for t in ("base", "tsan")}
        cls.counter = parity.step_counter(cls.work, support.CC)

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def listed(self, tool: str) -> list[parity.Listed]:
        done = self.launcher.run((str(self.built[tool]), "list"))
        return parity.parse_list(done.stdout)

    def test_instructions_between_marks_are_counted(self):
        source, report = self.work / "loop.c", self.work / "report"
        source.write_text(LOOP)
        subprocess.run([support.CC, str(source), "-o", str(self.work / "loop")], check=True)
        for _ in range(2):
            done = subprocess.run([self.counter, report, self.work / "loop"])
            self.assertEqual(done.returncode, 3)
            self.assertEqual(report.read_text().splitlines(), ["7 2001", "7 2"])

    def test_every_cell_is_there(self):
        cells = {(c.row, c.column) for c in self.listed("base")}
        sizes = (1, 2, 4, 8, 16, 32)
        accesses = [f"{kind}{size}" for kind in ("read", "write", "update") for size in sizes]
        accesses += [f"{kind}{size}-unaligned" for kind in ("read", "write", "update") for size in (2, 4)]
        for place in ("across-words", "across-lines"):
            accesses += [f"{kind}{size}-{place}" for kind in ("read", "write", "update") for size in sizes[1:]]
        lengths = ("16", "64", "256", "1K", "4K", "16K", "64K")
        accesses += [f"{kind}-range-{length}" for kind in ("read", "write", "update") for length in lengths]
        accesses += [f"{kind}-strided-4K-by-{step}" for kind in ("read", "write", "update") for step in (16, 64)]
        states = [name for name in parity.COLUMNS if name not in ("alone", "contended")]
        wanted = {(row, column) for row in accesses for column in states}
        shared = ("lock-unlock", "atomic-load", "atomic-store", "atomic-exchange")
        wanted |= {(row, column) for row in shared for column in ("alone", "contended")}
        wanted |= {(row, "alone") for row in ("function", "malloc-free-16", "malloc-free-1M", "thread")}
        self.assertEqual(wanted - cells, set())
        self.assertEqual({column for _, column in cells}, set(parity.COLUMNS))

    def test_thread_sanitizer_does_not_check_the_widest(self):
        for c in self.listed("tsan"):
            self.assertEqual(c.why_not != "", bool(fnmatch.fnmatch(c.row, "*32*")), c)

    def test_a_pass_is_a_loop_around_one_check(self):
        """A size that is a power of two is one call of ThreadSanitizer's; an update is one, of the write."""
        code = subprocess.run(
            ["objdump", "-dC", "--no-show-raw-insn", str(self.built["tsan"])], capture_output=True, text=True, check=True
        ).stdout
        checked = 0
        for head, body in re.findall(r"<(void parity::pass<parity::One<[^\n]*)>:\n(.*?)\n\n", code, re.S):
            calls = [c for c in re.findall(r"call.*<(__tsan_\w+)", body) if "func_" not in c]
            with self.subTest(head):
                self.assertEqual(len(calls), 0 if "vector(4)" in head else 1, calls)
            checked += 1
        self.assertGreater(checked, 50)

    def test_counts_of_the_plain_program_repeat(self):
        chosen = [c for c in self.listed("base") if c.row == "read8" and c.column == "same-epoch"]
        report = self.work / "counts"
        figures = []
        for _ in range(2):
            subprocess.run([self.counter, report, self.built["base"], "count", str(chosen[0].number)], check=True)
            figures.append(parity.parse_counts(report.read_text(), {chosen[0].number: chosen[0]}))
        self.assertEqual(figures[0], figures[1])
        self.assertLess(figures[0][chosen[0].number], 10)

    def test_no_races(self):
        quick = [str(c.number) for c in self.listed("tsan") if c.row in ("read4", "write8-across-lines", "atomic-store")]
        environment = detectors.DETECTORS["tsan"].environment()
        done = self.launcher.run((str(self.built["tsan"]), "time", "2", *quick), environment, 120)
        self.assertEqual((done.exit_code, done.stderr), (0, ""))

    def test_a_pass_that_nobody_contended_gives_no_figure(self):
        times = {(0, "base"): [(1.0, 2.0), (0.5, 4.0)]}
        listed = [parity.Listed(0, "lock-unlock", "contended", 8, 0, "")]
        cells = {0: Cell("lock-unlock", "contended")}
        parity._keep_times(times, {"base": listed, "tsan": listed}, cells)
        self.assertEqual(cells[0].ns, {"base": 3.0})
        self.assertEqual(cells[0].why_not, {"tsan": "no pass was contended"})


TOOLCHAIN = detectors.default_toolchain(parity.programs.REPOSITORY)
PASSES = 4


@unittest.skipIf(detectors.DETECTORS["bigfoot"].missing(TOOLCHAIN), "BigFoot's drivers are not built")
class States(unittest.TestCase):
    """That a column puts BigFoot into the state that it is named for, as the run time counts it."""

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.work = Path(cls._folder.name)
        builder = Builder(cls.work, TOOLCHAIN, Launcher(cls.work, support.CC))
        cls.built = builder.build(parity.program(), detectors.DETECTORS["bigfoot"]).executable
        listed = parity.parse_list(subprocess.run([cls.built, "list"], capture_output=True, text=True, check=True).stdout)
        cls.cells = {(c.row, c.column): c for c in listed}

    def counts(self, row: str, column: str) -> dict[str, float]:
        path = self.work / "counts.json"
        path.unlink(missing_ok=True)  # counts are added at the end of a file
        environment = detectors.DETECTORS["bigfoot"].environment(f"stats_path={path}")
        command = [self.built, "time", str(PASSES), str(self.cells[row, column].number)]
        subprocess.run(command, env=environment, capture_output=True, check=True)
        return json.loads(path.read_text())

    def test_only_new_contexts_are_new(self):
        new, own, usual = (
            self.counts("read8", column)["contexts"] for column in ("new-context", "own-recursion", "own-earlier")
        )
        steps = PASSES * self.cells["read8", "new-context"].steps
        self.assertGreaterEqual(new - usual, steps)
        self.assertLess(own - usual, steps / 100)

    def test_only_the_array_is_compressed(self):
        for row in ("read8", "write8", "read-range-4K"):
            found = {column: self.counts(row, column) for column in ("array", "was-array", "never-array")}
            self.assertEqual([counts["arrays_coarse"] for counts in found.values()], [1, 0, 0], row)
            self.assertGreater(found["was-array"]["array_refinements"], found["never-array"]["array_refinements"])

    def test_reads_by_several_threads_are_sets(self):
        self.assertEqual(self.counts("read8", "own-earlier")["read_sets"], 0)
        self.assertGreater(self.counts("read8", "read-by-4")["read_sets"], 0)


if __name__ == "__main__":
    unittest.main()
