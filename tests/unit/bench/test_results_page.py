"""docs/results.md from records: its figures, its length, and what records it refuses."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
import unittest
from pathlib import Path

import support
from harness import results
from support import campaign, case, cell

import results_page

KERNELS = ("crypt", "series", "lufact", "sor", "sparse", "moldyn", "montecarlo", "raytracer")
MACHINE = {"cpu": "test", "cores": 2, "revision": "0123456789ab", "clean": True}
README = f"before\n{results_page.BEGIN}\nold figures\n{results_page.END}\nafter\n"


def cells(bigfoot: float, tsan: float = 5.0):
    """Overheads: bigfoot as said less 1, fasttrack 8, ThreadSanitizer 4 if nothing is said."""
    return (
        cell("base", [1.0] * 5, 10, compile_cpu_seconds=1.0),
        cell("fasttrack", [9.0] * 5, 40, compile_cpu_seconds=1.0, counters={"check_ratio": 1.0}),
        cell("bigfoot", [bigfoot] * 5, 30, compile_cpu_seconds=2.0, counters={"check_ratio": 0.25}),
        cell("tsan", [tsan] * 5, 20, compile_cpu_seconds=1.5),
    )


def quick(many: int = 0, scale: float = 1.0) -> results.Campaign:
    made = campaign(
        case("fft", *cells(1 + 1.0 * scale), group="arrays"),  # 0.25 of ThreadSanitizer's
        case("btree", *cells(1 + 8.0 * scale), group="pointers"),  # 2
        case("list", *cells(1 + 2.0 * scale), group="pointers"),  # 0.5
        *(case(f"in_{group}", *cells(1 + 2.0 * scale), group=group) for group in ("bytes", "servers", "kernels")),
        *(case(f"program_{i}", *cells(3.0), group="bytes") for i in range(many)),
        runs=5,
    )
    for one in made.cases:
        one.size_label = "quick"
    made.command, made.machine = "./bigfoot bench --quick", dict(MACHINE)
    return made


def kernels() -> results.Campaign:
    made = campaign(*(case(name, *cells(3.0)) for name in KERNELS), runs=5)
    made.command, made.machine = "./bigfoot bench --programs kernels", dict(MACHINE)
    return made


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.campaigns = {"quick": quick(), "repeat": quick(scale=2.0), "kernels": kernels()}

    def records(self) -> results_page.Records:
        for name, made in self.campaigns.items():
            results.write_record(made, self.folder / f"{name}.json")
        return results_page.load(self.folder)

    def page(self) -> str:
        return results_page.render(self.records())

    def row(self, first_cell: str) -> list[str]:
        (line,) = [line for line in self.page().splitlines() if line.startswith(f"| {first_cell} |")]
        return [text.strip() for text in line.strip("|").split("|")]


class Figures(Pages):
    def test_a_groups_line(self):
        # bigfoot: the root of 2 * 0.5 is 1, in the repeat the root of 4 * 1; fasttrack 8 / 4.
        self.assertEqual(
            self.row("pointers"),
            ["pointers", "1 of 2", "btree 2.00", "1.00, 2.00", "2.00, 2.00", "1.00, 2.00", "5.2, 9.0, 5.0",
             "1.50, 2.00", "3.0, 4.0, 2.0", "2.00, 1.00, 1.50", "0.25, 1.00"],
        )  # fmt: skip
        self.assertEqual(self.row("all")[3], "0.56, 2.00")  # the sixth root of 0.25 * 2 * 0.5 ** 4

    def test_losses_are_named(self):
        page = self.page()
        self.assertIn("- Slower than under ThreadSanitizer (overheads): 1 of 6: btree 2.00.", page)
        self.assertIn("- More memory: 6 of 6: fft 1.50, btree 1.50, list 1.50, ", page)
        self.assertIn("- Longer to compile: 6 of 6: fft 1.33, btree 1.33, list 1.33, ", page)
        self.assertIn("- Failed, or wrong about races: none.", page)

    def test_failures_are_losses(self):
        self.campaigns["quick"].cases[0].cells["bigfoot"] = results.Cell("bigfoot", results.CRASHED, "SIGSEGV")
        self.campaigns["quick"].cases[1].cells["tsan"].samples = [results.Sample(5.0, 5.0, 1, races=True)]
        self.campaigns["quick"].notes = ["tbb is left out: not installed"]
        self.campaigns["repeat"].notes = ["tbb is left out: not installed"]
        self.campaigns["kernels"].cases[3].cells["fasttrack"] = results.Cell("fasttrack", results.BUILD_FAILED, "no")
        page = self.page()
        self.assertIn("wrong about races: fft under bigfoot (crashed), btree under tsan (FALSE ALARM), ", page)
        self.assertIn("sor under fasttrack (build failed).", page)
        self.assertEqual(page.count("- Note: tbb is left out: not installed."), 1)

    def test_every_program_is_there_under_its_group(self):
        page = self.page()
        self.assertIn("| **arrays**: fft | 0.25, 2.00 | 2.0, 9.0, 5.0 | 1.50, 2.00 | **pointers**: btree | 2.00, ", page)
        self.assertIn("| list | 0.50, 2.00 | 3.0, 9.0, 5.0 | 1.50, 2.00 | **bytes**: in_bytes | 0.50, ", page)
        self.campaigns["quick"] = quick(many=1)
        self.campaigns["repeat"] = quick(many=1)
        self.assertIn("| **kernels**: in_kernels | 0.50, 2.00 | 3.0, 9.0, 5.0 | 1.50, 2.00 |  |  |  |  |", self.page())

    def test_the_papers_table(self):
        self.assertEqual(
            self.row("lufact"),
            ["lufact", "-", "-", "-", "0.25", "0.0022", "8.00", "-", "-", "-", "2.00", "4.00"],
        )
        self.assertEqual(self.row("of fasttrack's")[6:], ["1.00", "-", "-", "-", "0.25", "0.50"])
        # The mean of the paper's eight: (3e-7 + 4e-5 + 0.0022 + 0.25 + 0.14 + 0.077 + 0.085 + 0.32) / 8 = 0.1093.
        self.assertEqual(self.row("mean")[5], "0.11")

    def test_origin_and_commands(self):
        page = self.page()
        self.assertIn("2017-06-18, revision 0123456789ab.", page)
        self.assertNotIn("not committed", page)
        self.assertIn("\n    ./bigfoot bench --programs kernels\n", page)
        self.campaigns["repeat"].machine["clean"] = False
        self.assertIn("**with changes that are not committed**", self.page())

    def test_how_long_it_took(self):
        for name, seconds in (("quick", 61.0), ("repeat", 30.0), ("kernels", 3661.0)):
            self.campaigns[name].elapsed_seconds = seconds
        self.assertIn("; the campaigns took 1 min 01 s, 30 s, 1 h 01 min.", self.page())

    def test_means_leave_out_what_is_noise_and_what_not_all_ended(self):
        self.campaigns["kernels"].cases[0].cells["tsan"].samples = cell("tsan", [1.0] * 5, 20).samples
        self.campaigns["kernels"].cases[1].cells["fasttrack"] = results.Cell("fasttrack", results.CRASHED, "SIGSEGV")
        page = self.page()
        self.assertIn("programs that all ended well: 1: series (fasttrack crashed).", page)
        self.assertIn("but for noise: 1: crypt (tsan).", page)
        self.assertEqual(self.row("mean")[6:], ["8.00", "-", "-", "-", "2.00", "4.00"])

    def test_links_are_to_files_that_exist(self):
        for target in re.findall(r"\]\(([\w./-]+)\)", self.page()):
            self.assertTrue((support.REPOSITORY / "docs" / target).exists(), target)

    def test_the_readme(self):
        text = results_page.readme_with_figures(README, self.campaigns["quick"])
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old figures", text)
        self.assertIn("The overhead of bigfoot is 0.56 of ThreadSanitizer's", text)
        self.assertIn("larger on 1 of them, most on btree (2.00)", text)
        self.assertIn("Peak memory is 1.50 of ThreadSanitizer's and 3.0 times the plain program's", text)
        self.assertEqual(results_page.readme_with_figures(text, self.campaigns["quick"]), text)

    def test_a_readme_without_a_place_for_figures(self):
        with self.assertRaisesRegex(results_page.Refused, "README.md"):
            results_page.readme_with_figures("nothing", self.campaigns["quick"])


class Length(Pages):
    def test_sixty_programs_fit(self):
        self.campaigns["quick"] = self.campaigns["repeat"] = quick(many=57)
        page = self.page()
        self.assertLessEqual(len(page.splitlines()), results_page.MOST_LINES)
        for i in range(57):
            self.assertIn(f"program_{i} | 0.50, 2.00 |", page)

    def test_few_programs_take_few_columns(self):
        self.assertIn("| program | overhead | slowdown | memory | program | overhead | slowdown | memory |\n", self.page())

    def test_what_does_not_fit_is_refused(self):
        self.campaigns["quick"] = self.campaigns["repeat"] = quick(many=400)
        with self.assertRaisesRegex(results_page.Refused, "more than 80"):
            self.page()


class Refusals(Pages):
    def refused(self) -> str:
        with self.assertRaises((results_page.Refused, results.Unreadable)) as raised:
            self.records()
        self.assertNotIn("\n", str(raised.exception))
        return str(raised.exception)

    def test_different_revisions_are_not_mixed(self):
        self.campaigns["repeat"].machine["revision"] = "ba9876543210"
        message = self.refused()
        self.assertIn("quick.json 0123456789ab, repeat.json ba9876543210, kernels.json 0123456789ab", message)

    def test_different_machines_are_not_mixed(self):
        self.campaigns["kernels"].machine["cpu"] = "another"
        self.assertIn("kernels.json another x 2", self.refused())

    def test_no_revision_no_end_nothing_beside(self):
        for made in self.campaigns.values():
            del made.machine["revision"]
        self.assertIn("no revision", self.refused())
        self.campaigns = {"quick": quick(), "repeat": quick(), "kernels": kernels()}
        self.campaigns["repeat"].interrupted = True
        self.assertIn("repeat.json: it was interrupted", self.refused())
        self.campaigns["repeat"] = quick()
        self.campaigns["kernels"] = campaign(case("fft", cell("base", [1.0])), runs=5)
        self.campaigns["kernels"].machine = dict(MACHINE)
        self.assertIn("kernels.json: nothing", self.refused())

    def test_records_that_are_a_try_of_the_commands(self):
        def fewer_runs(made):
            made["kernels"].runs = 4

        def a_group_missing(made):
            made["quick"].cases = [one for one in made["quick"].cases if one.group != "servers"]

        def another_size(made):
            made["quick"].cases[0].size_label = None

        def more_runs_again(made):
            made["repeat"].runs = 6

        def other_detectors_again(made):
            made["repeat"].detectors = [*made["repeat"].detectors, "drd"]

        def another_size_again(made):
            made["repeat"].cases[1].size = "B"

        for change, expected in {
            fewer_runs: "kernels.json: 4 runs are fewer than 5",
            a_group_missing: "quick.json: no program of servers",
            another_size: "quick.json: not at size quick",
            more_runs_again: "quick.json and repeat.json differ in runs",
            other_detectors_again: "quick.json and repeat.json differ in detectors",
            another_size_again: "quick.json and repeat.json differ in btree",
        }.items():
            with self.subTest(expected):
                self.campaigns = {"quick": quick(), "repeat": quick(), "kernels": kernels()}
                change(self.campaigns)
                self.assertIn(expected, self.refused())

    def test_one_machine_is_all_that_figures_depend_on(self):
        for key, value in {"memory_bytes": 2**33, "system": "another", "kernel": "6.1", "compiler": "clang 1"}.items():
            with self.subTest(key):
                self.campaigns = {"quick": quick(), "repeat": quick(), "kernels": kernels()}
                self.campaigns["kernels"].machine[key] = value
                self.assertIn("records of different machines", self.refused())

    @unittest.skipUnless((support.REPOSITORY / "bench" / "parity.py").exists(), "bench/parity.py is not there")
    def test_single_checks_are_of_the_same_revision_and_summed_up(self):
        import parity

        path = self.folder / "parity.json"
        path.write_text('{"rows": []}')
        self.assertIn("not a table", self.refused())
        cells = [
            parity.Cell(row, "fresh", {"base": 1.0, "bigfoot": 1.0 + ours, "fasttrack": 2.0, "tsan": 3.0}, {}, {}, {})
            for row, ours in (("read1", 6.0), ("read8", 1.0))
        ]

        def write(**machine: object) -> None:
            path.write_text(parity.Table({**MACHINE, **machine}, 1, cells).to_json())

        write()
        self.assertIn("- 1 of 2 are dearer than ThreadSanitizer's by nanoseconds: read1 fresh 3.0.", self.page())
        write(revision="ba9876543210")
        self.assertIn("parity.json ba9876543210", self.refused())
        write(clean=False)
        self.assertIn("**with changes that are not committed**", self.page())

    def test_bad_input_is_one_line_and_exit_code_2(self):
        for folder in (self.folder / "nowhere", self.folder):  # not there; nothing in it
            with contextlib.redirect_stderr(io.StringIO()) as error:
                self.assertEqual(results_page.main(["--recorded", str(folder)]), 2)
            self.assertEqual(len(error.getvalue().splitlines()), 1)


class TheTree(unittest.TestCase):
    def test_results_and_readme_are_what_the_records_give(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = results_page.main(["--check"])
        self.assertEqual(status, 0, said.getvalue() + "python3 bench/results_page.py writes them")

    def test_records_are_small(self):
        self.assertLess(sum(path.stat().st_size for path in results_page.RECORDED.glob("*.json")), 400_000)


if __name__ == "__main__":
    unittest.main()
