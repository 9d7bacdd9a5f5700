"""From samples to every figure that is shown: the columns of the papers' tables, and how programs stand beside TSan.

A setting is a number of threads and a size; each has its own tables. A row holds, per detector, medians and the
ratios to the uninstrumented program, to fasttrack and to ThreadSanitizer; rows end in geometric means over all and
over each group of programs (arithmetic for check ratios and shadow fractions, which may be zero, as in the BigFoot
paper). Means are over the programs that all of COMPARED ended well, so that columns beside each other are of the same
programs; racy variants enter none, as reporting costs time. Where one of them takes as long as the plain program but
for noise, ratios of overheads are ratios of noise, and one alone could make a mean: means of overheads leave it out.

The first setting is the campaign's headline. compare.py holds the figures of two campaigns against each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from .detectors import BASE
from .programs import GROUPS, QUICK, SIZES
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
BIGFOOT = "bigfoot"
TSAN = "tsan"
ALL = "all"  # the programs of all groups
COMPARED = (BIGFOOT, FASTTRACK, TSAN)

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
    cpu_seconds: float | None = None
    instructions: float | None = None
    kernel_seconds: float | None = None
    slowdown: float | None = None
    overhead: float | None = None
    near_plain: bool = False  # the overhead is within the noise of both
    overhead_vs_fasttrack: float | None = None
    overhead_vs_tsan: float | None = None
    # Overheads in processor time and in instructions, beside those in elapsed time.
    cpu_overhead: float | None = None
    cpu_overhead_vs_tsan: float | None = None
    instruction_overhead: float | None = None
    instruction_overhead_vs_tsan: float | None = None
    peak_rss_bytes: float | None = None
    rss_ratio: float | None = None
    rss_vs_fasttrack: float | None = None
    rss_vs_tsan: float | None = None
    check_ratio: float | None = None
    shadow_fraction: float | None = None
    compile_ratio: float | None = None
    compile_vs_tsan: float | None = None


@dataclasses.dataclass
class Row:
    program: str
    suite: str
    group: str
    size: str
    threads: int
    racy: bool
    race_freedom: str
    figures: dict[str, Figures]

    @property
    def label(self) -> str:
        return f"{self.program} {self.size}"


@dataclasses.dataclass
class Standing:
    """A detector's overheads beside ThreadSanitizer's, over some programs."""

    programs: int
    compared: int  # of the programs: those that both detectors ended well
    slower: list[str]  # where the overhead is larger, and told from noise; the worst first
    worst: str | None
    worst_ratio: float | None


@dataclasses.dataclass
class Summary:
    """Some rows summed up, by detector: those of a group, or all."""

    means: dict[str, Figures]
    standings: dict[str, Standing]
    # Programs that are in no mean and those that are in none of overheads, with the reason.
    left_out: dict[str, str]
    near_plain: dict[str, str]


@dataclasses.dataclass
class Setting:
    threads: int
    size: str | None  # None: every program at its default size
    rows: list[Row]  # by group
    groups: dict[str, Summary]  # ends in ALL if there are several

    @property
    def means(self) -> dict[str, Figures]:
        """Over all rows."""
        return list(self.groups.values())[-1].means if self.groups else {}

    @property
    def title(self) -> str:
        return f"{self.threads_title}, {self.size_title}"

    @property
    def threads_title(self) -> str:
        return f"{self.threads} thread{'s' if self.threads != 1 else ''}"

    @property
    def size_title(self) -> str:
        if self.size is None:
            return "default sizes"
        return "quick sizes" if self.size == QUICK else f"size {self.size}"

    def to_json(self) -> dict[str, Any]:
        return {"title": self.title, **dataclasses.asdict(self)}


@dataclasses.dataclass
class Growth:
    """Settings that differ in one thing only, from the least of it to the most."""

    by: str  # "threads" or "size"
    settings: list[int]  # their numbers


def growths(settings: list[Setting]) -> list[Growth]:
    """What can be drawn as curves: the first setting's size with several numbers of threads, and its number of
    threads with several sizes."""
    if not settings:
        return []
    first = settings[0]
    by_threads = [n for n, setting in enumerate(settings) if setting.size == first.size]
    by_size = [n for n, setting in enumerate(settings) if setting.size in SIZES and setting.threads == first.threads]
    found = [
        Growth("threads", sorted(by_threads, key=lambda n: settings[n].threads)),
        Growth("size", sorted(by_size, key=lambda n: SIZES.index(settings[n].size))),
    ]
    return [growth for growth in found if len(growth.settings) > 1]


def derive(campaign: Campaign) -> list[Setting]:
    settings: dict[tuple[int, str | None], list[Case]] = {}
    for case in campaign.cases:
        settings.setdefault((case.threads, case.size_label), []).append(case)
    derived = []
    for (threads, size), cases in settings.items():
        rows = sorted(map(row_of, cases), key=lambda row: group_order(row.group))
        derived.append(Setting(threads, size, rows, _summaries(rows, campaign.detectors)))
    return derived


def group_order(group: str) -> int:
    return GROUPS.index(group) if group in GROUPS else len(GROUPS)


def row_of(case: Case) -> Row:
    figures = {name: _medians(cell) for name, cell in case.cells.items()}
    for one in figures.values():
        _relate_to_base(one, case.cells, figures.get(BASE))
    for one in figures.values():
        _relate_to_detectors(one, figures)
    return Row(
        case.program, case.suite, case.group, case.size, case.threads, case.racy, race_freedom_of(case), figures
    )


def race_freedom_of(case: Case) -> str:
    return RACY if case.racy else UNKNOWN if case.suite == "real" else RACE_FREE


def trouble_of(case: Case, detector: str) -> str | None:
    """What is wrong with a cell: it failed, or its verdict is false."""
    cell = case.cells[detector]
    if cell.status != OK or detector == BASE:
        return None if cell.status == OK else cell.status
    is_wrong = {RACY: not cell.reported_races, RACE_FREE: cell.reported_races, UNKNOWN: False}
    race_freedom = race_freedom_of(case)
    return RACE_VERDICTS[race_freedom][cell.reported_races] if is_wrong[race_freedom] else None


def _medians(cell: Cell) -> Figures:
    figures = Figures(cell.detector, cell.status, cell.detail)
    if cell.status != OK or not cell.samples:
        return figures
    seconds = [sample.seconds for sample in cell.samples]
    kernel = [s.kernel_seconds for s in cell.samples if s.kernel_seconds is not None]
    figures.races = cell.reported_races
    figures.seconds = median(seconds)
    figures.spread = spread(seconds)
    figures.cpu_seconds = median([sample.cpu_seconds for sample in cell.samples])
    instructions = [s.instructions for s in cell.samples if s.instructions is not None]
    figures.instructions = median(instructions) if instructions else None
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
    tsan_compiled = cells[TSAN].compile_cpu_seconds if TSAN in cells else None
    if compiled is not None and tsan_compiled:
        one.compile_vs_tsan = compiled / tsan_compiled
    if base is None or base.seconds is None or one.seconds is None:
        return
    one.slowdown = one.seconds / base.seconds
    one.overhead = overhead(one.seconds, base.seconds)
    one.near_plain = one.overhead <= max(SMALLEST_OVERHEAD, one.spread, base.spread)
    one.cpu_overhead = overhead(one.cpu_seconds, base.cpu_seconds) if base.cpu_seconds else None
    if one.instructions is not None and base.instructions:
        one.instruction_overhead = overhead(one.instructions, base.instructions)
    one.rss_ratio = one.peak_rss_bytes / base.peak_rss_bytes


def _relate_to_detectors(one: Figures, figures: dict[str, Figures]) -> None:
    if one.detector == BASE or one.overhead is None:
        return
    fasttrack, tsan = figures.get(FASTTRACK), figures.get(TSAN)
    if fasttrack and fasttrack.overhead is not None:
        one.overhead_vs_fasttrack = relative_overhead(one.overhead, fasttrack.overhead)
        one.rss_vs_fasttrack = one.peak_rss_bytes / fasttrack.peak_rss_bytes
    if tsan and tsan.overhead is not None:
        for kind in ("overhead", "cpu_overhead", "instruction_overhead"):
            own, other = getattr(one, kind), getattr(tsan, kind)
            if own is not None and other is not None:
                setattr(one, f"{kind}_vs_tsan", relative_overhead(own, other))
        one.rss_vs_tsan = one.peak_rss_bytes / tsan.peak_rss_bytes


def _arithmetic_mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def mean_overhead(values: list[float]) -> float | None:
    return geometric_mean(max(value, SMALLEST_OVERHEAD) for value in values)


_MEANS: dict[str, Callable[[list[float]], float | None]] = {
    "slowdown": geometric_mean,
    "overhead": mean_overhead,
    "overhead_vs_fasttrack": geometric_mean,
    "overhead_vs_tsan": geometric_mean,
    "cpu_overhead": mean_overhead,
    "cpu_overhead_vs_tsan": geometric_mean,
    "instruction_overhead": mean_overhead,
    "instruction_overhead_vs_tsan": geometric_mean,
    "rss_ratio": geometric_mean,
    "rss_vs_fasttrack": geometric_mean,
    "rss_vs_tsan": geometric_mean,
    "compile_ratio": geometric_mean,
    "compile_vs_tsan": geometric_mean,
    "check_ratio": _arithmetic_mean,
    "shadow_fraction": _arithmetic_mean,
}


def why_left_out(row: Row, compared: Iterable[str]) -> str:
    """Of means over the programs that all these ended well; empty if it is not."""
    status = {name: row.figures[name].status if name in row.figures else "not run" for name in (BASE, *compared)}
    return ", ".join(f"{name} {what}" for name, what in status.items() if what != OK)


def who_is_near_plain(row: Row, compared: Iterable[str]) -> str:
    return ", ".join(name for name in compared if name in row.figures and row.figures[name].near_plain)


def ran(rows: Iterable[Row], detectors: Iterable[str]) -> list[str]:
    """Those that ended any program well: one that is not installed leaves out no program."""
    return [name for name in detectors if any(name in r.figures and r.figures[name].status == OK for r in rows)]


def summed_up(rows: list[Row], detectors: list[str], compared: list[str]) -> Summary:
    """REQUIRES: no row is racy."""
    left_out = {row.program: why for row in rows if (why := why_left_out(row, compared))}
    ended = [row for row in rows if row.program not in left_out]
    near_plain = {row.program: who for row in ended if (who := who_is_near_plain(row, compared))}
    told = [row for row in ended if row.program not in near_plain]
    means = {name: _mean(name, ended, told) for name in detectors}
    standings = {name: _standing(rows, name) for name in detectors if name != BASE}
    return Summary(means, standings, left_out, near_plain)


def _mean(name: str, ended: list[Row], told: list[Row]) -> Figures:
    """Of overheads over the rows whose overheads are told from noise."""
    mean = Figures(name, OK if ran(ended, [name]) else "none")
    for field, average in _MEANS.items():
        rows = told if "overhead" in field else ended
        values = [getattr(row.figures[name], field) for row in rows if name in row.figures]
        setattr(mean, field, average([value for value in values if value is not None]))
    return mean


def _standing(rows: list[Row], detector: str) -> Standing:
    ratios = {
        row.program: row.figures[detector].overhead_vs_tsan
        for row in rows
        if detector in row.figures and row.figures[detector].overhead_vs_tsan is not None
    }
    noise = {row.program for row in rows if who_is_near_plain(row, [detector])}
    dearest_first = sorted(ratios, key=lambda program: (program in noise, -ratios[program]))
    worst = dearest_first[0] if dearest_first else None
    slower = [program for program in dearest_first if ratios[program] > 1 and program not in noise]
    return Standing(len(rows), len(ratios), slower, worst, ratios.get(worst))


def _summaries(rows: list[Row], detectors: list[str]) -> dict[str, Summary]:
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        if not row.racy:
            grouped.setdefault(row.group, []).append(row)
    if len(grouped) > 1:
        grouped[ALL] = [row for own in grouped.values() for row in own]
    compared = ran([row for own in grouped.values() for row in own], [n for n in COMPARED if n in detectors])
    return {group: summed_up(own, detectors, compared) for group, own in grouped.items()}
