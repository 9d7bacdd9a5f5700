"""What bench/portions.py makes of the figures of its runs."""

import unittest

import support  # noqa: F401
import portions


class PortionsTest(unittest.TestCase):
    def test_cases_are_named_up_to_the_last_colon(self):
        self.assertEqual(portions.parse("byte: written: 1.50\nword: 2.00\n"), {"byte: written": 1.5, "word": 2.0})

    def test_a_line_without_a_figure_is_an_error(self):
        with self.assertRaises(ValueError):
            portions.parse("WARNING: data race\n")

    def test_the_least_of_all_runs_counts(self):
        self.assertEqual(portions.least([{"a": 3.0, "b": 1.0}, {"a": 2.0, "b": 5.0}]), {"a": 2.0, "b": 1.0})

    def test_a_row_for_each_case_and_a_column_for_each_detector(self):
        table = portions.rows({"bigfoot": {"a": 1.25, "b": 20.0}, "tsan": {"a": 3.0, "b": 4.0}})
        self.assertEqual([line.split() for line in table], [["ns", "bigfoot", "tsan"], ["a", "1.2", "3.0"], ["b", "20.0", "4.0"]])

    def test_the_program_is_in_the_tree(self):
        self.assertTrue(all(source.path.exists() for source in portions.program().sources))


if __name__ == "__main__":
    unittest.main()
