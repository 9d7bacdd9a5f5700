"""What a campaign found: raw samples by case and detector, as JSON and as CSV.

A case is a program at a size with a number of threads; a cell is a case under a detector. Cells keep every
sample; everything derived from them is computed in derive.py, once, and written beside them so that the
tables and the page show the same numbers.
"""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from typing import Any

SCHEMA = "bigfoot-bench/1"

# What became of a cell. Only cells that are OK have times to compare.
OK = "ok"
UNAVAILABLE = "unavailable"  # the detector or the program is not installed
BUILD_FAILED = "build failed"
CRASHED = "crashed"
FAILED = "failed"  # an exit code that is neither success nor "races reported"
INVALID = "invalid"  # the program found its own result wrong
TIMED_OUT = "timed out"
NOT_RUN = "not run"  # stopped before its turn
STATUSES = (OK, UNAVAILABLE, BUILD_FAILED, CRASHED, FAILED, INVALID, TIMED_OUT, NOT_RUN)


@dataclasses.dataclass(frozen=True)
class Sample:
    seconds: float
    peak_rss_bytes: int
    kernel_seconds: float | None = None  # what the program measured around its kernel
    races: bool = False


@dataclasses.dataclass
class Cell:
    detector: str
    status: str = NOT_RUN
    detail: str = ""
    compile_cpu_seconds: float | None = None
    samples: list[Sample] = dataclasses.field(default_factory=list)
    counters: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def reported_races(self) -> bool:
        return any(sample.races for sample in self.samples)


@dataclasses.dataclass
class Case:
    program: str
    suite: str
    size: str
    threads: int
    racy: bool = False
    # The size that was asked for, by which cases are grouped; None where it was "the default".
    size_label: str | None = None
    cells: dict[str, Cell] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Campaign:
    command: str
    seed: int
    runs: int
    started: str
    detectors: list[str]
    machine: dict[str, Any]
    cases: list[Case] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    interrupted: bool = False

    def to_json(self) -> dict[str, Any]:
        from .derive import derive, growths  # derive.py is written in terms of this module

        document = dataclasses.asdict(self)
        for case in document["cases"]:
            case["cells"] = list(case["cells"].values())
        groups = derive(self)
        derived = {
            "groups": [group.to_json() for group in groups],
            "growths": [dataclasses.asdict(growth) for growth in growths(groups)],
        }
        return {"schema": SCHEMA, **document, **derived}


def from_json(document: dict[str, Any]) -> Campaign:
    """The inverse of to_json; what was derived is left out, to be derived again."""
    if document.get("schema") != SCHEMA:
        raise ValueError(f"not a {SCHEMA} document: {document.get('schema')!r}")
    fields = {field.name for field in dataclasses.fields(Campaign)} - {"cases"}
    campaign = Campaign(**{key: value for key, value in document.items() if key in fields})
    for case in document["cases"]:
        cells = {}
        for cell in case["cells"]:
            samples = [Sample(**sample) for sample in cell["samples"]]
            cells[cell["detector"]] = Cell(**{**cell, "samples": samples})
        campaign.cases.append(Case(**{**case, "cells": cells}))
    return campaign


def write_json(campaign: Campaign, path: Path) -> None:
    _replace(path, json.dumps(campaign.to_json(), indent=1) + "\n")


CSV_COLUMNS = (
    "program suite racy size threads detector status detail run seconds kernel_seconds peak_rss_bytes races "
    "compile_cpu_seconds"
).split()


def write_csv(campaign: Campaign, path: Path) -> None:
    """One line per sample; a cell without samples is one line that says why."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "w", newline="") as stream:
        writer = csv.DictWriter(stream, CSV_COLUMNS)
        writer.writeheader()
        for case in campaign.cases:
            for cell in case.cells.values():
                writer.writerows(_csv_rows(case, cell))
    temporary.replace(path)


def _csv_rows(case: Case, cell: Cell) -> list[dict[str, Any]]:
    common = {
        "program": case.program,
        "suite": case.suite,
        "racy": int(case.racy),
        "size": case.size,
        "threads": case.threads,
        "detector": cell.detector,
        "status": cell.status,
        "detail": cell.detail,
        "compile_cpu_seconds": cell.compile_cpu_seconds,
    }
    rows = [
        {
            **common,
            "run": run,
            "seconds": sample.seconds,
            "kernel_seconds": sample.kernel_seconds,
            "peak_rss_bytes": sample.peak_rss_bytes,
            "races": int(sample.races),
        }
        for run, sample in enumerate(cell.samples, start=1)
    ]
    return rows or [common]


def _replace(path: Path, text: str) -> None:
    """All of the new text or all of the old: results are rewritten as they come in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text)
    temporary.replace(path)
