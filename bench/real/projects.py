"""The real programs: where their sources come from and how they are built with a workload of ours.

Each folder here with a project.json is one. Its package is fetched when it is asked for, into bench/cache
(fetch.py); nothing of it is part of this repository. A project.json says

    package       {"npm": NAME, "version": VERSION}, {"debian-source": NAME or NAMES} for source packages (of several,
                  each is a folder of its name), or {"debian": NAME, "header": a file that it installs}
    sources       [{"files": [GLOB...], "except": [GLOB...], "flags": [...]}], relative to the package
    includes      folders relative to the package
    overrides     folders beside the project.json whose headers come before those of the package
    flags         for all sources, the workload included
    workload      sources beside the project.json
    helper        a source beside the project.json of a second executable, compiled without a detector: a server's load
    libraries     for the link
    default_size  one of the benchmark sizes
    quick_size    another one for `--quick`, if "small" takes the plain program less than 20 ms
    group         one of the groups of harness/programs.py

With this any pair of compilers can build it: build.py does.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from harness.programs import REPOSITORY, Program, Source

from . import fetch

REAL = Path(__file__).resolve().parent
SUITE = "real"


@dataclasses.dataclass(frozen=True)
class Project:
    folder: Path
    description: dict

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def quick_size(self) -> str:
        return self.description.get("quick_size", "small")

    def program(self, fetched: fetch.Package) -> Program:
        """The program to build from what was fetched."""
        d = self.description
        package = fetched.folder
        includes = [f"-I{self.folder / folder}" for folder in d.get("overrides", ())]
        includes += [f"-I{package / folder}" for folder in d.get("includes", ())]
        sources = [Source(self.folder / name, (f"-I{REPOSITORY}",)) for name in d["workload"]]
        for entry in d.get("sources", ()):
            sources += [Source(path, tuple(entry.get("flags", ()))) for path in _matching(package, entry)]
        return Program(
            self.name,
            SUITE,
            d["group"],
            tuple(sources),
            d["default_size"],
            flags=(*includes, *d.get("flags", ())),
            libraries=tuple(d.get("libraries", ())),
            quick_size=self.quick_size,
            version=fetched.version,
            helper=Source(self.folder / d["helper"], (f"-I{REPOSITORY}",)) if "helper" in d else None,
        )


def _matching(package: Path, entry: dict) -> list[Path]:
    excluded = {path for pattern in entry.get("except", ()) for path in package.glob(pattern)}
    matched = {path for pattern in entry["files"] for path in package.glob(pattern)} - excluded
    if not matched:
        raise fetch.Unavailable(f"no file of the package matches {', '.join(entry['files'])}")
    return sorted(matched)


def load(folder: Path) -> Project:
    return Project(folder, json.loads((folder / "project.json").read_text()))


def all_projects() -> list[Project]:
    return [load(path.parent) for path in sorted(REAL.glob("*/project.json"))]


def declared() -> tuple[Program, ...]:
    """The programs by name, before their packages are there: without sources."""
    return tuple(
        Program(p.name, SUITE, p.description["group"], (), p.description["default_size"], quick_size=p.quick_size)
        for p in all_projects()
    )


def prepare(programs: list[Program]) -> tuple[list[Program], list[str]]:
    """Fetches what the real programs among these need.

    Returns the programs that can be built and a note for each that has to be left out.
    """
    projects = {project.name: project for project in all_projects()}
    ready, notes = [], []
    for program in programs:
        if program.suite != SUITE:
            ready.append(program)
            continue
        project = projects[program.name]
        try:
            ready.append(project.program(fetch.fetch(project.name, project.description["package"])))
        except fetch.Unavailable as reason:
            notes.append(f"{program.name} is left out: {reason}")
    return ready, notes
