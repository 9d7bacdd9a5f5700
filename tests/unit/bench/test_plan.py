"""Which cases a command line asks for, and that their runs interleave."""

from __future__ import annotations

import collections
import dataclasses
import random
import unittest

import support  # noqa: F401
from harness import detectors, plan, programs


class Interleaving(unittest.TestCase):
    def setUp(self):
        self.seed = random.SystemRandom().randrange(2**32)
        self.detectors = ["base", "bigfoot", "tsan"]

    def order(self, cases: int, runs: int, seed: int | None = None):
        return list(plan.interleaved(cases, self.detectors, runs, self.seed if seed is None else seed))

    def test_every_cell_is_run_once_in_every_round(self):
        for cases, runs in ((1, 1), (4, 3), (7, 5)):
            with self.subTest(cases=cases, runs=runs, seed=self.seed):
                counts = collections.Counter(self.order(cases, runs))
                self.assertEqual(len(counts), cases * runs * len(self.detectors))
                self.assertEqual(set(counts.values()), {1})

    def test_rounds_follow_each_other(self):
        rounds = [round_number for round_number, _, _ in self.order(5, 4)]
        self.assertEqual(rounds, sorted(rounds), f"seed {self.seed}")

    def test_detectors_of_a_case_stay_together(self):
        order = self.order(5, 4)
        width = len(self.detectors)
        for start in range(0, len(order), width):
            block = order[start : start + width]
            self.assertEqual(len({(r, c) for r, c, _ in block}), 1, f"seed {self.seed}")
            self.assertEqual({d for _, _, d in block}, set(self.detectors), f"seed {self.seed}")

    def test_the_order_is_a_function_of_the_seed(self):
        self.assertEqual(self.order(6, 3, seed=1), self.order(6, 3, seed=1))
        self.assertNotEqual(self.order(6, 3, seed=1), self.order(6, 3, seed=2))

    def test_no_detector_always_comes_first(self):
        firsts = {d for i, (_, _, d) in enumerate(self.order(10, 10, seed=1)) if i % 3 == 0}
        self.assertEqual(firsts, set(self.detectors))


class Cases(unittest.TestCase):
    def setUp(self):
        self.programs = programs.select("crypt,sor,sor-racy", programs.OWN)

    def test_default_size_is_the_programs_own(self):
        cases = plan.cases_of(self.programs, None, [2], scaling=False)
        self.assertEqual([c.size for c in cases], [p.default_size for p in self.programs])
        self.assertEqual({c.size_label for c in cases}, {None})

    def test_quick_is_each_programs_own_size(self):
        (first, second), racy = self.programs[:2], self.programs[2]
        wanted = [dataclasses.replace(first, quick_size="A"), dataclasses.replace(second, quick_size="tiny"), racy]
        cases = plan.cases_of(wanted, ["quick"], [2], scaling=False)
        self.assertEqual([c.size for c in cases], ["A", "tiny", racy.default_size])
        self.assertEqual({c.size_label for c in cases}, {"quick"})
        plan.check_sizes(["quick"])

    def test_sizes_and_threads_multiply(self):
        cases = plan.cases_of(self.programs[:2], ["tiny", "B"], [1, 4], scaling=False)
        self.assertEqual(len(cases), 2 * 2 * 2)

    def test_threads_grow_at_the_size_that_was_asked_for(self):
        cases = plan.cases_of(self.programs[:1], ["small"], [2], scaling=True)
        self.assertEqual([1, 2, 4, 8, 16], sorted(c.threads for c in cases if c.size == "small"))
        self.assertEqual(["A", "small", "tiny"], sorted(c.size for c in cases if c.threads == 2))

    def test_scaling_has_every_number_of_threads_once_and_every_size(self):
        cases = plan.cases_of(self.programs[:1], None, [2], scaling=True)
        default = [c.threads for c in cases if c.size_label is None]
        self.assertEqual(sorted(default), [1, 2, 4, 8, 16])
        self.assertEqual({c.size_label for c in cases if c.size_label}, set(plan.SCALING_SIZES))

    def test_racy_variants_are_run_for_their_races_only(self):
        cases = plan.cases_of(self.programs, None, [2], scaling=True)
        self.assertEqual(len([c for c in cases if c.racy]), 1)


class Selection(unittest.TestCase):
    def test_suites_and_names_mix_without_repeats(self):
        names = [p.name for p in programs.select("crypt,javagrande", programs.OWN)]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(names), {p.name for p in programs.JAVA_GRANDE})

    def test_a_group_is_its_programs_without_their_racy_variants(self):
        names = {p.name for p in programs.select("pointers", programs.OWN)}
        self.assertIn("lru_cache", names)
        self.assertNotIn("lru_cache-racy", names)
        self.assertNotIn("pipeline", names)  # bytes
        self.assertEqual(programs.select("kernels", programs.OWN), list(programs.JAVA_GRANDE))

    def test_unknown_names_are_refused_with_the_known_ones(self):
        with self.assertRaisesRegex(programs.UnknownProgram, "raytracer"):
            programs.select("raytracr", programs.OWN)
        with self.assertRaisesRegex(detectors.UnknownDetector, "fasttrack"):
            detectors.select("eraser")

    def test_base_is_always_there_and_first(self):
        self.assertEqual([d.name for d in detectors.select("tsan")], ["base", "tsan"])
        self.assertEqual([d.name for d in detectors.select("tsan,base")], ["base", "tsan"])

    def test_variants_are_chosen_by_name_and_not_by_all(self):
        (chosen,) = detectors.select("redcard-no-proxies")[1:]
        self.assertEqual(chosen.flags, ("--detector=redcard", "--no-proxies"))
        everybody = {d.name for d in detectors.select("all")}
        self.assertIn("redcard", everybody)
        self.assertNotIn("redcard-no-proxies", everybody)

    def test_every_program_has_its_source(self):
        for program in programs.OWN:
            for source in program.sources:
                self.assertTrue(source.path.exists(), source.path)


class Environment(unittest.TestCase):
    def test_a_detector_sees_its_own_options_only(self):
        import os
        from unittest import mock

        with mock.patch.dict(os.environ, {"TSAN_OPTIONS": "halt_on_error=1", "BIGFOOT_OPTIONS": "x=1"}):
            tsan = detectors.DETECTORS["tsan"].environment()
            bigfoot = detectors.DETECTORS["bigfoot"].environment("stats=1")
            base = detectors.DETECTORS["base"].environment()
        self.assertEqual(tsan["TSAN_OPTIONS"], "exitcode=66")
        self.assertNotIn("BIGFOOT_OPTIONS", tsan)
        self.assertEqual(bigfoot["BIGFOOT_OPTIONS"], "exitcode=66 stats=1")
        self.assertNotIn("TSAN_OPTIONS", base)


if __name__ == "__main__":
    unittest.main()
