"""Records as the run time writes them (docs/json-format.md), made by hand."""

from __future__ import annotations

import json
from pathlib import Path


def frame(function: str, file: str, line: int, column: int) -> dict:
    return {"function": function, "file": file, "line": line, "column": column, "module": 0, "offset": "0x10", "pc": "0x5010"}


def stack(*frames: dict) -> dict:
    return {"frames": list(frames)}


def race(number: int, *, file="/src/a.cpp", line=3, variable="counter", threads=(1, 2), kind="data-race", pid=1) -> dict:
    """A race between a write by the first thread and a read by the second."""
    writer, reader = threads

    def access(role, access_kind, thread, at, function):
        return {"role": role, "kind": access_kind, "atomic": False, "address": "0x1004", "size": 4, "thread": thread,
                "clock": 5, "stack": stack(frame(function, file, at, 3), frame("main", file, 9, 1)), "locks": []}

    return {
        "schema": "bigfoot-report", "version": 3, "type": "race", "kind": kind, "title": "data race",
        "summary": "data race", "fingerprint": f"{number:016x}", "pid": pid, "time_ms": 1,
        "overlap": {"address": "0x1004", "size": 4},
        "accesses": [access("current", "read", reader, line + 1, "get()"), access("previous", "write", writer, line, "set(int)")],
        "object": {"kind": "global", "name": variable, "address": "0x1000", "size": 16, "module": 0, "offset": "0x20"},
        "mutexes": [],
        "threads": [{"id": i, "os_id": 100 + i, "state": "running", "creator": 0} for i in threads],
        "modules": [{"id": 0, "path": "/bin/program", "bias": "0x5000"}],
    }


def step(kind: str, time: int, clock: int, **more) -> dict:
    return {"kind": kind, "time": time, "clock": clock, **more}


def write(path: Path, *records: dict) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path
