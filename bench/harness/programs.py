"""The programs: what they are built from, their sizes and what a detector should find in them."""

from __future__ import annotations

import dataclasses
import difflib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS_DIR = REPOSITORY / "bench" / "programs"

SIZES = ("tiny", "small", "A", "B", "C")
QUICK = "quick"  # stands for each program's quick size

# What dominates a program's accesses. Results are summed up by these: a detector that is fast on arrays says
# nothing of pointers. `kernels` are the papers' programs.
GROUPS = ("arrays", "pointers", "bytes", "servers", "kernels")


@dataclasses.dataclass(frozen=True)
class Source:
    """One translation unit with what it needs beyond the flags of the program."""

    path: Path
    flags: tuple[str, ...] = ()

    @property
    def is_cxx(self) -> bool:
        return self.path.suffix in (".cpp", ".cc", ".cxx")


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    suite: str  # javagrande, dacapo, classic, real or racy
    group: str  # one of GROUPS
    sources: tuple[Source, ...]
    default_size: str
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    racy: bool = False
    # The size at which the plain program takes 0.03 to 0.15 s, or the next above: below 20 ms, starting is most of it.
    quick_size: str = "small"
    version: str = ""  # of a real program, as it was fetched
    # Of a second executable, which no detector is asked to look at: PROGRAM.helper beside the program.
    helper: Source | None = None

    def at(self, size: str | None) -> str:
        """The size to run at when this one is asked for; None is the default."""
        if size is None or self.racy:
            return self.default_size
        return self.quick_size if size == QUICK else size


def _own(suite: str, group: str, name: str, default_size: str, quick_size: str = "small") -> Program:
    """A program of ours: one source, found by its name."""
    source = Source(PROGRAMS_DIR / suite / f"{name}.cpp")
    return Program(
        name, suite, group, (source,), default_size, flags=(f"-I{REPOSITORY}",), quick_size=quick_size
    )


def _racy(program: Program, default_size: str) -> Program:
    return dataclasses.replace(
        program,
        name=program.name + "-racy",
        suite="racy",
        flags=program.flags + ("-DBENCH_RACY",),
        default_size=default_size,
        racy=True,
    )


# Default sizes are chosen so that the uninstrumented program runs for a few tenths of a second on two
# cores: long enough to time, short enough that all programs under four detectors, five times each, take
# less than 45 minutes when a detector costs fifteen times the program.
JAVA_GRANDE = (
    _own("javagrande", "kernels", "crypt", "B", "A"),
    _own("javagrande", "kernels", "series", "A"),
    _own("javagrande", "kernels", "lufact", "B", "A"),
    _own("javagrande", "kernels", "sor", "A"),
    _own("javagrande", "kernels", "sparse", "B", "A"),
    _own("javagrande", "kernels", "moldyn", "A"),
    _own("javagrande", "kernels", "montecarlo", "A"),
    _own("javagrande", "kernels", "raytracer", "A"),
)

DACAPO = (
    _own("dacapo", "pointers", "inverted_index", "A"),
    _own("dacapo", "pointers", "btree_store", "A", "A"),
    _own("dacapo", "pointers", "event_sim", "A"),
    _own("dacapo", "pointers", "task_pool", "A", "A"),
    _own("dacapo", "bytes", "pipeline", "A"),
    _own("dacapo", "pointers", "lru_cache", "A", "A"),
)

CLASSIC = (
    _own("classic", "pointers", "barnes_hut", "A"),
    _own("classic", "pointers", "multipole", "A"),
    _own("classic", "arrays", "lu_contiguous", "A"),
    _own("classic", "arrays", "lu_strided", "A"),
    _own("classic", "arrays", "fft_transpose", "A"),
    _own("classic", "arrays", "radix_sort", "A"),
    _own("classic", "arrays", "multigrid", "A"),
    _own("classic", "pointers", "molecules", "A"),
    _own("classic", "pointers", "molecules_cells", "A"),
    _own("classic", "arrays", "cholesky", "A"),
    _own("classic", "pointers", "ray_tasks", "A"),
    _own("classic", "pointers", "radiosity", "A"),
    _own("classic", "arrays", "stream_cluster", "A"),
    _own("classic", "arrays", "pricing", "A"),
    _own("classic", "pointers", "annealing", "A"),
    _own("classic", "pointers", "fluid", "A"),
    _own("classic", "bytes", "dedup", "A"),
)

RACE_FREE = JAVA_GRANDE + DACAPO + CLASSIC

_BY_NAME = {program.name: program for program in RACE_FREE}

# The races of these do not depend on the schedule, so that a small input shows them.
RACY = tuple(
    _racy(_BY_NAME[name], "tiny")
    for name in ("sor", "raytracer", "lru_cache", "lu_contiguous", "molecules", "stream_cluster", "fluid")
)

OWN = RACE_FREE + RACY


class UnknownProgram(ValueError):
    pass


def parts_of(text: str, option: str) -> list[str]:
    """Of a comma-separated list, which says something."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise ValueError(f"{option} is an empty list")
    return parts


def select(names: str | None, available: tuple[Program, ...]) -> list[Program]:
    """The programs named by a comma-separated list of names, suites and groups; everything if there is no list.

    A group has no racy variants: they are run for their races.
    """
    if names is None:
        return list(available)
    chosen: dict[str, Program] = {}
    for name in parts_of(names, "--programs"):
        matches = [p for p in available if name in (p.name, p.suite, "all") or (name == p.group and not p.racy)]
        if not matches:
            known = sorted({text for p in available for text in (p.name, p.suite, p.group)})
            like = " or ".join(f"'{text}'" for text in difflib.get_close_matches(name, known))
            hint = f"; did you mean {like}?" if like else ""
            raise UnknownProgram(f"no program, suite or group is called '{name}'{hint} (--list has them)")
        chosen.update((p.name, p) for p in matches)
    return list(chosen.values())
