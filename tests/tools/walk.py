"""Does what a page of documentation says: walk.py PAGE CLANG, in the current folder.

Before a block of code the page has comments: `<!-- file: NAME -->` writes it to a file; `<!-- exit: N -->` runs it in a shell
and expects that exit code, and each `<!-- prints: TEXT -->` that text in what it prints. A shell block without an
`exit` comment is an error: every command shown is run.
"""

import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"((?:^<!-- [^\n]* -->\n)*)^```(\w*)\n(.*?)^```$", re.M | re.S)


def run(command: str, expected: int, texts: list[str], clang: str) -> str | None:
    """What is wrong, if anything."""
    # The page names the compiler that its reader has; the tests have theirs.
    command = command.replace("clang++-22", re.sub(r"clang(?=[^/]*$)", "clang++", clang))
    done = subprocess.run(["bash", "-euc", command], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    output = done.stdout + done.stderr
    if done.returncode != expected:
        return f"exit code {done.returncode} instead of {expected}\n{output}"
    return next((f"does not print '{text}'\n{output}" for text in texts if text not in output), None)


def main(page: str, clang: str) -> int:
    commands = 0
    for comments, language, text in BLOCK.findall(Path(page).read_text()):
        notes = re.findall(r"<!-- (\w+): (.*) -->", comments)
        files = [value for key, value in notes if key == "file"]
        exits = [value for key, value in notes if key == "exit"]
        if files:
            Path(files[0]).write_text(text)
        elif language == "sh":
            if not exits:
                sys.exit(f"{page}: no exit code is said for: {text}")
            problem = run(text, int(exits[0]), [value for key, value in notes if key == "prints"], clang)
            if problem:
                sys.exit(f"{page}: {text.strip()}\n{problem}")
            commands += 1
    if commands < 5:
        sys.exit(f"{page}: only {commands} commands were found")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
