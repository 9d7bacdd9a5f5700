"""The printed tables: the columns of Tables 1 and 2 of the BigFoot paper, what they leave out, and what
changed between two campaigns. The headline has a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .compare import CHANCE, NOTICED, Comparison
from .derive import ALL, FASTTRACK, RACE_VERDICTS, Figures, Growth, Row, Setting
from .detectors import BASE
from .results import OK, Campaign

NOTHING = "-"
GEOMETRIC, ARITHMETIC = "geo mean", "mean"


def render(setting: Setting, detectors: Sequence[str]) -> str:
    """All tables of a setting that have something to show."""
    tables = [_time_table(setting, detectors)]
    for title, field, mean, form in _RATIO_TABLES:
        tables.append(_ratio_table(setting, detectors, title, field, mean, form))
    tables += [_memory_table(setting, detectors), _race_table(setting, detectors), _trouble(setting)]
    return "\n\n".join(table for table in tables if table)


def render_growth(growth: Growth, settings: Sequence[Setting], detectors: Sequence[str]) -> str:
    """The slowdown of each program under each detector, step by step."""
    steps = [settings[number] for number in growth.settings]
    others = [name for name in detectors if name != BASE]
    lines = [
        [program, name, *(number(_slowdown_of(setting, program, name), ".2f") for setting in steps)]
        for program in dict.fromkeys(row.program for setting in steps for row in _timed_rows(setting))
        for name in others
    ]
    means = [
        [label, name, *(number(_mean_slowdown(means_of(setting), name), ".2f") for setting in steps)]
        for label, means_of in _mean_rows(steps[0], GEOMETRIC)
        for name in others
    ]
    header = ["program", "detector", *(str(getattr(setting, growth.by)) for setting in steps)]
    fixed = steps[0].size_title if growth.by == "threads" else steps[0].threads_title
    return layout(f"Growth with {growth.by}, {fixed}: slowdown", header, lines, means)


def _mean_rows(setting: Setting, label: str) -> list[tuple[str, Callable[[Setting], dict[str, Figures]]]]:
    """The lines of means below a table: what each is called, and where a setting has it."""

    def of_group(group: str) -> Callable[[Setting], dict[str, Figures]]:
        return lambda other: other.groups[group].means if group in other.groups else {}

    rows = [(f"{label} {group}", of_group(group)) for group in setting.groups if group != ALL]
    return [*(rows if len(rows) > 1 else ()), (label, lambda other: other.means)]


def _mean_slowdown(means: dict[str, Figures], detector: str) -> float | None:
    return means[detector].slowdown if detector in means else None  # a group may be in some settings only


def _slowdown_of(setting: Setting, program: str, detector: str) -> float | None:
    rows = (row for row in _timed_rows(setting) if row.program == program and detector in row.figures)
    return next((row.figures[detector].slowdown for row in rows), None)


def number(value: float | None, form: str) -> str:
    return NOTHING if value is None else format(value, form)


def ratio(value: float | None) -> str:
    """One that is counted as more than 1 does not read 1.00."""
    text = number(value, ".2f")
    return text if text != "1.00" or value == 1 else number(value, ".3f")


def _cell(figures: Figures | None, value: float | None, form: str) -> str:
    """A figure, or in its place what happened."""
    if figures is None:
        return NOTHING
    return number(value, form) if figures.status == OK or value is not None else figures.status


def _timed_rows(setting: Setting) -> list[Row]:
    return [row for row in setting.rows if not row.racy]


def _time_table(setting: Setting, detectors: Sequence[str]) -> str:
    others = [name for name in detectors if name != BASE]
    header = ["program", "group", "size", "base s", "base cpu s", "±%", *(f"{name} x" for name in others)]
    lines = []
    for row in _timed_rows(setting):
        base = row.figures.get(BASE)
        spread = base.spread if base else None
        lines.append(
            [
                row.program,
                row.group,
                row.size,
                _cell(base, base.seconds if base else None, ".3f"),
                number(base.cpu_seconds if base else None, ".3f"),
                number(None if spread is None else 100 * spread, ".1f"),
                *(_slowdown_cell(row.figures.get(name)) for name in others),
            ]
        )
    if not lines:
        return ""
    means = [
        [label, "", "", "", "", "", *(number(means_of(setting)[name].slowdown, ".2f") for name in others)]
        for label, means_of in _mean_rows(setting, GEOMETRIC)
    ]
    title = f"Running time, {setting.title}: base seconds (median) and slowdown (± half the quartile distance)"
    return layout(title, header, lines, means)


def _slowdown_cell(figures: Figures | None) -> str:
    if figures is None or figures.slowdown is None:
        return _cell(figures, None, "")
    return f"{figures.slowdown:.2f} ±{100 * (figures.spread or 0):.0f}%"


_RATIO_TABLES = (
    ("Overhead (time added, in base times)", "overhead", GEOMETRIC, ".2f"),
    ("Overhead relative to fasttrack", "overhead_vs_fasttrack", GEOMETRIC, ".2f"),
    ("Overhead relative to tsan", "overhead_vs_tsan", GEOMETRIC, ".2f"),
    ("Overhead relative to tsan, in processor time", "cpu_overhead_vs_tsan", GEOMETRIC, ".2f"),
    ("Overhead relative to tsan, in instructions", "instruction_overhead_vs_tsan", GEOMETRIC, ".2f"),
    ("Check ratio (checks per access)", "check_ratio", ARITHMETIC, ".3g"),
    ("Shadow fraction (shadow locations per array element)", "shadow_fraction", ARITHMETIC, ".3g"),
    ("Compile time relative to base (processor time)", "compile_ratio", GEOMETRIC, ".2f"),
    ("Peak resident memory relative to tsan", "rss_vs_tsan", GEOMETRIC, ".2f"),
)


def _ratio_table(
    setting: Setting, detectors: Sequence[str], title: str, field: str, mean: str, form: str
) -> str:
    get: Callable[[Figures], float | None] = lambda figures: getattr(figures, field)
    rows = _timed_rows(setting)
    shown = [
        name
        for name in detectors
        if name != BASE and any(name in r.figures and get(r.figures[name]) is not None for r in rows)
    ]
    if not shown:
        return ""
    lines = [[row.program, row.size, *(_ratio_cell(row, name, get, form) for name in shown)] for row in rows]
    means = [
        [label, "", *(number(get(means_of(setting)[name]), form) for name in shown)]
        for label, means_of in _mean_rows(setting, mean)
    ]
    return layout(f"{title}, {setting.title}", ["program", "size", *shown], lines, means)


def _ratio_cell(row: Row, name: str, get: Callable[[Figures], float | None], form: str) -> str:
    figures = row.figures.get(name)
    return _cell(figures, get(figures) if figures else None, form)


def _memory_table(setting: Setting, detectors: Sequence[str]) -> str:
    others = [name for name in detectors if name != BASE]
    related = others if FASTTRACK in others else []
    lines = []
    for row in _timed_rows(setting):
        base = row.figures.get(BASE)
        megabytes = base.peak_rss_bytes / 2**20 if base and base.peak_rss_bytes else None
        cells = [_ratio_cell(row, name, lambda f: f.rss_ratio, ".2f") for name in others]
        to_fasttrack = [_ratio_cell(row, n, lambda f: f.rss_vs_fasttrack, ".2f") for n in related]
        lines.append([row.program, row.size, _cell(base, megabytes, ".1f"), *cells, *to_fasttrack])
    if not lines:
        return ""
    header = ["program", "size", "base MB", *(f"{n} x" for n in others), *(f"{n}/ft" for n in related)]
    means = []
    for label, means_of in _mean_rows(setting, GEOMETRIC):
        of = means_of(setting)
        to_base = [number(of[name].rss_ratio, ".2f") for name in others]
        to_fasttrack = [number(of[name].rss_vs_fasttrack, ".2f") for name in related]
        means.append([label, "", "", *to_base, *to_fasttrack])
    return layout(f"Peak resident memory, {setting.title}", header, lines, means)


def _race_table(setting: Setting, detectors: Sequence[str]) -> str:
    """Who reported races where: expected in racy variants, wrong in ours, to be looked into in real programs."""
    others = [name for name in detectors if name != BASE]
    lines = []
    for row in setting.rows:
        reported = [row.figures[name].races for name in others if name in row.figures]
        if not row.racy and not any(reported):
            continue
        cells = [_race_cell(row, row.figures.get(name)) for name in others]
        lines.append([row.program, row.size, row.race_freedom, *cells])
    if not lines:
        return ""
    return layout(f"Races reported, {setting.title}", ["program", "size", "is", *others], lines, [])


def _race_cell(row: Row, figures: Figures | None) -> str:
    if figures is None or figures.status != OK:
        return _cell(figures, None, "")
    return RACE_VERDICTS[row.race_freedom][bool(figures.races)]


def _trouble(setting: Setting) -> str:
    """What kept cells from having figures; said once where it is the same for a detector everywhere."""
    remarks: dict[tuple[str, str], list[str]] = {}
    for row in setting.rows:
        for figures in row.figures.values():
            if figures.detail:
                remark = (figures.detector, f"{figures.status}: {figures.detail}")
                remarks.setdefault(remark, []).append(row.label)
    lines = [
        f"  {detector}, {'all programs' if len(where) == len(setting.rows) else ', '.join(where)}: {what}"
        for (detector, what), where in remarks.items()
    ]
    return "\n".join(["Remarks:", *lines]) if lines else ""


def render_comparison(comparison: Comparison, new: Campaign, old: Campaign) -> str:
    parts = [_mean_changes(comparison), _changes(comparison, new, old)]
    names = (
        ("Only in the new campaign", comparison.new),
        ("Only in the old campaign", comparison.gone),
        ("Fails now", comparison.failing),
        ("Ends well again", comparison.mended),
    )
    parts += ["\n".join([f"{title}:", *(f"  {line}" for line in lines)]) for title, lines in names if lines]
    if new.machine.get("cpu") != old.machine.get("cpu"):
        parts.append(f"note: on another machine ({new.machine.get('cpu')}, before: {old.machine.get('cpu')})")
    return "\n\n".join(part for part in parts if part)


def _mean_changes(comparison: Comparison) -> str:
    header = ["group", "detector", "programs", "overhead", "before", "relative to tsan", "before"]
    lines = [
        [mean.group, mean.detector, str(mean.programs)]
        + [number(value, ".2f") for value in (mean.new, mean.old, mean.new_vs_tsan, mean.old_vs_tsan)]
        for mean in comparison.means
    ]
    return layout("Mean overheads now and before, programs of both campaigns", header, lines, []) if lines else ""


def _changes(comparison: Comparison, new: Campaign, old: Campaign) -> str:
    if not comparison.enough_runs:
        return f"{new.runs} and {old.runs} runs are too few to tell any change of a program from noise."
    noise = f"beyond noise (chance below {CHANCE:.0%} by ranks, more than {NOTICED - 1:.0%})"
    if not comparison.changes:
        return f"No program's overhead changed {noise}."
    header = ["program", "detector", "before", "now", "ratio"]
    lines = [
        [change.program, change.detector, f"{change.old:.2f}", f"{change.new:.2f}", f"{change.ratio:.2f}"]
        for change in comparison.changes
    ]
    return layout(f"Overheads that changed {noise}", header, lines, [])


def layout(title: str, header: list[str], lines: list[list[str]], means: list[list[str]]) -> str:
    """Columns as wide as they need; names to the left, figures to the right."""
    everything = [header, *lines, *means]
    widths = [max(len(line[column]) for line in everything) for column in range(len(header))]

    def place(line: list[str]) -> str:
        cells = [
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths))
        ]
        return "  ".join(cells).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    parts = [title, "", place(header), rule, *(place(line) for line in lines)]
    if means:
        parts += [rule, *(place(line) for line in means)]
    return "\n".join(parts)
