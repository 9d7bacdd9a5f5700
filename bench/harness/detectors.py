"""The configurations that are compared: how a program is compiled for each and how it is started."""

from __future__ import annotations

import dataclasses
import os
import shutil
from pathlib import Path

from .programs import parts_of

# What every detector is asked to exit with when it has reported a race, so that a race is told apart from
# a program that fails.
RACE_EXIT_CODE = 66

BASE = "base"


@dataclasses.dataclass(frozen=True)
class Toolchain:
    """Where the compilers are. `bigfoot` is the folder of the BigFoot drivers."""

    cc: str
    cxx: str
    bigfoot: Path


@dataclasses.dataclass(frozen=True)
class Detector:
    """REQUIRES: names are those of `--detectors` and keys of the results."""

    name: str
    driver: str  # plain, bigfoot
    flags: tuple[str, ...] = ()
    wrapper: tuple[str, ...] = ()  # a command the program is run under
    options_variable: str | None = None
    options: str = ""
    variant: bool = False  # of another detector: chosen by name, not by `all`
    # The detector that the same executable was already built for, if any.
    built_as: str | None = None
    # What turns a build into one that counts accesses and checks; None: there is no such build.
    counting_flags: tuple[str, ...] | None = None

    @property
    def counts_checks(self) -> bool:
        return self.counting_flags is not None

    def counted(self) -> Detector:
        """The same detector in a build that counts accesses and checks; counting costs time of its own."""
        return dataclasses.replace(
            self, name=f"{self.name}-counted", flags=(*self.flags, *(self.counting_flags or ()))
        )

    def compilers(self, toolchain: Toolchain) -> tuple[str, str]:
        if self.driver == "plain":
            return toolchain.cc, toolchain.cxx
        return str(toolchain.bigfoot / "bigfoot-clang"), str(toolchain.bigfoot / "bigfoot-clang++")

    def missing(self, toolchain: Toolchain) -> str | None:
        """Why the detector cannot be used here, or None."""
        for tool in (*self.compilers(toolchain), *self.wrapper[:1]):
            if shutil.which(tool) is None:
                return f"{tool} is not installed"
        return None

    def environment(self, extra_options: str = "") -> dict[str, str]:
        """The environment of a run: the caller's, without options of any detector but this one's own."""
        environment = {
            key: value
            for key, value in os.environ.items()
            if key not in ("TSAN_OPTIONS", "BIGFOOT_OPTIONS", "VALGRIND_OPTS")
        }
        options = " ".join(filter(None, (self.options, extra_options)))
        if self.options_variable and options:
            environment[self.options_variable] = options
        return environment


def _bigfoot(name: str, *flags: str, options: str = "") -> Detector:
    """`flags` are part of the name as well: redcard-no-proxies."""
    return Detector(
        "".join((name, *(flag.removeprefix("-") for flag in flags))),
        driver="bigfoot",
        flags=(f"--detector={name}", *flags),
        variant=bool(flags),
        counting_flags=("--bigfoot-count",),
        options_variable="BIGFOOT_OPTIONS",
        options=" ".join(filter(None, (f"exitcode={RACE_EXIT_CODE}", options))),
    )


def _valgrind(name: str) -> Detector:
    return Detector(
        name,
        driver="plain",
        wrapper=("valgrind", "-q", f"--tool={name}", f"--error-exitcode={RACE_EXIT_CODE}"),
        built_as=BASE,
    )


DETECTORS = {
    detector.name: detector
    for detector in (
        Detector(BASE, driver="plain"),
        _bigfoot("fasttrack"),
        # The papers' systems keep fields that are checked together in one location; our own does not (decisions/0009).
        _bigfoot("redcard", options="proxies=auto"),
        _bigfoot("slimstate"),
        _bigfoot("slimcard", options="proxies=auto"),
        _bigfoot("bigfoot"),
        _bigfoot("redcard", "--no-proxies"),
        _bigfoot("bigfoot", "--no-proxies"),
        Detector(
            "tsan",
            driver="plain",
            flags=("-fsanitize=thread",),
            options_variable="TSAN_OPTIONS",
            options=f"exitcode={RACE_EXIT_CODE}",
        ),
        _valgrind("helgrind"),
        _valgrind("drd"),
    )
}

DEFAULT_DETECTORS = "fasttrack,bigfoot,tsan"


class UnknownDetector(ValueError):
    pass


def select(names: str) -> list[Detector]:
    """The detectors of a comma-separated list, the uninstrumented program always first.

    `all` is all of them without their variants.
    """
    chosen = {BASE: DETECTORS[BASE]}
    for name in parts_of(names, "--detectors"):
        if name == "all":
            chosen.update({n: detector for n, detector in DETECTORS.items() if not detector.variant})
        elif name in DETECTORS:
            chosen[name] = DETECTORS[name]
        else:
            raise UnknownDetector(f"no detector is called '{name}' (there are: {', '.join(DETECTORS)})")
    return list(chosen.values())


def default_toolchain(repository: Path) -> Toolchain:
    def first(*names: str) -> str:
        return next((name for name in names if shutil.which(name)), names[0])

    bigfoot = Path(os.environ.get("BIGFOOT_BIN", repository / "build" / "bin"))
    return Toolchain(first("clang-22", "clang"), first("clang++-22", "clang++"), bigfoot)


def check_tools(toolchain: Toolchain) -> None:
    """Nothing is measured without the plain compilers. A folder of drivers that somebody names should be there; one
    that was not built yet is a detector that is not installed."""
    for compiler in (toolchain.cc, toolchain.cxx):
        if shutil.which(compiler) is None:
            raise ValueError(f"{compiler} is not installed")
    named = os.environ.get("BIGFOOT_BIN")
    if named and not Path(named).is_dir():
        raise ValueError(f"BIGFOOT_BIN: there is no folder {named}")
