#!/usr/bin/env python3
"""Relevant inputs found backwards are those that the paper's rules give forwards, for random values of subjects' runs and
for what they put out.

Usage: inputs_agree.py BIN_FOLDER COMPARE_INPUTS SUBJECT...
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

QUESTIONS = "300"


def named(text, name):
    found = re.search(rf"^// {name}: (.*)$", text, re.MULTILINE)
    return found.group(1).replace("\\0", "\0") if found else ""


def compared(binaries, compare, subject, folder):
    """Questions, bytes, chains and differences."""
    text = subject.read_text()
    program, trace = f"{folder}/{subject.stem}", f"{folder}/{subject.stem}-trace"
    compiler = "culprit-c++" if subject.suffix == ".cc" else "culprit-cc"
    subprocess.run([binaries / compiler, "-O1", "-g", "-w", "-pthread", subject, "-o", program], check=True)
    pathlib.Path(folder, "input.txt").write_text(named(text, "file"))
    words = ["input.txt" if each == "FILE" else each for each in named(text, "arguments").split()]
    subprocess.run([binaries / "culprit", "trace", "-o", trace, "--", program, *words], cwd=folder, input=named(text, "stdin"),
                   env=os.environ | {"CULPRIT_CACHE": f"{folder}/cache"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   text=True, timeout=120)
    done = subprocess.run([compare, trace, QUESTIONS], capture_output=True, text=True, timeout=300)
    counts = re.search(r"questions=(\d+) bytes=(\d+) chains=(\d+) differences=(\d+)", done.stdout)
    if not counts:
        sys.exit(f"{subject.name}: {done.stderr}")
    if done.returncode != 0:
        print(f"{subject.name}\n{done.stdout}")
    return [int(each) for each in counts.groups()]


def main():
    binaries, compare = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        counts = [compared(binaries, compare, pathlib.Path(each), folder) for each in sys.argv[3:]]
    questions, bytes_found, chains, differences = map(sum, zip(*counts))
    print(f"{len(counts)} runs: {questions} questions, {bytes_found} bytes and {chains} chains found, {differences} differences")
    sys.exit(0 if differences == 0 and bytes_found > 0 and chains > 0 else 1)


if __name__ == "__main__":
    main()
