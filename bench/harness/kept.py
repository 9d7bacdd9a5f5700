"""Which executables of earlier commands are still what building them again would give.

Beside each executable is a record of what went into it: the compiler, the commands with all their flags, and the
contents of every file that the compiler read, headers of the system included (`-MD`). If all of it is as recorded, the
executable is kept, and with it the time that compiling took. Contents count, not times of files: a checkout touches
many and changes few.

Not seen are the system's libraries and linker, and a new header that would come before one of the same name. `--fresh`
builds everything again.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

NAME = "built.json"


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Makes the folder, and waits until no other command builds in it: then there may be nothing left to build."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)  # which ends the lock


def read(folder: Path, recipe: str) -> float | None:
    """The compile time of the executable in the folder, if it was built by this recipe from files as they are now."""
    try:
        record = json.loads((folder / NAME).read_text())
        is_same = record["recipe"] == recipe and all(_digest(p) == d for p, d in record["inputs"].items())
        return record["cpu_seconds"] if is_same else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def forget(folder: Path) -> None:
    (folder / NAME).unlink(missing_ok=True)


def write(folder: Path, recipe: str, dependency_files: Iterable[Path], cpu_seconds: float) -> None:
    """A compiler that does not say what it read has its executable built every time."""
    try:
        paths = {path for file in dependency_files for path in prerequisites(file.read_text())}
        inputs = {path: _digest(path) for path in sorted(paths)}
    except OSError:
        return
    (folder / NAME).write_text(json.dumps({"recipe": recipe, "cpu_seconds": cpu_seconds, "inputs": inputs}))


def recipe_of(compilers: Sequence[str], driver: str, commands: Sequence[Sequence[str]]) -> str:
    """Stands for everything that is known before compiling."""
    parts: list[Any] = [[_identity(compiler, driver) for compiler in compilers], commands]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def prerequisites(text: str) -> list[str]:
    """The files of a rule as compilers write it for make."""
    _, _, files = text.replace("\\\n", " ").partition(":")
    return [re.sub(r"\\(.)", r"\1", file).replace("$$", "$") for file in re.findall(r"(?:\\.|\S)+", files)]


def _identity(compiler: str, driver: str) -> list[str | None]:
    found = Path(shutil.which(compiler) or compiler).resolve()
    files = [found]
    if driver == "bigfoot":  # its plugin and its run times lie beside it
        files += sorted((found.parent.parent / "lib").glob("libbigfoot_*"))
    return [_version(compiler), *(_digest(str(file)) for file in files)]


@functools.cache
def _version(compiler: str) -> str:
    """What clang says of itself; most of it is in libraries."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout


def _digest(path: str) -> str:
    status = os.stat(path)
    return _digest_of_version(path, status.st_mtime_ns, status.st_size)


@functools.cache
def _digest_of_version(path: str, mtime: int, size: int) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
