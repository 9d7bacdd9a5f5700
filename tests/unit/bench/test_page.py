"""The page in a browser: every figure of the campaign is in its tables and plots, at the place its axis says.

The page is rendered by headless Chromium; what is checked is the document it ends up with. Positions are taken
from the shapes as drawn and turned back into values through the tick marks, not through the page's own scales.
"""

from __future__ import annotations

import html.parser
import math
import re
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401
from harness import browser, headline, page, results
from harness.derive import derive
from support import campaign, case, cell

NASTY = 'exit code 1 </script><b>"&'
PLOTTED = (
    "overhead_vs_tsan",
    "check_ratio",
    "cpu_overhead_vs_tsan",
    "overhead_vs_fasttrack",
    "slowdown",
    "rss_ratio",
    "shadow_fraction",
)


def sample_campaign() -> results.Campaign:
    """Every kind of row: all figures, a failure, a racy variant, a base that was not come to; three groups, three
    numbers of threads, two sizes, and a variant of a detector."""

    def cells(scale: float):
        counters = {"check_ratio": 0.07 * scale, "shadow_fraction": 0.3}
        return (
            cell("base", [0.5, 0.5, 0.6], 10, compile_cpu_seconds=1.0),
            cell("fasttrack", [5.0 * scale] * 3, 80, counters={"check_ratio": 1.0}, compile_cpu_seconds=1.2),
            cell("bigfoot", [1.1 * scale] * 3, 20, counters=counters, compile_cpu_seconds=2.5),
            cell("bigfoot-no-proxies", [1.3 * scale] * 3, 21, counters=counters, compile_cpu_seconds=2.4),
            cell("tsan", [3.7 * scale] * 3, 64, compile_cpu_seconds=1.1),
        )

    broken = case("sparse", *cells(1.0))
    broken.cells["bigfoot"] = results.Cell("bigfoot", results.FAILED, NASTY)
    racy = case("sor-racy", *cells(9.0), racy=True, size="tiny")
    other = case("pipeline", *cells(2.1), group="bytes")
    interrupted = case("lru_cache", *cells(1.3), group="pointers")
    interrupted.cells["base"] = results.Cell("base")
    cases = [case("crypt", *cells(1.0)), case("sor", *cells(1.7)), broken, racy, other, interrupted]
    cases += [case("crypt", *cells(1.0 + t / 4), threads=t) for t in (1, 4)]
    cases += [case("crypt", *cells(0.5 + i), size=s, size_label=s) for i, s in enumerate(("tiny", "small"))]
    return campaign(*cases, runs=3)


class Document(html.parser.HTMLParser):
    """The elements of the document, each with its attributes, its text and the SVG it is in."""

    VOID = {"meta", "link", "br", "hr", "img", "input"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[dict] = []
        self._open: list[dict] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        drawing = next((e for e in reversed(self._open) if e["tag"] == "svg"), None)
        node = {"tag": tag, "text": "", "svg": drawing, "parent": self._open[-1] if self._open else None}
        node["attributes"] = dict(attributes)
        self.elements.append(node)
        if tag not in self.VOID:
            self._open.append(node)

    def handle_endtag(self, tag):
        while self._open and self._open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        if self._open:
            self._open[-1]["text"] += data

    def all(self, **wanted):
        """Elements by tag or by attributes; a name with data_ is a data- attribute, None is any value."""
        for node in self.elements:
            attributes = {**node["attributes"], "tag": node["tag"]}
            names = {key.replace("_", "-"): value for key, value in wanted.items()}
            if all(k in attributes and (v is None or attributes[k] == v) for k, v in names.items()):
                yield node

    def marks(self):
        return [n for n in self.elements if "mark" in n["attributes"].get("class", "").split()]


def number(text: str) -> float:
    return float(text.rstrip("×"))


class Axis:
    """A scale recovered from the tick marks of a drawing."""

    def __init__(self, document: Document, drawing: dict, vertical: bool) -> None:
        fixed, coordinate = ("y1", "y2") if vertical else ("x1", "x2")
        self._ticks = []
        for group in document.all(tag="g"):
            if group["svg"] is not drawing or group["attributes"].get("class") != "tick":
                continue
            children = [e for e in document.elements if e["parent"] is group]
            lines = [e for e in children if e["tag"] == "line"]
            if not lines or lines[0]["attributes"][fixed] != lines[0]["attributes"][coordinate]:
                continue
            label = next(e for e in children if e["tag"] == "text")
            self._ticks.append((number(label["text"]), float(lines[0]["attributes"][fixed])))
        self._log = drawing["attributes"]["data-kind"] in ("dots", "scatter", "growth")

    def value_at(self, position: float) -> float:
        (v1, p1), (v2, p2) = self._ticks[0], self._ticks[-1]
        part = (position - p1) / (p2 - p1)
        return v1 * (v2 / v1) ** part if self._log else v1 + part * (v2 - v1)


def centre(node: dict) -> tuple[float, float]:
    attributes = node["attributes"]
    if node["tag"] == "circle":
        return float(attributes["cx"]), float(attributes["cy"])
    points = [tuple(map(float, pair.split(","))) for pair in attributes["points"].split()]
    xs, ys = zip(*points)
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


@unittest.skipIf(browser.find() is None, "Chromium is not installed")
class RenderedPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.campaign = sample_campaign()
        cls.settings = derive(cls.campaign)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            page.write(cls.campaign, path)
            done = browser.run(path, "--dump-dom")
        cls.log = done.stderr
        cls.document = Document(done.stdout)

    def figure(self, program: str, detector: str, field: str):
        row = next(r for r in self.settings[0].rows if r.program == program)
        figures = row.figures[detector]
        if field == "time_vs_tsan":
            return figures.seconds / row.figures["tsan"].seconds
        return getattr(figures, field)

    def bar_and_dot_marks(self):
        return [m for m in self.document.marks() if m["svg"]["attributes"]["data-kind"] in ("bars", "dots")]

    def test_the_script_ran_without_errors(self):
        self.assertNotRegex(self.log, r"CONSOLE.*(Uncaught|Error)")
        self.assertGreater(len(self.document.marks()), 0)

    def test_every_figure_is_plotted_once_and_nothing_else(self):
        plotted = sorted(
            (m["attributes"]["data-program"], m["attributes"]["data-detector"], m["attributes"]["data-field"])
            for m in self.bar_and_dot_marks()
            if m["attributes"]["data-field"] in PLOTTED
        )
        own = {"overhead_vs_fasttrack": "fasttrack", "overhead_vs_tsan": "tsan", "cpu_overhead_vs_tsan": "tsan"}
        # Always 1, left out.
        expected = sorted(
            (row.program, name, field)
            for row in self.settings[0].rows
            for name, figures in row.figures.items()
            for field in PLOTTED
            if not row.racy and name != "base" and own.get(field) != name and getattr(figures, field) is not None
        )
        self.assertEqual(plotted, expected)

    def test_marks_stand_where_their_axis_has_their_value(self):
        axes = {}
        for node in self.bar_and_dot_marks():
            drawing = node["svg"]
            axis = axes.setdefault(id(drawing), Axis(self.document, drawing, vertical=False))
            attributes = node["attributes"]
            if node["tag"] == "rect":
                position = float(attributes["x"]) + float(attributes["width"])
            else:
                position, _ = centre(node)
            expected = self.figure(attributes["data-program"], attributes["data-detector"], attributes["data-field"])
            with self.subTest(attributes["data-field"], program=attributes["data-program"]):
                self.assertAlmostEqual(float(attributes["data-value"]), expected)
                self.assertTrue(math.isclose(axis.value_at(position), expected, rel_tol=1e-6), attributes)

    def test_tables_have_the_figures(self):
        cells = [c for c in self.document.all(tag="td", data_value=None) if "data-program" in c["attributes"]]
        self.assertGreater(len(cells), 20)
        for node in cells:
            a = node["attributes"]
            expected = self.figure(a["data-program"], a["data-detector"], a["data-field"])
            self.assertAlmostEqual(float(a["data-value"]), expected)
            self.assertTrue(math.isclose(float(node["text"]), expected, rel_tol=0.01), node)

    def test_means_are_those_of_the_printed_tables(self):
        cells = list(self.document.all(tag="td", data_mean=None))
        self.assertEqual({node["attributes"]["data-group"] for node in cells}, {"pointers", "bytes", "kernels", "all"})
        for node in cells:
            a = node["attributes"]
            expected = getattr(self.settings[0].groups[a["data-group"]].means[a["data-mean"]], a["data-field"])
            if expected is None:
                self.assertEqual(a["data-value"], "null")
            else:
                self.assertTrue(math.isclose(float(a["data-value"]), expected, rel_tol=1e-6))

    def test_every_plot_of_programs_names_the_groups_in_order(self):
        drawings = [d for kind in ("bars", "dots") for d in self.document.all(data_kind=kind)]
        self.assertGreater(len(drawings), 5)
        for drawing in drawings:
            named = [e["text"] for e in self.document.all(tag="text", **{"class": "group"}) if e["svg"] is drawing]
            self.assertEqual(named, ["pointers", "bytes", "kernels"])

    def test_the_headline_is_the_printed_one(self):
        node = next(self.document.all(id="headline"))
        self.assertEqual(node["text"], headline.sentence(self.settings[0]))

    def test_nothing_is_wider_than_a_narrow_window(self):
        # What may be wider scrolls by itself: the tables.
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.html"
            page.write(self.campaign, path)
            with open(path, "a") as stream:
                stream.write("<script>document.body.dataset.width = document.documentElement.scrollWidth</script>")
            done = browser.run(path, "--window-size=500,900", "--dump-dom")
        body = next(Document(done.stdout).all(tag="body"))
        self.assertLessEqual(int(body["attributes"]["data-width"]), 500)

    def test_scatter_against_thread_sanitizer(self):
        drawing = next(self.document.all(data_kind="scatter"))
        across, up = Axis(self.document, drawing, False), Axis(self.document, drawing, True)
        marks = [m for m in self.document.marks() if m["svg"] is drawing]
        self.assertEqual(len(marks), 11)  # three detectors on four programs that have a base; one failed once
        for node in marks:
            a = node["attributes"]
            x, y = centre(node)
            time = self.figure(a["data-program"], a["data-detector"], "time_vs_tsan")
            memory = self.figure(a["data-program"], a["data-detector"], "rss_vs_tsan")
            self.assertTrue(math.isclose(across.value_at(x), time, rel_tol=1e-6))
            self.assertTrue(math.isclose(up.value_at(y), memory, rel_tol=1e-6))

    def test_growth_curves(self):
        by_step = {}
        for setting in self.settings:
            for row in setting.rows:
                step = str(row.threads) if setting.size is None else row.size
                by_step[row.program, step] = row.figures
        drawings = list(self.document.all(data_kind="growth"))
        steps = set()
        for drawing in drawings:
            axis = Axis(self.document, drawing, vertical=True)
            for node in (m for m in self.document.marks() if m["svg"] is drawing):
                a = node["attributes"]
                steps.add(a["data-at"])
                expected = by_step[a["data-program"], a["data-at"]][a["data-detector"]].slowdown
                self.assertTrue(math.isclose(axis.value_at(centre(node)[1]), expected, rel_tol=1e-6))
        self.assertEqual(steps, {"1", "2", "4", "tiny", "small"})

    def test_failures_are_shown_with_their_reason(self):
        failed = [c for c in self.document.all(tag="td") if c["attributes"].get("class") == "failed"]
        self.assertTrue(any(c["text"] == "failed" and c["attributes"].get("title") == NASTY for c in failed))

    def test_drawings_and_tables_say_what_they_are(self):
        ids = {e["attributes"]["id"]: e for e in self.document.elements if "id" in e["attributes"]}
        for drawing in self.document.all(tag="svg", role="img"):
            self.assertNotEqual(ids[drawing["attributes"]["aria-labelledby"]]["text"], "")
        for head in self.document.all(tag="th"):
            self.assertIn("scope", head["attributes"])


    def test_a_picture_of_it_can_be_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            path, picture = Path(folder) / "report.html", Path(folder) / "pictures" / "report.png"
            page.write(self.campaign, path)
            browser.screenshot(path, picture, 640, 480)
            head = picture.read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual((int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")), (640, 480))


class SelfContained(unittest.TestCase):
    def test_nothing_is_loaded_from_elsewhere(self):
        text = page.render(sample_campaign())
        self.assertNotRegex(text, r"(src|href)=\"(?!#)")
        addresses = set(re.findall(r"https?://[^\s\"']+", text))
        self.assertLessEqual(addresses, {"http://www.w3.org/2000/svg"})  # a namespace, never fetched

    def test_data_cannot_end_its_script(self):
        data = page.render(sample_campaign()).partition('id="campaign">')[2].partition("</script>")[0]
        self.assertIn("<\\/script>", data)
        self.assertIn('"settings"', data)

    def test_an_empty_campaign_is_a_page_too(self):
        self.assertIn("<main", page.render(campaign()))


if __name__ == "__main__":
    unittest.main()
