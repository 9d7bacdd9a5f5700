"""Compiles a program with the compilers of a detector. No build system: a list of sources and one link."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import os
from pathlib import Path

from .detectors import Detector, Toolchain
from .process import CannotStart, Completed, Launcher, TimedOut
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


class Builder:
    def __init__(self, work: Path, toolchain: Toolchain, launcher: Launcher, plain_cxx: str | None = None) -> None:
        self._work = work
        self.toolchain = toolchain
        self._launcher = launcher
        self._plain_cxx = plain_cxx or toolchain.cxx

    def build(self, program: Program, detector: Detector) -> Built:
        missing = detector.missing(self.toolchain)
        if missing:
            raise BuildFailed(missing)
        folder = self._work / program.name / detector.name
        folder.mkdir(parents=True, exist_ok=True)
        targets = [folder / f"{i}-{source.path.stem}.o" for i, source in enumerate(program.sources)]
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            compile_one = functools.partial(self._compile, program, detector)
            cpu_seconds = sum(pool.map(compile_one, program.sources, targets))
        objects = [str(target) for target in targets]
        executable = folder / program.name
        _, cxx = detector.compilers(self.toolchain)
        link = [cxx, *COMMON_FLAGS, *detector.flags, *objects, "-o", str(executable), *program.libraries]
        cpu_seconds += self._run("link", link).cpu_seconds
        if program.helper:
            self._build_helper(program, helper_of(executable))
        return Built(executable, cpu_seconds)

    def _build_helper(self, program: Program, target: Path) -> None:
        """Its time is nobody's: it is the same for all detectors."""
        flags = [flag for source in program.helper for flag in source.flags]
        sources = [str(source.path) for source in program.helper]
        self._run(target.name, [self._plain_cxx, *CXX_FLAGS, *COMMON_FLAGS, *flags, *sources, "-o", str(target)])

    def _compile(self, program: Program, detector: Detector, source: Source, target: Path) -> float:
        cc, cxx = detector.compilers(self.toolchain)
        command = [
            cxx if source.is_cxx else cc,
            *(CXX_FLAGS if source.is_cxx else ()),
            *COMMON_FLAGS,
            *detector.flags,
            *program.flags,
            *source.flags,
            "-c",
            str(source.path),
            "-o",
            str(target),
        ]
        return self._run(source.path.name, command).cpu_seconds

    def _run(self, what: str, command: list[str]) -> Completed:
        try:
            completed = self._launcher.run(command, timeout=COMPILE_TIMEOUT)
        except TimedOut:
            raise BuildFailed(f"{what}: compiler timed out after {COMPILE_TIMEOUT:.0f} s") from None
        except CannotStart as error:
            raise BuildFailed(f"{what}: {error}") from None
        if completed.exit_code != 0:
            raise BuildFailed(f"{what}: {first_error(completed.stderr)}")
        return completed


def helper_of(executable: Path) -> Path:
    return executable.with_name(executable.name + ".helper")


def first_error(stderr: str) -> str:
    """The first line that names an error, or the first line at all."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["the compiler failed without a word"])[0][:200]
