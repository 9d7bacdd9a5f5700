"""Builds and runs the cells of a campaign, one process at a time.

Whatever happens to a cell is recorded in it; only Ctrl-C ends a campaign early, and then the cells keep the
samples they have. A cell that crashes, times out or gets a wrong result is not run again: later samples could
not make it comparable.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from . import results
from .build import Builder, BuildFailed, Built
from .detectors import BASE, RACE_EXIT_CODE, Detector
from .plan import interleaved
from .process import CannotStart, Completed, Launcher, TimedOut
from .programs import Program
from .progress import Progress
from .results import Campaign, Case, Cell, Sample

# Rough seconds, for the progress bar; only their proportions matter.
BUILD_COST, SOURCE_COST = 1.5, 0.3  # of a link with one large source, and of each further source
KEPT_COST = 0.01
PLAIN_RUN_COST = {"tiny": 0.01, "small": 0.05, "A": 0.5, "B": 2.0, "C": 10.0}
EXPECTED_SLOWDOWN = {BASE: 1.0, "helgrind": 60.0, "drd": 60.0}
OTHER_SLOWDOWN = 8.0

# Writing everything down takes a tenth of a second when there are many programs: not after every run.
SECONDS_BETWEEN_SAVES = 10.0


class Runner:
    def __init__(
        self,
        campaign: Campaign,
        programs: Sequence[Program],
        detectors: Sequence[Detector],
        builder: Builder,
        launcher: Launcher,
        work: Path,
        timeout: float,
        save: Callable[[Campaign], None],
        stream: TextIO = sys.stderr,
    ) -> None:
        self._campaign = campaign
        self._programs = {program.name: program for program in programs}
        self._detectors = {detector.name: detector for detector in detectors}
        self._builder = builder
        self._launcher = launcher
        self._work = work
        self._timeout = timeout
        self._save = save
        self._began = self._saved = time.monotonic()
        self._built: dict[tuple[str, str], Built] = {}
        self._progress = Progress(self._total_cost(), stream)

    def run(self) -> None:
        for case in self._campaign.cases:
            case.cells = {name: Cell(name) for name in self._detectors}
        self._campaign.interrupted = True  # as long as the end is not reached, whatever ends it
        try:
            self._build_all()
            self._measure_all()
            self._count_all()
            self._campaign.interrupted = False
        except KeyboardInterrupt:
            self._progress.note("interrupted: what is done is kept")
        finally:
            self._progress.close()
            self._settle()
            self._campaign.elapsed_seconds = round(time.monotonic() - self._began, 1)
            self._save(self._campaign)

    # Building.

    def _build_all(self) -> None:
        for program in self._programs.values():
            for detector in self._detectors.values():
                cost = self._build_cost(program, detector)
                if detector.built_as:
                    self._reuse(program, detector)
                else:
                    self._build(program, detector)
                self._progress.step(f"{self._how_built(program, detector)} for {detector.name}", cost)
        self._save(self._campaign)

    def _build(self, program: Program, detector: Detector) -> None:
        try:
            built = self._builder.build(program, detector)
        except BuildFailed as failure:
            missing = str(failure).endswith("is not installed")
            status = results.UNAVAILABLE if missing else results.BUILD_FAILED
            self._mark(program, detector, status, str(failure))
            self._progress.note(f"{program.name} for {detector.name}: {failure}")
            return
        self._built[program.name, detector.name] = built
        for cell in self._cells(program, detector):
            cell.compile_cpu_seconds = built.cpu_seconds

    def _reuse(self, program: Program, detector: Detector) -> None:
        """A detector that runs another's executable, and adds nothing to its compile time."""
        built = self._built.get((program.name, detector.built_as))
        missing = detector.missing(self._builder.toolchain)
        if missing:
            self._mark(program, detector, results.UNAVAILABLE, missing)
        elif built is None:
            self._mark(program, detector, results.BUILD_FAILED, f"no {detector.built_as} executable")
        else:
            self._built[program.name, detector.name] = built

    # Measuring.

    def _measure_all(self) -> None:
        cases = self._campaign.cases
        order = interleaved(len(cases), list(self._detectors), self._campaign.runs, self._campaign.seed)
        for round_number, index, name in order:
            case, detector = cases[index], self._detectors[name]
            cell = case.cells[name]
            if cell.status in (results.NOT_RUN, results.OK):
                self._measure(case, cell, detector)
                self._save_now_and_then()
            what = f"{case.program} {case.size} x{case.threads} {name}, run {round_number + 1}: {cell.status}"
            self._progress.step(what, _run_cost(case, name))

    def _measure(self, case: Case, cell: Cell, detector: Detector) -> None:
        completed = self._run(case, cell, detector, detector.environment())
        if completed is None:
            return
        cell.status, cell.detail = classify(completed)
        if cell.status == results.OK:
            cell.samples.append(sample_of(completed))
            note_result(case, cell, (verdict_of(completed.stdout) or {}).get("result"))

    def _count_all(self) -> None:
        """One run more where checks can be counted, of an executable built for that."""
        for detector in self._counting():
            for program in self._programs.values():
                cells = [cell for cell in self._cells(program, detector) if cell.status == results.OK]
                cost = self._build_cost(program, detector.counted())
                if cells:
                    self._build_counting(program, detector, cells)
                what = f"{self._how_built(program, detector.counted())} to count checks of {detector.name}"
                self._progress.step(what, cost)
        for case in self._campaign.cases:
            for detector in self._counting():
                cell = case.cells[detector.name]
                if cell.status == results.OK and (case.program, detector.counted().name) in self._built:
                    self._count(case, cell, detector.counted())
                what = f"counted checks of {case.program} {case.size} x{case.threads} for {detector.name}"
                self._progress.step(what, _run_cost(case, detector.name))

    def _counting(self) -> list[Detector]:
        return [detector for detector in self._detectors.values() if detector.counts_checks]

    def _build_counting(self, program: Program, detector: Detector, cells: list[Cell]) -> None:
        counted = detector.counted()
        try:
            self._built[program.name, counted.name] = self._builder.build(program, counted)
        except BuildFailed as failure:
            for cell in cells:
                cell.detail = f"the build that counts checks failed: {failure}"

    def _count(self, case: Case, cell: Cell, detector: Detector) -> None:
        path = self._work / f"counters-{os.getpid()}.json"
        path.unlink(missing_ok=True)
        options = f"stats=1 stats_path={path}"
        try:
            completed = self._launcher.run(
                self._command(case, detector), detector.environment(options), self._timeout, self._work
            )
            counters = json.loads(path.read_text())
            path.unlink()
            if not isinstance(counters, dict):
                raise ValueError("no object")
        except TimedOut:
            cell.detail = "timed out while counting checks"
            return
        except (CannotStart, OSError):
            cell.detail = "no counters were written"
            return
        except ValueError:
            cell.detail = "the counters are not JSON"
            return
        status, detail = classify(completed)
        if status != results.OK:
            cell.detail = f"{status} while counting checks: {detail}"
            return
        cell.counters = {
            key: float(value)
            for key, value in counters.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        }

    def _run(
        self, case: Case, cell: Cell, detector: Detector, environment: dict[str, str]
    ) -> Completed | None:
        try:
            return self._launcher.run(self._command(case, detector), environment, self._timeout, self._work)
        except TimedOut:
            cell.status, cell.detail = results.TIMED_OUT, f"after {self._timeout:.0f} s"
        except CannotStart as error:
            cell.status, cell.detail = results.FAILED, str(error)
        return None

    def _command(self, case: Case, detector: Detector) -> list[str]:
        executable = self._built[case.program, detector.name].executable
        return [*detector.wrapper, str(executable), "--threads", str(case.threads), "--size", case.size]

    # Bookkeeping.

    def _save_now_and_then(self) -> None:
        if time.monotonic() - self._saved >= SECONDS_BETWEEN_SAVES:
            self._save(self._campaign)
            self._saved = time.monotonic()

    def _how_built(self, program: Program, detector: Detector) -> str:
        built = self._built.get((program.name, detector.name))
        how = "did not build" if built is None else "kept" if built.is_kept else "built"
        return f"{how} {program.name}"

    def _cells(self, program: Program, detector: Detector) -> list[Cell]:
        return [c.cells[detector.name] for c in self._campaign.cases if c.program == program.name]

    def _mark(self, program: Program, detector: Detector, status: str, detail: str) -> None:
        for cell in self._cells(program, detector):
            cell.status, cell.detail = status, detail

    def _settle(self) -> None:
        """Says of cells that were cut short how many samples they have."""
        for case in self._campaign.cases:
            for cell in case.cells.values():
                if cell.status == results.OK and len(cell.samples) < self._campaign.runs:
                    cell.detail = f"{len(cell.samples)} of {self._campaign.runs} runs"

    def _total_cost(self) -> float:
        cases = self._campaign.cases
        detectors = [*self._detectors.values(), *(detector.counted() for detector in self._counting())]
        builds = sum(self._build_cost(p, detector) for p in self._programs.values() for detector in detectors)
        timed = sum(_run_cost(case, name) for case in cases for name in self._detectors)
        counted = sum(_run_cost(case, detector.name) for case in cases for detector in self._counting())
        return builds + self._campaign.runs * timed + counted

    def _build_cost(self, program: Program, detector: Detector) -> float:
        is_done = detector.built_as or self._builder.is_kept(program, detector)
        return KEPT_COST if is_done else BUILD_COST + SOURCE_COST * len(program.sources)


def _run_cost(case: Case, detector: str) -> float:
    return PLAIN_RUN_COST[case.size] * EXPECTED_SLOWDOWN.get(detector, OTHER_SLOWDOWN)


def classify(completed: Completed) -> tuple[str, str]:
    """Status and detail of a run that ended by itself."""
    if completed.signal:
        return results.CRASHED, signal.Signals(completed.signal).name
    verdict = verdict_of(completed.stdout)
    if completed.exit_code in (0, RACE_EXIT_CODE):
        if verdict is None:
            return results.FAILED, f"exit code {completed.exit_code} without a result"
        if not verdict["valid"] and not verdict.get("racy"):
            return results.INVALID, "the program found its result wrong"
        return results.OK, ""
    if completed.exit_code == 1 and verdict is not None:
        return results.INVALID, "the program found its result wrong"
    return results.FAILED, f"exit code {completed.exit_code}{_last_words(completed.stderr)}"


def note_result(case: Case, cell: Cell, result: str | None) -> None:
    """A result that is not that of the cell's runs before, or not the plain program's, makes the cell invalid. Either
    of them may be run first."""
    if result is None:
        return
    if cell.result not in (None, result):
        cell.status, cell.detail = results.INVALID, f"its result was '{cell.result}', then '{result}'"
        return
    cell.result = result
    plain = case.cells[BASE].result if BASE in case.cells else None
    for other in case.cells.values():
        if other.status == results.OK and None not in (plain, other.result) and other.result != plain:
            other.status = results.INVALID
            other.detail = f"its result is '{other.result}', the plain program's '{plain}'"


def _last_words(stderr: str) -> str:
    """What the program said as it failed: the last line, because warnings come first."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return f": {lines[-1][:160]}" if lines else ""


def sample_of(completed: Completed) -> Sample:
    verdict = verdict_of(completed.stdout) or {}
    return Sample(
        seconds=completed.seconds,
        cpu_seconds=completed.cpu_seconds,
        instructions=completed.instructions,
        peak_rss_bytes=completed.peak_rss_bytes,
        kernel_seconds=verdict.get("kernel_seconds"),
        races=completed.exit_code == RACE_EXIT_CODE,
    )


def verdict_of(stdout: str) -> dict | None:
    """The JSON object that a program prints as its last line."""
    for line in reversed(stdout.splitlines()):
        if line.startswith("{"):
            try:
                verdict = json.loads(line)
            except ValueError:
                return None
            return verdict if isinstance(verdict, dict) and "valid" in verdict else None
    return None
