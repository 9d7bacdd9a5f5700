"""Takes a picture of a page: picture.py PAGE OUT.png [WIDTH HEIGHT]. docs/report.png is examples/ledger.cpp at 1280 x 1180."""

import sys
from pathlib import Path

import browser


def main(page: str, out: str, width: str = "1280", height: str = "1180") -> None:
    window = browser.Browser(int(width), int(height))
    window.open(Path(page))
    window.picture(Path(out))
    window.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
