"""What changed from one campaign to another, beyond the noise of both.

Means are over the programs that both campaigns have in theirs, so that a program more or less changes none of them.
"""

from __future__ import annotations

import dataclasses

from .derive import (
    ALL,
    COMPARED,
    Row,
    group_order,
    mean_overhead,
    ran,
    row_of,
    trouble_of,
    who_is_near_plain,
    why_left_out,
)
from .detectors import BASE
from .results import Campaign, Case
from .statistics import chance_of_difference, geometric_mean, overhead, relative_overhead

# A change is told from noise if chance alone would make a difference of the ranks as large in one comparison of a
# hundred, and it is one that anybody would notice. Neither is enough: with many runs every difference is no chance.
CHANCE = 0.01
NOTICED = 1.05


@dataclasses.dataclass
class Change:
    """Of the overhead of a detector on a program."""

    program: str
    detector: str
    old: float
    new: float

    @property
    def ratio(self) -> float:
        return relative_overhead(self.new, self.old)


@dataclasses.dataclass
class MeanChange:
    """Of a group's mean, over the programs that both campaigns have it for."""

    group: str
    detector: str
    programs: int
    old: float
    new: float
    old_vs_tsan: float | None
    new_vs_tsan: float | None


@dataclasses.dataclass
class Comparison:
    changes: list[Change]
    means: list[MeanChange]
    new: list[str]
    gone: list[str]
    failing: list[str]  # well before, or failing otherwise
    mended: list[str]  # well now
    enough_runs: bool  # for any difference at all to be told from noise


def compare(new: Campaign, old: Campaign) -> Comparison:
    """What `new` has changed. Programs are matched by name, size and number of threads."""
    new_cases, old_cases = ({_case_label(case): case for case in c.cases} for c in (new, old))
    both = [label for label in new_cases if label in old_cases]
    troubles = [
        (f"{label}, {name}", trouble_of(new_cases[label], name), trouble_of(old_cases[label], name))
        for label in both
        for name in new_cases[label].cells
        if name in old_cases[label].cells
    ]
    changes = [_change(label, new_cases[label], old_cases[label]) for label in both if not new_cases[label].racy]
    return Comparison(
        changes=sorted((c for of_case in changes for c in of_case), key=lambda c: -c.ratio),
        means=_mean_changes([(new_cases[label], old_cases[label]) for label in both]),
        new=[label for label in new_cases if label not in old_cases],
        gone=[label for label in old_cases if label not in new_cases],
        failing=[
            f"{what}: {now}" + (f", was {before}" if before else "")
            for what, now, before in troubles
            if now and now != before
        ],
        mended=[f"{what}: was {before}" for what, now, before in troubles if before and not now],
        enough_runs=_are_enough(_most_samples(new), _most_samples(old)),
    )


def _most_samples(campaign: Campaign) -> int:
    """What was run, not what was asked for: a campaign may have been interrupted."""
    return max((len(cell.samples) for case in campaign.cases for cell in case.cells.values()), default=0)


def _are_enough(new: int, old: int) -> bool:
    return new > 0 and old > 0 and chance_of_difference(range(new), range(new, new + old)) <= CHANCE


def _case_label(case: Case) -> str:
    return f"{case.program} {case.size} x{case.threads}"


def _change(label: str, new: Case, old: Case) -> list[Change]:
    """REQUIRES: the cases are of the same program."""
    now, before = row_of(new).figures, row_of(old).figures
    found = []
    for name in now:
        if name == BASE or name not in before or now[name].overhead is None or before[name].overhead is None:
            continue
        change = Change(label, name, before[name].overhead, now[name].overhead)
        chance = chance_of_difference(_overheads(new, name), _overheads(old, name))
        if chance <= CHANCE and max(change.ratio, 1 / change.ratio) > NOTICED:
            found.append(change)
    return found


def _overheads(case: Case, detector: str) -> list[float]:
    """Of each round, in which the detector and the plain program ran one after the other."""
    pairs = zip(case.cells[detector].samples, case.cells[BASE].samples)
    return [overhead(one.seconds, base.seconds) for one, base in pairs]


def _mean_changes(pairs: list[tuple[Case, Case]]) -> list[MeanChange]:
    """Of the pairs in the first pair's setting."""
    if not pairs:
        return []
    first = pairs[0][0]
    rows = [
        (row_of(new), row_of(old))
        for new, old in pairs
        if not new.racy and (new.threads, new.size_label) == (first.threads, first.size_label)
    ]
    rows = _with_overheads(rows)
    groups = sorted({new.group for new, _ in rows}, key=group_order)
    detectors = [name for name in first.cells if name != BASE]
    found = []
    for group in [*groups, ALL] if len(groups) > 1 else groups:
        own = [pair for pair in rows if group in (pair[0].group, ALL)]
        found += [change for name in detectors if (change := _mean_change(group, name, own)) is not None]
    return found


def _with_overheads(rows: list[tuple[Row, Row]]) -> list[tuple[Row, Row]]:
    """Without those that either campaign leaves out of its means of overheads."""
    compared = [name for name in COMPARED if all(ran(one, [name]) for one in zip(*rows))]
    return [
        pair for pair in rows if not any(why_left_out(row, compared) or who_is_near_plain(row, compared) for row in pair)
    ]


def _mean_change(group: str, detector: str, rows: list[tuple[Row, Row]]) -> MeanChange | None:
    overheads = _pairs(rows, detector, "overhead")
    if not overheads:
        return None
    ratios = _pairs(rows, detector, "overhead_vs_tsan")
    return MeanChange(
        group,
        detector,
        len(overheads),
        old=mean_overhead([old for _, old in overheads]),
        new=mean_overhead([new for new, _ in overheads]),
        old_vs_tsan=geometric_mean(old for _, old in ratios),
        new_vs_tsan=geometric_mean(new for new, _ in ratios),
    )


def _pairs(rows: list[tuple[Row, Row]], detector: str, field: str) -> list[tuple[float, float]]:
    """The values of the rows where both have one."""
    figures = [(new.figures.get(detector), old.figures.get(detector)) for new, old in rows]
    values = [(getattr(new, field, None), getattr(old, field, None)) for new, old in figures]
    return [(new, old) for new, old in values if new is not None and old is not None]
