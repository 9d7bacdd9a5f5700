#!/usr/bin/env python3
"""bigfoot bench: builds the benchmark programs under the detectors, runs them interleaved, prints the tables.

Writes results.json and samples.csv to the output folder as it goes, and in the end whatever ends it, so that Ctrl-C
loses nothing. What it prints ends in the headline: the detectors beside ThreadSanitizer, group by group.
`bigfoot bench parity` is a command of its own: parity.py.
"""

from __future__ import annotations

import argparse
import datetime
import errno
import math
import os
import secrets
import shlex
import signal
import sys
from pathlib import Path

import parity
from harness import browser, detectors, headline, machine, page, plan, programs, results, tables
from harness.build import Builder
from harness.compare import compare
from harness.derive import Setting, derive, growths
from harness.options import Parser
from harness.process import CannotStart, Launcher
from harness.progress import describe_seconds
from harness.runner import Runner
from real import projects

BENCH = Path(__file__).resolve().parent


# What --quick is short for; each may be given beside it.
QUICK = {"programs": "all", "sizes": programs.QUICK}
USUAL = {"programs": ",".join(dict.fromkeys(program.suite for program in programs.OWN)), "sizes": None}


def parser() -> Parser:
    parser = Parser(
        prog="bigfoot bench",
        description="Measures detectors on benchmark programs: time, memory, checks, compile time.",
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="all programs, each at its quick size")
    add("--programs", metavar="LIST", help="programs, suites or groups (see --list), or all; default: ours")
    add("--detectors", metavar="LIST", default=detectors.DEFAULT_DETECTORS,
        help=f"from {', '.join(detectors.DETECTORS)}, or all; base is always run (default: %(default)s)")
    add("--threads", metavar="LIST", default="2", help="numbers of threads (default: %(default)s)")
    add("--sizes", metavar="LIST", help="from tiny, small, A, B, C and quick (default: each program's own)")
    add("--runs", metavar="N", type=int, default=5, help="timed runs of each cell (default: %(default)s)")
    add("--scaling", action="store_true", help="also 1 to 16 threads at the first of the sizes, and sizes tiny to A")
    add("--timeout", metavar="SECONDS", type=float, default=300, help="for one run (default: %(default)s)")
    add("--seed", metavar="N", type=int, help="of the order of runs (default: a new one, printed)")
    add("--fresh", action="store_true", help="build everything, also what has not changed")
    add("--diff", metavar="FILE", type=Path, help="what changed against this earlier campaign, beyond the noise")
    add("--out", metavar="DIR", type=Path, default=BENCH / "results", help="default: bench/results")
    add("--record", metavar="FILE", type=Path, help="also a small copy of the results, for bench/recorded")
    add("--page", metavar="FILE", type=Path, default=BENCH / "report.html", help="default: bench/report.html")
    add("--screenshot", metavar="FILE", type=Path, help="also a picture of the page (needs Chromium)")
    add("--work", metavar="DIR", type=Path, default=BENCH / "cache" / "build", help="for executables")
    add("--from-json", metavar="FILE", type=Path, help="print and draw an earlier campaign, run nothing")
    add("--list", action="store_true", help="list programs and detectors, run nothing")
    return parser


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Ends with exit code 2 and one line if anything is wrong that can be known before the first run."""
    options = parser()
    chosen = options.parse_args(arguments)
    for name, usual in (QUICK if chosen.quick else USUAL).items():
        setattr(chosen, name, getattr(chosen, name) or ("all" if chosen.list and name == "programs" else usual))
    try:
        chosen.threads = parse_threads(chosen.threads)
        chosen.sizes = programs.parts_of(chosen.sizes, "--sizes") if chosen.sizes is not None else None
        plan.check_sizes(chosen.sizes or ())
        chosen.detectors = detectors.select(chosen.detectors)
        chosen.programs = programs.select(chosen.programs, programs.OWN + projects.declared())
        chosen.old = results.load(chosen.diff) if chosen.diff else None
        chosen.campaign = results.load(chosen.from_json) if chosen.from_json else None
        if not chosen.campaign and not chosen.list:
            detectors.check_tools(detectors.default_toolchain(programs.REPOSITORY))
        if chosen.screenshot and browser.find() is None:
            raise ValueError(f"--screenshot takes one of {', '.join(browser.NAMES)}; none is installed")
    except ValueError as error:
        options.error(str(error))
    if chosen.runs < 1:
        options.error("--runs takes a positive number")
    if not 0 < chosen.timeout < math.inf:
        options.error("--timeout takes a positive number of seconds")
    try:
        make_folders(chosen)
    except OSError as error:
        options.error(f"{error.filename}: {error.strerror}")
    return chosen


MOST_THREADS = 256  # that a program takes


def parse_threads(text: str) -> list[int]:
    numbers = programs.parts_of(text, "--threads")
    for number in numbers:
        if not (number.isdecimal() and 1 <= int(number) <= MOST_THREADS):
            raise ValueError(f"--threads takes numbers from 1 to {MOST_THREADS}, not '{number}'")
    return [int(number) for number in numbers]


def make_folders(chosen: argparse.Namespace) -> None:
    """For what will be written: now, rather than after an hour of runs."""
    if chosen.list:
        return
    files = [path for path in (chosen.page, chosen.record, chosen.screenshot) if path]
    folders = [path.parent for path in files] + ([] if chosen.campaign else [chosen.out, chosen.work])
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    for path in files:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def list_everything(chosen: argparse.Namespace) -> None:
    for program in chosen.programs:
        sizes = f"default size {program.default_size}, quick {program.at(programs.QUICK)}"
        print(f"{program.suite:<11} {program.name:<16} {program.group:<10} {sizes}")
    toolchain = detectors.default_toolchain(programs.REPOSITORY)
    for detector in detectors.DETECTORS.values():
        print(f"{'detector':<11} {detector.name:<27} {detector.missing(toolchain) or 'available'}")


def print_tables(campaign: results.Campaign, settings: list[Setting]) -> None:
    for setting in settings:
        print(tables.render(setting, campaign.detectors), end="\n\n")
    for growth in growths(settings):
        print(tables.render_growth(growth, settings, campaign.detectors), end="\n\n")
    for note in campaign.notes:
        print(f"note: {note}")


def new_campaign(chosen: argparse.Namespace, toolchain: detectors.Toolchain) -> results.Campaign:
    return results.Campaign(
        command=shlex.join(["./bigfoot", "bench", *sys.argv[1:]]),
        seed=chosen.seed if chosen.seed is not None else secrets.randbelow(2**32),
        runs=chosen.runs,
        started=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        detectors=[detector.name for detector in chosen.detectors],
        machine=machine.describe(toolchain.cxx),
    )


class NothingToRun(Exception):
    pass


def run_campaign(chosen: argparse.Namespace) -> results.Campaign:
    toolchain = detectors.default_toolchain(programs.REPOSITORY)
    campaign = new_campaign(chosen, toolchain)
    print(f"seed of the order of runs: {campaign.seed}", file=sys.stderr)
    ready, campaign.notes = projects.prepare(chosen.programs)
    for note in campaign.notes:
        print(f"note: {note}", file=sys.stderr)
    if not ready:
        raise NothingToRun("none of these programs can be built here")
    fetched = ", ".join(f"{program.name} {program.version}" for program in ready if program.version)
    if fetched:
        campaign.machine["real programs"] = fetched
    campaign.cases = plan.cases_of(ready, chosen.sizes, chosen.threads, chosen.scaling)
    work = chosen.work.resolve()
    launcher = Launcher(work, toolchain.cc)

    def save(current: results.Campaign) -> None:
        results.write_json(current, chosen.out / "results.json")
        results.write_csv(current, chosen.out / "samples.csv")

    # Being asked to end is like Ctrl-C: what is done is kept, and the program under way is ended too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    builder = Builder(work, toolchain, launcher, chosen.fresh)
    Runner(campaign, ready, chosen.detectors, builder, launcher, work, chosen.timeout, save).run()
    return campaign


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["parity"]:
        return parity.main(arguments[1:])
    chosen = parse_arguments(arguments)
    if chosen.list:
        list_everything(chosen)
        return 0
    try:
        campaign = chosen.campaign or run_campaign(chosen)
    except (NothingToRun, CannotStart) as reason:
        print(f"bigfoot bench: {reason}", file=sys.stderr)
        return 2
    settings = derive(campaign)
    print_tables(campaign, settings)
    page.write(campaign, chosen.page)
    if campaign.elapsed_seconds is not None:
        print(f"the campaign took {describe_seconds(campaign.elapsed_seconds)}")
    print(f"page: {os.path.relpath(chosen.page)}")
    if chosen.record:
        results.write_record(campaign, chosen.record)
    if chosen.screenshot:
        browser.screenshot(chosen.page, chosen.screenshot)
    if chosen.old:
        print("", tables.render_comparison(compare(campaign, chosen.old), campaign, chosen.old), sep="\n")
    for setting in settings[:1]:
        print("", headline.render(setting), sep="\n")
    return 130 if campaign.interrupted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
