"""Runs one command: its time, its peak memory, its output, and what became of it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

OUTPUT_KEPT = 64 * 1024  # bytes of each stream; race reports can run to gigabytes


@dataclasses.dataclass(frozen=True)
class Completed:
    seconds: float
    cpu_seconds: float
    peak_rss_bytes: int
    exit_code: int  # -1 if ended by a signal
    signal: int  # 0 if it exited
    stdout: str
    stderr: str
    instructions: int | None = None  # in user space; None where the machine does not count them


class TimedOut(Exception):
    pass


class CannotStart(Exception):
    pass


class Launcher:
    """Measures commands through launch.c, which says why it is a program of its own."""

    def __init__(self, work: Path, cc: str) -> None:
        self._path = work / "launch"
        source = Path(__file__).with_name("launch.c")
        if not self._path.exists() or self._path.stat().st_mtime < source.stat().st_mtime:
            work.mkdir(parents=True, exist_ok=True)
            try:
                subprocess.run([cc, "-O1", str(source), "-o", str(self._path)], check=True)
            except FileNotFoundError:
                raise CannotStart(f"{cc} is not installed") from None
            except subprocess.CalledProcessError:
                raise CannotStart(f"{cc} does not compile {source.name}") from None  # it has said why

    def run(
        self,
        command: Sequence[str],
        environment: dict[str, str] | None = None,
        timeout: float | None = None,
        cwd: Path | None = None,
    ) -> Completed:
        with tempfile.TemporaryDirectory(prefix="bigfoot-bench-") as scratch_name:
            scratch = Path(scratch_name)
            report = scratch / "report.json"
            with open(scratch / "out", "w+b") as out, open(scratch / "err", "w+b") as err:
                process = None
                try:
                    with _signals_put_off():
                        process = subprocess.Popen(
                            [str(self._path), str(report), *command],
                            stdin=subprocess.DEVNULL,
                            stdout=out,
                            stderr=err,
                            env=environment,
                            cwd=cwd,
                            start_new_session=True,
                        )
                    process.wait(timeout)
                except subprocess.TimeoutExpired:
                    raise TimedOut from None
                finally:
                    if process is not None:
                        _end(process)
                stdout, stderr = _head(out), _head(err)
            if not report.exists():
                raise CannotStart(stderr.strip() or f"{command[0]} could not be started")
            cost = json.loads(report.read_text())
        return Completed(
            seconds=cost["seconds"],
            cpu_seconds=cost["user_seconds"] + cost["system_seconds"],
            peak_rss_bytes=cost["peak_rss_bytes"],
            exit_code=cost["exit_code"],
            signal=cost["signal"],
            stdout=stdout,
            stderr=stderr,
            instructions=cost["instructions"],
        )


@contextlib.contextmanager
def _signals_put_off() -> Iterator[None]:
    """What asks to end comes after these lines. An exception between a process's start and the name it is given here
    would leave it running, with nobody who knows it. Only the main thread has such exceptions, and may put them off."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handled = {number: handler for number, handler in before.items() if callable(handler)}
    for number in handled:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
    for number in came:
        signal.raise_signal(number)


def _end(process: subprocess.Popen) -> None:
    """Ends the command and whatever it started, if it has not ended: after a time-out or a Ctrl-C."""
    with _signals_put_off():
        if process.poll() is not None:
            return
        process.terminate()  # launch ends the command and waits for it
        process.wait()
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # nothing else was running


def _head(stream) -> str:
    stream.seek(0)
    return stream.read(OUTPUT_KEPT).decode(errors="replace")
