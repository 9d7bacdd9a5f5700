"""Debian source packages, fetched by apt without a change to the machine.

A machine seldom has `deb-src` sources, and its package lists belong to root. So apt gets a folder of the bench's own:

    apt.conf          where everything is, and what the machine says about fetching (proxies, retries)
    sources.list.d/   the machine's sources with deb-src for deb, signed by the keys they name
    lists/, cache/    what apt keeps
    updated           touched when the lists were fetched without an error

apt.conf takes the place of the machine's configuration (APT_CONFIG, see apt.conf(5)) because that may run commands
after an update. With the folder apt needs no rights; as root it would drop them to a user that cannot write there, which
APT::Sandbox::User prevents.

The version of a package is the one that the sources offer. apt checks the files against the signed lists. Of a package
only what its authors published is fetched, without Debian's patches and packaging: it is their code that is measured, and
some mirrors do not have the rest.
"""

from __future__ import annotations

import contextlib
import fcntl
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from real import command
from real.command import Unavailable

MACHINE = Path("/etc/apt")
LISTS_FRESH_SECONDS = 24 * 3600


def cached(name: str, cache: Path) -> Path | None:
    """The unpacked package that an earlier fetch left: it is not given up for a newer version."""
    return max(cache.glob(f"{name}-[0-9]*"), key=lambda folder: folder.stat().st_mtime, default=None)


def fetch(name: str, packages: str | list[str], cache: Path) -> Path:
    """The folder NAME-VERSION in the cache with the sources, or of several packages a folder for each."""
    command.require("apt-get", "apt")
    command.require("dpkg-source", "dpkg-dev; scripts/setup scripts/packages-bench.txt installs it")
    cache.mkdir(parents=True, exist_ok=True)
    apt = Apt(cache.parent / "apt")
    # Unpacked beside the target and then renamed, so that a fetch that was cut short leaves no half package.
    with apt.alone(), tempfile.TemporaryDirectory(dir=cache, prefix=".fetch-") as scratch_name:
        scratch = Path(scratch_name)
        names = [packages] if isinstance(packages, str) else packages
        versions = [_unpack(apt, package, scratch) for package in names]
        unpacked = scratch / names[0] if isinstance(packages, str) else _gather(scratch, names)
        # Of what may stand in a version, only the epoch's colon needs care in a path; Debian's files leave it out too.
        target = cache / f"{name}-{'_'.join(version.rpartition(':')[2] for version in versions)}"
        if not target.exists():  # another process may have come first
            unpacked.rename(target)
    return target


def _unpack(apt: Apt, package: str, scratch: Path) -> str:
    """Unpacks the package into a folder of its name. Returns its version."""
    download = scratch / "download" / package
    download.mkdir(parents=True)
    description = apt.download(package, download)
    # --no-check: apt has compared the files with its signed lists.
    options = ("--no-check", "--no-copy", "--skip-debianization", "-q")
    extract = ["dpkg-source", *options, "-x", str(description), str(scratch / package)]
    done = command.run(extract, scratch)
    if done.returncode != 0:
        raise Unavailable(f"dpkg-source could not unpack {package}: {_reason(done.stderr)}")
    version = re.search(r"^Version: (\S+)$", description.read_text(errors="replace"), re.MULTILINE)
    if version is None:
        raise Unavailable(f"{description.name} names no version")
    return version[1]


def _gather(scratch: Path, names: list[str]) -> Path:
    together = scratch / "together"
    together.mkdir()
    for name in names:
        (scratch / name).rename(together / name)
    return together


class Apt:
    """apt-get with the folder described above."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp = folder / "updated"

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Waits for other processes that use the folder; apt itself would give up."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with open(self._folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def download(self, package: str, target: Path) -> Path:
        """Downloads the files of the source package. Returns its description, the .dsc file."""
        self._configure()
        fresh = self._fresh()
        failure = "" if fresh else self._update()
        command.say(f"fetching the source package {package}")
        complaint = self._download(package, target)
        # Lists older than the archive name files that are gone, or not yet those that are there.
        if complaint and fresh:
            failure = self._update()
            complaint = self._download(package, target)
        if complaint:
            because = f" (the lists could not be fetched: {failure})" if failure else ""
            raise Unavailable(f"apt-get source {package} failed: {complaint}{because}")
        return next(target.glob("*.dsc"))

    def _download(self, package: str, target: Path) -> str:
        """What went wrong, or nothing."""
        for part in ("--dsc-only", "--tar-only"):
            done = self._apt_get(target, "--only-source", "--download-only", part, "source", package)
            if done.returncode != 0 or not list(target.glob("*.dsc")):
                return _reason(done.stderr)
        return ""

    def _fresh(self) -> bool:
        return self._stamp.exists() and time.time() - self._stamp.stat().st_mtime < LISTS_FRESH_SECONDS

    def _update(self) -> str:
        """What went wrong, or nothing. A source that fails does not keep the others from being used."""
        command.say("fetching the lists of Debian's source packages")
        # Without this mode apt-get reports success when it could fetch nothing.
        done = self._apt_get(self._folder, "-oAPT::Update::Error-Mode=any", "update")
        if done.returncode != 0:
            return _reason(done.stderr)
        self._stamp.touch()
        return ""

    def _apt_get(self, folder: Path, *arguments: str):
        environment = {"APT_CONFIG": str(self._folder / "apt.conf")}
        return command.run(["apt-get", "-q", *arguments], folder, environment)

    def _configure(self) -> None:
        for part in ("sources.list.d", "lists/partial", "cache/archives/partial"):
            (self._folder / part).mkdir(parents=True, exist_ok=True)
        lines, paragraphs = source_entries(MACHINE)
        listed = self._replace("sources.list.d/machine.list", "".join(f"{line}\n" for line in lines))
        described = self._replace("sources.list.d/machine.sources", "\n".join(paragraphs))
        if listed or described:
            self._stamp.unlink(missing_ok=True)
        self._replace("apt.conf", self._configuration())

    def _replace(self, name: str, text: str) -> bool:
        """True if that changed the file."""
        path = self._folder / name
        if path.exists() and path.read_text() == text:
            return False
        path.write_text(text)
        return True

    def _configuration(self) -> str:
        # Without the machine's hooks and parts, but with its proxies; what comes later counts.
        machine = command.run(["apt-config", "dump"], self._folder).stdout if shutil.which("apt-config") else ""
        fetching = [line for line in machine.splitlines() if re.match(r"Acquire(::| )", line)]
        own = (
            'Dir::Etc::main "/dev/null";',
            'Dir::Etc::parts "/dev/null";',
            'Dir::Etc::sourcelist "/dev/null";',
            f'Dir::Etc::sourceparts "{self._folder}/sources.list.d";',
            f'Dir::State::lists "{self._folder}/lists";',
            f'Dir::Cache "{self._folder}/cache";',
            'APT::Sandbox::User "root";',
        )
        return "\n".join(('Acquire::Retries "3";', *fetching, *own)) + "\n"


def source_entries(machine: Path) -> tuple[list[str], list[str]]:
    """The machine's sources, as sources of source packages: lines of a .list file, paragraphs of a .sources file."""
    lines: dict[str, None] = {}  # an ordered set: many machines name some of their sources twice
    paragraphs: dict[str, None] = {}
    for path in (machine / "sources.list", *sorted((machine / "sources.list.d").glob("*.list"))):
        if path.exists():
            lines.update(dict.fromkeys(_list_entries(path)))
    for path in sorted((machine / "sources.list.d").glob("*.sources")):
        paragraphs.update(dict.fromkeys(_paragraphs(path)))
    if not lines and not paragraphs:
        raise Unavailable(f"apt has no sources in {machine}")
    return list(lines), list(paragraphs)


_LINE = re.compile(r"(?:deb|deb-src)\s+(?P<options>\[[^]]*\]\s+)?(?P<where>\S+\s+\S.*)")


def _list_entries(path: Path) -> Iterator[str]:
    for number, line in enumerate(_read(path).splitlines(), start=1):
        entry = line.partition("#")[0].strip()
        if not entry or entry.split()[1:2] and entry.split()[1].startswith("cdrom:"):
            continue
        match = _LINE.fullmatch(entry)
        if match is None:
            raise Unavailable(f"{path}:{number} is not a line of apt's sources: {entry}")
        yield f"deb-src {match['options'] or ''}{match['where']}"


def _paragraphs(path: Path) -> Iterator[str]:
    lines = "\n".join(line for line in _read(path).splitlines() if not line.startswith("#"))
    for text in filter(None, (part.strip("\n") for part in re.split(r"\n[ \t]*(?:\n|$)", lines))):
        fields = _fields(path, text)
        missing = [name for name in ("types", "uris", "suites") if name not in fields]
        if missing:
            raise Unavailable(f"{path}: a paragraph of apt's sources has no {missing[0]}")
        if fields.get("enabled", "").strip().lower() not in ("no", "false", "without", "off", "disable"):
            fields["types"] = " deb-src"
            yield "".join(f"{name.title()}:{value}\n" for name, value in fields.items())


def _fields(path: Path, text: str) -> dict[str, str]:
    """By lower-case name, values with the lines that continue them: Signed-By may hold a whole key."""
    fields: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line[0] in " \t" and name:
            fields[name] += f"\n{line}"
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if not colon or not name:
            raise Unavailable(f"{path}: not a field of apt's sources: {line}")
        fields[name] = value
    return fields


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}") from None


def _reason(stderr: str) -> str:
    """The first error that apt or dpkg names, or what it said last."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E: ") or "error: " in line]
    return (errors or lines[-1:] or ["no reason given"])[0].removeprefix("E: ")
