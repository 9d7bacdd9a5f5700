"""How detectors stand beside ThreadSanitizer, group by group, on campaigns whose answers are worked out in the test."""

from __future__ import annotations

import unittest

import support  # noqa: F401
from harness import headline, results
from harness.derive import derive
from harness.tables import ratio
from support import campaign, case, cell


def counted(checks: float) -> dict[str, float]:
    return {"checks": checks, "accesses": 100.0}


def cells(bigfoot: float, tsan: float, checks: float, instructions: bool = False):
    """A program that takes a second, and as long as said under the detectors; fasttrack takes twice the overhead."""
    made = (
        cell("base", [1.0], 10, compile_cpu_seconds=1.0),
        cell("fasttrack", [2 * bigfoot - 1], 40, compile_cpu_seconds=1.5, counters=counted(100)),
        cell("bigfoot", [bigfoot], 30, compile_cpu_seconds=2.0, counters=counted(checks)),
        cell("tsan", [tsan], 60, compile_cpu_seconds=4.0),
    )
    if instructions:
        for one, count in zip(made, (100, 700, 400, 1100)):
            one.samples = [results.Sample(**{**vars(one.samples[0]), "instructions": count})]
    return made


class Standings(unittest.TestCase):
    def setUp(self):
        self.campaign = campaign(
            case("fft", *cells(2.0, 5.0, 10), group="arrays"),  # overheads 1 and 4: 0.25
            case("btree", *cells(9.0, 5.0, 60), group="pointers"),  # 8 and 4: 2
            case("list", *cells(3.0, 5.0, 20), group="pointers"),  # 2 and 4: 0.5
            case("hash", *cells(5.0, 5.0, 90), group="pointers"),  # 4 and 4: 1, which is not slower
            case("list-racy", *cells(90.0, 5.0, 90), group="pointers", racy=True),
        )
        self.setting = derive(self.campaign)[0]

    def test_of_a_group(self):
        pointers = self.setting.groups["pointers"]
        standing = pointers.standings["bigfoot"]
        self.assertEqual((standing.compared, standing.slower), (3, ["btree"]))
        self.assertEqual((standing.worst, standing.worst_ratio), ("btree", 2.0))
        self.assertAlmostEqual(pointers.means["bigfoot"].overhead_vs_tsan, 1.0)  # the cube root of 2 * 0.5 * 1
        self.assertAlmostEqual(pointers.means["fasttrack"].overhead_vs_tsan, 2.0)
        self.assertEqual(pointers.standings["fasttrack"].slower, ["btree", "hash"])

    def test_memory_compile_time_and_checks(self):
        mean = self.setting.groups["pointers"].means["bigfoot"]
        self.assertAlmostEqual(mean.rss_vs_tsan, 0.5)
        self.assertAlmostEqual(mean.rss_ratio, 3.0)
        self.assertAlmostEqual(mean.compile_ratio, 2.0)
        self.assertAlmostEqual(mean.compile_vs_tsan, 0.5)
        self.assertAlmostEqual(mean.check_ratio, (0.6 + 0.2 + 0.9) / 3)

    def test_the_sentence(self):
        # The fourth root of 0.25 * 2 * 0.5 * 1 is 0.707.
        self.assertEqual(
            headline.sentence(self.setting),
            "The overhead of bigfoot is 0.71 of ThreadSanitizer's in the geometric mean of 4 programs (arrays 0.25, "
            "pointers 1.00); it is larger on 1 of them, most on btree (2.00).",
        )

    def test_programs_that_failed_are_said_to_be_missing(self):
        self.campaign.cases[0].cells["tsan"] = results.Cell("tsan", results.CRASHED, "SIGSEGV")
        sentence = headline.sentence(derive(self.campaign)[0])
        self.assertIn("is 1.00 of ThreadSanitizer's in the geometric mean of 3 of 4 programs", sentence)

    def test_no_loss_is_said_with_the_nearest_to_one(self):
        c = campaign(*(case for case in self.campaign.cases if case.program in ("fft", "list")))
        self.assertIn("larger on none of them, nearest on list (0.50)", headline.sentence(derive(c)[0]))

    def test_every_group_has_a_line_for_each_of_the_three(self):
        text = headline.render(self.setting)
        for group in ("arrays", "pointers", "all"):
            for name in headline.SHOWN:
                self.assertRegex(text, rf"\n{group} +{name} ")
        figures = ("1 of 3", "btree 2.00", "1.00", "1.00", "5.13", "0.50", "3.00", "2.00", "0.50", "0.567")
        self.assertRegex(text, r"\npointers +bigfoot +" + " +".join(figures) + r"\n")

    def test_without_thread_sanitizer_there_is_none(self):
        c = campaign(case("fft", cell("base", [1.0]), cell("bigfoot", [2.0])))
        self.assertIn("No headline", headline.render(derive(c)[0]))


class LeftOut(unittest.TestCase):
    """What is in no mean, and what that makes of them."""

    def setUp(self):
        self.campaign = campaign(
            case("fft", *cells(2.0, 5.0, 10)),  # overheads 1 and 4, fasttrack's 2
            case("lu", *cells(3.0, 5.0, 10)),  # 2 and 4, fasttrack's 4
            case("still", *cells(0.97, 4.4, 10)),  # -0.03 and 3.4
        )

    def test_a_program_within_noise_of_plain_makes_no_mean_of_overheads(self):
        setting = derive(self.campaign)[0]
        summary = setting.groups["kernels"]
        self.assertEqual((summary.near_plain, summary.left_out), ({"still": "bigfoot, fasttrack"}, {}))
        bigfoot = summary.means["bigfoot"]
        self.assertAlmostEqual(bigfoot.overhead_vs_tsan, (0.25 * 0.5) ** 0.5)
        self.assertAlmostEqual(bigfoot.overhead, 2**0.5)
        self.assertAlmostEqual(summary.means["fasttrack"].overhead_vs_tsan, 0.5**0.5)
        self.assertAlmostEqual(bigfoot.slowdown, (2.0 * 3.0 * 0.97) ** (1 / 3))  # all three
        self.assertEqual(summary.standings["bigfoot"].slower, [])
        self.assertIn("in the geometric mean of 2 of 3 programs", headline.sentence(setting))
        self.assertIn("larger on none of 3, nearest on lu (0.50)", headline.sentence(setting))
        self.assertIn(
            "overheads, as one takes as long as the plain program but for noise: 1: still (bigfoot, fasttrack).",
            headline.render(setting),
        )

    def test_noise_is_the_spread_of_either(self):
        noisy = self.campaign.cases[1].cells["bigfoot"]
        noisy.samples = cell("bigfoot", [1.0, 1.1, 1.1, 1.2, 1.9]).samples  # 0.1 more, quartiles 1.1 and 1.2
        self.assertNotIn("lu", derive(self.campaign)[0].groups["kernels"].near_plain)  # spread 0.045
        self.campaign.cases[1].cells["base"].samples = cell("base", [0.8, 0.85, 1.0, 1.15, 1.2]).samples  # 0.15
        self.assertEqual(derive(self.campaign)[0].groups["kernels"].near_plain["lu"], "bigfoot")

    def test_a_loss_within_noise_is_none_and_a_mean_of_nothing_is_said(self):
        noise = campaign(case("still", *cells(1.005, 0.9, 10)), case("same", *cells(1.009, 1.02, 10)))
        setting = derive(noise)[0]
        self.assertEqual(setting.groups["kernels"].standings["bigfoot"].slower, [])
        self.assertIn("on no program all detectors ended well", headline.render(setting))

    def test_columns_are_of_the_same_programs(self):
        self.campaign.cases[0].cells["fasttrack"] = results.Cell("fasttrack", results.CRASHED, "SIGSEGV")
        setting = derive(self.campaign)[0]
        summary = setting.groups["kernels"]
        self.assertEqual(summary.left_out, {"fft": "fasttrack crashed"})
        self.assertAlmostEqual(summary.means["bigfoot"].overhead_vs_tsan, 0.5)  # lu alone
        self.assertAlmostEqual(summary.means["tsan"].slowdown, (5.0 * 4.4) ** 0.5)
        self.assertEqual(summary.standings["bigfoot"].compared, 3)  # a loss is one whoever else failed
        self.assertIn("programs that all ended well: 1: fft (fasttrack crashed).", headline.render(setting))

    def test_a_detector_that_is_not_installed_leaves_out_nothing(self):
        for one in self.campaign.cases:
            one.cells["fasttrack"] = results.Cell("fasttrack", results.UNAVAILABLE, "no driver")
        self.assertEqual(derive(self.campaign)[0].groups["kernels"].left_out, {})

    def test_a_ratio_that_is_counted_as_slower_does_not_read_as_equal(self):
        self.assertEqual([ratio(value) for value in (1.004, 1.0, 1.006, 0.999, None)],
            ["1.004", "1.00", "1.01", "0.999", "-"])  # fmt: skip


class Instructions(unittest.TestCase):
    def test_they_are_a_column_where_the_machine_counts_them(self):
        setting = derive(campaign(case("fft", *cells(2.0, 5.0, 10, instructions=True))))[0]
        figures = setting.rows[0].figures["bigfoot"]
        self.assertAlmostEqual(figures.instruction_overhead, 3.0)
        self.assertAlmostEqual(figures.instruction_overhead_vs_tsan, 0.3)
        self.assertIn("by instructions", headline.render(setting))
        self.assertNotIn(headline.WITHOUT_INSTRUCTIONS, headline.render(setting))

    def test_one_line_says_so_where_it_does_not(self):
        text = headline.render(derive(campaign(case("fft", *cells(2.0, 5.0, 10))))[0])
        self.assertNotIn("by instructions", text)
        self.assertEqual(text.count(headline.WITHOUT_INSTRUCTIONS), 1)

    def test_processor_time_has_its_own_overhead(self):
        c = campaign(case("fft", *cells(2.0, 5.0, 10)))
        c.cases[0].cells["bigfoot"].samples = [results.Sample(2.0, 6.0, 1)]  # base 2, tsan 10
        figures = derive(c)[0].rows[0].figures["bigfoot"]
        self.assertEqual((figures.overhead_vs_tsan, figures.cpu_overhead), (0.25, 2.0))
        self.assertEqual(figures.cpu_overhead_vs_tsan, 0.5)


if __name__ == "__main__":
    unittest.main()
