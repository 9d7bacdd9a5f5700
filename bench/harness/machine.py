"""The machine that figures are of, as far as it says something about them, and the revision of this tree."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from . import revision
from .programs import REPOSITORY


def describe(cxx: str) -> dict[str, Any]:
    head, is_clean = revision.describe(REPOSITORY)
    return {
        "revision": head,
        "clean": is_clean,
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": _distribution(),
        "kernel": platform.release(),
        "compiler": _first_line([cxx, "--version"]),
        "valgrind": _first_line(["valgrind", "--version"]),
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()


def _first_line(command: list[str]) -> str | None:
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    lines = done.stdout.splitlines()
    return lines[0].strip() if lines else None
