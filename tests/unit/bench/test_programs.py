"""The benchmark programs: valid with any number of threads, race-free, the racy variants racy, and able to tell
a wrong result from a right one.

Race-freedom is judged by ThreadSanitizer. Whether a program's validation can fail is judged by breaking its
kernel (one textual change each) and expecting the program to object.
"""

from __future__ import annotations

import concurrent.futures
import shutil
import tempfile
import unittest
from pathlib import Path

import support
from harness import detectors, programs
from harness.build import Builder, BuildFailed
from harness.detectors import RACE_EXIT_CODE, Toolchain
from harness.process import Completed, Launcher
from harness.programs import Program, Source
from harness.runner import verdict_of

JOBS = 2
RUN_TIMEOUT = 120.0

# program -> (text of its source, what it is replaced by)
BREAKAGES = {
    "crypt": ("x1 ^= u;", "x1 ^= v;"),
    "series": ("i < kSteps - 2", "i < kSteps - 3"),
    "lufact": ("std::swap(column[pivot], column[k]);\n        axpy", "axpy"),
    "sor": ("relax(grid, begin, end, 1);", "relax(grid, begin, end, 1);\n      if (id == 0) grid.row(1)[1] = 0;"),
    "sparse": ("iteration < kIterations", "iteration < kIterations - 1"),
    "moldyn": ("forces[i] += total;", ""),
    "montecarlo": ("prices[i - 1] * std::exp(fluctuations[i])", "prices[i - 1] * std::exp(0.9 * fluctuations[i])"),
    "raytracer": ("y += stride", "y += 2 * stride"),
    "inverted_index": ("found->second;\n    } else", "found->second += 2;\n    } else"),
    "btree_store": ("*tree_.find(to) + amount", "*tree_.find(to) + amount + 1"),
    "event_sim": ("send(packet, network);", ""),
    "task_pool": ("return here + rest;", "return here;"),
    "pipeline": ("put_copy(length, position - match);", "put_copy(length, position - match + 1);"),
    "lru_cache": ("bench::mix(key + i);\n  }\n\n  bool", "bench::mix(key + i + 1);\n  }\n\n  bool"),
    "barnes_hut": ("child->mass * child->position", "child->position"),
    "multipole": ("(k % 2 == 0 ? 1.0 : -1.0) * (powers[k] * sum)", "powers[k] * sum"),
    "lu_contiguous": ("return lu::kBlock; }", "return lu::kBlock - 1; }"),
    "lu_strided": ("std::size_t j) { return &at(i", "std::size_t j) { return &at(j"),
    "fft_transpose": ("multiply(&result[2 * i * m], &tables.twiddles[2 * i * m], m, sign);", ""),
    "radix_sort": ("left.before[d] + left.counts[d]", "left.before[d]"),
    "multigrid": ("coarse[(i + 1) / 2]", "coarse[i / 2]"),
    "molecules": ("on_b[j] -= at.force * distance;", ""),
    "molecules_cells": ("place = &molecule->next;\n        continue;", "break;"),
    "cholesky": ("column[place[i]] += buffer", "column[place[i]] = buffer"),
    "ray_tasks": ("nearest.next += nearest.spacing;", "nearest.next = kNever;"),
    "radiosity": ("element.gathered = kReflectance * sum;", "element.gathered = 0.95 * kReflectance * sum;"),
    "stream_cluster": ("&& !closes_[point.slot]) continue;", ") continue;"),
    "pricing": ("+ root * shock", "+ shock"),
    "annealing": ("second.put(from_first);", "second.put(from_second);"),
    "fluid": ("if (other < cell || there", "if (other <= cell + 1 || there"),
    "dedup": ("if (next.place != due_ || ", "if ("),
}


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.work = Path(cls._folder.name)
        cls.launcher = Launcher(cls.work, support.CC)
        cls.builder = Builder(cls.work, Toolchain(support.CC, support.CXX, cls.work), cls.launcher)

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def for_each(self, items, check):
        """check(item) for all items, a few at a time; every failure is reported."""
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            futures = {pool.submit(check, item): item for item in items}
            for future in concurrent.futures.as_completed(futures):
                with self.subTest(getattr(futures[future], "name", futures[future])):
                    future.result()

    def run_at(self, executable: Path, threads: int, environment=None) -> Completed:
        command = [str(executable), "--threads", str(threads), "--size", "tiny"]
        return self.launcher.run(command, environment, RUN_TIMEOUT)

    def test_valid_with_any_number_of_threads(self):
        base = detectors.DETECTORS["base"]

        def check(program: Program) -> None:
            executable = self.builder.build(program, base).executable
            for threads in (1, 2, 3, 8, 17):
                done = self.run_at(executable, threads)
                self.assertEqual(done.exit_code, 0, done.stdout + done.stderr)
                verdict = verdict_of(done.stdout)
                self.assertEqual((verdict["valid"], verdict["threads"]), (True, threads))
                self.assertGreater(verdict["kernel_seconds"], 0)

        self.for_each(programs.RACE_FREE, check)

    def test_thread_sanitizer_finds_races_in_the_racy_variants_only(self):
        tsan = detectors.DETECTORS["tsan"]
        try:
            self.builder.build(programs.OWN[0], tsan)
        except BuildFailed as failure:
            self.skipTest(f"ThreadSanitizer does not build here: {failure}")

        def check(program: Program) -> None:
            executable = self.builder.build(program, tsan).executable
            done = self.run_at(executable, 4, tsan.environment())
            self.assertEqual(done.exit_code, RACE_EXIT_CODE if program.racy else 0, done.stderr)

        self.for_each(programs.OWN, check)

    def test_a_broken_kernel_is_found_out(self):
        self.assertEqual(set(BREAKAGES), {p.name for p in programs.RACE_FREE})
        base = detectors.DETECTORS["base"]

        def check(program: Program) -> None:
            before, after = BREAKAGES[program.name]
            text = program.sources[0].path.read_text()
            self.assertEqual(text.count(before), 1, f"the text to break is not in {program.name} once")
            broken = self.work / f"broken-{program.name}.cpp"
            broken.write_text(text.replace(before, after))
            mutant = Program(broken.stem, "broken", program.group, (Source(broken),), "tiny", flags=program.flags)
            done = self.run_at(self.builder.build(mutant, base).executable, 2)
            self.assertEqual(done.exit_code, 1, done.stdout + done.stderr)
            self.assertFalse(verdict_of(done.stdout)["valid"])

        self.for_each(programs.RACE_FREE, check)

    def test_wrong_command_lines_are_refused(self):
        program = programs.OWN[0]
        executable = str(self.builder.build(program, detectors.DETECTORS["base"]).executable)
        for arguments in (["--threads", "0"], ["--threads", "2x"], ["--size", "huge"], ["--size"], ["x", "y"]):
            with self.subTest(arguments):
                self.assertEqual(self.launcher.run([executable, *arguments]).exit_code, 2)


if __name__ == "__main__":
    if shutil.which(support.CXX) is None:
        raise SystemExit(f"{support.CXX} is not installed")
    unittest.main()
