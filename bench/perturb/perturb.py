"""How often rarely-racing programs show their race, with the system's own schedules and with perturbed ones.

    python3 bench/perturb/perturb.py --cxx build/bin/bigfoot-clang++ --seeds 100

Each program runs once per seed without `perturb` and once with `perturb=SEED`, alternating, and the table says in how
many of them the race was reported. docs/perturbation.md has a recorded one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.cpp"))
RACE = 66


def found(program: Path, options: str) -> bool:
    environment = {**os.environ, "BIGFOOT_OPTIONS": f"log_path=/dev/null:{options}", "TSAN_OPTIONS": ""}
    code = subprocess.run([program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode
    if code not in (0, RACE):
        sys.exit(f"perturb.py: {program.name} ended with {code}; run it alone to see why")
    return code == RACE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxx", default="bigfoot-clang++", help="the compiler driver")
    parser.add_argument("--seeds", type=int, default=100, help="runs of each kind")
    arguments = parser.parse_args()
    print(f"{'program':20} {'plain':>8} {'perturbed':>10}   of {arguments.seeds} runs each")
    with tempfile.TemporaryDirectory() as folder:
        last = time.monotonic()
        for source in PROGRAMS:
            program = Path(folder) / source.stem
            subprocess.run([arguments.cxx, "-O1", "-g", "-pthread", source, "-o", program], check=True)
            plain = perturbed = 0
            for seed in range(1, arguments.seeds + 1):
                plain += found(program, "symbolize=0")
                perturbed += found(program, f"symbolize=0:perturb={seed}")
                if time.monotonic() - last > 5 and sys.stderr.isatty():
                    last = time.monotonic()
                    print(f"{source.stem}: seed {seed} of {arguments.seeds}", file=sys.stderr)
            print(f"{source.stem:20} {plain:8} {perturbed:10}", flush=True)


if __name__ == "__main__":
    main()
