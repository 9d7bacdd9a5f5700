"""What the small commands beside bench.py have in common: how often to run, and where to build."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from . import detectors, programs
from .build import Builder
from .process import CannotStart, Launcher

class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


WORK = Path(__file__).resolve().parent.parent / "cache" / "build"


def add(parser: argparse.ArgumentParser, runs: int) -> None:
    """`runs` is the default for one way to run a program."""
    parser.add_argument("--runs", metavar="N", type=_positive, default=runs, help="of each way (default: %(default)s)")
    add_work(parser)


def add_work(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--work", metavar="DIR", type=Path, default=WORK, help="for executables")


def tools(chosen: argparse.Namespace) -> tuple[Builder, Launcher]:
    """REQUIRES: `chosen` comes from a parser with these options."""
    work = chosen.work.resolve()
    toolchain = detectors.default_toolchain(programs.REPOSITORY)
    try:
        launcher = Launcher(work, toolchain.cc)
    except CannotStart as reason:
        print(f"{Path(sys.argv[0]).name}: {reason}", file=sys.stderr)
        sys.exit(2)
    return Builder(work, toolchain, launcher), launcher


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError("takes a positive number")
    return number
