"""The programs: what they are built from, their sizes and what a detector should find in them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS_DIR = REPOSITORY / "bench" / "programs"

SIZES = ("tiny", "small", "A", "B", "C")

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
    version: str = ""  # of a real program, as it was fetched
    # A second executable, which no detector is asked to look at: PROGRAM.helper beside the program.
    helper: tuple[Source, ...] = ()


def _own(suite: str, group: str, name: str, default_size: str) -> Program:
    """A program of ours: one source, found by its name."""
    source = Source(PROGRAMS_DIR / suite / f"{name}.cpp")
    return Program(name, suite, group, (source,), default_size, flags=(f"-I{REPOSITORY}",))


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
# less than 25 minutes when a detector costs fifteen times the program.
JAVA_GRANDE = (
    _own("javagrande", "kernels", "crypt", "B"),
    _own("javagrande", "kernels", "series", "A"),
    _own("javagrande", "kernels", "lufact", "B"),
    _own("javagrande", "kernels", "sor", "A"),
    _own("javagrande", "kernels", "sparse", "B"),
    _own("javagrande", "kernels", "moldyn", "A"),
    _own("javagrande", "kernels", "montecarlo", "A"),
    _own("javagrande", "kernels", "raytracer", "A"),
)

DACAPO = (
    _own("dacapo", "pointers", "inverted_index", "A"),
    _own("dacapo", "pointers", "btree_store", "A"),
    _own("dacapo", "pointers", "event_sim", "A"),
    _own("dacapo", "pointers", "task_pool", "A"),
    _own("dacapo", "bytes", "pipeline", "A"),
    _own("dacapo", "pointers", "lru_cache", "A"),
)

_BY_NAME = {program.name: program for program in JAVA_GRANDE + DACAPO}

# The races of these do not depend on the schedule, so that a small input shows them.
RACY = tuple(_racy(_BY_NAME[name], "tiny") for name in ("sor", "raytracer", "lru_cache"))

OWN = JAVA_GRANDE + DACAPO + RACY


class UnknownProgram(ValueError):
    pass


def select(names: str | None, available: tuple[Program, ...]) -> list[Program]:
    """The programs named by a comma-separated list of names and suites; everything if there is no list."""
    if names is None:
        return list(available)
    chosen: dict[str, Program] = {}
    for name in filter(None, (part.strip() for part in names.split(","))):
        matches = [p for p in available if name in (p.name, p.suite, "all")]
        if not matches:
            known = ", ".join(sorted({p.suite for p in available} | {p.name for p in available}))
            raise UnknownProgram(f"no program or suite is called '{name}' (there are: {known})")
        chosen.update((p.name, p) for p in matches)
    return list(chosen.values())
