"""Running the tools that fetch packages: npm, apt, dpkg-source."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TIMEOUT = 180


class Unavailable(Exception):
    """The package cannot be had now. The message says why and what would help."""


def require(tool: str, package: str) -> None:
    if shutil.which(tool) is None:
        raise Unavailable(f"{tool} is not installed (it is in Debian's package {package})")


def run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    """The command as it ended, whatever its exit code.

    The words of an error are looked for in its output, so the language is fixed.
    """
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C", **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{describe(command)} did not answer in {TIMEOUT} s") from None


def describe(command: list[str]) -> str:
    """Program, subcommand and what it is about, without the options between them."""
    return " ".join(word for word in command if not word.startswith("-"))


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
