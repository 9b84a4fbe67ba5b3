#!/usr/bin/env python3
"""A path alone tells the same walk as a trace with addresses, in fewer bytes; one with values, too, in more.

Usage: path.py BIN_FOLDER SUBJECT...
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ARGUMENTS = re.compile(r"// arguments: (.*)")
ADDRESSES = re.compile(r"// addresses: at most (\d+) bytes")


def walk(culprit, trace, environment):
    """The steps of blocks, in their order: what a native call returned is in one of the traces only, and splits runs."""
    shown = subprocess.run([culprit, "dump", "trace", trace], env=environment, capture_output=True, text=True, check=True)
    steps = []
    for line in shown.stdout.splitlines():
        run = re.match(r"(\d+) run frame (\d+) block (\d+) operations \d+-\d+( \(goes on\))?", line)
        if run and not run.group(4):
            steps.append(run.groups()[:3])
        elif " enter " in line or " leave " in line or " unwound " in line:
            steps.append(line)
    return steps


def check(binaries, subject, folder):
    environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache"}
    program = f"{folder}/{subject.stem}"
    compiler = "culprit-c++" if subject.suffix == ".cc" else "culprit-cc"
    subprocess.run([binaries / compiler, "-O1", "-g", "-w", "-pthread", subject, "-o", program], check=True)
    arguments = ARGUMENTS.search(subject.read_text())
    words = [program, *(arguments.group(1).split() if arguments else [])]
    walks, sizes = [], []
    for name, options in (("all", []), ("path", ["--path"]), ("values", ["--values"])):
        trace = f"{folder}/{subject.stem}-{name}"
        traced = subprocess.run([binaries / "culprit", "trace", "--json", "-o", trace, *options, "--", *words],
                                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        sizes.append(json.loads(traced.stderr.strip().splitlines()[-1])["events_bytes"])
        walks.append(walk(binaries / "culprit", trace, environment))
    refused = subprocess.run([binaries / "culprit", "slice", f"{folder}/{subject.stem}-path", "--crash"], env=environment,
                             capture_output=True, text=True)
    for other in walks[1:]:
        if walks[0] == other:
            continue
        at = next((i for i, pair in enumerate(zip(walks[0], other)) if pair[0] != pair[1]), min(len(walks[0]), len(other)))
        print(f"{subject.name}: walks of {len(walks[0])} and {len(other)} steps part at {at}:"
              f" {walks[0][at:at + 3]} {other[at:at + 3]}")
        return False
    if not walks[0] or not sizes[1] < sizes[0] < sizes[2]:
        print(f"{subject.name}: {len(walks[0])} steps, {sizes[1]} bytes of a path, {sizes[0]} of a trace, {sizes[2]} with values")
        return False
    most = ADDRESSES.search(subject.read_text())
    if most and sizes[0] - sizes[1] > int(most.group(1)):
        print(f"{subject.name}: {sizes[0]} bytes of a trace, {sizes[1]} of them the path")
        return False
    if refused.returncode != 2:
        print(f"{subject.name}: a slice of a path ended with {refused.returncode}")
        return False
    return True


def main():
    binaries = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        passed = [check(binaries, pathlib.Path(subject), folder) for subject in sys.argv[2:]]
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
