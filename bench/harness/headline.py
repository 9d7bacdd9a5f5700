"""What a campaign says in one sentence and one table: the detectors beside ThreadSanitizer, group by group."""

from __future__ import annotations

from .derive import ALL, BIGFOOT, COMPARED, FASTTRACK, TSAN, Setting, Standing, Summary
from .tables import NOTHING, layout, number, ratio

SHOWN = COMPARED
WITHOUT_INSTRUCTIONS = "Instructions are not compared: this machine has no counter of them that a program may read."


def render(setting: Setting) -> str:
    if not is_possible(setting):
        return f"No headline: it takes {TSAN} and {BIGFOOT} or {FASTTRACK}, on programs that are not racy."
    parts = [sentence(setting), _table(setting), *left_out(list(setting.groups.values())[-1])]
    if not _has_instructions(setting):
        parts.append(WITHOUT_INSTRUCTIONS)
    return "\n\n".join(parts)


def is_possible(setting: Setting) -> bool:
    return any(summary.standings[name].compared for summary in setting.groups.values() for name in _subjects(setting))


def sentence(setting: Setting) -> str:
    """REQUIRES: is_possible."""
    name = _subjects(setting)[0]
    summary = list(setting.groups.values())[-1]
    standing = summary.standings[name]
    averaged = standing.programs - len(summary.left_out) - len(summary.near_plain)
    if averaged == 0:
        return "No headline: on no program all detectors ended well with overheads that are told from noise."
    of = "" if averaged == standing.programs else f" of {standing.programs}"
    text = (
        f"The overhead of {name} is {_mean(summary, name)} of ThreadSanitizer's in the geometric mean of "
        f"{averaged}{of} programs{_by_group(setting, name)}"
    )
    worst = f"{standing.worst} ({ratio(standing.worst_ratio)})"
    them = "them" if averaged == standing.compared else str(standing.compared)
    if not standing.slower:
        return f"{text}, and larger on none of {them}, nearest on {worst}."
    return f"{text}; it is larger on {len(standing.slower)} of {them}, most on {worst}."


def left_out(summary: Summary) -> list[str]:
    """A line for the programs that are not in the means, and one for those that are in none of overheads."""
    kinds = (
        ("Not in the means, which are of programs that all ended well", summary.left_out),
        ("Not in the means of overheads, as one takes as long as the plain program but for noise", summary.near_plain),
    )
    named = ((title, ", ".join(f"{program} ({why})" for program, why in of.items()), len(of)) for title, of in kinds)
    return [f"{title}: {count}: {programs}." for title, programs, count in named if count]


def _by_group(setting: Setting, name: str) -> str:
    if len(setting.groups) == 1:
        return ""
    groups = ", ".join(f"{g} {_mean(summary, name)}" for g, summary in setting.groups.items() if g != ALL)
    return f" ({groups})"


def _mean(summary: Summary, name: str) -> str:
    return number(summary.means[name].overhead_vs_tsan, ".2f")


def _subjects(setting: Setting) -> list[str]:
    """Who is held against ThreadSanitizer; nobody if it is not there."""
    present = setting.means
    return [name for name in (BIGFOOT, FASTTRACK) if name in present and TSAN in present]


def _has_instructions(setting: Setting) -> bool:
    return any(figures.instructions is not None for row in setting.rows for figures in row.figures.values())


# Column, figure of the mean, form.
_COLUMNS = (
    ("overhead/tsan", "overhead_vs_tsan", ".2f"),
    ("by cpu time", "cpu_overhead_vs_tsan", ".2f"),
    ("by instructions", "instruction_overhead_vs_tsan", ".2f"),
    ("slowdown", "slowdown", ".2f"),
    ("memory/tsan", "rss_vs_tsan", ".2f"),
    ("memory/plain", "rss_ratio", ".2f"),
    ("compile/plain", "compile_ratio", ".2f"),
    ("compile/tsan", "compile_vs_tsan", ".2f"),
    ("checks/access", "check_ratio", ".3g"),
)


def _table(setting: Setting) -> str:
    columns = [c for c in _COLUMNS if c[1] != "instruction_overhead_vs_tsan" or _has_instructions(setting)]
    header = ["group", "detector", "slower", "worst", *(title for title, _, _ in columns)]
    lines = []
    for group, summary in setting.groups.items():
        for name in SHOWN:
            if name in summary.means:
                figures = [number(getattr(summary.means[name], field), form) for _, field, form in columns]
                lines.append([group, name, *_standing_cells(name, summary.standings[name]), *figures])
    return layout(f"Beside ThreadSanitizer, {setting.title}: means", header, lines, [])


def _standing_cells(name: str, standing: Standing) -> list[str]:
    if name == TSAN or standing.worst is None:
        return [NOTHING, NOTHING]
    return [f"{len(standing.slower)} of {standing.compared}", f"{standing.worst} {ratio(standing.worst_ratio)}"]
