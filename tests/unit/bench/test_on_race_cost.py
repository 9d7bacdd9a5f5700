"""The cost of data-race exceptions: which runs are made, and what the ratios are of."""

from __future__ import annotations

import types
import unittest

import support  # noqa: F401
import on_race_cost
from harness import detectors

FASTTRACK = detectors.DETECTORS["fasttrack"]
SLOW, FAST = on_race_cost.Way(("slow",), FASTTRACK), on_race_cost.Way(("fast",), FASTTRACK)
PAIR = on_race_cost.Pair("program", "slow / fast", SLOW, FAST)


def completed(seconds: float, exit_code: int = 0):
    return types.SimpleNamespace(cpu_seconds=seconds, exit_code=exit_code, stderr="")


class Measuring(unittest.TestCase):
    def test_both_ways_run_once_in_each_round_before_the_next_one(self):
        started = []

        def run_once(way):
            started.append(way)
            return completed(float(len(started)))

        samples = on_race_cost.measure([PAIR], 6, run_once)
        self.assertEqual([len(samples[SLOW]), len(samples[FAST])], [6, 6])
        for i in range(0, 12, 2):
            self.assertEqual(set(started[i : i + 2]), {SLOW, FAST})
        self.assertEqual(set(started[::2]), {SLOW, FAST})  # not always the same one first

    def test_a_way_of_two_pairs_is_measured_once(self):
        again = on_race_cost.Pair("program", "slow / slow", SLOW, SLOW)
        samples = on_race_cost.measure([PAIR, again], 3, lambda way: completed(1.0))
        self.assertEqual(len(samples[SLOW]), 3)

    def test_a_run_that_fails_is_no_sample(self):
        with self.assertRaises(on_race_cost.Failed):
            on_race_cost.measure([PAIR], 1, lambda way: completed(1.0, exit_code=66))

    def test_a_build_that_can_stop_is_another_build_of_the_same_detector(self):
        stopping = on_race_cost.check_first(FASTTRACK)
        self.assertEqual(stopping.flags, (*FASTTRACK.flags, "--check-first"))
        self.assertNotEqual(stopping.name, FASTTRACK.name)

    def test_the_ratio_is_that_of_the_medians(self):
        table = on_race_cost.rows([PAIR], {SLOW: [3.0, 3.0, 90.0], FAST: [2.0, 1.0, 2.0]})
        self.assertEqual(table[1].split()[-2], "1.50")


if __name__ == "__main__":
    unittest.main()
