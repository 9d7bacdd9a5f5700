"""The time left, and that nothing but plain lines reaches a stream that is not a terminal."""

from __future__ import annotations

import io
import unittest

import support  # noqa: F401
from harness.progress import Progress, describe_seconds


class Clock:
    def __init__(self):
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class TimeLeft(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.stream = io.StringIO()
        self.progress = Progress(10.0, self.stream, self.clock)

    def test_unknown_before_the_first_step(self):
        self.assertIsNone(self.progress.seconds_left())

    def test_cost_left_at_the_speed_so_far(self):
        self.clock.time = 30.0
        self.progress.step("one", 2.0)
        self.assertAlmostEqual(self.progress.seconds_left(), 120.0)

    def test_never_negative(self):
        self.clock.time = 1.0
        self.progress.step("more than there was", 25.0)
        self.assertEqual(self.progress.seconds_left(), 0.0)


class Output(unittest.TestCase):
    def test_plain_lines_without_a_terminal(self):
        stream, clock = io.StringIO(), Clock()
        progress = Progress(2.0, stream, clock)
        clock.time = 5.0
        progress.step("first", 1.0)
        progress.close()
        self.assertEqual(stream.getvalue(), "[ 50 %, 5 s left] first\n")

    def test_a_bar_that_overwrites_itself_on_a_terminal(self):
        stream, clock = Terminal(), Clock()
        progress = Progress(2.0, stream, clock)
        clock.time = 5.0
        progress.step("first", 1.0)
        self.assertIn("############............", stream.getvalue())
        self.assertNotIn("\n", stream.getvalue())
        progress.note("something to keep")
        self.assertTrue(stream.getvalue().endswith("something to keep\n"))

    def test_durations(self):
        self.assertEqual(describe_seconds(7.4), "7 s")
        self.assertEqual(describe_seconds(61), "1 min 01 s")
        self.assertEqual(describe_seconds(7325), "2 h 02 min")


if __name__ == "__main__":
    unittest.main()
