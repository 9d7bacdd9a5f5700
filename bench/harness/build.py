"""Compiles a program with the compilers of a detector. No build system: a list of sources and one link.

What was built before from the same is kept (kept.py).
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
from pathlib import Path

from . import kept
from .detectors import Detector, Toolchain
from .process import CannotStart, Launcher, TimedOut
from .programs import Program, Source

COMMON_FLAGS = ("-O2", "-g", "-pthread")
CXX_FLAGS = ("-std=c++20",)
COMPILE_TIMEOUT = 1200.0


class BuildFailed(Exception):
    """The message is what a row of the table says."""


@dataclasses.dataclass(frozen=True)
class Built:
    executable: Path
    # Processor time of all compilations and the link: unlike elapsed time it does not depend on what else
    # the machine did.
    cpu_seconds: float
    is_kept: bool = False  # from an earlier command, as is its time


@dataclasses.dataclass(frozen=True)
class _Plan:
    """The commands that build an executable, and where they put what."""

    folder: Path
    executable: Path
    objects: list[Path]
    compilations: list[list[str]]
    link: list[str]
    helper: list[str]  # empty: the program has none
    recipe: str

    @property
    def executables(self) -> list[Path]:
        return [self.executable, *([helper_of(self.executable)] if self.helper else ())]

    @property
    def dependency_files(self) -> list[Path]:
        helpers = self.executables[1:]
        return [_dependencies_of(path) for path in (*self.objects, *helpers)]


class Builder:
    def __init__(
        self,
        work: Path,
        toolchain: Toolchain,
        launcher: Launcher,
        fresh: bool = False,
        plain_cxx: str | None = None,
    ) -> None:
        """With `fresh`, nothing is kept. `plain_cxx` compiles helpers, which no detector looks at."""
        self._work = work
        self.toolchain = toolchain
        self._launcher = launcher
        self._fresh = fresh
        self._plain_cxx = plain_cxx or toolchain.cxx

    def is_kept(self, program: Program, detector: Detector) -> bool:
        return not detector.missing(self.toolchain) and self._kept(self._plan(program, detector)) is not None

    def build(self, program: Program, detector: Detector) -> Built:
        missing = detector.missing(self.toolchain)
        if missing:
            raise BuildFailed(missing)
        plan = self._plan(program, detector)
        with kept.alone_in(plan.folder):
            return self._kept(plan) or self._build(program, plan)

    def _build(self, program: Program, plan: _Plan) -> Built:
        kept.forget(plan.folder)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            names = [source.path.name for source in program.sources]
            cpu_seconds = sum(pool.map(self._run, names, plan.compilations))
        cpu_seconds += self._run("link", plan.link)
        if plan.helper:  # its time is the same for all detectors, and counts for none
            self._run("helper", plan.helper)
        kept.write(plan.folder, plan.recipe, plan.dependency_files, cpu_seconds)
        for path in (*plan.objects, *plan.dependency_files):  # gigabytes, if all programs' are left
            path.unlink(missing_ok=True)
        return Built(plan.executable, cpu_seconds)

    def _kept(self, plan: _Plan) -> Built | None:
        if self._fresh or not all(path.exists() for path in plan.executables):
            return None
        cpu_seconds = kept.read(plan.folder, plan.recipe)
        return None if cpu_seconds is None else Built(plan.executable, cpu_seconds, is_kept=True)

    def _plan(self, program: Program, detector: Detector) -> _Plan:
        folder = self._work / program.name / detector.name
        executable = folder / program.name
        objects = [folder / f"{i}-{source.path.stem}.o" for i, source in enumerate(program.sources)]
        compilers = detector.compilers(self.toolchain)
        cc, cxx = compilers
        compilations = [
            _compilation(cxx if source.is_cxx else cc, program, detector, source, target)
            for source, target in zip(program.sources, objects)
        ]
        link = [cxx, *COMMON_FLAGS, *detector.flags, *map(str, objects), "-o", str(executable), *program.libraries]
        helper = self._helper_command(program, helper_of(executable)) if program.helper else []
        recipe = kept.recipe_of(compilers, detector.driver, [*compilations, link, helper])
        return _Plan(folder, executable, objects, compilations, link, helper, recipe)

    def _helper_command(self, program: Program, target: Path) -> list[str]:
        source = program.helper
        return [self._plain_cxx, *CXX_FLAGS, *COMMON_FLAGS, *source.flags, *_told_to(target), str(source.path)]

    def _run(self, what: str, command: list[str]) -> float:
        """The processor time it took."""
        try:
            completed = self._launcher.run(command, timeout=COMPILE_TIMEOUT)
        except TimedOut:
            raise BuildFailed(f"{what}: compiler timed out after {COMPILE_TIMEOUT:.0f} s") from None
        except CannotStart as error:
            raise BuildFailed(f"{what}: {error}") from None
        if completed.exit_code != 0:
            raise BuildFailed(f"{what}: {first_error(completed.stderr)}")
        return completed.cpu_seconds


def _compilation(compiler: str, program: Program, detector: Detector, source: Source, target: Path) -> list[str]:
    return [
        compiler,
        *(CXX_FLAGS if source.is_cxx else ()),
        *COMMON_FLAGS,
        *detector.flags,
        *program.flags,
        *source.flags,
        *_told_to(target),
        *("-c", str(source.path)),
    ]


def _told_to(target: Path) -> tuple[str, ...]:
    """Where the result goes, and what was read for it."""
    return ("-o", str(target), "-MD", "-MF", str(_dependencies_of(target)))


def _dependencies_of(target: Path) -> Path:
    return target.with_suffix(".d")


def helper_of(executable: Path) -> Path:
    return executable.with_name(executable.name + ".helper")


def first_error(stderr: str) -> str:
    """The first line that names an error, or the first line at all."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["the compiler failed and said nothing"])[0][:200]
