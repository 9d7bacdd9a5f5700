"""The page of `bigfoot explain`: both columns, what belongs together, and hostile sources."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import browser

BIGFOOT = os.environ.get("BIGFOOT", "bigfoot")
SOURCE = """void scale(double* a, long n) {
  for (long i = 0; i < n; ++i)
	a[i] =	a[i] * 2; // </script><img src=x onerror='window.hacked=1'>
}
"""


def record(folder: Path) -> dict:
    """A loop whose write check has left it; the read needs none. Columns and numbers are made up."""

    def at(line, column):
        return [{"file": 0, "line": line, "column": column, "function": "scale"}]

    accesses = [
        {"position": at(3, 12), "operation": "read", "bytes": 8, "form": "plain", "fate": "anticipated", "checks": [], "relies_on": [1]},
        {"position": at(3, 10), "operation": "write", "bytes": 8, "form": "plain", "fate": "checked", "checks": [0], "relies_on": []},
    ]
    check = {"position": at(4, 1), "placed": "before", "operation": "write", "paths": ["a[0 .. 8*n]"], "shape": "range", "rule": "END",
             "reason": "the function ends", "barrier": "end", "covers": [{"access": 1, "moved": "later", "left_loops": [{"file": 0, "line": 2}]}]}
    function = {"name": "scale(double*, long)", "symbol": "_Z5scalePdl", "file": 0, "line": 1, "analysed": True, "accesses": accesses,
                "checks": [check], "counts": {"accesses": 2, "checks": 1}}
    return {"format": "bigfoot-explain", "version": 1, "detector": "bigfoot", "source": "scale.cpp", "directory": str(folder),
            "files": ["scale.cpp"], "functions": [function]}


@unittest.skipIf(browser.find() is None, "Chromium is not installed")
class ExplainPage(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        (folder / "scale.cpp").write_text(SOURCE)
        (folder / "records").mkdir()
        (folder / "records" / "scale.json").write_text(json.dumps(record(folder)))
        subprocess.run([BIGFOOT, "explain", folder / "records", "--html", folder / "pages"], check=True)
        self.browser = browser.shared()
        self.browser.errors.clear()
        self.browser.open(folder / "pages" / "scale.cpp.html")

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])
        self._folder.cleanup()

    def cell(self, line, column):
        return self.browser.ask(f"[...document.querySelectorAll('tr[data-line=\"{line}\"] .{column} button')].map(b => b.textContent.trim())")

    def test_every_access_on_the_left_and_checks_as_placed_on_the_right(self):
        self.assertEqual(self.cell(3, "every"), ["^ check read of 8 bytes", "^ check write of 8 bytes"])
        self.assertEqual(self.cell(4, "every"), [])
        left, = self.cell(4, "placed")
        self.assertTrue(left.startswith("CHECK 1: write a[0 .. 8*n], for 3:10"), left)
        self.assertIn("the function ends", left)
        read, write = self.cell(3, "placed")
        self.assertIn("no check, the access at 3:10 brings it", read)
        self.assertIn("check 1, later, once for the loop at line 2", write)

    def test_a_check_shows_the_accesses_it_stands_for(self):
        self.browser.ask("document.querySelector('.placed .check').focus()")
        related = self.browser.ask("[...document.querySelectorAll('.related')].map(e => e.textContent.trim().slice(0, 13))")
        self.assertEqual(related, ["^ check write", "^ check 1, la", "CHECK 1: writ"])

    def test_marks_stand_below_their_character(self):
        # Where the source's characters and the marks begin, in pixels from the left.
        left = """(() => {
            const left = (text, index) => {
              const range = document.createRange();
              range.setStart(text, index);
              range.setEnd(text, index + 1);
              return range.getBoundingClientRect().left;
            };
            return ['every', 'placed'].map((column) => {
              const cell = document.querySelector(`tr[data-line="3"] .${column}`);
              const source = [...cell.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
              const marks = [...cell.querySelectorAll('button')].map((b) => left(b.firstChild, b.textContent.indexOf('^')));
              return [[11, 9].map((index) => left(source, index)), marks];
            });
          })()"""
        for characters, marks in self.browser.ask(left):
            self.assertEqual(characters, marks)

    def test_counts_and_hostile_text(self):
        self.assertEqual(self.browser.ask("document.getElementById('totals').textContent"), "Detector bigfoot: 2 accesses, 1 check.")
        self.assertEqual(self.browser.ask("[...document.querySelectorAll('#functions td')].map(e => e.textContent)"), ["1", "2", "1", "1"])
        self.assertEqual(self.browser.ask("typeof window.hacked + document.querySelectorAll('img').length"), "undefined0")
        self.assertIn("</script><img", self.browser.ask("document.querySelector('tr[data-line=\"3\"] .every').textContent"))


if __name__ == "__main__":
    unittest.main()
