"""From samples to the papers' columns, on campaigns whose answers are worked out in the test."""

from __future__ import annotations

import json
import unittest

import support
from harness import results, tables
from harness.derive import derive, growths
from support import campaign, case, cell


def only_setting(c):
    settings = derive(c)
    assert len(settings) == 1
    return settings[0]


class Columns(unittest.TestCase):
    def setUp(self):
        self.campaign = campaign(
            case(
                "crypt",
                cell("base", [1.0, 1.0, 4.0], 10, compile_cpu_seconds=2.0),
                cell("fasttrack", [9.0, 9.0, 9.0], 40, compile_cpu_seconds=3.0),
                cell("bigfoot", [3.0, 3.0, 3.0], 20, counters={"checks": 5.0, "accesses": 50.0}),
                cell("tsan", [5.0, 5.0, 5.0], 50),
            ),
            runs=3,
        )
        self.figures = only_setting(self.campaign).rows[0].figures

    def test_memory_is_compared_with_thread_sanitizer(self):
        text = tables.render(only_setting(self.campaign), self.campaign.detectors)
        table = text[text.index("Peak resident memory relative to tsan") :]
        self.assertRegex(table, r"\ncrypt +A +0.80 +0.40 +1.00\n")  # 40, 20 and 50 MB

    def test_slowdown_is_a_ratio_of_medians(self):
        self.assertEqual(self.figures["fasttrack"].slowdown, 9)
        self.assertEqual(self.figures["base"].slowdown, 1)

    def test_overhead_is_slowdown_less_one(self):
        self.assertEqual(self.figures["bigfoot"].overhead, 2)

    def test_relative_overheads(self):
        self.assertEqual(self.figures["bigfoot"].overhead_vs_fasttrack, 0.25)
        self.assertEqual(self.figures["bigfoot"].overhead_vs_tsan, 0.5)
        self.assertIsNone(self.figures["base"].overhead_vs_fasttrack)

    def test_memory_ratios(self):
        self.assertEqual(self.figures["tsan"].rss_ratio, 5)
        self.assertEqual(self.figures["bigfoot"].rss_vs_fasttrack, 0.5)
        self.assertEqual(self.figures["bigfoot"].rss_vs_tsan, 0.4)

    def test_check_ratio_from_its_parts(self):
        self.assertAlmostEqual(self.figures["bigfoot"].check_ratio, 0.1)
        self.assertIsNone(self.figures["tsan"].check_ratio)

    def test_compile_ratio_only_where_something_was_compiled(self):
        self.assertEqual(self.figures["fasttrack"].compile_ratio, 1.5)
        self.assertIsNone(self.figures["tsan"].compile_ratio)


class Counters(unittest.TestCase):
    def figures(self, counters):
        c = campaign(case("sor", cell("base", [1.0]), cell("bigfoot", [2.0], counters=counters)))
        return only_setting(c).rows[0].figures["bigfoot"]

    def test_a_ratio_given_as_such_wins(self):
        self.assertEqual(self.figures({"check_ratio": 0.0, "checks": 1.0, "accesses": 2.0}).check_ratio, 0.0)

    def test_no_accesses_is_no_ratio(self):
        self.assertIsNone(self.figures({"checks": 1.0, "accesses": 0.0}).check_ratio)

    def test_shadow_fraction(self):
        counters = {"shadow_locations": 3.0, "array_elements": 12.0}
        self.assertEqual(self.figures(counters).shadow_fraction, 0.25)
        self.assertIsNone(self.figures({}).shadow_fraction)


class MeansOverPrograms(unittest.TestCase):
    def setUp(self):
        self.campaign = campaign(
            case("crypt", cell("base", [1.0]), cell("tsan", [3.0])),
            case("sor", cell("base", [1.0]), cell("tsan", [9.0])),
            case("broken", cell("base", [1.0]), results.Cell("tsan", results.CRASHED, "SIGSEGV")),
            case("sor-racy", cell("base", [1.0]), cell("tsan", [100.0]), racy=True),
        )
        self.setting = only_setting(self.campaign)

    def test_geometric_mean_leaves_out_failures_and_racy_variants(self):
        self.assertAlmostEqual(self.setting.means["tsan"].slowdown, (3 * 9) ** 0.5)
        self.assertAlmostEqual(self.setting.means["tsan"].overhead, (2 * 8) ** 0.5)

    def test_a_failure_is_a_row_that_says_so(self):
        text = tables.render(self.setting, self.campaign.detectors)
        line = next(line for line in text.splitlines() if line.startswith("broken"))
        self.assertIn("crashed", line)
        self.assertIn("SIGSEGV", text)

    def test_races_are_judged_against_what_the_program_is(self):
        text = tables.render(self.setting, self.campaign.detectors)
        line = next(line for line in text.splitlines() if line.startswith("sor-racy"))
        self.assertIn("MISSED", line)

    def test_reports_on_a_real_program_are_no_verdict(self):
        c = campaign(case("lmdb", cell("base", [1.0]), cell("tsan", [3.0])))
        c.cases[0].suite = "real"
        c.cases[0].cells["tsan"].samples = [results.Sample(3.0, 3.0, 1, races=True)]
        text = tables.render(only_setting(c), c.detectors)
        self.assertRegex(text, r"lmdb +A +unknown +reported")
        self.assertNotIn("FALSE ALARM", text)

    def test_base_failure_leaves_nothing_to_compare(self):
        c = campaign(case("crypt", results.Cell("base", results.TIMED_OUT, "after 1 s"), cell("tsan", [3.0])))
        setting = only_setting(c)
        self.assertIsNone(setting.rows[0].figures["tsan"].slowdown)
        self.assertIsNone(setting.means["tsan"].slowdown)
        self.assertIn("timed out", tables.render(setting, c.detectors))


class Settings(unittest.TestCase):
    def test_one_per_threads_and_size(self):
        c = campaign(
            case("crypt", cell("base", [1.0]), threads=1),
            case("crypt", cell("base", [1.0]), threads=2),
            case("sor", cell("base", [1.0]), threads=2),
            case("sor", cell("base", [1.0]), threads=2, size="tiny", size_label="tiny"),
        )
        self.assertEqual(
            [(s.title, len(s.rows)) for s in derive(c)],
            [
                ("1 thread, default sizes", 1),
                ("2 threads, default sizes", 2),
                ("2 threads, size tiny", 1),
            ],
        )


class GroupMeans(unittest.TestCase):
    def setUp(self):
        self.campaign = campaign(
            case("task_pool", cell("base", [1.0]), cell("tsan", [32.0]), group="pointers"),
            case("crypt", cell("base", [1.0]), cell("tsan", [2.0])),
            case("sor", cell("base", [1.0]), cell("tsan", [8.0])),
            case("sor-racy", cell("base", [1.0]), cell("tsan", [100.0]), racy=True),
            case("gzip", cell("base", [1.0]), cell("tsan", [4.0]), group="bytes"),
        )

    def test_each_group_has_its_own_and_all_come_last(self):
        setting = only_setting(self.campaign)
        slowdowns = {group: summary.means["tsan"].slowdown for group, summary in setting.groups.items()}
        self.assertEqual(list(slowdowns), ["pointers", "bytes", "kernels", "all"])
        for group, expected in {"pointers": 32, "bytes": 4, "kernels": 4, "all": (32 * 2 * 8 * 4) ** (1 / 4)}.items():
            self.assertAlmostEqual(slowdowns[group], expected)
        self.assertEqual(setting.means, setting.groups["all"].means)
        text = tables.render(setting, self.campaign.detectors)
        self.assertRegex(text, r"\ngeo mean kernels +4.00\n")
        self.assertRegex(text, r"\ngeo mean pointers +32.00\n")
        self.assertRegex(text, r"\ngeo mean +6.73\n")

    def test_rows_of_a_group_stand_together_in_their_order(self):
        rows = [row.program for row in only_setting(self.campaign).rows if not row.racy]
        self.assertEqual(rows, ["task_pool", "gzip", "crypt", "sor"])

    def test_one_group_has_only_one_mean(self):
        c = campaign(case("crypt", cell("base", [1.0]), cell("tsan", [2.0])))
        self.assertEqual(list(only_setting(c).groups), ["kernels"])
        self.assertEqual(only_setting(c).means["tsan"].slowdown, 2.0)
        self.assertNotIn("mean kernels", tables.render(only_setting(c), c.detectors))


class GrowthCurves(unittest.TestCase):
    """Every combination that --scaling makes of one program, in the order in which it makes them."""

    STEPS = (("small", 2), ("small", 1), ("small", 16), ("small", 4), ("tiny", 2), ("A", 2))

    def campaign(self, *names, sized=True):
        return campaign(
            *(
                case(
                    name,
                    cell("base", [1.0]),
                    cell("tsan", [1.0 + threads + 100 * (size != "small")]),
                    size=size,
                    threads=threads,
                    size_label=size if sized or size != "small" else None,
                )
                for size, threads in self.STEPS
                for name in names
            )
        )

    def test_threads_at_the_first_size_and_sizes_at_the_first_number_of_threads(self):
        settings = derive(self.campaign("crypt", "sor"))
        steps = {g.by: [getattr(settings[n], g.by) for n in g.settings] for g in growths(settings)}
        self.assertEqual(steps, {"threads": [1, 2, 4, 16], "size": ["tiny", "small", "A"]})

    def test_the_default_sizes_are_a_size_as_well(self):
        settings = derive(self.campaign("crypt", sized=False))
        steps = {g.by: [getattr(settings[n], g.by) for n in g.settings] for g in growths(settings)}
        self.assertEqual(steps, {"threads": [1, 2, 4, 16], "size": ["tiny", "A"]})

    def test_quick_sizes_are_no_step(self):
        c = self.campaign("crypt", sized=False)
        for quick_case in c.cases:
            quick_case.size_label = quick_case.size_label or "quick"
        settings = derive(c)
        self.assertEqual(settings[0].title, "2 threads, quick sizes")
        steps = {g.by: [getattr(settings[n], g.by) for n in g.settings] for g in growths(settings)}
        self.assertEqual(steps, {"threads": [1, 2, 4, 16], "size": ["tiny", "A"]})

    def test_one_step_is_no_growth(self):
        self.assertEqual(growths(derive(campaign(case("crypt", cell("base", [1.0]))))), [])
        self.assertEqual(growths([]), [])

    def test_the_table_has_every_program_and_the_mean(self):
        c = self.campaign("crypt", "sor")
        settings = derive(c)
        by_threads, by_size = (tables.render_growth(g, settings, c.detectors) for g in growths(settings))
        self.assertIn("Growth with threads, size small", by_threads)
        for name in ("crypt", "sor", "geo mean"):
            self.assertRegex(by_threads, rf"\n{name} +tsan +2.00 +3.00 +5.00 +17.00(\n|$)")
            self.assertRegex(by_size, rf"\n{name} +tsan +103.00 +3.00 +103.00(\n|$)")


class Documents(unittest.TestCase):
    def setUp(self):
        self.campaign = campaign(
            case("crypt", cell("base", [1.0, 2.0]), results.Cell("tsan", results.BUILD_FAILED, "no, \"because\""))
        )

    def test_json_round_trip(self):
        document = json.loads(json.dumps(self.campaign.to_json()))
        self.assertEqual(results.from_json(document), self.campaign)

    def test_json_has_the_derived_figures(self):
        document = self.campaign.to_json()
        self.assertEqual(document["schema"], results.SCHEMA)
        row = document["settings"][0]["rows"][0]
        self.assertEqual(row["figures"]["base"]["seconds"], 1.5)
        self.assertEqual(row["figures"]["tsan"]["status"], results.BUILD_FAILED)

    def test_csv_has_a_line_per_sample_and_per_failure(self):
        import csv
        import tempfile
        from pathlib import Path

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "samples.csv"
            results.write_csv(self.campaign, path)
            with open(path, newline="") as stream:
                rows = list(csv.DictReader(stream))
        self.assertEqual([r["detector"] for r in rows], ["base", "base", "tsan"])
        self.assertEqual([r["seconds"] for r in rows], ["1.0", "2.0", ""])
        self.assertEqual(rows[2]["detail"], 'no, "because"')


if __name__ == "__main__":
    unittest.main()
