#!/usr/bin/env python3
"""How many instructions programs take under a detector, and where.

Runs each program under valgrind's callgrind, which counts: figures do not depend on what else the machine does, and
differ between runs only by how the threads come to interleave. For each program the sum and, with --top, the functions
that take most, with their calls. Needs valgrind.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from harness import detectors, options, programs
from harness.build import BuildFailed
from real import projects

NAMED = re.compile(r"\((\d+)\)(?: (.*))?")


class Failed(Exception):
    pass


@dataclass
class Profile:
    own: Counter = field(default_factory=Counter)  # instructions of each function without those it calls
    calls: Counter = field(default_factory=Counter)

    @property
    def total(self) -> int:
        return self.own.total()


def parse(text: str) -> Profile:
    """Of callgrind's own format: a line of costs belongs to the function before it, unless it follows a call."""
    profile = Profile()
    names: dict[str, str] = {}

    def name(said: str) -> str:
        number, words = NAMED.fullmatch(said).groups()
        return names.setdefault(number, words)

    function = callee = ""
    is_callees = False
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "fn":
            function = name(value)
        elif key == "cfn":
            callee = name(value)
        elif key == "calls":
            profile.calls[callee] += int(value.split()[0])
            is_callees = True
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            if not is_callees:
                profile.own[function] += int(line.split()[1])
            is_callees = False
    return profile


def rows(profile: Profile, top: int) -> list[str]:
    lines = []
    for function, own in profile.own.most_common(top):
        calls = profile.calls[function]
        each = f"{own / calls:8.0f}" if calls else " " * 8
        lines.append(f"  {100 * own / profile.total:5.1f} %{calls:>12} calls{each} each  {function}")
    return lines


def count(executable: Path, arguments: list[str]) -> Profile:
    # Debian's valgrind does not read the debug information of newer compilers; names are in the symbol table.
    stripped, out = executable.with_suffix(".stripped"), executable.with_suffix(".callgrind")
    for command in (
        ["objcopy", "--strip-debug", str(executable), str(stripped)],
        ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", str(stripped), *arguments],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{command[0]}: exit code {done.returncode}\n{done.stderr}")
    return parse(out.read_text())


def main(arguments: list[str]) -> int:
    parser = options.Parser(
        prog="instructions.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", metavar="LIST", default="dacapo", help="programs or suites (default: %(default)s)")
    parser.add_argument("--detector", metavar="NAME", default="bigfoot", help="default: %(default)s")
    parser.add_argument("--size", default="tiny", help="default: %(default)s")
    parser.add_argument("--top", metavar="N", type=int, default=0, help="functions to list (default: none)")
    options.add_work(parser)
    chosen = parser.parse_args(arguments)
    if chosen.detector not in ("base", "fasttrack", "redcard", "slimstate", "slimcard", "bigfoot"):
        parser.error(f"{chosen.detector} does not run under valgrind")
    if shutil.which("valgrind") is None:
        print("bench/instructions.py: error: valgrind is not installed", file=sys.stderr)
        return 1
    builder, _ = options.tools(chosen)
    detector = detectors.DETECTORS[chosen.detector]
    try:
        ready, notes = projects.prepare(programs.select(chosen.programs, programs.OWN + projects.declared()))
        for note in notes:
            print(f"note: {note}", file=sys.stderr)
        for program in ready:
            executable = builder.build(program, detector).executable
            profile = count(executable, ["--threads", "2", "--size", chosen.size])
            print(f"{program.name:<16} {profile.total / 1e6:12.1f} million", flush=True)
            print("".join(f"{row}\n" for row in rows(profile, chosen.top)), end="")
    except (Failed, BuildFailed, ValueError) as failure:
        print(f"bench/instructions.py: error: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
