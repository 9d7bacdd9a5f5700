"""What bench/instructions.py makes of callgrind's format."""

import unittest

import support  # noqa: F401
import instructions

# main takes 5 + 7 itself and calls check twice and, later, by its number alone, once; check takes 30 and 10.
PROFILE = """\
events: Ir
ob=(1) /bin/program
fl=(1) ???
fn=(1) main
0 5
cfn=(2) check(void*)
calls=2 0
0 30
+3 7

fn=(2)
0 30
* 10

fn=(1)
cfn=(2)
calls=1 0
-2 10
"""


class InstructionsTest(unittest.TestCase):
    def test_costs_of_calls_are_the_callees(self):
        profile = instructions.parse(PROFILE)
        self.assertEqual(profile.own, {"main": 12, "check(void*)": 40})
        self.assertEqual(profile.total, 52)

    def test_calls_of_all_callers_are_added(self):
        self.assertEqual(instructions.parse(PROFILE).calls, {"check(void*)": 3})

    def test_the_dearest_functions_come_first(self):
        profile = instructions.parse(PROFILE)
        first, second = instructions.rows(profile, 2)
        self.assertEqual(first.split(), ["76.9", "%", "3", "calls", "13", "each", "check(void*)"])
        self.assertEqual(second.split()[-1], "main")
        self.assertEqual(len(instructions.rows(profile, 1)), 1)


if __name__ == "__main__":
    unittest.main()
