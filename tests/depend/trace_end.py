#!/usr/bin/env python3
"""A trace of a run's end is the end of the whole trace, and what depends on nothing before it has the same slice.

Usage: trace_end.py BIN_FOLDER SUBJECT...
"""

import collections
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RESUMED = 60  # lines by which activations that had begun are told


def steps(culprit, trace, environment):
    """The walk without numbers of activations, which count from its beginning."""
    shown = subprocess.run([culprit, "dump", "trace", trace], env=environment, capture_output=True, text=True, check=True)
    return re.sub(r"frame \d+", "frame", shown.stdout).splitlines()


def instances(culprit, trace, line, environment):
    """How often each line is in the slice of what a line does last."""
    shown = subprocess.run([culprit, "slice", trace, "--at", line], env=environment, capture_output=True, text=True, check=True)
    file = re.escape(line.split(":")[0])
    return collections.Counter({int(line): int(times) for times, line in re.findall(rf"^ *(\d+)x +{file}:(\d+) ", shown.stdout, re.MULTILINE)})


def check(binaries, subject, folder):
    culprit = binaries / "culprit"
    environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache", "CULPRIT_RECORDINGS": folder}
    program, recording = f"{folder}/{subject.stem}", f"{folder}/recording-{subject.stem}"
    compiler = "culprit-c++" if subject.suffix == ".cc" else "culprit-cc"
    lines = subject.read_text().splitlines()
    last = [number for number, text in enumerate(lines, 1) if "last" in text.split("//")[-1] or "/* last */" in text]
    for optimised in ("-O0", "-O2"):
        subprocess.run([binaries / compiler, optimised, "-g", "-w", subject, "-o", program], check=True)
        subprocess.run(["rm", "-rf", recording], check=True)
        subprocess.run([culprit, "record", "-o", recording, "--", program], env=environment, check=True, capture_output=True)
        whole = f"{folder}/whole"
        subprocess.run([culprit, "trace", "-o", whole, "--values", recording], env=environment, check=True, capture_output=True)
        expected = steps(culprit, whole, environment)
        in_whole = instances(culprit, whole, f"{subject.name}:{last[-1]}", environment)
        sizes = set()
        for mebibytes in ("1", "2"):
            end = f"{folder}/end"
            subprocess.run([culprit, "trace", "-o", end, "--last", mebibytes, recording], env=environment, check=True, capture_output=True)
            found = steps(culprit, end, environment)
            same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(reversed(found), reversed(expected))))
            if same < len(found) - RESUMED or len(found) > len(expected) * 0.9:
                sys.exit(f"{subject.name} {optimised}: of {len(found)} steps of the last {mebibytes} MiB {same} are the end of {len(expected)}")
            sizes.add(len(found))
            in_end = instances(culprit, end, f"{subject.name}:{last[-1]}", environment)
            for line in last:
                if in_end[line] != in_whole[line]:
                    sys.exit(f"{subject.name}:{line} {optimised}: {in_end[line]} times in the slice of the last {mebibytes} MiB, "
                             f"{in_whole[line]} times in the whole one")
            if any(in_end[line] > in_whole[line] for line in in_end):
                sys.exit(f"{subject.name} {optimised}: the slice of the end has more than the whole one")
        if len(sizes) < 2:
            sys.exit(f"{subject.name} {optimised}: all ends are the same")
        # The beginning is checked like everything that is read.
        start = pathlib.Path(end) / "start"
        good = start.read_bytes()
        for damaged in (good[:-3], good[:20], b"x" * 64, good[:36] + b"\xff\xff\xff\x7f" + good[40:]):
            start.write_bytes(damaged)
            refused = subprocess.run([culprit, "dump", "trace", end], env=environment, capture_output=True, text=True, check=False)
            if refused.returncode != 2 or "start" not in refused.stderr:
                sys.exit(f"a damaged beginning ended with {refused.returncode}: {refused.stderr}")
    running = subprocess.run([culprit, "trace", "--last", "1", "--", program], env=environment, capture_output=True, text=True, check=False)
    if running.returncode != 2:
        sys.exit(f"the end of a run that is no recording: {running.returncode}")


def main():
    for subject in map(pathlib.Path, sys.argv[2:]):
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(sys.argv[1]), subject, folder)


if __name__ == "__main__":
    main()
