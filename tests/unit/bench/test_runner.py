"""Building and running: what becomes of programs that fail in each of the ways a program can fail.

The programs are a few lines of C written by the test; a program fails by itself, nothing is simulated.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
from harness import detectors, plan, results
from harness.build import Builder, BuildFailed
from harness.detectors import Detector, Toolchain
from harness.process import CannotStart, Launcher, TimedOut
from harness.programs import Program, Source
from harness.runner import Runner, note_result, verdict_of

SAY_VALID = r'puts("{\"valid\": true, \"kernel_seconds\": 0.5}");'

BODIES = {
    "good": SAY_VALID + "return 0;",
    "races": SAY_VALID + "return 66;",
    "computes": r'puts("{\"valid\": true, \"result\": \"sum " RESULT "\"}"); return 0;',
    "wrong": r'puts("{\"valid\": false}"); return 1;',
    "crash": "fflush(stdout); abort();",
    "exits": SAY_VALID + "return 3;",
    "silent": "return 0;",
    "hangs": "for (;;) pause();",
    "broken": "this is not C;",
    # Counts, as the run time does, if it was built to and is asked to by the options variable.
    "counts": r"""
        #ifdef COUNT
        const char* options = getenv("BIGFOOT_OPTIONS");
        const char* path = options ? strstr(options, "stats_path=") : NULL;
        if (path) {
          FILE* out = fopen(path + strlen("stats_path="), "w");
          fputs("{\"checks\": 2, \"accesses\": 8, \"version\": \"x\"}", out);
          fclose(out);
        }
        #endif
    """ + SAY_VALID + "return 0;",
    "big": "memset(malloc(64 << 20), 1, 64 << 20);" + SAY_VALID + "return 0;",
}


def write_program(folder: Path, name: str) -> Program:
    source = folder / f"{name}.c"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
        f"int main(void) {{ {BODIES[name]} }}\n"
    )
    # Without optimisation, so that memory that is only written stays.
    return Program(name, "javagrande", "kernels", (Source(source, ("-O0",)),), "tiny")


class Campaigns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.work = Path(cls._folder.name)
        cls.toolchain = Toolchain(support.CC, support.CXX, cls.work / "no-drivers-here")
        cls.launcher = Launcher(cls.work, support.CC)

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def run_campaign(self, names, chosen=None, runs=2, timeout=20.0, save=lambda campaign: None):
        programs = [write_program(self.work, name) for name in names]
        chosen = chosen or [detectors.DETECTORS["base"]]
        campaign = results.Campaign("test", 1, runs, "now", [d.name for d in chosen], {})
        campaign.cases = plan.cases_of(programs, None, [1], scaling=False)
        builder = Builder(self.work, self.toolchain, self.launcher)
        self.said = io.StringIO()
        Runner(campaign, programs, chosen, builder, self.launcher, self.work, timeout, save, self.said).run()
        return campaign

    def cell_of(self, name, **options):
        return self.run_campaign([name], **options).cases[0].cells["base"]

    def test_a_good_program_has_a_sample_per_run(self):
        cell = self.cell_of("good", runs=3)
        self.assertEqual((cell.status, len(cell.samples)), (results.OK, 3))
        self.assertEqual({sample.kernel_seconds for sample in cell.samples}, {0.5})
        self.assertIsNone(cell.result)
        self.assertGreater(cell.compile_cpu_seconds, 0)

    def test_a_result_that_is_not_the_plain_programs_is_invalid(self):
        plain = dataclasses.replace(detectors.DETECTORS["base"], flags=('-DRESULT="1"',))
        same, other = (Detector(f"gives{r}", driver="plain", flags=(f'-DRESULT="{r}"',)) for r in (1, 2))
        campaign = self.run_campaign(["computes"], [plain, same, other])
        cells = campaign.cases[0].cells
        self.assertEqual([cell.status for cell in cells.values()], [results.OK, results.OK, results.INVALID])
        self.assertEqual(cells["gives2"].detail, "its result is 'sum 2', the plain program's 'sum 1'")
        self.assertEqual([len(cell.samples) for cell in cells.values()], [2, 2, 1])
        self.assertGreater(campaign.elapsed_seconds, 0)

    def test_a_result_may_not_change_from_run_to_run(self):
        cell = support.cell("base", [1.0], result="sum 1")
        note_result(support.case("p", cell), cell, "sum 2")
        self.assertEqual((cell.status, cell.detail), (results.INVALID, "its result was 'sum 1', then 'sum 2'"))

    def test_reported_races_are_not_a_failure(self):
        cell = self.cell_of("races")
        self.assertEqual(cell.status, results.OK)
        self.assertTrue(cell.reported_races)

    def test_failures_are_told_apart(self):
        expected = {
            "wrong": (results.INVALID, "wrong"),
            "crash": (results.CRASHED, "SIGABRT"),
            "exits": (results.FAILED, "exit code 3"),
            "silent": (results.FAILED, "without a result"),
            "broken": (results.BUILD_FAILED, "error"),
        }
        campaign = self.run_campaign(list(expected))
        for case in campaign.cases:
            with self.subTest(case.program):
                cell = case.cells["base"]
                status, detail = expected[case.program]
                self.assertEqual(cell.status, status)
                self.assertIn(detail, cell.detail)
                self.assertEqual(cell.samples, [])

    def test_a_program_that_hangs_is_ended(self):
        cell = self.cell_of("hangs", timeout=0.2)
        self.assertEqual(cell.status, results.TIMED_OUT)
        self.assertEqual(cell.samples, [])

    def test_one_failure_does_not_keep_others_from_running(self):
        campaign = self.run_campaign(["broken", "crash", "good"])
        statuses = [case.cells["base"].status for case in campaign.cases]
        self.assertEqual(statuses, [results.BUILD_FAILED, results.CRASHED, results.OK])

    def test_a_detector_that_is_not_installed_is_said_to_be_missing(self):
        chosen = detectors.select("bigfoot")
        cells = self.run_campaign(["good"], chosen).cases[0].cells
        self.assertEqual(cells["base"].status, results.OK)
        self.assertEqual(cells["bigfoot"].status, results.UNAVAILABLE)
        self.assertIn("bigfoot-clang", cells["bigfoot"].detail)

    def test_a_driver_that_refuses_is_a_build_failure(self):
        drivers = self.work / "drivers"
        drivers.mkdir(exist_ok=True)
        for name in ("bigfoot-clang", "bigfoot-clang++"):
            driver = drivers / name
            driver.write_text("#!/bin/sh\necho 'error: no such detector' >&2\nexit 1\n")
            driver.chmod(0o755)
        builder = Builder(self.work, Toolchain(support.CC, support.CXX, drivers), self.launcher)
        with self.assertRaisesRegex(BuildFailed, "no such detector"):
            builder.build(write_program(self.work, "good"), detectors.DETECTORS["slimcard"])

    def test_counters_come_from_a_run_of_their_own(self):
        counting = Detector(
            "counting", driver="plain", options_variable="BIGFOOT_OPTIONS", counting_flags=("-DCOUNT",)
        )
        cells = self.run_campaign(["counts"], [detectors.DETECTORS["base"], counting]).cases[0].cells
        self.assertEqual(cells["counting"].counters, {"checks": 2.0, "accesses": 8.0})
        self.assertEqual(len(cells["counting"].samples), 2)
        self.assertEqual(cells["base"].counters, {})

    def test_the_time_left_has_the_counting_in_it(self):
        counting = Detector("counting", driver="plain", counting_flags=("-DCOUNT",))
        self.run_campaign(["counts", "crash"], [detectors.DETECTORS["base"], counting])
        *before, last = [line for line in self.said.getvalue().splitlines() if line.startswith("[")]
        self.assertIn("[100 %", last)
        self.assertIn("counted checks", last)
        self.assertFalse([line for line in before if line.startswith("[100 %")])

    def test_missing_counters_are_remarked_and_harm_nothing(self):
        silent = Detector("silent", driver="plain", options_variable="BIGFOOT_OPTIONS", counting_flags=())
        cell = self.run_campaign(["good"], [detectors.DETECTORS["base"], silent]).cases[0].cells["silent"]
        self.assertEqual((cell.status, len(cell.samples)), (results.OK, 2))
        self.assertEqual((cell.counters, cell.detail), ({}, "no counters were written"))

    def test_a_build_for_counting_that_fails_is_remarked_and_harms_nothing(self):
        broken = Detector("broken", driver="plain", counting_flags=("--no-such-option-of-clang",))
        cell = self.run_campaign(["good"], [detectors.DETECTORS["base"], broken]).cases[0].cells["broken"]
        self.assertEqual((cell.status, len(cell.samples), cell.counters), (results.OK, 2, {}))
        self.assertRegex(cell.detail, "build that counts checks failed: .*no-such-option-of-clang")

    def test_ctrl_c_keeps_what_is_done(self):
        real_run = Launcher.run
        runs_of_program = 0

        def interrupt_third_run(launcher, command, *rest, **named):
            nonlocal runs_of_program
            if "--threads" in command:
                runs_of_program += 1
                if runs_of_program == 3:
                    raise KeyboardInterrupt
            return real_run(launcher, command, *rest, **named)

        saved = []
        with mock.patch.object(Launcher, "run", interrupt_third_run):
            campaign = self.run_campaign(["good"], runs=5, save=lambda c: saved.append(c.to_json()))
        cell = campaign.cases[0].cells["base"]
        self.assertTrue(campaign.interrupted)
        self.assertEqual((cell.status, len(cell.samples), cell.detail), (results.OK, 2, "2 of 5 runs"))
        self.assertEqual(len(saved[-1]["cases"][0]["cells"][0]["samples"]["seconds"]), 2)

    def test_the_peak_is_the_programs_own(self):
        # This process is made larger than the program; the program must not inherit that.
        ballast = bytearray(os.urandom(1)) * (200 << 20)
        small, big = (
            self.cell_of(name, runs=1).samples[0].peak_rss_bytes for name in ("good", "big")
        )
        self.assertLess(small, 16 << 20)
        self.assertGreater(big, 64 << 20)
        self.assertLess(big, 100 << 20)
        del ballast


class Launching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.launcher = Launcher(Path(folder.name), support.CC)

    def test_without_a_compiler_it_says_so(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(CannotStart, "no-such-cc is not installed"):
            Launcher(Path(folder), "no-such-cc")

    def test_what_a_command_leaves_to_others_is_not_of_its_own_peak(self):
        # As a server does with its load: it waits for the end, not for the remains.
        program = """
import os
child = os.fork()
if child == 0:
    memory = b"x" * (128 << 20)
    os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
"""
        done = self.launcher.run([sys.executable, "-S", "-c", program])
        self.assertEqual(done.exit_code, 0)
        self.assertLess(done.peak_rss_bytes, 64 << 20)

    def test_output_of_both_streams_is_kept(self):
        done = self.launcher.run(["sh", "-c", "echo out; echo err >&2; exit 5"])
        self.assertEqual((done.stdout, done.stderr, done.exit_code), ("out\n", "err\n", 5))

    def test_a_time_out_ends_what_the_command_started_too(self):
        with tempfile.TemporaryDirectory() as folder:
            # The inner process holds the lock for as long as it lives.
            lock = Path(folder) / "lock"
            with self.assertRaises(TimedOut):
                self.launcher.run(["flock", str(lock), "sh", "-c", "sleep 100 & wait"], timeout=1.0)
            free = self.launcher.run(["flock", "--timeout", "20", str(lock), "true"])
            self.assertEqual(free.exit_code, 0)

    def test_a_signal_while_the_command_starts_ends_it(self):
        started = []

        class Interrupted(subprocess.Popen):
            """Asked to end when the command runs already, and before anybody knows its process."""

            def __init__(self, *arguments, **options):
                super().__init__(*arguments, **options)
                started.append(self)
                signal.raise_signal(signal.SIGTERM)

        before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # as bench.py has it
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        with mock.patch("subprocess.Popen", Interrupted), self.assertRaises(KeyboardInterrupt):
            self.launcher.run(["sleep", "100"])
        # launch has ended, before it started the command or after it ended that.
        self.assertIn(started[0].returncode, (0, -signal.SIGTERM))
        self.assertIs(signal.getsignal(signal.SIGTERM), signal.default_int_handler)

    def test_any_thread_may_run_a_command(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            self.assertEqual(pool.submit(self.launcher.run, ["true"]).result().exit_code, 0)

    def test_instructions_are_those_of_the_command_and_its_children(self):
        def count(command: str) -> int | None:
            return self.launcher.run(["sh", "-c", command]).instructions

        work = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
        nothing, once, in_a_child = count(":"), count(work), count(f"({work}); :")
        if nothing is None:
            self.skipTest("this machine has no counter of instructions that may be read")
        self.assertGreater(once, 2 * nothing)
        self.assertGreater(in_a_child, 2 * nothing)

    def test_a_command_that_does_not_exist_fails(self):
        self.assertEqual(self.launcher.run(["/does/not/exist"]).exit_code, 127)


class Verdicts(unittest.TestCase):
    def test_the_last_object_counts(self):
        self.assertEqual(verdict_of('{"valid": false}\ntext\n{"valid": true}\n'), {"valid": True})

    def test_what_is_no_verdict(self):
        for text in ("", "valid", '{"valid": tr', '{"other": 1}', "{}"):
            self.assertIsNone(verdict_of(text), text)


class CommandLine(unittest.TestCase):
    def setUp(self):
        import bench

        self.bench = bench

    def refuses(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit) as exit_code:
            self.bench.parse_arguments(list(arguments))
        self.assertEqual(exit_code.exception.code, 2)
        return error.getvalue()

    def test_mistakes_are_refused_with_a_reason(self):
        self.assertIn("eraser", self.refuses("--detectors", "eraser"))
        self.assertIn("no size", self.refuses("--sizes", "huge"))
        self.assertIn("no program", self.refuses("--programs", "doom"))
        self.assertIn("positive", self.refuses("--runs", "0"))
        for number in ("0", "257", "two", "1.5"):
            self.assertIn(f"from 1 to 256, not '{number}'", self.refuses("--threads", number))
        for timeout in ("-1", "0", "nan", "inf"):
            self.assertIn("--timeout", self.refuses("--timeout", timeout))
        for option in ("--programs", "--detectors", "--threads", "--sizes"):
            self.assertEqual(self.refuses(option, ","), f"bigfoot bench: {option} is an empty list\n")

    def test_nothing_is_measured_without_a_compiler(self):
        with tempfile.TemporaryDirectory() as empty, mock.patch.dict(os.environ, {"PATH": empty}):
            self.assertEqual(self.refuses(), "bigfoot bench: clang-22 is not installed\n")

    def test_a_folder_where_a_file_is_to_be(self):
        with tempfile.TemporaryDirectory() as folder:
            for option in ("--page", "--record"):
                self.assertEqual(self.refuses("--out", folder, option, folder).count("Is a directory"), 1)

    def test_listing_makes_no_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            new = Path(folder) / "new"
            self.bench.parse_arguments(["--list", "--out", str(new), "--work", str(new), "--page", str(new / "p.html")])
            self.assertFalse(new.exists())

    def test_a_campaign_of_which_nothing_can_be_built(self):
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch("bench.projects.prepare", return_value=([], ["tbb is left out: not installed"])),
            contextlib.redirect_stderr(io.StringIO()) as error,
        ):
            status = self.bench.main(["--programs", "tbb", "--out", folder, "--work", folder, "--page", folder + "/p"])
            self.assertEqual((status, list(Path(folder).iterdir())), (2, []))
        self.assertIn("none of these programs can be built here", error.getvalue())

    def test_lists(self):
        chosen = self.bench.parse_arguments(["--threads", "1,4", "--sizes", "tiny,A", "--detectors", "drd"])
        self.assertEqual(chosen.threads, [1, 4])
        self.assertEqual(chosen.sizes, ["tiny", "A"])
        self.assertEqual([d.name for d in chosen.detectors], ["base", "drd"])


def running_executables() -> set[str]:
    """What the processes of this machine run, as far as one may know."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/exe"):
        try:
            found.add(os.readlink(link))
        except OSError:
            continue  # gone meanwhile, or not ours to see
    return found


class EndingEarly(unittest.TestCase):
    def test_a_campaign_that_is_asked_to_end_keeps_what_is_done(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            command = [
                sys.executable, str(support.REPOSITORY / "bench" / "bench.py"), "--programs", "series",
                "--detectors", "base", "--sizes", "C", "--runs", "1", "--out", name, "--work", name,
                "--page", str(folder / "page.html"),
            ]  # fmt: skip
            process = subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as shells do in the background
            )
            with process:
                # Size C takes a minute and more, so that the signal comes long before the end of the run.
                while "built series" not in process.stderr.readline():
                    self.assertIsNone(process.poll(), "ended before the program was built")
                process.send_signal(signal.SIGTERM)
                rest = process.stderr.read()
            self.assertEqual(process.returncode, 130, rest)
            document = json.loads((folder / "results.json").read_text())
            self.assertTrue(document["interrupted"])
            self.assertEqual(document["cases"][0]["cells"][0]["status"], results.NOT_RUN)
            self.assertTrue((folder / "page.html").exists())
            # The program, if it had started, was ended with it. (Writing its executable would not show that: the
            # kernel may let go of a file a little later than of the process that ran it.)
            executable = folder / "series" / "base" / "series"
            self.assertTrue(executable.exists())
            self.assertNotIn(str(executable), running_executables())


if __name__ == "__main__":
    unittest.main()
