"""Holds SARIF files against the public schema; prints each violation. Usage: validate_sarif.py FILE..."""

import json
import sys
from pathlib import Path

import jsonschema

SCHEMA = json.loads((Path(__file__).parent / "sarif-2.1.0-rtm.5.json").read_text())


def violations(document) -> list[str]:
    checker = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in checker.iter_errors(document)]


def main(files: list[str]) -> int:
    failed = False
    for name in files:
        for violation in violations(json.loads(Path(name).read_text())):
            print(f"{name}: {violation}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
