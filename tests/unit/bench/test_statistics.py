"""Medians, spreads and means, on numbers small enough to check by hand."""

from __future__ import annotations

import itertools
import unittest

import support  # noqa: F401
from harness import statistics


class Quantiles(unittest.TestCase):
    def test_median_of_an_odd_number_is_the_middle_sample(self):
        self.assertEqual(statistics.median([5, 1, 9]), 5)

    def test_median_of_an_even_number_lies_between_the_middle_two(self):
        self.assertEqual(statistics.median([4, 1, 2, 9]), 3)

    def test_one_sample_is_its_own_median_and_has_no_spread(self):
        self.assertEqual(statistics.median([7.5]), 7.5)
        self.assertEqual(statistics.spread([7.5]), 0)

    def test_quartiles_interpolate(self):
        self.assertEqual(statistics.quantile([10, 20, 30, 40, 50], 0.25), 20)
        self.assertEqual(statistics.quantile([0, 1], 0.25), 0.25)

    def test_spread_is_half_the_quartile_distance_over_the_median(self):
        self.assertAlmostEqual(statistics.spread([10, 20, 30, 40, 50]), 10 / 30)

    def test_one_disturbed_run_does_not_move_the_median(self):
        self.assertEqual(statistics.median([1.0, 1.0, 1.0, 1.0, 60.0]), 1.0)

    def test_no_samples_is_an_error(self):
        with self.assertRaises(ValueError):
            statistics.median([])

    def test_a_fraction_outside_0_to_1_is_an_error(self):
        with self.assertRaises(ValueError):
            statistics.quantile([1.0], 1.5)


class Means(unittest.TestCase):
    def test_geometric_mean_of_a_ratio_and_its_inverse_is_one(self):
        self.assertAlmostEqual(statistics.geometric_mean([4, 0.25]), 1)

    def test_geometric_mean_of_nothing_is_nothing(self):
        self.assertIsNone(statistics.geometric_mean([]))


class Chance(unittest.TestCase):
    def test_samples_apart_are_as_unlikely_as_one_order_of_all(self):
        # Of the 252 ways to choose five of ten, two keep the samples apart.
        self.assertAlmostEqual(statistics.chance_of_difference([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]), 2 / 252)
        self.assertAlmostEqual(statistics.chance_of_difference([6, 7, 8], [1, 2, 3]), 2 / 20)

    def test_one_sample_out_of_order(self):
        # Orders of two and two: 1, 1, 2, 1, 1 have 0 to 4 pairs in order. Here it is 3 of 4.
        self.assertAlmostEqual(statistics.chance_of_difference([1, 3], [2, 4]), 2 * 2 / 6)

    def test_no_difference_is_certainly_chance(self):
        self.assertEqual(statistics.chance_of_difference([1, 2], [1, 2]), 1)
        self.assertEqual(statistics.chance_of_difference([], []), 1)

    def test_as_many_orders_as_there_are(self):
        for m in range(5):
            for n in range(5):
                orders = [0] * (m * n + 1)
                for chosen in itertools.combinations(range(m + n), m):
                    others = [i for i in range(m + n) if i not in chosen]
                    orders[sum(x < y for x in chosen for y in others)] += 1
                self.assertEqual(statistics._orders(m, n), orders)


class Overheads(unittest.TestCase):
    def test_overhead_is_the_time_added_in_base_times(self):
        self.assertAlmostEqual(statistics.overhead(3.5, 0.5), 6)
        self.assertAlmostEqual(statistics.overhead(0.45, 0.5), -0.1)

    def test_relative_overhead_is_a_ratio_of_overheads(self):
        self.assertAlmostEqual(statistics.relative_overhead(2, 8), 0.25)

    def test_overheads_within_noise_of_zero_compare_as_the_smallest(self):
        self.assertAlmostEqual(statistics.relative_overhead(-0.3, 0.002), 1)
        self.assertAlmostEqual(statistics.relative_overhead(0.5, -1), 50)


if __name__ == "__main__":
    unittest.main()
