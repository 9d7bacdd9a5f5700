"""What one campaign has changed against another: changes beyond noise, means over common programs, what is new."""

from __future__ import annotations

import copy
import unittest

import support  # noqa: F401
from harness import results, tables
from harness.compare import compare
from support import campaign, case, cell

FIVE = [1.0] * 5
SLOW = [3.0, 3.1, 2.9, 3.0, 3.05]  # overheads of about 2


def run(*cases):
    return campaign(*cases, runs=5)


def one(seconds, base=FIVE, program="sor", **fields):
    return case(program, cell("base", base[: len(seconds)]), cell("bigfoot", seconds), **fields)


class Changes(unittest.TestCase):
    def changes(self, old, new, base=FIVE):
        return compare(run(one(new, base)), run(one(old))).changes

    def test_a_run_against_itself_changes_nothing(self):
        self.assertEqual(self.changes(SLOW, SLOW), [])

    def test_samples_that_all_lie_apart_are_a_change(self):
        (change,) = self.changes(SLOW, [5.0, 5.1, 4.9, 5.0, 5.2])
        self.assertEqual((change.program, change.detector), ("sor A x2", "bigfoot"))
        self.assertAlmostEqual(change.old, 2.0)
        self.assertAlmostEqual(change.new, 4.0)
        self.assertAlmostEqual(change.ratio, 2.0)

    def test_faster_is_a_change_too(self):
        (change,) = self.changes(SLOW, [2.0] * 5)
        self.assertAlmostEqual(change.ratio, 0.5)

    def test_samples_that_overlap_are_noise(self):
        self.assertEqual(self.changes(SLOW, [5.0, 5.1, 4.9, 3.0, 2.9]), [])

    def test_a_difference_that_nobody_would_notice_is_none(self):
        self.assertEqual(self.changes([3.0] * 5, [3.05] * 5), [])

    def test_overheads_are_those_of_the_rounds(self):
        # Each round took twice as long as the one before, the plain program as well: the overhead is always 2.
        growing = [1.0, 2.0, 4.0, 8.0, 16.0]
        self.assertEqual(self.changes([3.0] * 5, [3 * s for s in growing], base=growing), [])

    def test_too_few_runs_are_said_to_be(self):
        old, new = (campaign(one([s] * 3, [1.0] * 3), runs=3) for s in (3.0, 9.0))
        comparison = compare(new, old)
        self.assertEqual((comparison.changes, comparison.enough_runs), ([], False))
        self.assertIn("3 and 3 runs are too few", tables.render_comparison(comparison, new, old))

    def test_runs_that_were_cut_short_do_not_count(self):
        old, new = run(one(SLOW)), run(one([9.0] * 3, [1.0] * 3))  # asked for 5
        self.assertFalse(compare(new, old).enough_runs)
        self.assertTrue(compare(old, old).enough_runs)

    def test_the_table_has_them(self):
        old, new = run(one(SLOW)), run(one([5.0] * 5))
        text = tables.render_comparison(compare(new, old), new, old)
        self.assertRegex(text, r"\nsor A x2 +bigfoot +2.00 +4.00 +2.00$")


class Means(unittest.TestCase):
    def test_are_over_the_programs_of_both(self):
        def with_tsan(program, bigfoot, tsan, **fields):
            return case(program, cell("base", [1.0]), cell("bigfoot", [bigfoot]), cell("tsan", [tsan]), **fields)

        old = run(with_tsan("sor", 3.0, 5.0), with_tsan("gone", 50.0, 5.0), with_tsan("gzip", 2.0, 5.0, group="bytes"))
        new = run(with_tsan("sor", 9.0, 5.0), with_tsan("new", 70.0, 5.0), with_tsan("gzip", 3.0, 5.0, group="bytes"))
        means = {(m.group, m.detector): m for m in compare(new, old).means}
        kernels = means["kernels", "bigfoot"]
        self.assertEqual((kernels.programs, kernels.old_vs_tsan, kernels.new_vs_tsan), (1, 0.5, 2.0))
        everything = means["all", "bigfoot"]
        self.assertEqual(everything.programs, 2)
        self.assertAlmostEqual(everything.old, (2 * 1) ** 0.5)
        self.assertAlmostEqual(everything.new, (8 * 2) ** 0.5)
        self.assertAlmostEqual(everything.new_vs_tsan, (2 * 0.5) ** 0.5)

    def test_a_program_within_noise_of_plain_in_either_is_in_none(self):
        def both(bigfoot):
            return run(one([3.0]), one([bigfoot], program="crypt"))

        for old, new in ((3.0, 0.97), (0.97, 3.0)):
            (mean,) = compare(both(new), both(old)).means
            self.assertEqual((mean.programs, mean.old, mean.new), (1, 2.0, 2.0))


class Programs(unittest.TestCase):
    def setUp(self):
        self.old = run(one(SLOW), one(SLOW, program="crypt"), one(SLOW, program="sor-racy", racy=True))
        for sample_cell in self.old.cases[2].cells.values():
            sample_cell.samples = [results.Sample(1.0, 1.0, 1, races=True)]
        self.new = copy.deepcopy(self.old)

    def test_new_and_gone_ones_are_named(self):
        self.new.cases[1].program = "series"
        comparison = compare(self.new, self.old)
        self.assertEqual((comparison.new, comparison.gone), (["series A x2"], ["crypt A x2"]))

    def test_the_same_program_at_another_size_is_another(self):
        self.new.cases[1].size = "B"
        self.assertEqual(compare(self.new, self.old).gone, ["crypt A x2"])

    def test_what_fails_now_and_what_is_mended(self):
        self.new.cases[0].cells["bigfoot"] = results.Cell("bigfoot", results.CRASHED, "SIGSEGV")
        self.assertEqual(compare(self.new, self.old).failing, ["sor A x2, bigfoot: crashed"])
        self.assertEqual(compare(self.old, self.new).mended, ["sor A x2, bigfoot: was crashed"])
        self.assertEqual(compare(self.new, self.new).failing, [])

    def test_a_race_that_is_missed_now_is_a_failure_and_so_is_a_false_alarm(self):
        self.new.cases[2].cells["bigfoot"].samples = [results.Sample(1.0, 1.0, 1)]
        self.new.cases[0].cells["bigfoot"].samples = [results.Sample(1.0, 1.0, 1, races=True)]
        failing = compare(self.new, self.old).failing
        self.assertEqual(failing, ["sor A x2, bigfoot: FALSE ALARM", "sor-racy A x2, bigfoot: MISSED"])

    def test_failing_otherwise_is_a_failure_too(self):
        self.old.cases[2].cells["bigfoot"].samples = [results.Sample(1.0, 1.0, 1)]
        self.new.cases[2].cells["bigfoot"] = results.Cell("bigfoot", results.CRASHED, "SIGSEGV")
        self.assertEqual(compare(self.new, self.old).failing, ["sor-racy A x2, bigfoot: crashed, was MISSED"])

    def test_another_machine_is_said(self):
        self.new.machine = {"cpu": "another"}
        text = tables.render_comparison(compare(self.new, self.old), self.new, self.old)
        self.assertIn("on another machine (another, before: test)", text)


if __name__ == "__main__":
    unittest.main()
