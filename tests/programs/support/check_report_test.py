#!/usr/bin/env python3
"""Tests of the judge itself: a checker that accepts everything would make every test pass."""

import contextlib
import io
import os
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_report as judge  # noqa: E402  (needs the path above)

REPORT = """\
==================
WARNING: BigFoot: data race (pid=1)
  Write of size 4 at 0x55d0 by thread T2 (mutexes: write M0):
    #0 memcpy <null> (a+0x1)
    #1 set(int*) /src/a.cpp:{second}:5 (a+0x2) (BuildId: 00)

  Previous {kind} of size {size} at 0x55d0 by main thread:
    #0 operator() /usr/include/c++/12/bits/move.h:200:7 (a+0x3)
    #1 main /src/a.cpp:{first}:3 (a+0x4)

  Location is heap block of size 100 at 0x55d0 allocated by thread T1:
    #0 main /src/a.cpp:99:1 (a+0x5)

SUMMARY: BigFoot: data race /src/a.cpp:{second}:5 in set(int*)
==================
"""


def report(first=10, second=20, kind="read", size=4):
    return REPORT.format(first=first, second=second, kind=kind, size=size)


def races(*marks):
    return judge.races_of([judge.parse_mark("a.cpp", line, text) for line, text in marks])


def judge_text(text, *marks, exit_code=66):
    return judge.judge_racy(exit_code, judge.parse_reports(text), races(*marks), {"a.cpp"})


class MarkedMembers(unittest.TestCase):
    NAMED = report().replace("  Location", "  Field is 'A::x'.\n\n  Location")

    def test_the_named_one_passes(self):
        self.assertEqual(judge_text(self.NAMED, (10, "read 4 of A::x"), (20, "write 4")), [])
        self.assertEqual(judge_text(report(), (10, "read 4 of nothing"), (20, "write 4")), [])

    def test_another_one_does_not(self):
        self.assertTrue(judge_text(self.NAMED, (10, "read 4 of A::y"), (20, "write 4")))
        self.assertTrue(judge_text(self.NAMED, (10, "read 4"), (20, "write 4 of nothing")))
        self.assertTrue(judge_text(report(), (10, "read 4"), (20, "write 4 of A::x")))


class Groups(unittest.TestCase):
    @staticmethod
    def complaints(text, formed, cut):
        return judge.judge_groups(judge.parse_groups(text), {"groups_formed": formed, "groups_cut": cut})

    def test_at_least_so_many(self):
        self.assertEqual(self.complaints("3,2", 3, 2), [])
        self.assertEqual(self.complaints("3,2", 9, 4), [])
        self.assertTrue(self.complaints("3,2", 2, 2))
        self.assertTrue(self.complaints("3,2", 3, 1))

    def test_none(self):
        self.assertEqual(self.complaints("0", 0, 0), [])
        self.assertTrue(self.complaints("0", 1, 0))

    def test_a_program_that_counts_nothing_has_none(self):
        self.assertTrue(judge.judge_groups(judge.parse_groups("1,0"), {}))

    def test_what_is_no_number(self):
        for text in ("0,1", "3", "some", "3,"):
            with self.assertRaises(judge.MarkError):
                judge.parse_groups(text)

    def test_only_where_there_can_be_some(self):
        def judged(**given):
            arguments = ["--expect=clean", "--source=a", "--groups=1,1"]
            arguments += [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
            return judge.groups_are_judged(judge.parse_arguments(arguments))
        self.assertTrue(judged(level="O2"))
        self.assertTrue(judged(level="lto", detector="redcard"))
        self.assertFalse(judged(level="lto", groups_at="O1,O2"))
        self.assertFalse(judged(level="O0"))
        self.assertFalse(judged(level="O2", detector="fasttrack"))
        self.assertFalse(judged(level="O2", tool="tsan"))


class ParsingReports(unittest.TestCase):
    def test_both_accesses_and_nothing_else(self):
        (parsed,) = judge.parse_reports(report())
        self.assertEqual([(a.kind, a.size, a.previous) for a in parsed.accesses],
                         [("write", 4, False), ("read", 4, True)])
        self.assertEqual([len(a.frames) for a in parsed.accesses], [2, 2])

    def test_place_is_the_top_frame_of_the_test(self):
        (parsed,) = judge.parse_reports(report())
        self.assertEqual([a.place({"a.cpp"}).line for a in parsed.accesses], [20, 10])

    def test_members(self):
        def members(line):
            (parsed,) = judge.parse_reports(report().replace("  Location", line + "  Location"))
            return [a.member for a in parsed.accesses]
        self.assertEqual(members(""), ["", ""])
        self.assertEqual(members("  Field is 'A::x'.\n\n"), ["A::x", "A::x"])
        self.assertEqual(members("  Field is 'A::x', in the previous access 'B::y'.\n\n"), ["A::x", "B::y"])

    def test_atomic_is_a_kind_of_its_own(self):
        (parsed,) = judge.parse_reports(report(kind="atomic write"))
        self.assertEqual(parsed.accesses[1].kind, "atomic write")

    def test_text_of_the_program_is_no_report(self):
        self.assertEqual(judge.parse_reports("hello\n  Write of size 4 at 0x1 by thread T1:\n"), [])


class Marks(unittest.TestCase):
    def test_alternatives_and_label(self):
        mark = judge.parse_mark("a.cpp", 1, "list read 4, atomic write")
        self.assertEqual((mark.label, mark.accesses),
                         ("list", (("read", 4), ("atomic write", None))))

    def test_nonsense_is_refused(self):
        for text in ("", "wriet 4", "write four", "read 4 4"):
            with self.assertRaises(judge.MarkError, msg=text):
                judge.parse_mark("a.cpp", 1, text)

    def test_three_lines_are_not_one_race(self):
        with self.assertRaises(judge.MarkError):
            races((1, "read"), (2, "write"), (3, "write"))


class RacyRuns(unittest.TestCase):
    def test_the_marked_race_in_either_order(self):
        self.assertEqual(judge_text(report(), (10, "read 4"), (20, "write 4")), [])
        self.assertEqual(judge_text(report(), (20, "write 4"), (10, "read 4")), [])

    def test_one_line_against_itself(self):
        self.assertEqual(judge_text(report(first=20), (20, "read 4, write 4")), [])

    def test_two_lines_need_both(self):
        self.assertNotEqual(judge_text(report(first=20), (20, "read 4, write 4"), (10, "write")), [])

    def test_wrong_line_kind_or_size(self):
        for wrong in ((11, "read 4"), (10, "write 4"), (10, "read 8"), (10, "atomic read 4")):
            self.assertNotEqual(judge_text(report(), wrong, (20, "write 4")), [], wrong)

    def test_no_report(self):
        self.assertNotEqual(judge_text("", (10, "read 4"), (20, "write 4")), [])

    def test_a_report_too_many(self):
        text = report() + report(first=30, second=31)
        self.assertNotEqual(judge_text(text, (10, "read 4"), (20, "write 4")), [])

    def test_every_label_must_be_seen(self):
        marks = ((10, "a read 4"), (20, "a write 4"), (30, "b read"), (31, "b write"))
        self.assertNotEqual(judge_text(report(), *marks), [])
        self.assertEqual(judge_text(report() + report(first=30, second=31), *marks), [])

    def test_labels_do_not_mix(self):
        marks = ((10, "a read 4"), (40, "a write 4"), (20, "b write 4"), (41, "b write"))
        self.assertNotEqual(judge_text(report(), *marks), [])

    def test_exit_code(self):
        self.assertNotEqual(judge_text(report(), (10, "read 4"), (20, "write 4"), exit_code=0), [])

    def test_lost_stack(self):
        text = report().replace("    #1 main /src/a.cpp:10:3 (a+0x4)\n", "")
        self.assertNotEqual(judge_text(text, (10, "read 4"), (20, "write 4")), [])

    def test_lost_column_or_summary(self):
        marks = ((10, "read 4"), (20, "write 4"))
        self.assertNotEqual(judge_text(report().replace("a.cpp:10:3", "a.cpp:10"), *marks), [])
        self.assertNotEqual(judge_text(report().replace("SUMMARY", "SUM"), *marks), [])

    def test_other_kinds_of_report(self):
        text = report().replace("data race (pid", "lock-order-inversion (pid")
        self.assertNotEqual(judge_text(text, (10, "read 4"), (20, "write 4")), [])


class CleanRuns(unittest.TestCase):
    def test_silence(self):
        self.assertEqual(judge.judge_clean(0, [], "program output\n"), [])

    def test_report_exit_code_and_noise(self):
        self.assertNotEqual(judge.judge_clean(0, judge.parse_reports(report()), report()), [])
        self.assertNotEqual(judge.judge_clean(1, [], ""), [])
        self.assertNotEqual(judge.judge_clean(0, [], "BigFoot: table full, 3 events dropped\n"), [])
        self.assertNotEqual(judge.judge_clean(0, [], "==7==ERROR: ThreadSanitizer: SEGV\n"), [])


class WholeRuns(unittest.TestCase):
    """From a source file and a command to the exit code."""

    def run_judge(self, verdict, source, script, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.cpp")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            with contextlib.redirect_stderr(io.StringIO()):
                return judge.main(["--expect", verdict, "--source", path, *options, "sh", "-c", script])

    def printing(self, text, exit_code):
        return textwrap.dedent(f"cat >&2 <<'END'\n{text}\nEND\nexit {exit_code}")

    def test_racy_and_clean(self):
        source = "\n" * 9 + "keep(x);  // RACE: read 4\n" + "\n" * 9 + "x = 1;  // RACE: write 4\n"
        self.assertEqual(self.run_judge("racy", source, self.printing(report(), 66)), 0)
        self.assertEqual(self.run_judge("racy", source, "exit 0"), 1)
        self.assertEqual(self.run_judge("clean", "int x;\n", "exit 0"), 0)
        self.assertEqual(self.run_judge("clean", "int x;\n", self.printing(report(), 66)), 1)

    def test_time_limit(self):
        self.assertEqual(self.run_judge("clean", "", "while :; do :; done", "--timeout", "0.2"), 1)

    def test_marks_must_fit_the_verdict(self):
        with self.assertRaises(judge.MarkError):
            self.run_judge("racy", "int x;\n", "exit 66")
        with self.assertRaises(judge.MarkError):
            self.run_judge("clean", "x = 1;  // RACE: write\n", "exit 0")

    def test_declarations_count_for_the_other_tool_only(self):
        source = "// TSAN: misses: why\nx = 1;  // RACE: write 4\n"
        self.assertEqual(self.run_judge("racy", source, "exit 0", "--tool", "tsan"), 0)
        self.assertEqual(self.run_judge("racy", source, "exit 0"), 1)

    def test_declarations_are_verified(self):
        for verdict in ("false alarm", "crashes", "hangs"):
            source = f"// TSAN: {verdict}\n"
            self.assertEqual(self.run_judge("clean", source, "exit 0", "--tool", "tsan"), 1, verdict)

    def test_declarations_for_levels(self):
        source = "// TSAN(O0, O1): false alarm\n"
        alarm = self.printing(report(), 66)
        for level, expected in (("O1", 0), ("O2", 1)):
            self.assertEqual(
                self.run_judge("clean", source, alarm, "--tool", "tsan", "--level", level), expected)


if __name__ == "__main__":
    unittest.main()
