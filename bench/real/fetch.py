#!/usr/bin/env python3
"""Fetches the package of a real program into bench/cache and prints the folder it is in.

    bench/real/fetch.py leveldb

npm packages come by `npm pack` in the version that project.json names, from whatever registry npm is set up for;
Debian source packages by apt in the version that the machine's release offers (debian_source.py); Debian packages
are expected to be installed (apt-get install), and only looked for. What is in the cache is not fetched again.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

from real import command, debian_source  # noqa: E402
from real.command import Unavailable  # noqa: E402

CACHE = BENCH / "cache" / "packages"


@dataclasses.dataclass(frozen=True)
class Package:
    folder: Path  # with the package's files
    version: str  # "" if it is not known


def fetch(name: str, package: dict, cache: Path = CACHE) -> Package:
    """REQUIRES: package as in project.json."""
    if "debian" in package:
        return _installed(package)
    if "debian-source" in package:
        folder = debian_source.cached(name, cache) or debian_source.fetch(name, package["debian-source"], cache)
        return Package(folder, folder.name.removeprefix(f"{name}-"))
    target = cache / f"{name}-{package['version']}"
    if not target.exists():
        _unpack_npm(package, target)
    return Package(target, package["version"])


def _installed(package: dict) -> Package:
    header = Path(package["header"])
    if not header.exists():
        raise Unavailable(f"{header} is missing (apt-get install {package['debian']})")
    return Package(header.parent, _installed_version(package["debian"]))


def _installed_version(package: str) -> str:
    if shutil.which("dpkg-query") is None:
        return ""
    return command.run(["dpkg-query", "-W", "-f=${Version}", package], BENCH).stdout


def _unpack_npm(package: dict, target: Path) -> None:
    command.require("npm", "npm")
    wanted = f"{package['npm']}@{package['version']}"
    command.say(f"fetching {wanted}")
    target.parent.mkdir(parents=True, exist_ok=True)
    # Unpacked beside the target and then renamed, so that a fetch that was cut short leaves no half package.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch_name:
        scratch = Path(scratch_name)
        archive = scratch / _npm_pack(wanted, scratch)
        _extract_files(archive, scratch)
        (scratch / "package").rename(target)


def _extract_files(archive: Path, folder: Path) -> None:
    """The regular files of the archive, none of them outside the folder."""
    with tarfile.open(archive) as contents:
        for member in contents:
            name = Path(member.name)
            if not member.isfile() or name.is_absolute() or ".." in name.parts:
                continue
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with contents.extractfile(member) as source, open(target, "wb") as copy:
                shutil.copyfileobj(source, copy)


def _npm_pack(wanted: str, folder: Path) -> str:
    done = command.run(["npm", "pack", wanted, "--silent", "--pack-destination", str(folder)], folder)
    if done.returncode != 0 or not done.stdout.split():
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no reason given"]
        raise Unavailable(f"npm pack {wanted} failed: {lines[0].strip()}")
    return done.stdout.split()[-1]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: fetch.py NAME", file=sys.stderr)
        return 2
    description = Path(__file__).with_name(arguments[0]) / "project.json"
    if not description.exists():
        print(f"fetch.py: no real program is called '{arguments[0]}'", file=sys.stderr)
        return 2
    try:
        print(fetch(arguments[0], json.loads(description.read_text())["package"]).folder)
    except Unavailable as reason:
        print(f"fetch.py: {reason}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
