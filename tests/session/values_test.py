#!/usr/bin/env python3
"""`culprit value` on a recording of values.c.  Usage: values_test.py BIN_DIRECTORY"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("values.c")
LINE = next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if "total +=" in text)

# Where, in which activation, and what each expression is.
EXPECTED = [
    (f"values.c:{LINE}#1", 0, {"total": "0", "at->name": '"two"', "at == &second": "1", "table[depth & 3]": "4"}),
    (f"values.c:{LINE}#2", 0, {"total": "8", "at->key": "1", "at->flag + 1": "6", "at->next": "0x0", "*table": "1"}),
    (f"values.c:{LINE}#2", 1, {"argc * 2.5": "7.5", "argv[argc]": "0x0", "*argv[1] == 'x'": "1", "second.next == &first": "1"}),
    ("exit", 0, {"table": "{1, 2, 3, 4}"}),
]


def main():
    binaries = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="culprit-values-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ)
        environment.setdefault("CULPRIT_CACHE", str(folder / "cache"))

        def culprit(*words):
            return subprocess.run([binaries / "culprit", *words], env=environment, capture_output=True, text=True)

        subprocess.run([binaries / "culprit-cc", "-O2", "-g", SOURCE, "-o", folder / "values"], check=True)
        recorded = culprit("record", "-o", folder / "rec", "--", folder / "values", "x", "y")
        if recorded.returncode != 0:
            sys.exit(recorded.stderr)
        for at, frame, values in EXPECTED:
            found = culprit("value", folder / "rec", "--at", at, "--frame", str(frame), "--json", *values)
            if found.returncode != 0 or json.loads(found.stdout) != values:
                sys.exit(f"at {at}, activation {frame}: {found.stdout}{found.stderr}instead of {values}")
        wrong = culprit("value", folder / "rec", "--at", "exit", "nothing + 1")
        if wrong.returncode != 2 or "nothing is called nothing here" not in wrong.stderr:
            sys.exit(f"an unknown name gives {wrong.returncode}: {wrong.stderr}")


if __name__ == "__main__":
    main()
