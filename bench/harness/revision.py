"""Which revision of this repository a campaign measured."""

from __future__ import annotations

import subprocess
from pathlib import Path

# What recording a campaign changes. The next campaign is of the same revision all the same.
RECORDED = ("bench/recorded", "docs/results.md", "docs/bench.png", "README.md")


def describe(repository: Path) -> tuple[str | None, bool]:
    """The revision, and whether the tree is as it says. None outside of a git repository."""
    revision = _git(repository, "rev-parse", "--short=12", "HEAD")
    changes = _git(repository, "status", "--porcelain", "--", ".", *(f":!{path}" for path in RECORDED))
    return (revision or "").strip() or None, changes == ""


def _git(repository: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(repository), *arguments], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
