#!/usr/bin/env python3
"""Builds a real program with any compilers.

    bench/real/build.py leveldb --cxx bigfoot-clang++ --cc bigfoot-clang --flags=--detector=bigfoot -o /tmp/leveldb
    /tmp/leveldb --threads 4 --size small

Fetches its package first (fetch.py). For trying a compiler on code that nobody here wrote; `bigfoot bench --programs
real` builds the same way.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.build import Builder, BuildFailed, helper_of  # noqa: E402
from harness.detectors import Detector, Toolchain, default_toolchain  # noqa: E402
from harness.options import Parser  # noqa: E402
from harness.process import CannotStart, Launcher  # noqa: E402
from harness.programs import REPOSITORY  # noqa: E402
from real import fetch, projects  # noqa: E402


def main(arguments: list[str]) -> int:
    toolchain = default_toolchain(REPOSITORY)
    parser = Parser(prog="build.py", description="Builds a real program with any compilers.")
    parser.add_argument("name", choices=[project.name for project in projects.all_projects()])
    parser.add_argument("--cc", default=toolchain.cc, help="default: %(default)s")
    parser.add_argument("--cxx", default=toolchain.cxx, help="default: %(default)s")
    parser.add_argument("--flags", default="", help="for compiling and linking, as --flags=...")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the executable")
    chosen = parser.parse_args(arguments)
    project = projects.load(projects.REAL / chosen.name)
    compiler = Detector("chosen", driver="plain", flags=tuple(shlex.split(chosen.flags)))
    try:
        program = project.program(fetch.fetch(project.name, project.description["package"]))
        with tempfile.TemporaryDirectory(prefix="bigfoot-bench-") as work:
            launcher = Launcher(Path(work), toolchain.cc)
            compilers = Toolchain(chosen.cc, chosen.cxx, toolchain.bigfoot)
            builder = Builder(Path(work), compilers, launcher, plain_cxx=toolchain.cxx)
            built = builder.build(program, compiler)
            chosen.output.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(built.executable, chosen.output)
            if program.helper:
                shutil.copy2(helper_of(built.executable), helper_of(chosen.output))
    except (fetch.Unavailable, CannotStart, BuildFailed) as failure:
        print(f"build.py: {failure}", file=sys.stderr)
        return 1 if isinstance(failure, BuildFailed) else 2
    print(f"{chosen.output}: {len(program.sources)} sources, {built.cpu_seconds:.1f} s of processor time")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
