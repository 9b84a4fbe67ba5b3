#!/usr/bin/env python3
"""A trace with values holds what each store stored and each return returned.

Usage: stored_values.py BIN_FOLDER SUBJECT
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    binaries, subject = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    expected = {}
    for number, line in enumerate(subject.read_text().splitlines(), 1):
        if values := re.search(r"/\* value (.*) \*/", line):
            expected[number] = [int(value) for value in values.group(1).split(", ")]
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache"}
        program = f"{folder}/stored_values"
        subprocess.run([binaries / "culprit-cc", "-O1", "-g", subject, "-o", program], check=True)
        for options, wanted in ((["--values"], expected), ([], {})):
            trace = f"{folder}/trace{len(options)}"
            subprocess.run([binaries / "culprit", "trace", "-o", trace, *options, "--", program], env=environment, check=True,
                           stderr=subprocess.DEVNULL)
            shown = subprocess.run([binaries / "culprit", "dump", "trace", trace], env=environment, capture_output=True, text=True,
                                   check=True).stdout
            stored = collections.defaultdict(list)
            for line, value in re.findall(r"(?:stores|returns) stored_values\.c:(\d+)\S* (-?\d+)", shown):
                if int(line) in expected:
                    stored[int(line)].append(int(value))
            if stored != wanted:
                sys.exit(f"stored {dict(stored)} instead of {wanted}")
        both = subprocess.run([binaries / "culprit", "trace", "--path", "--values", "--", program], env=environment,
                              capture_output=True, text=True, check=False)
        if both.returncode != 2:
            sys.exit(f"a path with values ended with {both.returncode}")


if __name__ == "__main__":
    main()
