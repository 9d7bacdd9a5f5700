#!/usr/bin/env python3
"""What the first access of an epoch costs in bigfoot and in ThreadSanitizer, by how memory is portioned.

Runs micro/programs/portions.cpp in turn under both. The figures are the least of all runs, in nanoseconds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from harness import detectors, options, programs
from harness.build import BuildFailed

SOURCE = Path(__file__).resolve().parent / "micro" / "programs" / "portions.cpp"
COMPARED = ("bigfoot", "tsan")


class Failed(Exception):
    pass


def parse(output: str) -> dict[str, float]:
    """The cases of one run, in order."""
    figures = {}
    for line in output.splitlines():
        name, _, value = line.rpartition(": ")
        figures[name] = float(value)
    return figures


def least(runs: list[dict[str, float]]) -> dict[str, float]:
    """REQUIRES: at least one run; all have the same cases."""
    return {name: min(run[name] for run in runs) for name in runs[0]}


def rows(figures: dict[str, dict[str, float]]) -> list[str]:
    names = list(figures)
    lines = [f"{'ns':<38}" + "".join(f"{name:>10}" for name in names)]
    for case in figures[names[0]]:
        lines.append(f"{case:<38}" + "".join(f"{figures[name][case]:>10.1f}" for name in names))
    return lines


def program() -> programs.Program:
    return programs.Program("portions", "micro", "", (programs.Source(SOURCE),), default_size="")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add(parser, runs=10)
    chosen = parser.parse_args(arguments)
    builder, launcher = options.tools(chosen)
    samples: dict[str, list[dict[str, float]]] = {name: [] for name in COMPARED}
    try:
        executables = {name: builder.build(program(), detectors.DETECTORS[name]).executable for name in COMPARED}
        for _ in range(chosen.runs):
            for name, executable in executables.items():
                done = launcher.run((str(executable),), detectors.DETECTORS[name].environment(), timeout=300)
                if done.exit_code != 0:
                    raise Failed(f"{executable}: exit code {done.exit_code}\n{done.stderr}")
                samples[name].append(parse(done.stdout))
    except (Failed, BuildFailed) as failure:
        print(failure, file=sys.stderr)
        return 1
    print("\n".join(rows({name: least(runs) for name, runs in samples.items()})))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
