"""What a campaign found: raw samples by case and detector, as JSON and as CSV.

A case is a program at a size with a number of threads; a cell is a case under a detector. Cells keep every
sample; everything derived from them is computed in derive.py, once, and written beside them so that the
tables and the page show the same numbers. A campaign that is kept in the tree (write_record) leaves that out, and
what derive.py does not read.

Version 2 of the format has a column for each thing that was sampled, where 1 had an object for each sample, and
the group of each program and the revision.
"""

from __future__ import annotations

import builtins
import csv
import dataclasses
import functools
import json
import math
import types
import typing
from pathlib import Path
from typing import Any

from .programs import REPOSITORY

SCHEMA = "bigfoot-bench/2"

# What became of a cell. Only cells that are OK have times to compare.
OK = "ok"
UNAVAILABLE = "unavailable"  # the detector or the program is not installed
BUILD_FAILED = "build failed"
CRASHED = "crashed"
FAILED = "failed"  # an exit code that is neither success nor "races reported"
INVALID = "invalid"  # the program found its own result wrong, or it is not the plain program's
TIMED_OUT = "timed out"
NOT_RUN = "not run"  # stopped before its turn
STATUSES = (OK, UNAVAILABLE, BUILD_FAILED, CRASHED, FAILED, INVALID, TIMED_OUT, NOT_RUN)


@dataclasses.dataclass(frozen=True)
class Sample:
    seconds: float
    cpu_seconds: float
    peak_rss_bytes: int
    instructions: int | None = None  # in user space, where the machine counts them
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
    # What the program computed; None where that differs from run to run, or is not said.
    result: str | None = None

    @property
    def reported_races(self) -> bool:
        return any(sample.races for sample in self.samples)


@dataclasses.dataclass
class Case:
    program: str
    suite: str
    group: str
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
    elapsed_seconds: float | None = None  # building included

    @property
    def revision(self) -> str | None:
        """Of this tree; None outside of a git repository."""
        return self.machine.get("revision")

    def to_json(self) -> dict[str, Any]:
        from .derive import derive, growths  # derive.py is written in terms of this module

        settings = derive(self)
        derived = {
            "settings": [setting.to_json() for setting in settings],
            "growths": [dataclasses.asdict(growth) for growth in growths(settings)],
        }
        return {**_measured(self), **derived}


def _measured(campaign: Campaign) -> dict[str, Any]:
    document = dataclasses.asdict(campaign)
    for case in document["cases"]:
        case["cells"] = list(case["cells"].values())
        for cell in case["cells"]:
            cell["samples"] = _columns(cell["samples"])
    return {"schema": SCHEMA, **document}


SAMPLE_FIELDS = dataclasses.fields(Sample)


def _columns(samples: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Without the columns that say nothing."""
    columns = {field.name: [sample[field.name] for sample in samples] for field in SAMPLE_FIELDS}
    return {name: values for name, values in columns.items() if any(value not in (None, False) for value in values)}


def _samples(columns: dict[str, list[Any]]) -> list[Sample]:
    rows = zip(*columns.values(), strict=True)
    samples = [_made(Sample, dict(zip(columns, row))) for row in rows]
    if any(sample.seconds <= 0 or sample.cpu_seconds < 0 or sample.peak_rss_bytes <= 0 for sample in samples):
        raise ValueError("a sample that took no time or no memory")
    return samples


def _made(kind: type, values: dict[str, Any]) -> Any:
    """An object of a dataclass of this file, of values that a file has."""
    hints = _hints(kind)
    for name, value in values.items():
        if name in hints and not _fits(value, hints[name]):
            raise ValueError(f"{name} of a {kind.__name__.lower()} is {json.dumps(value)[:40]}")
    return kind(**values)


_hints = functools.cache(typing.get_type_hints)  # a campaign has thousands of samples


def _fits(value: Any, hint: Any) -> bool:
    """For the types that the dataclasses here have; cells and samples are checked when they are made."""
    parts = typing.get_args(hint)
    match typing.get_origin(hint):
        case types.UnionType:
            return any(_fits(value, part) for part in parts)
        case builtins.list:
            return isinstance(value, list) and all(_fits(inner, parts[0]) for inner in value)
        case builtins.dict:
            return isinstance(value, dict) and all(_fits(inner, parts[1]) for inner in value.values())
    if hint is Any:
        return True
    if hint in (int, float):
        numbers = (int, float) if hint is float else int
        return isinstance(value, numbers) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, hint)


class Unreadable(ValueError):
    """Not a campaign. The message is one line."""


def from_json(document: Any) -> Campaign:
    """The inverse of to_json; what was derived is left out, to be derived again."""
    if not isinstance(document, dict) or "schema" not in document:
        raise Unreadable("not a campaign of `bigfoot bench`")
    if document["schema"] != SCHEMA:
        raise Unreadable(f"its format is {document['schema']!r}, not {SCHEMA!r}")
    try:
        return _campaign(document)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Unreadable(f"says {SCHEMA!r}, but is not: {type(error).__name__} {error}") from None


def _campaign(document: dict[str, Any]) -> Campaign:
    fields = {field.name for field in dataclasses.fields(Campaign)} - {"cases"}
    campaign = _made(Campaign, {key: value for key, value in document.items() if key in fields})
    for case in document["cases"]:
        cells = [_made(Cell, {**cell, "samples": _samples(cell["samples"])}) for cell in case["cells"]]
        campaign.cases.append(_made(Case, {**case, "cells": {cell.detector: cell for cell in cells}}))
    _check(campaign)
    return campaign


def _check(campaign: Campaign) -> None:
    """What the types do not say."""
    if campaign.runs < 1 or any(case.threads < 1 for case in campaign.cases):
        raise ValueError("runs and threads are positive numbers")
    for case in campaign.cases:
        for cell in case.cells.values():
            if cell.detector not in campaign.detectors:
                raise ValueError(f"{case.program} has a cell of '{cell.detector}', which is not among its detectors")
            if cell.status not in STATUSES:
                raise ValueError(f"no status is called '{cell.status}'")


def load(path: Path) -> Campaign:
    try:
        return from_json(json.loads(path.read_text()))
    except Unreadable as reason:
        raise Unreadable(f"{path}: {reason}") from None
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{path}: not JSON ({error})") from None


def write_json(campaign: Campaign, path: Path) -> None:
    _replace(path, json.dumps(campaign.to_json(), indent=1) + "\n")


# All that derive.py reads of what a run time counts.
COUNTERS = ("check_ratio", "checks", "accesses", "shadow_fraction", "shadow_locations", "array_elements")


def write_record(campaign: Campaign, path: Path) -> None:
    """For a file that is kept in the tree: what derive.py reads, to four digits, a line for each case. Paths of this
    tree become relative to it."""
    document = _measured(campaign)
    cases = document.pop("cases")
    for case in cases:
        for cell in case["cells"]:
            cell["samples"].pop("kernel_seconds", None)
            cell["counters"] = {name: cell["counters"][name] for name in COUNTERS if name in cell["counters"]}
    lines = ",\n".join(json.dumps(_rounded(case), separators=(",", ":")) for case in cases)
    text = f'{json.dumps(document)[:-1]}, "cases": [\n{lines}\n]}}\n'
    _replace(path, text.replace(f"{REPOSITORY}/", ""))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


CSV_COLUMNS = (
    "program suite group racy size threads detector status detail run seconds cpu_seconds instructions "
    "kernel_seconds peak_rss_bytes races compile_cpu_seconds"
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
        "group": case.group,
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
            **dataclasses.asdict(sample),
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
