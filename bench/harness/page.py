"""Writes the page: the template of bench/page with its style, its scripts and the campaign in it."""

from __future__ import annotations

import json
from pathlib import Path

from . import headline
from .derive import derive
from .results import Campaign

PAGE = Path(__file__).resolve().parents[1] / "page"
SCRIPTS = ("base.js", "charts.js", "report.js")  # in the order in which they use each other


def render(campaign: Campaign) -> str:
    document = campaign.to_json()
    del document["cases"]  # the samples are in the JSON file; the page shows what was derived from them
    first = derive(campaign)[:1]
    document["headline"] = "".join(headline.sentence(s) for s in first if headline.is_possible(s))
    parts = {
        "style": (PAGE / "report.css").read_text(),
        "script": "\n".join((PAGE / name).read_text() for name in SCRIPTS),
        # A "</script>" in a string would end the element that holds the data.
        "data": json.dumps(document).replace("</", "<\\/"),
    }
    page = (PAGE / "template.html").read_text()
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text)
    return page


def write(campaign: Campaign, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(campaign))
