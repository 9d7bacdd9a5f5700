#!/usr/bin/env python3
"""What one check costs beside ThreadSanitizer's for the same access, by the access and the state of the memory.

Builds micro/parity plain, with BigFoot, with FastTrack and with ThreadSanitizer. What a tool adds is the time (or the
number of instructions) of a step with it, less that of the plain program; a ratio is BigFoot's divided by
ThreadSanitizer's. Times are the least of all passes, of contended cells the median; instructions are counted by single
steps (harness/step_count.c) and exact.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import html
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from harness import detectors, machine, options, programs
from harness.build import Builder, BuildFailed
from harness.progress import Progress

BENCH = Path(__file__).resolve().parent
SOURCES = BENCH / "micro" / "parity"
COUNTER = BENCH / "harness" / "step_count.c"
BASE, OURS, PLAIN_OURS, THEIRS = "base", "bigfoot", "fasttrack", "tsan"
TOOLS = (BASE, OURS, PLAIN_OURS, THEIRS)
UNITS = {"ns": "nanoseconds", "instructions": "instructions"}
# What a tool adds is only seen from these on: the clock is no finer, and the machine does other things besides.
RESOLUTION = {"ns": 0.2, "instructions": 0.5}
PASSES = 8  # timed passes of a cell in one run
CHUNKS = 8  # progress of counting is shown in that many steps
TIMEOUT = 900.0
# Ratios up to each bound have a colour; the last has none above.
BOUNDS = (0.5, 0.8, 1.0, 1.25, 2.0)

COLUMNS = {
    "same-epoch": "the epoch has done it already",
    "own-earlier": "first of the epoch; own record of an earlier one",
    "handed-over": "first; another thread wrote it and handed it over under a lock",
    "read-by-2": "first; another thread has read it meanwhile (writes: before)",
    "read-by-4": "the same with 3 other threads",
    "read-by-16": "the same with 15 other threads",
    "fresh": "first access after malloc, in the same epoch",
    "fresh-later": "first access after malloc, which was in an earlier epoch",
    "two-sizes": "words were written as a whole, and are accessed in part, or the other way round",
    "two-lines": "the two ints of each word were written by two source lines",
    "new-context": "each access in a calling context of its own (two functions that call each other); with the call",
    "own-recursion": "each access one call deeper in a function that calls itself; with the call",
    "array": "array of 64 KiB, written at once at first, so that BigFoot compresses it: until the row's own accesses"
    " split it; times with the end of the epoch, here and in the next two",
    "was-array": "the same with an atomic in it since, which ends the compression",
    "never-array": "the same where an atomic lives in it from the start: never compressed",
    "alone": "nobody else uses the object",
    "contended": "another thread does the same with the same object meanwhile; median of the passes in which it did",
}


class Failed(Exception):
    """The message is the line that is printed."""


@dataclasses.dataclass
class Cell:
    row: str
    column: str
    ns: dict[str, float] = dataclasses.field(default_factory=dict)  # by tool
    median_ns: dict[str, float] = dataclasses.field(default_factory=dict)
    instructions: dict[str, float] = dataclasses.field(default_factory=dict)
    why_not: dict[str, str] = dataclasses.field(default_factory=dict)  # by tool, or by unit

    def added(self, unit: str, tool: str) -> float | None:
        """By the tool to a step; None: not measured."""
        figures = getattr(self, unit)
        if tool in self.why_not or tool not in figures or BASE not in figures:
            return None
        return figures[tool] - figures[BASE]

    def ratio(self, unit: str) -> float | None:
        """A lower bound if is_bound(). None: one of the two is missing, or both are below the resolution."""
        ours, theirs = self.added(unit, OURS), self.added(unit, THEIRS)
        least = RESOLUTION[unit]
        if ours is None or theirs is None or (ours < least and theirs < least) or self._is_noise(unit):
            return None
        return max(ours, 0.0) / max(theirs, least)

    def _is_noise(self, unit: str) -> bool:
        """Whether the plain program was clearly slower than one that does more."""
        added = (self.added(unit, tool) for tool in (OURS, THEIRS))
        return any(a is not None and a < -RESOLUTION[unit] - 0.05 * getattr(self, unit)[BASE] for a in added)

    def is_bound(self, unit: str) -> bool:
        """ThreadSanitizer adds nothing that can be seen, BigFoot does."""
        theirs = self.added(unit, THEIRS)
        return self.ratio(unit) is not None and theirs is not None and theirs < RESOLUTION[unit]

    def text(self, unit: str) -> str:
        """BigFoot's, FastTrack's, ThreadSanitizer's and the ratio."""
        ours, plain, theirs = (self.added(unit, tool) for tool in TOOLS[1:])
        figures = f"{_figure(ours)}/{_figure(plain)}/{_figure(theirs)}"
        ratio = self.ratio(unit)
        if ratio is not None:
            return f"{figures} {'>' if self.is_bound(unit) else ''}{ratio:.2f}"
        return "-" if ours is None and theirs is None else f"{figures} {'*' if theirs is None else '~'}"

    def remark(self, unit: str) -> str:
        """Why there is no ratio; nothing if there is one."""
        if self.ratio(unit) is not None:
            return ""
        if self._is_noise(unit):
            return "noise: the plain program was slower"
        reasons = [self.why_not[key] for key in (*TOOLS, unit) if key in self.why_not]
        return "; ".join(reasons) or "below the resolution" if getattr(self, unit) or reasons else "not measured"


    def medians(self) -> str:
        """What the tools add by the medians of all passes."""
        if not {BASE, OURS, THEIRS} <= self.median_ns.keys():
            return ""
        added = (self.median_ns[tool] - self.median_ns[BASE] for tool in TOOLS[1:] if tool in self.median_ns)
        return "medians: " + "/".join(map(_figure, added))


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:.0f}"


@dataclasses.dataclass
class Table:
    machine: dict[str, str]
    runs: int
    cells: list[Cell]

    def rows(self) -> list[str]:
        return list(dict.fromkeys(cell.row for cell in self.cells))

    def columns(self) -> list[str]:
        return [name for name in COLUMNS if any(cell.column == name for cell in self.cells)]

    def select(self, rows: str | None, columns: str | None) -> Table:
        """By comma-separated patterns, each of which has to match."""
        wanted_rows, wanted_columns = _matching("row", rows, self.rows()), _matching("column", columns, self.columns())
        chosen = [c for c in self.cells if c.row in wanted_rows and c.column in wanted_columns]
        return Table(self.machine, self.runs, chosen)

    def to_json(self) -> str:
        """A cell is a line, its figures in the order of `tools`: some thousand cells have to be small."""
        lines = []
        for cell in self.cells:
            line: list[Any] = [cell.row, cell.column]
            line += [[_rounded(figures.get(t)) for t in TOOLS] if figures else [] for figures in _figures_of(cell)]
            lines.append(json.dumps([*line, cell.why_not] if cell.why_not else line, separators=(",", ":")))
        head = json.dumps({"machine": self.machine, "runs": self.runs, "tools": TOOLS, "fields": FIELDS})
        return head[:-1] + ',\n"cells": [\n' + ",\n".join(lines) + "\n]}\n"


# Of a cell, in the file.
FIELDS = ("row", "column", "ns", "median_ns", "instructions", "why_not")


def _figures_of(cell: Cell) -> tuple[dict[str, float], ...]:
    return cell.ns, cell.median_ns, cell.instructions


def _rounded(value: float | None) -> float | None:
    """To what can be seen: a tenth of the resolution, or four digits."""
    return None if value is None else float(f"{value:.4g}") if abs(value) >= 100 else round(value, 2)


def _matching(what: str, patterns: str | None, names: list[str]) -> set[str]:
    if patterns is None:
        return set(names)
    chosen: set[str] = set()
    for pattern in filter(None, (part.strip() for part in patterns.split(","))):
        found = fnmatch.filter(names, pattern)
        if not found:
            raise Failed(f"no {what} is called '{pattern}' (there are: {', '.join(names)})")
        chosen.update(found)
    return chosen


def from_json(text: str) -> Table:
    try:
        read = json.loads(text)
        machine_read, runs = read["machine"], read["runs"]
        _demand(isinstance(machine_read, dict), "machine")
        _demand(type(runs) is int and runs > 0, "runs")
        _demand(read["tools"] == list(TOOLS) and read["fields"] == list(FIELDS), "tools or fields")
        _demand(isinstance(read["cells"], list) and read["cells"], "cells")
        return Table(machine_read, runs, [_cell(line) for line in read["cells"]])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Failed(f"not a table of bench parity: {error}") from None


def _demand(right: object, what: str) -> None:
    if not right:
        raise ValueError(f"wrong {what}")


def _is_texts(read: object) -> bool:
    return isinstance(read, dict) and all(isinstance(value, str) for value in read.values())


def _cell(line: object) -> Cell:
    _demand(isinstance(line, list) and len(line) in (5, 6), "cell")
    assert isinstance(line, list)
    row, column, *figures = line[:5]
    why_not = line[5] if len(line) == 6 else {}
    _demand(isinstance(row, str) and isinstance(column, str) and column in COLUMNS, "row or column")
    _demand(_is_texts(why_not) and why_not.keys() <= {*TOOLS, *UNITS}, "reasons")
    return Cell(row, column, *map(_by_tool, figures), why_not)


def _by_tool(figures: object) -> dict[str, float]:
    _demand(isinstance(figures, list) and len(figures) in (0, len(TOOLS)), "figures")
    assert isinstance(figures, list)
    known = {tool: value for tool, value in zip(TOOLS, figures) if value is not None}
    _demand(all(type(value) in (int, float) and math.isfinite(value) for value in known.values()), "figures")
    return known


# Measuring.


@dataclasses.dataclass(frozen=True)
class Listed:
    """A cell as the program lists it."""

    number: int
    row: str
    column: str
    steps: int
    counted: int
    why_not: str


def parse_list(output: str) -> list[Listed]:
    listed = []
    for line in output.splitlines():
        number, row, column, steps, counted, why_not = line.split("\t")
        listed.append(Listed(int(number), row, column, int(steps), int(counted), why_not))
    return listed


def parse_times(output: str) -> dict[int, tuple[float, float]]:
    """The time of a step and the median of all passes, by the cell's number."""
    times = {}
    for line in output.splitlines():
        number, ns, median = line.split("\t")
        times[int(number)] = float(ns), float(median)
    return times


def parse_counts(report: str, listed: dict[int, Listed]) -> dict[int, float]:
    """Instructions of a step: of a pass of twice as many less those of the shorter one, which follows it."""
    lines = [tuple(map(int, line.split())) for line in report.splitlines()]
    counts = {}
    for (number, longer), (again, shorter) in zip(lines[::2], lines[1::2], strict=True):
        if number != again:
            raise Failed(f"marks of cells {number} and {again} are mixed up")
        counts[number] = (longer - shorter) / listed[number].counted
    return counts


def program() -> programs.Program:
    sources = (
        programs.Source(SOURCES / "parity.cpp"),
        programs.Source(SOURCES / "wide.cpp", ("-mavx",)),
        programs.Source(SOURCES / "positions.cpp"),
    )
    return programs.Program("parity", "micro", "bytes", sources, default_size="")


def step_counter(work: Path, cc: str) -> Path:
    path = work / "step_count"
    work.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run([cc, "-O2", str(COUNTER), "-o", str(path)], capture_output=True, text=True)
    except OSError as error:
        raise Failed(f"{cc}: {error.strerror}") from None
    if done.returncode != 0:
        raise Failed(f"{COUNTER.name}: {done.stderr.splitlines()[0]}")
    return path


class Measurement:
    def __init__(self, builder: Builder, counter: Path) -> None:
        self._builder = builder
        self._counter = counter
        self._executables: dict[str, Path] = {}

    def build(self, tool: str) -> None:
        print(f"building {tool}", file=sys.stderr)
        self._executables[tool] = self._builder.build(program(), detectors.DETECTORS[tool]).executable

    def _run(self, tool: str, *arguments: str, before: tuple[str, ...] = ()) -> str:
        command = (*before, str(self._executables[tool]), *arguments)
        try:
            # The launcher keeps only so much of the output, and a list is long.
            done = subprocess.run(
                command, env=detectors.DETECTORS[tool].environment(), timeout=TIMEOUT, capture_output=True, text=True
            )
        except subprocess.TimeoutExpired:
            raise Failed(f"{tool}: timed out") from None
        if done.returncode != 0:
            what = (done.stderr.strip().splitlines() or ["no message"])[0]
            raise Failed(f"{tool}: exit code {done.returncode}: {what}")
        return done.stdout

    def list(self, tool: str) -> list[Listed]:
        return parse_list(self._run(tool, "list"))

    def times(self, tool: str, cells: list[Listed]) -> dict[int, tuple[float, float]]:
        numbers = [str(cell.number) for cell in cells]
        return parse_times(self._run(tool, "time", str(PASSES), *numbers)) if numbers else {}

    def counts(self, tool: str, cells: list[Listed]) -> dict[int, float]:
        if not cells:
            return {}
        with tempfile.TemporaryDirectory(prefix="bigfoot-bench-") as folder:
            report = Path(folder) / "counts"
            numbers = [str(cell.number) for cell in cells]
            self._run(tool, "count", *numbers, before=(str(self._counter), str(report)))
            return parse_counts(report.read_text(), {cell.number: cell for cell in cells})


def measure(measurement: Measurement, chosen: argparse.Namespace, describe: dict[str, str]) -> Table:
    measurement.build(BASE)
    listed = {BASE: measurement.list(BASE)}
    table = Table(describe, chosen.runs, [Cell(c.row, c.column) for c in listed[BASE]])
    wanted = {(c.row, c.column) for c in table.select(chosen.rows, chosen.columns).cells}
    for tool in TOOLS[1:]:
        measurement.build(tool)
        listed[tool] = measurement.list(tool)
    cells = {c.number: cell for c, cell in zip(listed[BASE], table.cells) if (c.row, c.column) in wanted}
    todo: dict[str, list[Listed]] = {}
    for tool in TOOLS:
        mine = [c for c in listed[tool] if c.number in cells]
        for c in mine:
            if c.why_not:
                cells[c.number].why_not[tool] = c.why_not
        todo[tool] = [c for c in mine if not c.why_not]
    table.cells = list(cells.values())

    counting = 0 if chosen.no_instructions else CHUNKS
    progress = Progress(len(TOOLS) * (chosen.runs + counting))
    times: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for number in range(chosen.runs):
        for tool in TOOLS:
            for cell, found in measurement.times(tool, todo[tool]).items():
                times.setdefault((cell, tool), []).append(found)
            progress.step(f"times, run {number + 1} of {chosen.runs}, {tool}", 1)
    _keep_times(times, todo, cells)
    if counting:
        _count(measurement, todo, cells, progress)
    progress.close()
    return table


def _keep_times(
    times: dict[tuple[int, str], list[tuple[float, float]]], todo: dict[str, list[Listed]], cells: dict[int, Cell]
) -> None:
    for tool, mine in todo.items():
        for c in mine:
            if (found := times.get((c.number, tool))) is None:
                cells[c.number].why_not[tool] = "no pass was contended"
                continue
            middle = statistics.median(median for _, median in found)
            cells[c.number].median_ns[tool] = middle
            cells[c.number].ns[tool] = middle if c.column == "contended" else min(ns for ns, _ in found)


def _uncounted(c: Listed) -> str:
    if c.column == "contended":
        return "instructions depend on the schedule"
    return "the new thread's instructions are not counted" if c.row == "thread" else "too long to be counted"


def _count(
    measurement: Measurement, todo: dict[str, list[Listed]], cells: dict[int, Cell], progress: Progress
) -> None:
    """Counts do not depend on what runs beside them, so as many at once as there are processors."""
    jobs = []
    for tool, mine in todo.items():
        for c in mine:
            if c.counted == 0:
                cells[c.number].why_not["instructions"] = _uncounted(c)
        counted = [c for c in mine if c.counted]
        jobs += [(tool, counted[i::CHUNKS]) for i in range(CHUNKS)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running = {pool.submit(measurement.counts, tool, part): tool for tool, part in jobs}
        for done in concurrent.futures.as_completed(running):
            for number, count in done.result().items():
                cells[number].instructions[running[done]] = count
            progress.step(f"instructions, {running[done]}", 1)


# Showing.


def _grids(table: Table) -> list[tuple[list[str], list[str], dict[tuple[str, str], Cell]]]:
    """Rows that have the same columns, together: accesses, and operations."""
    grids = []
    by_place = {(cell.row, cell.column): cell for cell in table.cells}
    operations = ("alone", "contended")
    for columns in ([c for c in table.columns() if c not in operations], [c for c in table.columns() if c in operations]):
        rows = [row for row in table.rows() if any((row, column) in by_place for column in columns)]
        if rows:
            grids.append((rows, columns, by_place))
    return grids


def units_of(table: Table) -> list[str]:
    return [unit for unit in UNITS if any(getattr(cell, unit) for cell in table.cells)]


def text_table(table: Table) -> str:
    parts = []
    for unit in units_of(table):
        for rows, columns, by_place in _grids(table):
            lines = [["", *columns]]
            for row in rows:
                found = [by_place.get((row, column)) for column in columns]
                lines.append([row, *("" if cell is None else cell.text(unit) for cell in found)])
            widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
            parts.append(f"{UNITS[unit]} added to a step: bigfoot/fasttrack/tsan, bigfoot divided by tsan\n")
            for line in lines:
                cells = [text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(line, widths))]
                parts.append("  ".join(cells).rstrip())
            parts.append("")
    parts.append("~ below the resolution   > at least: tsan is below it   * the other tool does not do it   - not measured")
    remarks = dict.fromkeys(r for cell in table.cells for unit in units_of(table) if (r := cell.remark(unit)))
    return "\n".join([*parts, *(f"  {remark}" for remark in remarks)])


def dearer(table: Table, above: float, unit: str) -> list[tuple[float, Cell]]:
    """Cells with a larger ratio, the dearest first."""
    found = [(ratio, cell) for cell in table.cells if (ratio := cell.ratio(unit)) is not None and ratio > above]
    return sorted(found, key=lambda pair: -pair[0])


def dearer_text(table: Table, above: float) -> str:
    lines = []
    for unit in units_of(table):
        found = dearer(table, above, unit)
        having = sum(cell.ratio(unit) is not None for cell in table.cells)
        lines.append(f"above {above:g} by {UNITS[unit]}: {len(found)} of {having} cells")
        lines += [f"  {ratio:7.2f}  {c.row:<26} {c.column:<12} {c.text(unit)}" for ratio, c in found]
    return "\n".join(lines)


def shade(ratio: float | None, is_bound: bool = False) -> str:
    """The class of a cell's colour."""
    if ratio is None:
        return "none"
    if is_bound:
        return f"s{len(BOUNDS)}"
    return f"s{next((i for i, bound in enumerate(BOUNDS) if ratio <= bound), len(BOUNDS))}"


def page(table: Table) -> str:
    parts = []
    for unit in units_of(table):
        parts.append(f"<h2>{UNITS[unit].capitalize()} added to a step</h2>")
        for rows, columns, by_place in _grids(table):
            parts.append('<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">access</th>')
            parts += [f'<th scope="col" title="{html.escape(COLUMNS[c])}">{c}</th>' for c in columns]
            parts.append("</tr></thead><tbody>")
            for row in rows:
                parts.append(f'<tr><th scope="row">{html.escape(row)}</th>')
                parts += [_page_cell(by_place.get((row, column)), unit) for column in columns]
                parts.append("</tr>")
            parts.append("</tbody></table></div>")
    names = "".join(f"<dt>{name}</dt><dd>{html.escape(COLUMNS[name])}</dd>" for name in table.columns())
    labels = [f"up to {bound:g}" for bound in BOUNDS] + [f"above {BOUNDS[-1]:g}", "no ratio"]
    classes = [f"s{i}" for i in range(len(BOUNDS) + 1)] + ["none"]
    legend = "".join(f'<span class="key {c}">{label}</span>' for c, label in zip(classes, labels))
    about = html.escape("; ".join(f"{key}: {value}" for key, value in table.machine.items()))
    texts = {"legend": legend, "tables": "\n".join(parts), "columns": names, "machine": about}
    document = (BENCH / "page" / "parity.html").read_text()
    for name, text in texts.items():
        document = document.replace("{{" + name + "}}", text)
    return document


def _page_cell(cell: Cell | None, unit: str) -> str:
    if cell is None:
        return "<td></td>"
    ratio = cell.ratio(unit)
    remark = cell.remark(unit)
    titles = "; ".join(filter(None, (remark, cell.medians() if unit == "ns" else "")))
    title = f' title="{html.escape(titles)}"' if titles else ""
    value = "" if ratio is None else f' data-ratio="{ratio:.4f}"'
    reason = "" if not remark else f"<small>{html.escape(remark)}</small>"
    return f'<td class="{shade(ratio, cell.is_bound(unit))}"{value}{title}>{html.escape(cell.text(unit))}{reason}</td>'


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="bigfoot bench parity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add(parser, runs=3)
    add = parser.add_argument
    add("--rows", metavar="LIST", help="patterns, such as 'read*,lock-unlock' (default: all)")
    add("--columns", metavar="LIST", help=f"patterns for {', '.join(COLUMNS)}")
    add("--above", metavar="RATIO", type=float, help="list the cells with a larger ratio instead, the largest first")
    add("--no-instructions", action="store_true", help="times only")
    add("--page", metavar="FILE", type=Path, default=BENCH / "parity.html", help="default: bench/parity.html")
    add("--json", metavar="FILE", type=Path, help="also write the figures")
    add("--from-json", metavar="FILE", type=Path, help="show earlier figures, run nothing")
    chosen = parser.parse_args(arguments)
    if chosen.above is not None and not math.isfinite(chosen.above):
        parser.error("argument --above: takes a finite number")
    for path in filter(None, (chosen.json, chosen.page)):
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            parser.error(f"{path}: can not be written")
    return chosen


def obtain(chosen: argparse.Namespace) -> Table:
    if chosen.from_json:
        try:
            table = from_json(chosen.from_json.read_text())
        except OSError as error:
            raise Failed(f"{chosen.from_json}: {error.strerror}") from None
        except (UnicodeDecodeError, Failed) as error:
            raise Failed(f"{chosen.from_json}: {error}") from None
        return table.select(chosen.rows, chosen.columns)
    toolchain = detectors.default_toolchain(programs.REPOSITORY)
    for tool in TOOLS:
        if missing := detectors.DETECTORS[tool].missing(toolchain):
            raise Failed(missing)
    builder, _ = options.tools(chosen)
    counter = step_counter(chosen.work.resolve(), toolchain.cc)
    return measure(Measurement(builder, counter), chosen, machine.describe(toolchain.cxx))


def main(arguments: list[str]) -> int:
    chosen = parse_arguments(arguments)
    try:
        table = obtain(chosen)
        print(text_table(table) if chosen.above is None else dearer_text(table, chosen.above))
        if chosen.json:
            chosen.json.write_text(table.to_json())
        chosen.page.write_text(page(table))
    except (Failed, BuildFailed, OSError) as failure:
        print(f"bigfoot bench parity: error: {failure}", file=sys.stderr)
        return 2
    print(f"page: {os.path.relpath(chosen.page)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
