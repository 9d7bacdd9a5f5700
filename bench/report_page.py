"""How long the page of races takes with few and with many races.

    python3 bench/report_page.py --bigfoot build/bin/bigfoot

Makes a page with each number of races (every one with its own source line, stacks, locks and history), opens it in
headless Chromium and prints the median of several rounds; the sizes take turns within a round. docs/report.md has a
recorded table.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "report"))
import browser  # noqa: E402  (needs the path above)
import samples  # noqa: E402

# What a user does, each until the next frame is drawn: JavaScript that evaluates to milliseconds.
ACTIONS = {
    "search, a word": "type('variable_7')",
    "search, cleared": "type('')",
    "group by variable": "choose('group', 'variable')",
    "group by nothing": "choose('group', '')",
    "filter by kind": "choose('kind', 'data-race')",
    "all kinds": "choose('kind', '')",
    "next race": "key('j')",
}
HELPERS = """
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const timed = async (act) => { const start = performance.now(); act(); await drawn(); return performance.now() - start; };
  const change = (id, value, event) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(event, { bubbles: true })); };
  window.type = (text) => timed(() => change("search", text, "input"));
  window.choose = (id, value) => timed(() => change(id, value, "input"));
  window.key = (name) => timed(() => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true })));
"""


def record(number: int, source: Path) -> dict:
    race = samples.race(number, file=str(source), line=1 + number % 900, variable=f"variable_{number % 200}",
                        threads=(1 + number % 7, 10), kind="data-race-vptr" if number % 50 == 0 else "data-race")
    race["mutexes"] = [{"id": 0, "address": "0xa0", "name": f"lock_{number % 30}"}]
    race["history"] = [{"thread": t, "steps": [samples.step("lock", 10 * t, 5, object="0xa0"),
                                               samples.step("unlock", 20 * t, 6, object="0xa0")]} for t in (1 + number % 7, 10)]
    return race


def measure(window: browser.Browser, page: Path) -> dict[str, float]:
    start = time.monotonic()
    window.open(page)
    window.ask("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    times = {"open": 1000 * (time.monotonic() - start)}
    window.ask(f"(() => {{ {HELPERS} }})()")
    for name, action in ACTIONS.items():
        times[name] = window.ask(action)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bigfoot", default="bigfoot", help="the command")
    parser.add_argument("--races", type=int, nargs="+", default=[50, 500, 5000])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if browser.find() is None:
        sys.exit("report_page.py: Chromium is not installed (scripts/packages-test.txt)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "source.cpp"
        source.write_text("".join(f"  total[{i}] = total[{i}] + 1;\n" for i in range(1000)))
        pages, columns = {}, {count: {} for count in arguments.races}
        for count in arguments.races:
            records = samples.write(folder / "races.json", *(record(i, source) for i in range(count)))
            pages[count] = folder / f"{count}.html"
            start = time.monotonic()
            subprocess.run([arguments.bigfoot, "report", records, "--html", pages[count]], check=True)
            columns[count]["bigfoot report --html"] = [1000 * (time.monotonic() - start)]
        window = browser.shared()
        for number in range(arguments.rounds):
            if sys.stderr.isatty():
                print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr)
            for count in arguments.races:
                for action, took in measure(window, pages[count]).items():
                    columns[count].setdefault(action, []).append(took)
        print(f"{'milliseconds':24}" + "".join(f"{count:>8} races" for count in arguments.races))
        for action in columns[arguments.races[0]]:
            print(f"{action:24}" + "".join(f"{statistics.median(columns[c][action]):14.0f}" for c in arguments.races))
        print(f"{'size of the page, KiB':24}" + "".join(f"{pages[c].stat().st_size / 1024:14.0f}" for c in arguments.races))


if __name__ == "__main__":
    main()
