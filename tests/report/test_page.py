"""The page of races in a real browser: search, filter, groups, keys, the drawings, 5,000 races, hostile names.

BIGFOOT names the command under test.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import browser
import samples

BIGFOOT = os.environ.get("BIGFOOT", "bigfoot")
SOURCE = "int counter[4];\nvoid set(int v) {\n  counter[1] = v;\n  return counter[1];\n}\n// <b>&amp;\n"
EVIL = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=2'><!-- ${1} --> \u2028 &lt;"


def make_page(folder: Path, *records: dict, name: str = "page.html") -> Path:
    page = folder / name
    subprocess.run([BIGFOOT, "report", samples.write(folder / "races.json", *records), "--html", page], check=True)
    return page


@unittest.skipIf(browser.find() is None, "Chromium is not installed")
class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.folder = Path(cls._folder.name)
        cls.browser = browser.shared()
        cls.source = cls.folder / "a.cpp"
        cls.source.write_text(SOURCE)

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def setUp(self):
        self.browser.errors.clear()
        self.browser.requests.clear()

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])
        self.assertEqual([r for r in self.browser.requests if not r.startswith(("file:", "about:"))], [])

    def open(self, *records, fragment=""):
        self.browser.open(make_page(self.folder, *records), fragment)
        return self.browser.ask

    def texts(self, selector):
        return self.browser.ask(f"[...document.querySelectorAll('{selector}')].map(e => e.textContent)")


class OneRace(PageTest):
    def race(self, **more):
        return samples.race(7, file=str(self.source), **more)

    def test_both_accesses_stand_in_their_source_with_the_expression_marked(self):
        self.open(self.race())
        self.assertEqual(self.texts(".access h4"), ["Earlier: write of 4 bytes by T1", "Then: read of 4 bytes by T2"])
        self.assertEqual(self.texts(".access .hit"), ["3  counter[1] = v;", "4  return counter[1];"])
        self.assertEqual(self.texts(".access mark"), ["counter[1]", "return"])

    def test_other_places_of_an_access_stand_below_its_own(self):
        record = samples.race(1)
        record["accesses"][0]["or_at"] = ["/src/a.cpp:7:2"]
        self.open(record)
        self.assertEqual(self.texts(".access .or"), ["or at /src/a.cpp:7:2: one check stands for both"])

    def test_the_field_hit_is_named_and_found(self):
        record = samples.race(1)
        for access in record["accesses"]:
            access["field"] = "bank::Account<\"&\">::balance"
        self.open(record, samples.race(2, variable="other"))
        field = "bank::Account<\"&\">::balance"
        self.assertIn(f"data race: {field} in counter", self.texts("h2"))
        self.assertEqual(self.texts("#object svg text.field"), [field])
        self.assertEqual(sum(f", field {field}" in text for text in self.texts("#object p")), 2)
        self.browser.press("/")
        self.browser.type("account balance")
        self.assertEqual(self.texts("#list .row[role=option]")[0].count(field), 1)
        self.assertEqual(len(self.texts("#list .row[role=option]")), 1)

    def test_the_object_is_drawn_with_the_bytes_hit(self):
        self.open(self.race())
        bars = self.browser.ask("[...document.querySelectorAll('#object rect[data-offset]')].map(r => [r.dataset.offset, r.dataset.size,"
                                " Number(r.getAttribute('x')), Number(r.getAttribute('width'))])")
        block = self.browser.ask("(r => [Number(r.getAttribute('x')), Number(r.getAttribute('width'))])(document.querySelector('#object .block'))")
        for offset, size, x, width in bars:
            self.assertEqual((offset, size), ("4", "4"))
            self.assertAlmostEqual((x - block[0]) / block[1], 4 / 16)
            self.assertAlmostEqual(width / block[1], 4 / 16)
        self.assertTrue(any("element 1 if these are 4 elements of 4" in t for t in self.texts("#object p")))

    def timeline(self):
        """The labels from top to bottom and the ends of the edges, as drawn."""
        rows = self.browser.ask("[...document.querySelectorAll('#why circle')].map(c => [Number(c.getAttribute('cy')),"
                                " Number(c.getAttribute('cx')), c.getAttribute('class'), c.nextSibling.textContent])")
        at = {(y, x): label for y, x, _, label in rows}

        def ends(path):
            (x1, y1), (x2, y2) = [map(float, p.split(",")) for p in re.findall(r"[\d.]+,[\d.]+", path)]
            return at[y1, x1], at[y2, x2]

        edges = [ends(p) for p in self.browser.ask("[...document.querySelectorAll('#why .edge')].map(p => p.getAttribute('d'))")]
        missing, = self.browser.ask("[...document.querySelectorAll('#why .missing')].map(p => p.getAttribute('d'))")
        return [label for _, _, _, label in sorted(rows)], edges, ends(missing)

    def test_the_timeline_has_the_edges_and_the_missing_one(self):
        record = self.race()
        record["history"] = [
            {"thread": 2, "steps": [samples.step("start", 40, 4), samples.step("lock", 60, 5, object="0xa0", name="gate"),
                                    samples.step("unlock", 70, 5, object="0xa0", name="gate")]},
            {"thread": 1, "incomplete": True, "steps": [
                samples.step("create", 10, 5, thread=2), samples.step("unlock", 50, 5, object="0xa0", name="gate"),
                samples.step("release", 90, 6, object="0xb0", name="flag")]},
        ]
        self.open(record)
        labels, edges, missing = self.timeline()
        # The write has clock 5: after the releases with clock 5, before the one with clock 6.
        self.assertEqual(labels, ["creates T2", "starts", "unlocks gate", "locks gate", "unlocks gate", "write (a.cpp:3)",
                                  "releases flag", "read (a.cpp:4)"])
        self.assertEqual(sorted(edges), [("creates T2", "starts"), ("unlocks gate", "locks gate")])
        self.assertEqual(missing, ("write (a.cpp:3)", "read (a.cpp:4)"))
        words = " ".join(self.texts("#why p"))
        self.assertIn("T1 publishes what it did by: releases flag", words)
        self.assertIn("T2 learns of others by: starts, locks gate", words)
        self.assertIn("Earlier steps of T1 were not kept", words)

    def test_an_access_stands_outside_the_locks_it_does_not_hold(self):
        record = self.race()
        record["mutexes"] = [{"id": 0, "address": "0xa0", "name": "held"}]
        record["accesses"][1]["locks"] = [{"mutex": 0, "mode": "write", "taken": samples.stack()}]
        record["history"] = [{"thread": 1, "steps": [
            samples.step("unlock", 1, 5, object="0xb0", name="other"), samples.step("lock", 2, 5, object="0xa0", name="held"),
            samples.step("acquire", 3, 5, object="0xc0", name="flag"), samples.step("lock", 4, 5, object="0xb0", name="other"),
            samples.step("unlock", 5, 6, object="0xb0", name="other"), samples.step("unlock", 6, 7, object="0xa0", name="held")]}]
        write = "write (a.cpp:3)"
        steps = ["unlocks other", "locks held", "acquires flag", "locks other", "unlocks other", "unlocks held"]
        self.open(record)
        self.assertEqual(self.timeline()[0], [*steps[:3], write, *steps[3:], "read (a.cpp:4)"])
        # More locks than are listed: whether `other` is one of them is not known.
        record["accesses"][1]["locks_total"] = 2
        self.open(record)
        self.assertEqual(self.timeline()[0], [*steps[:4], write, *steps[4:], "read (a.cpp:4)"])

    def test_locks_and_which_would_have_ordered_the_two(self):
        record = self.race()
        record["mutexes"] = [{"id": 0, "address": "0xa0", "name": "ledger"}, {"id": 1, "address": "0xb0"}]
        record["accesses"][1]["locks"] = [{"mutex": 0, "mode": "write", "taken": samples.stack(samples.frame("f()", str(self.source), 2, 1))}]
        self.open(record)
        self.assertIn("ledger, held by T1, would order them if T2 held it too at a.cpp:4.", self.texts("#locks .advice"))
        record["accesses"][0]["locks"] = [{"mutex": 0, "mode": "read"}]
        record["accesses"][1]["locks"][0]["mode"] = "read"
        record["locks"] = "read-modes-only"
        self.open(record)
        self.assertRegex(self.texts("#locks .advice")[0], "ledger for reading only")
        record["accesses"][0]["locks"] = record["accesses"][1]["locks"] = []
        del record["locks"]
        record["history"] = [{"thread": t, "steps": [samples.step("lock", t, 5, object="0xc0", name="cache")]} for t in (1, 2)]
        self.open(record)
        self.assertRegex(self.texts("#locks .advice")[0], "Both threads use cache elsewhere")

    def test_suppressions_and_the_command_can_be_copied(self):
        record = self.race()
        record["run"] = {"command": ["./a b", "-x"], "folder": "/w", "options": "json_path=r.json"}
        self.open(record)
        self.assertEqual(self.texts("#rerun pre"), ["cd /w && BIGFOOT_OPTIONS=json_path=r.json './a b' -x"])
        self.assertGreater(len(self.texts("#suppress pre")), 0)

    def test_sources_that_are_gone_are_said_to_be(self):
        self.open(samples.race(7, file="/no/such/file.cpp"))
        self.assertIn("/no/such/file.cpp was not found", self.texts(".access p")[1])

    def test_frames_open_their_source(self):
        self.open(self.race())
        self.browser.ask("document.querySelectorAll('.access .stack button')[0].click()")
        self.assertEqual(self.browser.ask("document.querySelectorAll('.access .stack .source').length"), 1)
        self.browser.ask("document.querySelectorAll('.access .stack button')[0].click()")
        self.assertEqual(self.browser.ask("document.querySelectorAll('.access .stack .source').length"), 0)

    def test_a_function_that_calls_itself_says_so(self):
        record = self.race()
        record["accesses"][0]["stack"]["frames"][0]["recursive"] = True
        self.open(record)
        marked = [text for text in self.texts(".access .stack button") if "recursive" in text]
        self.assertEqual(len(marked), 1)
        self.assertRegex(marked[0], r"^#0 get\(\) .*recursive: further calls of this function are not kept")

    def test_light_and_dark_with_contrast(self):
        self.open(self.race())
        colours = []
        for dark in (False, True):
            self.browser.dark(dark)
            style = "getComputedStyle(document.querySelector('{}')).{}"
            background = self.browser.ask(style.format("body", "backgroundColor"))
            for selector in ("body", "h2", ".muted", ".place"):
                text = self.browser.ask(style.format(selector, "color"))
                self.assertGreaterEqual(contrast(text, background), 4.5, (dark, selector, text, background))
            colours.append(background)
        self.assertNotEqual(*colours)
        self.browser.dark(False)

    def test_hostile_names_and_sources_stay_text(self):
        evil = self.folder / "evil.cpp"
        evil.write_text(f"int a;\nint b;\n  x = 1; {EVIL}\n" + f"{EVIL}\n" * 3)
        record = samples.race(9, file=str(evil), variable=EVIL)
        record["title"] = EVIL
        for access in record["accesses"]:
            access["stack"]["frames"][0]["function"] = EVIL
            access["field"] = EVIL
            access["or_at"] = [EVIL]
        record["threads"][0]["name"] = EVIL[:31]
        record["mutexes"] = [{"id": 0, "address": "0x1", "name": EVIL}]
        record["run"] = {"command": [EVIL], "folder": EVIL}
        ask = self.open(record)
        self.assertEqual(ask("typeof window.hacked"), "undefined")
        self.assertEqual(ask("document.querySelectorAll('img').length"), 0)
        self.assertEqual(ask("document.querySelectorAll('script').length"), 3)
        self.assertEqual(self.texts(".access.previous .hit")[0], f"3  x = 1; {EVIL}")
        self.assertIn(EVIL, ask("document.querySelector('h2').textContent"))


class ManyRaces(PageTest):
    """5,000 of them: the list stays small, whatever is asked of it."""

    COUNT = 5000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        records = [samples.race(i, file=str(cls.source), line=1 + i % 5, variable=f"variable_{i % 50}", threads=(1 + i % 3, 10),
                                kind="data-race-vptr" if i % 100 == 0 else "data-race") for i in range(cls.COUNT)]
        for record in records[::7]:
            record["accesses"][0]["kind"] = "write"
        cls.page = make_page(cls.folder, *records, name="many.html")

    def setUp(self):
        super().setUp()
        self.browser.open(self.page)

    def drawn(self):
        return self.browser.ask("document.querySelectorAll('#list .row').length")

    def totals(self):
        return self.browser.ask("document.getElementById('totals').textContent")

    def search(self, text):
        self.browser.press("/")
        self.browser.ask("document.getElementById('search').select()")
        self.browser.type(text)

    def test_only_the_rows_in_sight_exist(self):
        self.assertLess(self.drawn(), 100)
        self.browser.ask("document.getElementById('list').scrollTop = 100000")
        self.browser.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertLess(self.drawn(), 100)
        self.assertEqual(self.browser.ask("document.querySelector('#list .all').offsetHeight"), self.COUNT * 46)

    def test_search(self):
        self.search("variable_17")
        self.assertEqual(self.totals(), "100 of 5000 races in 5000 records")
        self.search("VARIABLE_17 t2")
        expected = sum(1 for i in range(self.COUNT) if i % 50 == 17 and i % 3 == 1)
        self.assertEqual(self.totals(), f"{expected} of 5000 races in 5000 records")
        self.search(f"{4711:016x}")
        self.assertEqual(self.totals(), "1 of 5000 races in 5000 records")
        self.search("no such thing")
        self.assertEqual(self.texts("#list .none"), ["Nothing matches."])

    def test_filters(self):
        self.browser.choose("#kind", "data-race-vptr")
        self.assertEqual(self.totals(), "50 of 5000 races in 5000 records")
        self.browser.choose("#accesses", "write / write")
        both = sum(1 for i in range(self.COUNT) if i % 100 == 0 and i % 7 == 0)
        self.assertEqual(self.totals(), f"{both} of 5000 races in 5000 records")

    def test_groups(self):
        for group, first, size in (("variable", "variable_0", 100), ("file", "a.cpp", 5000), ("threads", "T1 / T10", 1667),
                                   ("fingerprint", f"{0:016x}", 1)):
            self.browser.choose("#group", group)
            with self.subTest(group):
                name = self.texts("#list .group")[0]
                self.assertTrue(name.endswith(f"{first} ({size})"), name)

    def selected(self):
        return self.browser.ask("document.querySelector('[aria-selected=true]')?.id")

    def test_keys(self):
        self.assertEqual(self.selected(), f"race-{0:016x}")
        self.browser.press("j")
        self.browser.press("j")
        self.browser.press("k")
        self.assertEqual(self.selected(), f"race-{1:016x}")
        self.browser.press("Escape")
        self.assertEqual(self.browser.ask("document.activeElement.id"), "list")
        self.browser.press("End")
        self.assertEqual(self.selected(), f"race-{self.COUNT - 1:016x}")
        self.assertEqual(self.browser.ask("document.getElementById('list').getAttribute('aria-activedescendant')"), self.selected())
        self.browser.press("Home")
        self.browser.press("ArrowDown")
        self.assertEqual(self.selected(), f"race-{1:016x}")
        self.browser.press("Enter")
        self.assertEqual(self.browser.ask("document.activeElement.id"), "detail")
        self.browser.press("/")
        self.assertEqual(self.browser.ask("document.activeElement.id"), "search")
        self.browser.press("j")  # in the search field it is a letter
        self.assertEqual(self.browser.ask("document.getElementById('search').value"), "j")

    def test_an_address_names_a_race(self):
        self.browser.press("j")
        self.assertEqual(self.browser.ask("location.hash"), f"#{1:016x}")
        self.browser.open(self.page, f"#{4321:016x}")
        self.assertEqual(self.selected(), f"race-{4321:016x}")
        self.assertIn("variable_21", self.browser.ask("document.querySelector('h2').textContent"))


class OtherPages(PageTest):
    def test_no_races(self):
        end = {"schema": "bigfoot-report", "version": 2, "type": "end", "pid": 1, "time_ms": 1, "reported": 0}
        self.open(end)
        self.assertEqual(self.texts("h2"), ["No races"])

    def test_findings_that_are_no_races(self):
        finding = {**samples.race(3), "type": "finding", "kind": "thread-leak", "title": "thread leak", "accesses": [], "thread": 1,
                   "where": samples.stack(samples.frame("start()", str(self.source), 3, 3))}
        self.open(finding)
        self.assertIn("thread leak", self.texts("h2")[0])
        self.assertEqual(self.texts(".hit"), ["3  counter[1] = v;"])

    def test_records_of_the_first_version(self):
        self.open({**samples.race(3, file=str(self.source)), "version": 1})
        self.assertIn("T1 publishes nothing", " ".join(self.texts("#why p")))


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(n) / 255 for n in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


if __name__ == "__main__":
    unittest.main()
