"""What the tests of the harness share: the import path, and campaigns made by hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "bench"))

from harness import results  # noqa: E402
from harness.results import Campaign, Case, Cell, Sample  # noqa: E402

CC = os.environ.get("BIGFOOT_BENCH_CC", "clang-22")
CXX = os.environ.get("BIGFOOT_BENCH_CXX", "clang++-22")

MEGABYTE = 2**20


def cell(detector: str, seconds: list[float], megabytes: float = 1.0, **fields) -> Cell:
    """A cell that went well."""
    samples = [Sample(s, 2 * s, int(megabytes * MEGABYTE), kernel_seconds=s / 2) for s in seconds]
    return Cell(detector, results.OK, samples=samples, **fields)


def case(program: str, *cells: Cell, group: str = "kernels", size: str = "A", threads: int = 2, **fields) -> Case:
    return Case(program, "javagrande", group, size, threads, cells={c.detector: c for c in cells}, **fields)


def campaign(*cases: Case, runs: int = 1) -> Campaign:
    detectors = list(dict.fromkeys(name for c in cases for name in c.cells))
    started = "2017-06-18T00:00:00+00:00"
    return Campaign("bigfoot bench", 1, runs, started, detectors, {"cpu": "test"}, cases=list(cases))
