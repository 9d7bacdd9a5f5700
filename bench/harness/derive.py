"""From samples to the columns of the papers' tables.

Cases are grouped by number of threads and size label, one table each. A row holds, per detector, medians and the
ratios to the uninstrumented program, to fasttrack and to ThreadSanitizer; a group ends in geometric means over
its rows, also of each suite alone (arithmetic for check ratios and shadow fractions, which may be zero, as in the
BigFoot paper). A row enters a mean only if it has the value, and racy variants enter none: reporting costs time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from .detectors import BASE
from .programs import SIZES
from .results import OK, Campaign, Case, Cell
from .statistics import (
    SMALLEST_OVERHEAD,
    geometric_mean,
    median,
    overhead,
    relative_overhead,
    spread,
)

FASTTRACK = "fasttrack"
TSAN = "tsan"

# What a detector's silence and its reports mean, by what is known of the program. Ours are race-free or racy by
# construction; of a real program nobody here knows.
RACE_FREE, RACY, UNKNOWN = "race-free", "racy", "unknown"
RACE_VERDICTS = {
    RACE_FREE: {False: "none", True: "FALSE ALARM"},
    RACY: {False: "MISSED", True: "found"},
    UNKNOWN: {False: "none", True: "reported"},
}


@dataclasses.dataclass
class Figures:
    """One detector on one case. None where it was not measured or does not apply."""

    detector: str
    status: str
    detail: str = ""
    races: bool | None = None
    seconds: float | None = None
    spread: float | None = None
    kernel_seconds: float | None = None
    slowdown: float | None = None
    overhead: float | None = None
    overhead_vs_fasttrack: float | None = None
    overhead_vs_tsan: float | None = None
    peak_rss_bytes: float | None = None
    rss_ratio: float | None = None
    rss_vs_fasttrack: float | None = None
    rss_vs_tsan: float | None = None
    check_ratio: float | None = None
    shadow_fraction: float | None = None
    compile_ratio: float | None = None


@dataclasses.dataclass
class Row:
    program: str
    suite: str
    size: str
    threads: int
    racy: bool
    race_freedom: str
    figures: dict[str, Figures]

    @property
    def label(self) -> str:
        return f"{self.program} {self.size}"


@dataclasses.dataclass
class Group:
    threads: int
    size: str | None  # None: every program at its default size
    rows: list[Row]
    means: dict[str, Figures]
    suite_means: dict[str, dict[str, Figures]]  # by suite, if there is more than one

    @property
    def title(self) -> str:
        return f"{self.threads_title}, {self.size_title}"

    @property
    def threads_title(self) -> str:
        return f"{self.threads} thread{'s' if self.threads != 1 else ''}"

    @property
    def size_title(self) -> str:
        return f"size {self.size}" if self.size else "default sizes"

    def to_json(self) -> dict[str, Any]:
        return {"title": self.title, **dataclasses.asdict(self)}


@dataclasses.dataclass
class Growth:
    """Groups that differ in one thing only, from the least of it to the most."""

    by: str  # "threads" or "size"
    groups: list[int]  # their numbers


def growths(groups: list[Group]) -> list[Growth]:
    """What can be drawn as curves: the first group's size with several numbers of threads, and its number of
    threads with several sizes."""
    if not groups:
        return []
    first = groups[0]
    by_threads = [n for n, group in enumerate(groups) if group.size == first.size]
    by_size = [n for n, group in enumerate(groups) if group.size is not None and group.threads == first.threads]
    found = [
        Growth("threads", sorted(by_threads, key=lambda n: groups[n].threads)),
        Growth("size", sorted(by_size, key=lambda n: SIZES.index(groups[n].size))),
    ]
    return [growth for growth in found if len(growth.groups) > 1]


def derive(campaign: Campaign) -> list[Group]:
    grouped: dict[tuple[int, str | None], list[Case]] = {}
    for case in campaign.cases:
        grouped.setdefault((case.threads, case.size_label), []).append(case)
    groups = []
    for (threads, size), cases in grouped.items():
        rows = [_row(case) for case in cases]
        means, suite_means = _means(rows, campaign.detectors), _suite_means(rows, campaign.detectors)
        groups.append(Group(threads, size, rows, means, suite_means))
    return groups


def _row(case: Case) -> Row:
    figures = {name: _medians(cell) for name, cell in case.cells.items()}
    for one in figures.values():
        _relate_to_base(one, case.cells, figures.get(BASE))
    for one in figures.values():
        _relate_to_detectors(one, figures)
    race_freedom = RACY if case.racy else UNKNOWN if case.suite == "real" else RACE_FREE
    return Row(case.program, case.suite, case.size, case.threads, case.racy, race_freedom, figures)


def _medians(cell: Cell) -> Figures:
    figures = Figures(cell.detector, cell.status, cell.detail)
    if cell.status != OK or not cell.samples:
        return figures
    seconds = [sample.seconds for sample in cell.samples]
    kernel = [s.kernel_seconds for s in cell.samples if s.kernel_seconds is not None]
    figures.races = cell.reported_races
    figures.seconds = median(seconds)
    figures.spread = spread(seconds)
    figures.kernel_seconds = median(kernel) if kernel else None
    figures.peak_rss_bytes = median([sample.peak_rss_bytes for sample in cell.samples])
    figures.check_ratio = _ratio(cell.counters, "check_ratio", "checks", "accesses")
    figures.shadow_fraction = _ratio(cell.counters, "shadow_fraction", "shadow_locations", "array_elements")
    return figures


def _ratio(counters: dict[str, float], whole: str, numerator: str, denominator: str) -> float | None:
    """A ratio that the run time may give itself or as its two parts."""
    if whole in counters:
        return counters[whole]
    if numerator in counters and counters.get(denominator):
        return counters[numerator] / counters[denominator]
    return None


def _relate_to_base(one: Figures, cells: dict[str, Cell], base: Figures | None) -> None:
    compiled = cells[one.detector].compile_cpu_seconds
    base_compiled = cells[BASE].compile_cpu_seconds if BASE in cells else None
    if compiled is not None and base_compiled:
        one.compile_ratio = compiled / base_compiled
    if base is None or base.seconds is None or one.seconds is None:
        return
    one.slowdown = one.seconds / base.seconds
    one.overhead = overhead(one.seconds, base.seconds)
    one.rss_ratio = one.peak_rss_bytes / base.peak_rss_bytes


def _relate_to_detectors(one: Figures, figures: dict[str, Figures]) -> None:
    if one.detector == BASE or one.overhead is None:
        return
    fasttrack, tsan = figures.get(FASTTRACK), figures.get(TSAN)
    if fasttrack and fasttrack.overhead is not None:
        one.overhead_vs_fasttrack = relative_overhead(one.overhead, fasttrack.overhead)
        one.rss_vs_fasttrack = one.peak_rss_bytes / fasttrack.peak_rss_bytes
    if tsan and tsan.overhead is not None:
        one.overhead_vs_tsan = relative_overhead(one.overhead, tsan.overhead)
        one.rss_vs_tsan = one.peak_rss_bytes / tsan.peak_rss_bytes


def _arithmetic_mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


_MEANS: dict[str, Callable[[list[float]], float | None]] = {
    "slowdown": geometric_mean,
    "overhead": lambda values: geometric_mean(max(v, SMALLEST_OVERHEAD) for v in values),
    "overhead_vs_fasttrack": geometric_mean,
    "overhead_vs_tsan": geometric_mean,
    "rss_ratio": geometric_mean,
    "rss_vs_fasttrack": geometric_mean,
    "rss_vs_tsan": geometric_mean,
    "compile_ratio": geometric_mean,
    "check_ratio": _arithmetic_mean,
    "shadow_fraction": _arithmetic_mean,
}


def _means(rows: list[Row], detectors: list[str]) -> dict[str, Figures]:
    means = {}
    for name in detectors:
        measured = [row.figures[name] for row in rows if name in row.figures and not row.racy]
        mean = Figures(name, OK if any(f.status == OK for f in measured) else "none")
        for field, average in _MEANS.items():
            values = [getattr(f, field) for f in measured if getattr(f, field) is not None]
            setattr(mean, field, average(values))
        means[name] = mean
    return means


def _suite_means(rows: list[Row], detectors: list[str]) -> dict[str, dict[str, Figures]]:
    by_suite: dict[str, list[Row]] = {}
    for row in rows:
        if not row.racy:
            by_suite.setdefault(row.suite, []).append(row)
    if len(by_suite) < 2:
        return {}
    return {suite: _means(own, detectors) for suite, own in by_suite.items()}
