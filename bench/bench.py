#!/usr/bin/env python3
"""bigfoot bench: builds the benchmark programs under the detectors, runs them interleaved, prints the tables.

Writes results.json, samples.csv and the page to the output folder as it goes, so that Ctrl-C loses nothing.
`bigfoot bench parity` is a command of its own: parity.py.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import secrets
import shlex
import signal
import sys
from pathlib import Path

import parity
from harness import browser, detectors, machine, page, plan, programs, results, tables
from harness.build import Builder
from harness.derive import derive, growths
from harness.process import Launcher
from harness.runner import Runner
from real import projects

BENCH = Path(__file__).resolve().parent


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bigfoot bench",
        description="Measures detectors on benchmark programs: time, memory, checks, compile time.",
    )
    add = parser.add_argument
    add("--programs", metavar="LIST", help="programs or suites (javagrande, dacapo, racy, real, all); default: ours")
    add("--detectors", metavar="LIST", default=detectors.DEFAULT_DETECTORS,
        help=f"from {', '.join(detectors.DETECTORS)}, or all; base is always run (default: %(default)s)")
    add("--threads", metavar="LIST", default="2", help="numbers of threads (default: %(default)s)")
    add("--sizes", metavar="LIST", help="from tiny, small, A, B, C (default: each program's own)")
    add("--runs", metavar="N", type=int, default=5, help="timed runs of each cell (default: %(default)s)")
    add("--scaling", action="store_true", help="also 1 to 16 threads at the first of the sizes, and sizes tiny to A")
    add("--timeout", metavar="SECONDS", type=float, default=300, help="for one run (default: %(default)s)")
    add("--seed", metavar="N", type=int, help="of the order of runs (default: a new one, printed)")
    add("--out", metavar="DIR", type=Path, default=BENCH / "results", help="default: bench/results")
    add("--page", metavar="FILE", type=Path, default=BENCH / "report.html", help="default: bench/report.html")
    add("--screenshot", metavar="FILE", type=Path, help="also a picture of the page (needs Chromium)")
    add("--work", metavar="DIR", type=Path, default=BENCH / "cache" / "build", help="for executables")
    add("--from-json", metavar="FILE", type=Path, help="print and draw an earlier campaign, run nothing")
    add("--list", action="store_true", help="list programs and detectors, run nothing")
    chosen = parser.parse_args(arguments)
    try:
        chosen.threads = [int(part) for part in chosen.threads.split(",")]
        chosen.sizes = chosen.sizes.split(",") if chosen.sizes else None
        plan.check_sizes(chosen.sizes or ())
        chosen.detectors = detectors.select(chosen.detectors)
        default = None if chosen.programs or chosen.list else "javagrande,dacapo,racy"
        chosen.programs = programs.select(chosen.programs or default, programs.OWN + projects.declared())
    except ValueError as error:
        parser.error(str(error))
    if chosen.runs < 1 or min(chosen.threads) < 1:
        parser.error("--runs and --threads take positive numbers")
    return chosen


def list_everything(chosen: argparse.Namespace) -> None:
    for program in chosen.programs:
        print(f"{program.suite:<11} {program.name:<16} default size {program.default_size}")
    toolchain = detectors.default_toolchain(programs.REPOSITORY)
    for detector in detectors.DETECTORS.values():
        print(f"{'detector':<11} {detector.name:<16} {detector.missing(toolchain) or 'available'}")


def print_tables(campaign: results.Campaign) -> None:
    groups = derive(campaign)
    for group in groups:
        print(tables.render(group, campaign.detectors), end="\n\n")
    for growth in growths(groups):
        print(tables.render_growth(growth, groups, campaign.detectors), end="\n\n")
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


def run_campaign(chosen: argparse.Namespace) -> results.Campaign:
    toolchain = detectors.default_toolchain(programs.REPOSITORY)
    campaign = new_campaign(chosen, toolchain)
    print(f"seed of the order of runs: {campaign.seed}", file=sys.stderr)
    ready, campaign.notes = projects.prepare(chosen.programs)
    for note in campaign.notes:
        print(f"note: {note}", file=sys.stderr)
    campaign.cases = plan.cases_of(ready, chosen.sizes, chosen.threads, chosen.scaling)
    work = chosen.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    launcher = Launcher(work, toolchain.cc)

    def save(current: results.Campaign) -> None:
        results.write_json(current, chosen.out / "results.json")
        results.write_csv(current, chosen.out / "samples.csv")

    # Being asked to end is like Ctrl-C: what is done is kept, and the program under way is ended too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    builder = Builder(work, toolchain, launcher)
    Runner(campaign, ready, chosen.detectors, builder, launcher, work, chosen.timeout, save).run()
    return campaign


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["parity"]:
        return parity.main(arguments[1:])
    chosen = parse_arguments(arguments)
    if chosen.list:
        list_everything(chosen)
        return 0
    if chosen.from_json:
        campaign = results.from_json(json.loads(chosen.from_json.read_text()))
    else:
        campaign = run_campaign(chosen)
    print_tables(campaign)
    page.write(campaign, chosen.page)
    print(f"page: {os.path.relpath(chosen.page)}")
    if chosen.screenshot:
        browser.screenshot(chosen.page, chosen.screenshot)
    return 130 if campaign.interrupted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
