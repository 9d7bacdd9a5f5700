#!/usr/bin/env python3
"""What data-race exceptions cost: each pair of ways to run the same race-free program, as a ratio.

  managed   bigfoot vm --on-race=throw   against --on-race=report
  native    fasttrack --check-first, on_race=callback  against fasttrack: a handler may stop accesses
            the same                                   against bigfoot, whose accesses do not wait for checks
            bigfoot --check-first, on_race=callback    against bigfoot

Both ways of a pair run in turn, in an order that changes each time; the ratio is that of the medians of
processor time. Beside it is half the distance between the quartiles, the larger of the two.
"""

from __future__ import annotations

import dataclasses
import random
import sys
from pathlib import Path

from harness import detectors, options, programs
from harness.build import Builder
from harness.process import Completed
from harness.statistics import median, spread

MANAGED = programs.PROGRAMS_DIR / "managed"
# Reads and writes of arrays; of objects in a tree; of small objects under locks.
NATIVE = "sor,btree_store,lru_cache"


class Failed(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Way:
    """One way to run a program."""

    command: tuple[str, ...]
    detector: detectors.Detector
    options: str = ""


@dataclasses.dataclass(frozen=True)
class Pair:
    program: str
    what: str
    exceptions: Way
    plain: Way


def managed_pairs(toolchain: detectors.Toolchain) -> list[Pair]:
    def way(program: Path, on_race: str) -> Way:
        command = (str(toolchain.bigfoot / "bigfoot-vm"), "--workers", "2", "--on-race", on_race, str(program))
        return Way(command, detectors.DETECTORS["fasttrack"])

    return [
        Pair(program.stem, "vm: throw / report", way(program, "throw"), way(program, "report"))
        for program in sorted(MANAGED.glob("*.bfj"))
    ]


def check_first(detector: detectors.Detector) -> detectors.Detector:
    """The same detector in a build whose accesses wait for their checks."""
    return dataclasses.replace(
        detector, name=f"{detector.name}-check-first", flags=(*detector.flags, "--check-first")
    )


def native_pairs(builder: Builder, size: str | None) -> list[Pair]:
    pairs = []
    for program in programs.select(NATIVE, programs.OWN):
        arguments = ("--threads", "2", "--size", size or program.default_size)

        def way(detector: detectors.Detector, options: str = "") -> Way:
            return Way((str(builder.build(program, detector).executable), *arguments), detector, options)

        fasttrack, bigfoot = (detectors.DETECTORS[name] for name in ("fasttrack", "bigfoot"))
        stopping, stopping_bigfoot = (way(check_first(d), "on_race=callback") for d in (fasttrack, bigfoot))
        pairs.append(Pair(program.name, "fasttrack: callback / plain", stopping, way(fasttrack)))
        pairs.append(Pair(program.name, "fasttrack, callback / bigfoot", stopping, way(bigfoot)))
        pairs.append(Pair(program.name, "bigfoot: callback / plain", stopping_bigfoot, way(bigfoot)))
    return pairs


def measure(pairs: list[Pair], runs: int, run_once) -> dict[Way, list[float]]:
    """Processor seconds of `runs` runs of each way, all ways in turn."""
    ways = list(dict.fromkeys(way for pair in pairs for way in (pair.exceptions, pair.plain)))
    samples: dict[Way, list[float]] = {way: [] for way in ways}
    order = random.Random(runs)
    for _ in range(runs):
        order.shuffle(ways)
        for way in ways:
            completed: Completed = run_once(way)
            if completed.exit_code != 0:
                raise Failed(f"{' '.join(way.command)}: exit code {completed.exit_code}\n{completed.stderr}")
            samples[way].append(completed.cpu_seconds)
    return samples


def rows(pairs: list[Pair], samples: dict[Way, list[float]]) -> list[str]:
    lines = [f"{'program':<14} {'pair':<31} {'ratio':>6} {'spread':>7}"]
    for pair in pairs:
        with_exceptions, plain = samples[pair.exceptions], samples[pair.plain]
        ratio = median(with_exceptions) / median(plain)
        noise = max(spread(with_exceptions), spread(plain))
        lines.append(f"{pair.program:<14} {pair.what:<31} {ratio:>6.2f} {noise:>7.0%}")
    return lines


def main(arguments: list[str]) -> int:
    parser = options.Parser(prog="on_race_cost.py", description="Measures what data-race exceptions cost.")
    options.add(parser, runs=9)
    parser.add_argument("--size", choices=programs.SIZES, help="of the native programs (default: their own)")
    chosen = parser.parse_args(arguments)
    builder, launcher = options.tools(chosen)
    pairs = managed_pairs(builder.toolchain) + native_pairs(builder, chosen.size)

    def run_once(way: Way) -> Completed:
        return launcher.run(way.command, way.detector.environment(way.options), timeout=300)

    try:
        print("\n".join(rows(pairs, measure(pairs, chosen.runs, run_once))))
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
