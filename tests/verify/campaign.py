#!/usr/bin/env python3
"""Random programs (generator.py), built to be verified, under every detector.

    campaign.py FIRST COUNT [--driver-dir DIR] [--jobs N] ...

Expected of every program: nothing that the verifier objects to under any detector, at a random level of
optimisation; and, where the schedule is fixed, the same bytes raced for under every detector, however the history of
arrays is kept, and without optimisation, where nothing is lost before a detector looks. A program that fails is shrunk, written to the working folder and named; the exit code is then 1.

Compiling is most of the work, and slimstate and slimcard place checks as fasttrack and redcard do. So every second
file is built for the three detectors of a family, and run in more ways than it is built.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import generator
from generator import Program

HERE = Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Way:
    """How a program is built and run."""

    detector: str
    arrays: str  # option array_shadow; fasttrack and redcard have none
    level: str = ""  # of optimisation, if not the file's

    def __str__(self) -> str:
        return f"{self.detector}/{self.arrays}{self.level}"


Family = tuple[Way, ...]
# The first way of a family is what the others are compared with.
FAMILIES = (
    (Way("fasttrack", "off", "-O0"), Way("fasttrack", "off"), Way("redcard", "off"), Way("bigfoot", "off"),
     Way("bigfoot", "segments"), Way("bigfoot", "table")),
    (Way("slimstate", "off", "-O0"), Way("slimstate", "off"), Way("slimstate", "segments"), Way("slimstate", "table"),
     Way("slimcard", "segments"), Way("slimcard", "table"), Way("bigfoot", "segments")),
)
LEVELS = ("-O0", "-O1", "-O2", "-O2", "-O3")
PER_FILE = 10  # programs compiled together; starting a compiler takes as long as compiling a few
UNVERIFIED = 67  # the run time's exit code
TIMEOUT = 120
SAY_EVERY = 100  # programs


@dataclasses.dataclass
class Run:
    """What one executable did."""

    trouble: str = ""
    races: dict[str, set[tuple[str, int]]] = dataclasses.field(default_factory=dict)  # program -> (object, byte)
    accesses: int = 0
    checks: int = 0
    reports: int = 0


class Lab:
    """Builds and runs programs in one folder."""

    def __init__(self, folder: Path, driver: Path, clang: str) -> None:
        self.folder = folder
        self._driver = driver
        self._turns = folder / "turns.o"
        subprocess.run([clang, "-O2", "-c", HERE / "turns.c", "-o", self._turns], check=True)

    def run(self, name: str, programs: list[Program], ways: Family, level: str) -> dict[Way, Run]:
        source = self.folder / f"{name}.c"
        source.write_text(generator.render_file(programs))
        scheduled = [p for p in programs if p.schedule is not None]
        runs = {}
        for (detector, own_level), same in itertools.groupby(ways, key=lambda way: (way.detector, way.level)):
            executable = self.folder / f"{name}-{detector}{own_level}"
            trouble = self._build(source, executable, detector, own_level or level)
            for way in same:
                runs[way] = Run(trouble) if trouble else self._execute(executable, way, scheduled)
            executable.unlink(missing_ok=True)
        return runs

    def _build(self, source: Path, executable: Path, detector: str, level: str) -> str:
        """What is wrong, or nothing."""
        command = [self._driver, f"--detector={detector}", "--bigfoot-verify", level, "-g", "-w", "-pthread"]
        built = subprocess.run(
            [*command, f"-I{HERE}", source, self._turns, "-o", executable],
            capture_output=True, text=True, timeout=TIMEOUT, check=False,
        )
        if built.returncode == 0:
            return ""
        crashed = "frontend command failed due to signal" in built.stderr
        said = [line for line in built.stderr.splitlines() if "error:" in line or "Assertion" in line]
        return f"compiler {'crashes' if crashed else 'refuses'}: {' '.join(said[:2])}"

    def _execute(self, executable: Path, way: Way, scheduled: list[Program]) -> Run:
        reports, stats = executable.with_suffix(".json"), executable.with_suffix(".stats")
        for path in (reports, stats):
            path.unlink(missing_ok=True)
        options = (
            f"exitcode=0 symbolize=0 suppress_equal_stacks=0 array_shadow={way.arrays} "
            f"json_path={reports} stats_path={stats}"
        )
        environment = {**os.environ, "BIGFOOT_OPTIONS": options}
        try:
            done = subprocess.run(
                [executable], capture_output=True, text=True, timeout=TIMEOUT, env=environment, check=False
            )
        except subprocess.TimeoutExpired:
            return Run(trouble="does not end")
        run = Run()
        if done.returncode != 0:
            what = "violation" if done.returncode == UNVERIFIED else f"exit code {done.returncode}"
            lines = [line for line in done.stderr.splitlines() if "verify:" in line]
            run.trouble = f"{what}: {' '.join(lines[:3])}"
        elif not stats.exists():
            run.trouble = "wrote no statistics"
        else:
            counts = json.loads(stats.read_text())
            run.accesses, run.checks = counts["verified_accesses"], counts["verified_checks"]
        self._read_races(run, done.stdout, reports, scheduled)
        for path in (reports, stats):
            path.unlink(missing_ok=True)
        return run

    @staticmethod
    def _read_races(run: Run, output: str, reports: Path, scheduled: list[Program]) -> None:
        regions = []
        for line in output.splitlines():
            word, name, begin, size = line.split()
            if word == "region":
                regions.append((int(begin, 16), int(size), name))
        run.races = {p.prefix: set() for p in scheduled}
        if not reports.exists():
            return
        for line in reports.read_text().splitlines():
            record = json.loads(line)
            if record.get("type") != "race":
                continue
            run.reports += 1
            begin, size = int(record["overlap"]["address"], 16), record["overlap"]["size"]
            for first, length, name in regions:
                prefix = name.rsplit("_", 1)[0]
                if first <= begin < first + length and prefix in run.races:
                    run.races[prefix].update((name, begin + b - first) for b in range(size))


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Who is wrong, and about what."""

    way: Way
    what: str

    def __str__(self) -> str:
        return f"{self.way}: {self.what}"

    @property
    def kind(self) -> str:
        """What stays the same while a failing program is shrunk."""
        kinds = ("compiler crashes", "violation", "race missed", "race that", "does not end", "exit code")
        return next((kind for kind in kinds if kind in self.what), "")


def objection(runs: dict[Way, Run]) -> Verdict | None:
    for way, run in runs.items():
        if run.trouble:
            return Verdict(way, run.trouble)
    first, reference = next(iter(runs.items()))
    for way, run in runs.items():
        for prefix, races in reference.races.items():
            missed = races - run.races[prefix]
            extra = run.races[prefix] - races
            if missed:
                return Verdict(way, f"{prefix}: race missed on {sorted(missed)[:4]} ({len(missed)} bytes)")
            if extra:
                seen = f"{sorted(extra)[:4]} ({len(extra)} bytes)"
                return Verdict(way, f"{prefix}: race that {first} does not see on {seen}")
    return None


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all programs of one file share."""

    level: str
    family: Family

    @staticmethod
    def of(first_seed: int) -> Setting:
        level = random.Random(f"level {first_seed}").choice(LEVELS)
        family = FAMILIES[first_seed // PER_FILE % len(FAMILIES)]
        return Setting(level, tuple(way for way in family if way.level != level))


def nodes_of(body: list) -> list[tuple[list, int]]:
    """Every statement of a body with the list it is in, outer ones first."""
    found = []
    for i, node in enumerate(body):
        found.append((body, i))
        if node.inside is not None:
            found += nodes_of(node.inside)
    return found


def shrink(lab: Lab, program: Program, setting: Setting, verdict: Verdict, attempts: int = 150) -> Program:
    """Leaves statements out as long as the program still fails."""
    # The way that failed is enough, with the reference where races are compared.
    ways = dict.fromkeys((setting.family[0], verdict.way)) if "race" in verdict.kind else (verdict.way,)
    best = program
    position = 0
    while attempts > 0:
        trial = best.copy()
        places = [place for body in trial.bodies() for place in nodes_of(body)]
        if position >= len(places):
            break
        body, i = places[position]
        node = body.pop(i)
        if "(void)" in node.head or not still_fails(lab, trial, setting.level, tuple(ways), verdict):
            position += 1
        else:
            best = trial
        attempts -= 1
    return best


def still_fails(lab: Lab, program: Program, level: str, ways: Family, verdict: Verdict) -> bool:
    now = objection(lab.run(f"shrink{program.seed}", [program], ways, level))
    return now is not None and now.kind == verdict.kind != ""


def single_out(lab: Lab, programs: list[Program], setting: Setting) -> tuple[Program, Verdict] | None:
    """The first program that fails alone."""
    for program in programs:
        verdict = objection(lab.run(f"single{program.seed}", [program], setting.family, setting.level))
        if verdict:
            return program, verdict
    return None


def report_failure(lab: Lab, programs: list[Program], setting: Setting, verdict: Verdict, shrinks: bool) -> None:
    alone = single_out(lab, programs, setting)
    if alone is None:
        seeds = f"{programs[0].seed}..{programs[-1].seed}"
        print(f"FAIL seeds {seeds} {setting.level}, only together: {verdict}", flush=True)
        return
    program, verdict = alone
    if shrinks:
        program = shrink(lab, program, setting, verdict)
    path = lab.folder / f"failed-{program.seed}.c"
    path.write_text(generator.render_file([program]))
    print(f"FAIL seed {program.seed} {setting.level}: {verdict}\n     {path}", flush=True)


def run_batch(lab: Lab, seeds: range, shrinks: bool) -> collections.Counter:
    programs = [generator.generate(seed) for seed in seeds]
    setting = Setting.of(seeds[0])
    runs = lab.run(f"batch{seeds[0]}", programs, setting.family, setting.level)
    verdict = objection(runs)
    totals = collections.Counter()
    if verdict:
        totals["failures"] += 1
        report_failure(lab, programs, setting, verdict, shrinks)
    else:
        (lab.folder / f"batch{seeds[0]}.c").unlink()
    totals["programs"] += len(programs)
    totals["scheduled"] += sum(p.schedule is not None for p in programs)
    totals["racy"] += sum(bool(races) for races in runs[setting.family[0]].races.values())
    for way, run in runs.items():
        totals[f"{way} accesses"] += run.accesses
        totals[f"{way} checks"] += run.checks
    return totals


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=int, help="the first seed")
    parser.add_argument("count", type=int, help="how many programs")
    parser.add_argument("--driver-dir", type=Path, default=HERE.parents[1] / "build" / "bin")
    parser.add_argument("--clang", default="clang-22", help="the plain compiler")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=Path, help="kept folder for failing programs")
    parser.add_argument("--no-shrink", action="store_true")
    options = parser.parse_args()

    folder = options.work or Path(tempfile.mkdtemp(prefix="bigfoot-verify-"))
    folder.mkdir(parents=True, exist_ok=True)
    lab = Lab(folder, options.driver_dir.resolve() / "bigfoot-clang", options.clang)
    end = options.first + options.count
    batches = [range(s, min(s + PER_FILE, end)) for s in range(options.first, end, PER_FILE)]
    print(f"seeds {options.first}..{end - 1}", flush=True)
    totals = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for counted in pool.map(lambda b: run_batch(lab, b, not options.no_shrink), batches):
            said = totals["programs"] // SAY_EVERY
            totals += counted
            if totals["programs"] // SAY_EVERY != said:
                print(f"{totals['programs']} of {options.count}, {totals['failures']} failures", file=sys.stderr, flush=True)
    for key in sorted(totals):
        print(f"{key:28} {totals[key]}")
    # A campaign that looked at nothing has shown nothing.
    ways = {way for batch in batches for way in Setting.of(batch[0]).family}
    looked = all(totals[f"{way} {what}"] > 0 for way in ways for what in ("accesses", "checks"))
    if not looked:
        print("FAIL nothing was verified")
    if totals["failures"] or not looked:
        return 1
    if options.work is None:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
