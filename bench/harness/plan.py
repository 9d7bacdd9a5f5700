"""Which cases there are, and in which order their cells are run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from .programs import QUICK, SIZES, Program
from .results import Case

SCALING_THREADS = (1, 2, 4, 8, 16)
SCALING_SIZES = ("tiny", "small", "A")


def cases_of(
    programs: Sequence[Program], sizes: Sequence[str] | None, threads: Sequence[int], scaling: bool
) -> list[Case]:
    """Every program at every size with every number of threads; `sizes` None is each program's default, and one of
    them may be "quick".

    With `scaling`, also the first size with 1 to 16 threads, and sizes tiny to A with the first number of threads.
    A combination that comes up twice is one case.
    """
    labels: Sequence[str | None] = sizes or (None,)
    wanted = [(s, t) for s in labels for t in threads]
    if scaling:
        wanted += [(labels[0], t) for t in SCALING_THREADS] + [(s, threads[0]) for s in SCALING_SIZES]
    cases = []
    for label, count in dict.fromkeys(wanted):
        for program in programs:
            # Racy variants show races, not cost: once, at the size chosen for it, is enough.
            if program.racy and (label, count) != wanted[0]:
                continue
            case = Case(program.name, program.suite, program.group, program.at(label), count, program.racy, label)
            cases.append(case)
    return cases


def check_sizes(names: Sequence[str]) -> None:
    for name in names:
        if name not in (*SIZES, QUICK):
            raise ValueError(f"no size is called '{name}' (there are: {', '.join((*SIZES, QUICK))})")


def interleaved(cases: int, detectors: Sequence[str], runs: int, seed: int) -> Iterator[tuple[int, int, str]]:
    """(round, case index, detector) for every run of every cell.

    Round by round, so that a disturbance of the machine hits one sample of many cells and not all samples of
    one; within a round the cases are shuffled, and within a case the detectors, so that no detector always
    follows the same other. The detectors of a case stay together: they are what is compared.
    """
    order = random.Random(seed)
    for round_number in range(runs):
        indices = list(range(cases))
        order.shuffle(indices)
        for index in indices:
            shuffled = list(detectors)
            order.shuffle(shuffled)
            for detector in shuffled:
                yield round_number, index, detector
