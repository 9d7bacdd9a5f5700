#!/usr/bin/env python3
"""Runs a test program and judges what the race detector said about it.

    check_report.py --expect racy  --source foo_race.cpp   [options] program [arguments]
    check_report.py --expect clean --source foo_norace.cpp [options] program [arguments]

`clean`: the program must exit with 0 and the detector must be silent. A source that is compiled in two
ways, one of which is racy, has marks; --two-ways says so for the clean one.

`racy`: the exit code must be 66 and the reports must name the marked source lines, all of them and
nothing else. A line is marked by a trailing comment that lists what the access may be reported as:

    x = 1;          // RACE: write 4
    keep(x);        // RACE: read 4
    counter++;      // RACE: read 4, write 4
    node->next = p; // RACE: list write
    account->n = 1; // RACE: write 8 of Account::n

`of` names the member that the report has to name, `of nothing` says that it must name none.
The size may be left out where it depends on the optimiser. A word that is no access kind (`list`) is a
label: a test with several races labels them. The marks of one label are one race: with two marked lines
every report has one access at each; with one marked line both accesses are there. Which access comes
second is left open, so a test whose schedule is free is judged like one that is scripted. `atomic read`
and `atomic write` are kinds of their own. The accesses' place is the top frame of their stack that lies
in one of the --source files, because the access itself may be in a library or a header.

The corpus is checked against ThreadSanitizer too (--tool=tsan). Where that tool is known to be wrong the
test declares it, and the declaration is verified like any other verdict:

    // TSAN: misses        it reports nothing although there is a race
    // TSAN: may miss      the same, depending on the schedule
    // TSAN: false alarm   it reports a race although there is none
    // TSAN: crashes       it fails, with the program or in a deadlock, and reports nothing
    // TSAN: hangs         it does not come to an end
    // TSAN: wrong size    it reports the right lines with a size that is not the access's

What follows the verdict after a colon is for the reader. `// TSAN(O1, O2): misses` limits it to levels.

--groups=3,2: at least three groups of words that share a shadow location came to be, and at least two were cut;
--groups=0: none came to be. This holds for detectors that have such groups in programs built with optimisation,
of which --groups-at=O1,O2,O3 names fewer levels. Elsewhere it is not looked at.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace

RACE_EXIT_CODE = 66
KINDS = ("read", "write", "atomic read", "atomic write")
TSAN_VERDICTS = ("misses", "may miss", "false alarm", "crashes", "hangs", "wrong size")

# ---------------------------------------------------------------------------------------------------
# Reports


@dataclass(frozen=True)
class Frame:
    function: str
    file: str = ""  # empty when the frame has no source position
    line: int = 0
    column: int = 0


@dataclass
class Access:
    kind: str  # one of KINDS
    size: int
    thread: str
    previous: bool
    member: str = ""  # if the report names one
    frames: list = field(default_factory=list)

    def place(self, files):
        """The top frame in one of `files` (base names), or None."""
        return next((f for f in self.frames if os.path.basename(f.file) in files), None)


@dataclass
class Report:
    title: str
    accesses: list = field(default_factory=list)
    summary: str = ""

    def is_race(self):
        return self.title.startswith(("data race", "heap-use-after-free"))


HEADER = re.compile(r"WARNING: (?:ThreadSanitizer|BigFoot): (.*) \(pid=\d+\)")
SUMMARY = re.compile(r"SUMMARY: (?:ThreadSanitizer|BigFoot): (.*)")
ACCESS = re.compile(
    r"  (Previous )?(atomic )?(read|write) of size (\d+) at 0x[0-9a-f]+ by (main thread|thread T\d+)",
    re.IGNORECASE)
FRAME = re.compile(r"    #\d+ (.*)$")
FIELD = re.compile(r"  Field is '(.*?)'(?:, in the previous access '(.*)')?\.$")
POSITION = re.compile(r"^(.*) (\S+?):(\d+)(?::(\d+))?(?: \(.*\))?$")


def parse_frame(text):
    match = POSITION.match(text)
    if not match:
        return Frame(function=text)
    function, file, line, column = match.groups()
    return Frame(function, file, int(line), int(column or 0))


def parse_reports(text):
    """All reports in what a detector wrote. Frames outside the two accesses (where a thread was
    created, where the block was allocated) are not kept."""
    reports, access = [], None
    for line in text.splitlines():
        if match := HEADER.match(line):
            reports.append(Report(title=match.group(1)))
            access = None
        elif not reports:
            continue
        elif match := SUMMARY.match(line):
            reports[-1].summary = match.group(1)
            access = None
        elif match := ACCESS.match(line):
            previous, atomic, kind, size, thread = match.groups()
            kind = ("atomic " if atomic else "") + kind.lower()
            access = Access(kind, int(size), thread, bool(previous))
            reports[-1].accesses.append(access)
        elif match := FIELD.match(line):
            for access in reports[-1].accesses:
                access.member = match[2] if access.previous and match[2] else match[1]
            access = None
        elif match := FRAME.match(line):
            if access:
                access.frames.append(parse_frame(match.group(1)))
        else:
            access = None  # an empty line or another section ends the stack
    return reports


# ---------------------------------------------------------------------------------------------------
# Marks


class MarkError(Exception):
    """The test itself is wrong."""


@dataclass(frozen=True)
class Mark:
    file: str
    line: int
    label: str
    accesses: tuple  # of (kind, size or None)
    member: str = None  # None: any

    def allows(self, access):
        return self.member in (None, access.member) and any(
            kind == access.kind and size in (None, access.size) for kind, size in self.accesses)

    def of_any_size(self):
        return replace(self, accesses=tuple((kind, None) for kind, _ in self.accesses))

    def of_any_member(self):
        return replace(self, member=None)


MARK = re.compile(r"//\s*RACE:\s*(.*?)\s*(?:\*/)?$")
ALTERNATIVE = re.compile(r"(?:(?P<label>\w+)\s+)??(?P<kind>(?:atomic )?(?:read|write))(?:\s+(?P<size>\d+))?$")


def parse_mark(file, line, text):
    label, accesses = "", []
    text, _, member = text.partition(" of ")
    for part in text.split(","):
        match = ALTERNATIVE.match(part.strip())
        if not match:
            raise MarkError(f"{file}:{line}: not a mark: {part.strip()!r}")
        label = match["label"] or label
        accesses.append((match["kind"], int(match["size"]) if match["size"] else None))
    of = {"": None, "nothing": ""}.get(member, member)
    return Mark(os.path.basename(file), line, label, tuple(accesses), of)


def read_marks(path):
    with open(path, encoding="utf-8") as source:
        return [parse_mark(path, number, match.group(1))
                for number, text in enumerate(source, 1) if (match := MARK.search(text.rstrip()))]


def races_of(marks):
    """The marks by label."""
    races = {}
    for mark in marks:
        races.setdefault(mark.label, []).append(mark)
    for label, group in races.items():
        if len(group) > 2:
            raise MarkError(f"more than two lines are marked as one race (label {label!r})")
    return races


# ---------------------------------------------------------------------------------------------------
# Verdicts


def is_pair(first, second, marks):
    """Whether accesses at (frame, access) `first` and `second` are the race of `marks`."""
    def at(place, mark):
        frame, access = place
        return (os.path.basename(frame.file) == mark.file and frame.line == mark.line
                and mark.allows(access))
    one, other = marks[0], marks[-1]
    return (at(first, one) and at(second, other)) or (at(first, other) and at(second, one))


def describe(report, files):
    def text(access):
        frame = access.place(files)
        where = f"{frame.file}:{frame.line}" if frame else "no source line of the test"
        return f"{access.kind} {access.size} at {where}"
    return f"{report.title}: " + " / ".join(text(a) for a in report.accesses)


def judge_report(report, races, files):
    """The label of the race `report` shows, or a complaint: (label, None) or (None, complaint)."""
    if not report.is_race():
        return None, f"a report that is not about a race: {report.title}"
    if len(report.accesses) != 2 or [a.previous for a in report.accesses] != [False, True]:
        return None, f"a report without one access and one previous access: {report.title}"
    if not report.summary:
        return None, "a report without a SUMMARY line"
    places = [(a.place(files), a) for a in report.accesses]
    if all(frame and frame.column for frame, _ in places):
        for label, marks in races.items():
            if is_pair(places[0], places[1], marks):
                return label, None
    return None, f"not a marked race: {describe(report, files)}"


def judge_racy(exit_code, reports, races, files):
    """Complaints about a run that must show exactly `races`."""
    complaints, seen = [], set()
    if exit_code != RACE_EXIT_CODE:
        complaints.append(f"exit code {exit_code}, expected {RACE_EXIT_CODE}")
    for report in reports:
        label, complaint = judge_report(report, races, files)
        if complaint:
            complaints.append(complaint)
        else:
            seen.add(label)
    for label, marks in races.items():
        if label not in seen:
            lines = " / ".join(f"{m.file}:{m.line}" for m in marks)
            complaints.append(f"not reported: race {label!r} at {lines}")
    return complaints


def judge_clean(exit_code, reports, output):
    """Complaints about a run in which the detector must stay silent."""
    complaints = [f"a report: {report.title}" for report in reports]
    if exit_code != 0:
        complaints.append(f"exit code {exit_code}, expected 0")
    if re.search(r"^(==\d+==)?(FATAL|ERROR|WARNING|BigFoot|ThreadSanitizer)\b.*:", output, re.M):
        complaints.append("the detector is not silent")
    return complaints


@dataclass
class Run:
    exit_code: int  # negative: ended by a signal; None: out of time
    output: str  # standard error


def tsan_declaration(paths, level):
    """What the test declares about ThreadSanitizer at this optimisation level, or None."""
    pattern = re.compile(r"//\s*TSAN(?:\(([\w, ]+)\))?:\s*([\w ]+)")
    for path in paths:
        with open(path, encoding="utf-8") as source:
            for levels, verdict in pattern.findall(source.read()):
                if verdict.strip() not in TSAN_VERDICTS:
                    raise MarkError(f"{path}: no such verdict: {verdict.strip()!r}")
                if not levels or level in [l.strip() for l in levels.split(",")]:
                    return verdict.strip()
    return None


def judge_declared(verdict, run, strict, of_any_size):
    """Complaints when the other tool must be wrong in a declared way. `strict` are the complaints
    the run gets without the declaration, `of_any_size` those it gets when sizes do not count."""
    reports = parse_reports(run.output)
    silent = run.exit_code == 0 and not reports
    holds = {
        "misses": silent,
        "may miss": silent or not strict,
        "false alarm": run.exit_code == RACE_EXIT_CODE and bool(reports),
        "crashes": run.exit_code != 0 and not reports,
        "hangs": run.exit_code is None,
        "wrong size": bool(strict) and not of_any_size,
    }[verdict]
    return [] if holds else [f"declared 'TSAN: {verdict}' but this was not seen"] + strict


def judge_as(verdict, run, marks, files, timeout):
    if run.exit_code is None:
        return [f"not finished after {timeout} s"]
    reports = parse_reports(run.output)
    if verdict == "racy":
        return judge_racy(run.exit_code, reports, races_of(marks), files)
    return judge_clean(run.exit_code, reports, run.output)


def judge(arguments, run):
    files = {os.path.basename(path) for path in arguments.source}
    marks = [mark for path in arguments.source for mark in read_marks(path)]
    if bool(marks) != (arguments.expect == "racy" or arguments.two_ways):
        raise MarkError("a racy test needs RACE marks, a clean one must have none")
    if arguments.tool == "tsan":  # which knows no members
        marks = [mark.of_any_member() for mark in marks]
    strict = judge_as(arguments.expect, run, marks, files, arguments.timeout)
    declared = tsan_declaration(arguments.source, arguments.level) if arguments.tool == "tsan" else None
    if not declared:
        return strict
    of_any_size = judge_as(arguments.expect, run, [m.of_any_size() for m in marks], files,
                           arguments.timeout)
    return judge_declared(declared, run, strict, of_any_size)


# ---------------------------------------------------------------------------------------------------
# Groups of words

WITH_GROUPS = ("", "bigfoot", "redcard", "slimcard")  # detectors; the first is the default one


def groups_are_judged(arguments):
    levels = arguments.groups_at.split(",")
    return (arguments.groups and arguments.tool == "bigfoot" and arguments.detector in WITH_GROUPS
            and arguments.level in levels)


def parse_groups(text):
    """The least numbers of groups formed and cut; nothing: none may be formed."""
    if text == "0":
        return None
    match = re.fullmatch(r"([1-9]\d*),(\d+)", text)
    if not match:
        raise MarkError(f"not a number of groups formed and cut: {text!r}")
    return int(match[1]), int(match[2])


def judge_groups(expected, counts):
    """Complaints about what the run time counted, by name."""
    formed, cut = counts.get("groups_formed", 0), counts.get("groups_cut", 0)
    seen = f"{formed} groups formed and {cut} cut"
    if expected is None:
        return [f"{seen}, expected none"] if formed else []
    wrong = formed < expected[0] or cut < expected[1]
    return [f"{seen}, expected at least {expected[0]} and {expected[1]}"] if wrong else []


# ---------------------------------------------------------------------------------------------------
# Running


def execute(command, timeout, options=""):
    """Runs `command` in a session of its own, so that a timeout ends its children too. `options` come
    before those of the environment, which override them."""
    given = os.environ.get("BIGFOOT_OPTIONS", "")
    environment = dict(os.environ, BIGFOOT_OPTIONS=f"{options} {given}".strip())
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, env=environment,
                               encoding="utf-8", errors="replace")
    try:
        _, output = process.communicate(timeout=timeout)
        return Run(process.returncode, output)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        _, output = process.communicate()
        return Run(None, output)


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--expect", choices=("racy", "clean"), required=True)
    parser.add_argument("--source", action="append", required=True, help="file with marks; repeatable")
    parser.add_argument("--two-ways", action="store_true", help="the marks are for another run")
    parser.add_argument("--tool", choices=("bigfoot", "tsan"), default="bigfoot")
    parser.add_argument("--detector", default="", help="what the program was built for")
    parser.add_argument("--groups", default="", help="groups of words that must be formed, and cut: 3,2")
    parser.add_argument("--groups-at", default="O1,O2,O3,lto,thinlto", help="levels this is true of")
    parser.add_argument("--level", default="", help="optimisation level the program was built at")
    parser.add_argument("--timeout", type=float, default=60, help="seconds (default 60)")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args(argv)


def run_and_judge(arguments):
    if not groups_are_judged(arguments):
        run = execute(arguments.command, arguments.timeout)
        return run, judge(arguments, run)
    with tempfile.NamedTemporaryFile(suffix=".json") as counts:
        run = execute(arguments.command, arguments.timeout, f"proxies=auto stats_path={counts.name}")
        text = counts.read()
    complaints = judge(arguments, run)
    return run, complaints + judge_groups(parse_groups(arguments.groups), json.loads(text or "{}"))


def main(argv):
    arguments = parse_arguments(argv)
    if arguments.tool == "tsan":
        if tsan_declaration(arguments.source, arguments.level) in ("crashes", "hangs"):
            arguments.timeout = 5  # the declaration is about a deadlock, not about slowness
    run, complaints = run_and_judge(arguments)
    if complaints:
        sys.stderr.write(run.output)
        for complaint in complaints:
            print(f"check_report: {arguments.source[0]}: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


def exit_code(argv):
    try:
        return main(argv)
    except MarkError as error:
        print(f"check_report: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(exit_code(sys.argv[1:]))
