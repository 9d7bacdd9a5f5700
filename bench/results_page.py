#!/usr/bin/env python3
"""Writes docs/results.md, and the figures in README.md, from the campaigns in bench/recorded.

    python3 bench/results_page.py            # writes both
    python3 bench/results_page.py --check    # writes nothing; exit code 1 if they are not what the records give

The records are of one revision and one machine, or there is no page: figures of different ones side by side say
nothing. Every figure is one that derive.py computes from them.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import headline, results
from harness.compare import Comparison, compare
from harness.derive import (
    BIGFOOT,
    FASTTRACK,
    TSAN,
    Figures,
    Row,
    Setting,
    Summary,
    derive,
    ran,
    summed_up,
    trouble_of,
    who_is_near_plain,
)
from harness.options import Parser
from harness.programs import GROUPS, QUICK, REPOSITORY
from harness.progress import describe_seconds
from harness.results import Campaign, Unreadable
from harness.tables import NOTHING, number, ratio

if TYPE_CHECKING:
    import parity

RECORDED = REPOSITORY / "bench" / "recorded"
PAGE = REPOSITORY / "docs" / "results.md"
README = REPOSITORY / "README.md"
MOST_LINES = 80
MOST_ACROSS = 6  # programs in a line of their table
FEWEST_RUNS = 5  # of which one comparison tells a change from noise

BEGIN, END = "<!-- figures: bench/results_page.py writes them -->", "<!-- end of figures -->"

# Table 1 of the BigFoot paper, the column of bigfoot: checks per access.
PAPER_CHECK_RATIOS = {
    "crypt": 3e-7, "series": 4e-5, "lufact": 0.0022, "sor": 0.25,
    "sparse": 0.14, "moldyn": 0.077, "montecarlo": 0.085, "raytracer": 0.32,
}  # fmt: skip
# Means of its Table 2 and Figure 8: overhead relative to fasttrack's.
PAPER_OVERHEADS = {"bigfoot": 0.39, "slimstate": 0.83}
PAPER_DETECTORS = ("fasttrack", "redcard", "slimstate", "slimcard", "bigfoot")


class Refused(ValueError):
    """There is no page of these records. The message is one line."""


@dataclasses.dataclass(frozen=True)
class Records:
    quick: Campaign  # all programs
    repeat: Campaign  # the same again
    kernels: Campaign  # the papers' programs under all detectors
    parity: parity.Table | None  # what single checks cost

    @property
    def campaigns(self) -> dict[str, Campaign]:
        return {"quick": self.quick, "repeat": self.repeat, "kernels": self.kernels}


def load(folder: Path) -> Records:
    if not folder.is_dir():
        raise Refused(f"{folder}: there is no such folder")
    records = Records(
        *(results.load(folder / f"{name}.json") for name in ("quick", "repeat", "kernels")),
        parity=_load_parity(folder / "parity.json"),
    )
    _require_whole(records)
    origins = {f"{name}.json": campaign.machine for name, campaign in records.campaigns.items()}
    if records.parity:
        origins["parity.json"] = records.parity.machine
    _require_one("revisions", {name: str(machine.get("revision")) for name, machine in origins.items()})
    _require_one("machines", {name: _machine(machine) for name, machine in origins.items()})
    for name, campaign in records.campaigns.items():
        if campaign.revision is None or campaign.interrupted:
            raise Refused(f"{name}.json: {'it has no revision' if campaign.revision is None else 'it was interrupted'}")
        if not any(headline.is_possible(setting) for setting in derive(campaign)[:1]):
            raise Refused(f"{name}.json: nothing in it is beside ThreadSanitizer")
    return records


def _machine(machine: dict[str, Any]) -> str:
    """All that figures depend on."""
    further = (_gigabytes(machine), *(machine.get(key) for key in ("system", "kernel", "compiler")))
    return ", ".join([f"{machine.get('cpu')} x {machine.get('cores')}", *(str(value) for value in further if value)])


def _gigabytes(machine: dict[str, Any]) -> str:
    memory = machine.get("memory_bytes")
    return f"{memory / 2**30:.0f} GB" if isinstance(memory, int) else ""


def _require_whole(records: Records) -> None:
    """The records are what the page says they are, not a try of the commands."""
    for name, campaign in records.campaigns.items():
        if campaign.runs < FEWEST_RUNS:
            raise Refused(f"{name}.json: {campaign.runs} runs are fewer than {FEWEST_RUNS}")
    missing = [group for group in GROUPS if group not in {c.group for c in records.quick.cases if not c.racy}]
    if missing:
        raise Refused(f"quick.json: no program of {', '.join(missing)}")
    if any(case.size_label != QUICK for case in records.quick.cases):
        raise Refused(f"quick.json: not at size {QUICK}")
    for what in ("runs", "detectors"):
        if getattr(records.quick, what) != getattr(records.repeat, what):
            raise Refused(f"quick.json and repeat.json differ in {what}")
    quick, repeat = ({(c.program, c.size, c.threads) for c in made.cases} for made in (records.quick, records.repeat))
    if quick != repeat:
        raise Refused(f"quick.json and repeat.json differ in {', '.join(sorted({one[0] for one in quick ^ repeat}))}")


def _load_parity(path: Path) -> parity.Table | None:
    if not path.exists():
        return None
    import parity  # only where there is something to read

    try:
        return parity.from_json(path.read_text())
    except (parity.Failed, OSError) as error:
        raise Refused(f"{path}: {error}") from None


def _require_one(what: str, of: dict[str, str]) -> None:
    if len(set(of.values())) > 1:
        raise Refused(f"records of different {what}: " + ", ".join(f"{name} {value}" for name, value in of.items()))


def render(records: Records) -> str:
    """As few programs to a line as fit."""
    for across in range(2, MOST_ACROSS + 1):
        lines = _lines(records, across)
        if len(lines) <= MOST_LINES:
            return "\n".join(lines) + "\n"
    raise Refused(f"{len(lines)} lines: more than {MOST_LINES}, however many programs stand in one")


def _lines(records: Records, across: int) -> list[str]:
    setting = derive(records.quick)[0]
    comparison = compare(records.repeat, records.quick)
    sections = [
        ["# Results", "", *_introduction(records), "", headline.sentence(setting)],
        ["## Groups", "", *_groups(records.quick, setting, comparison)],
        ["## Where it loses", "", *_losses(records, setting)],
        ["## Programs", "", *_programs(setting, across)],
        ["## The papers' tables", "", *_papers(records.kernels)],
        *([["## Single checks", "", *_parity(records.parity)]] if records.parity else []),
        ["## The commands", "", *_commands(records)],
    ]
    lines = [line for section in sections for line in (*section, "")]
    return lines[:-1]


def _introduction(records: Records) -> list[str]:
    quick = records.quick
    machine = quick.machine
    machines = [c.machine for c in records.campaigns.values()] + ([records.parity.machine] if records.parity else [])
    state = "" if all(m.get("clean") for m in machines) else ", **with changes that are not committed**"
    loads = ", ".join(str(c.machine.get("load_at_start")) for c in records.campaigns.values())
    took = [c.elapsed_seconds for c in records.campaigns.values() if c.elapsed_seconds is not None]
    times = f"; the campaigns took {', '.join(map(describe_seconds, took))}" if took else ""
    return [
        "[//]: # (Written by bench/results_page.py from bench/recorded; the next run overwrites what is changed here.)",
        "",
        f"{quick.started[:10]}, revision {quick.revision}{state}. {machine.get('cpu')}, {machine.get('cores')} "
        f"processors, {_gigabytes(machine)}, {machine.get('system')}, Linux {machine.get('kernel')}, "
        f"{machine.get('compiler')}; load when the runs began {loads}{times}. How it is measured: "
        "[design-bench.md](design-bench.md). What BigFoot says about real programs: [real-programs.md](real-programs.md).",
    ]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows)]


def _each(summary: Summary, names: Sequence[str], field: str, form: str = ".2f") -> str:
    """The means of some detectors, in their order."""
    values = [getattr(summary.means[name], field) if name in summary.means else None for name in names]
    return ", ".join(number(value, form) for value in values)


OURS = (BIGFOOT, FASTTRACK)
THREE = (BIGFOOT, FASTTRACK, TSAN)


def _groups(campaign: Campaign, setting: Setting, comparison: Comparison) -> list[str]:
    again = {(mean.group, mean.detector): mean.new_vs_tsan for mean in comparison.means}
    has_instructions = any(summary.means[BIGFOOT].instruction_overhead for summary in setting.groups.values())
    rows = []
    for group, summary in setting.groups.items():
        standing = summary.standings[BIGFOOT]
        row = [
            group,
            f"{len(standing.slower)} of {standing.compared}",
            f"{standing.worst} {ratio(standing.worst_ratio)}",
            _each(summary, OURS, "overhead_vs_tsan"),
            ", ".join(number(again.get((group, name)), ".2f") for name in OURS),
            _each(summary, OURS, "cpu_overhead_vs_tsan"),
            *([_each(summary, OURS, "instruction_overhead_vs_tsan")] if has_instructions else []),
            _each(summary, THREE, "slowdown", ".1f"),
            _each(summary, OURS, "rss_vs_tsan"),
            _each(summary, THREE, "rss_ratio", ".1f"),
            _each(summary, THREE, "compile_ratio"),
            _each(summary, OURS, "check_ratio"),
        ]
        rows.append(row)
    header = ["group", "slower", "worst", "overhead", "again", "in processor time"]
    header += [*(["in instructions"] if has_instructions else []), "slowdown", "memory", "memory, of plain"]
    header += ["compile time, of plain", "checks per access"]
    reading = (
        f"{setting.title}, medians of {campaign.runs} runs, means of the programs (geometric; of checks arithmetic). "
        "Two figures are of bigfoot and fasttrack, relative to ThreadSanitizer's (checks per access: absolute); three are "
        "of bigfoot, fasttrack and ThreadSanitizer, relative to the plain program's. *slower* and *worst* are of bigfoot's "
        "overheads beside ThreadSanitizer's, *again* is a second run."
    )
    below = headline.left_out(list(setting.groups.values())[-1])
    below += [] if has_instructions else [headline.WITHOUT_INSTRUCTIONS]
    return [reading, "", *_table(header, rows)] + (["", " ".join(below)] if below else [])


# What a program loses by, and the figure that is then above 1.
_LOSSES = (
    ("Slower than under ThreadSanitizer (overheads)", "overhead_vs_tsan"),
    ("More memory", "rss_vs_tsan"),
    ("Longer to compile", "compile_vs_tsan"),
)


def _losses(records: Records, setting: Setting) -> list[str]:
    rows = [row for row in setting.rows if not row.racy]
    said = [f"{title}: {_larger(rows, field)}." for title, field in _LOSSES]
    troubles = [
        f"{case.program} under {name} ({trouble})"
        for campaign in records.campaigns.values()
        for case in campaign.cases
        for name in case.cells
        if (trouble := trouble_of(case, name))
    ]
    notes = [f"Note: {note}." for campaign in records.campaigns.values() for note in campaign.notes]
    said += [f"Failed, or wrong about races: {', '.join(dict.fromkeys(troubles)) or 'none'}.", *dict.fromkeys(notes)]
    return [f"- {line}" for line in said]


def _larger(rows: list[Row], field: str) -> str:
    values = {row.program: getattr(row.figures.get(BIGFOOT), field, None) for row in rows}
    noise = {r.program for r in rows if field == "overhead_vs_tsan" and who_is_near_plain(r, [BIGFOOT])}
    larger = {p: value for p, value in values.items() if value is not None and value > 1 and p not in noise}
    names = ", ".join(f"{p} {ratio(v)}" for p, v in sorted(larger.items(), key=lambda item: -item[1]))
    measured = sum(value is not None for value in values.values())
    return f"{len(larger)} of {measured}" + (f": {names}" if names else "")


def _programs(setting: Setting, across: int) -> list[str]:
    reading = (
        "Overheads and peak memory of bigfoot, fasttrack relative to ThreadSanitizer's; slowdowns of bigfoot, fasttrack, "
        "ThreadSanitizer."
    )
    cells, group = [], None
    for row in setting.rows:
        if row.racy:
            continue
        name = row.program if row.group == group else f"**{row.group}**: {row.program}"
        group = row.group
        cells.append([
            name,
            _of_row(row, OURS, "overhead_vs_tsan"),
            _of_row(row, THREE, "slowdown", ".1f"),
            _of_row(row, OURS, "rss_vs_tsan"),
        ])  # fmt: skip
    cells += [[""] * 4] * (-len(cells) % across)
    rows = [sum(cells[i : i + across], []) for i in range(0, len(cells), across)]
    return [reading, "", *_table(["program", "overhead", "slowdown", "memory"] * across, rows)]


def _of_row(row: Row, names: Sequence[str], field: str, form: str = ".2f") -> str:
    return ", ".join(_figure(row.figures.get(name), field, form) for name in names)


def _figure(figures: Figures | None, field: str, form: str = ".2f") -> str:
    return NOTHING if figures is None else number(getattr(figures, field), form)


def _papers(campaign: Campaign) -> list[str]:
    setting = derive(campaign)[0]
    header = ["program", *(f"checks: {name}" for name in PAPER_DETECTORS[1:]), "paper"]
    header += [f"overhead: {PAPER_DETECTORS[0]}", *PAPER_DETECTORS[1:], TSAN]

    def line(name: str, figures: dict[str, Figures], paper: str, form: Callable[[str], str]) -> list[str]:
        checks = [_figure(figures.get(d), "check_ratio", ".2g") for d in PAPER_DETECTORS[1:]]
        return [name, *checks, paper, *(form(d) for d in (*PAPER_DETECTORS, TSAN))]

    rows = []
    for row in setting.rows:
        if not row.racy:
            paper = number(PAPER_CHECK_RATIOS.get(row.program), ".2g")
            rows.append(line(row.program, row.figures, paper, lambda d: _figure(row.figures.get(d), "overhead")))
    timed = [row for row in setting.rows if not row.racy]
    compared = ran(timed, (*PAPER_DETECTORS, TSAN))
    summary = summed_up(timed, campaign.detectors, compared)
    means = summary.means
    rows.append(line("mean", means, _paper_mean(setting), lambda d: _figure(means.get(d), "overhead")))
    relative = ["of fasttrack's", *[""] * len(PAPER_DETECTORS)]
    rows.append(relative + [_figure(means.get(d), "overhead_vs_fasttrack") for d in (*PAPER_DETECTORS, TSAN)])
    papers = ", ".join(f"{value} for {name}" for name, value in PAPER_OVERHEADS.items())
    reading = (
        "Check ratios (checks per access; fasttrack's is 1) beside those of the BigFoot paper's Table 1, and overheads as "
        f"in its Table 2 and Figure 8 (time added, in times of the plain program): {setting.title}, medians of "
        f"{campaign.runs} runs. Relative to fasttrack's, the paper has {papers} in the mean."
    )
    below = headline.left_out(summary)
    return [reading, "", *_table(header, rows), *(["", " ".join(below)] if below else [])]


def _paper_mean(setting: Setting) -> str:
    """Over the programs of the table."""
    values = [PAPER_CHECK_RATIOS[row.program] for row in setting.rows if row.program in PAPER_CHECK_RATIOS]
    return number(sum(values) / len(values), ".2g") if values else NOTHING


MOST_DEAREST = 8


def _parity(table: parity.Table) -> list[str]:
    """How many checks are dearer than ThreadSanitizer's, and the dearest: the whole table is a page of its own."""
    import parity

    lines = ["`./bigfoot bench parity` measures what one check adds, by the access and the state of its memory."]
    for unit in parity.units_of(table):
        dearer = parity.dearer(table, 1.0, unit)
        measured = sum(cell.ratio(unit) is not None for cell in table.cells)
        dearest = ", ".join(
            f"{cell.row} {cell.column} {'>' if cell.is_bound(unit) else ''}{ratio:.1f}" for ratio, cell in dearer[:MOST_DEAREST]
        )
        said = f"{len(dearer)} of {measured} are dearer than ThreadSanitizer's by {parity.UNITS[unit]}"
        lines.append(f"- {said}{': ' + dearest if dearest else ''}{', ...' if len(dearer) > MOST_DEAREST else ''}.")
    return lines


def _commands(records: Records) -> list[str]:
    commands = [campaign.command for campaign in records.campaigns.values()]
    if records.parity:
        import parity

        without = "" if "instructions" in parity.units_of(records.parity) else "--no-instructions "
        commands.append(f"./bigfoot bench parity {without}--json bench/recorded/parity.json")
    return [f"    {command}" for command in (*commands, "python3 bench/results_page.py")]


def readme_with_figures(readme: str, quick: Campaign) -> str:
    """REQUIRES: quick is a campaign with a headline."""
    setting = derive(quick)[0]
    mean = setting.means[BIGFOOT]
    figures = (
        f"{headline.sentence(setting)} Peak memory is {number(mean.rss_vs_tsan, '.2f')} of ThreadSanitizer's and "
        f"{number(mean.rss_ratio, '.1f')} times the plain program's; compiling takes "
        f"{number(mean.compile_ratio, '.2f')} times as long as without checks ({setting.threads_title}, revision "
        f"{quick.revision})."
    )
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(readme)) != 1:
        raise Refused(f"README.md: the figures' place is not there once ({BEGIN} ... {END})")
    return pattern.sub(lambda _: f"{BEGIN}\n{figures}\n{END}", readme)


def main(arguments: list[str]) -> int:
    parser = Parser(
        prog="results_page.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument("--recorded", metavar="DIR", type=Path, default=RECORDED, help="default: bench/recorded")
    chosen = parser.parse_args(arguments)
    try:
        records = load(chosen.recorded)
        texts = {PAGE: render(records), README: readme_with_figures(README.read_text(), records.quick)}
    except (Refused, Unreadable) as reason:
        print(f"results_page.py: {reason}", file=sys.stderr)
        return 2
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if not chosen.check:
            path.write_text(texts[path])
        print(f"{path.relative_to(REPOSITORY)}: {'not what the records give' if chosen.check else 'written'}")
    return 1 if chosen.check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
