"""Headless Chromium, for pictures of the page and for testing it. Nothing is fetched from a network."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --enable-logging=stderr"
).split()
TIMEOUT = 120


class NoBrowser(Exception):
    pass


def find() -> str | None:
    return next((name for name in NAMES if shutil.which(name)), None)


def run(page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Opens the page in a new profile, with the given arguments; the browser's log is in stderr."""
    browser = find()
    if browser is None:
        raise NoBrowser(f"none of {', '.join(NAMES)} is installed")
    with tempfile.TemporaryDirectory(prefix="bigfoot-bench-") as profile:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", *arguments, page.resolve().as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)


def screenshot(page: Path, picture: Path, width: int = 1280, height: int = 1800) -> None:
    picture.parent.mkdir(parents=True, exist_ok=True)
    run(page, f"--window-size={width},{height}", f"--screenshot={picture.resolve()}")
