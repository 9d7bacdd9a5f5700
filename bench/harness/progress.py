"""Says how far a campaign is: a bar with the time left on a terminal, a line per step otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

BAR_WIDTH = 24


def describe_seconds(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class Progress:
    """Counts steps of known expected cost.

    The costs need only be right relative to each other: the time left is the cost left times the time that a
    unit of cost has taken so far.
    """

    def __init__(
        self,
        total_cost: float,
        stream: TextIO = sys.stderr,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total = total_cost
        self._done = 0.0
        self._stream = stream
        self._now = now
        self._begin = now()
        self._is_bar = stream.isatty()

    def seconds_left(self) -> float | None:
        if self._done <= 0:
            return None
        elapsed = self._now() - self._begin
        return elapsed * (self._total - self._done) / self._done

    def step(self, what: str, cost: float) -> None:
        self._done = min(self._total, self._done + cost)
        left = self.seconds_left()
        remaining = "" if left is None else f", {describe_seconds(left)} left"
        # Rounded down: 100 % is the last step. A sum of parts may miss the whole by its last digits.
        percent = int(100 * self._done / self._total + 1e-6) if self._total else 100
        if not self._is_bar:
            print(f"[{percent:3} %{remaining}] {what}", file=self._stream, flush=True)
            return
        filled = round(BAR_WIDTH * percent / 100)
        bar = "#" * filled + "." * (BAR_WIDTH - filled)
        self._stream.write(f"\r\x1b[K[{bar}] {percent:3} %{remaining}  {what[:60]}")
        self._stream.flush()

    def note(self, text: str) -> None:
        if self._is_bar:
            self._stream.write("\r\x1b[K")
        print(text, file=self._stream, flush=True)

    def close(self) -> None:
        if self._is_bar:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
