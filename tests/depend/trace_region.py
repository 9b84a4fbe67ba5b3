#!/usr/bin/env python3
"""A trace of a region is a piece of the whole trace that holds both points, and little more.

Usage: trace_region.py BIN_FOLDER SUBJECT THREADED_SUBJECT
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

RESUMED = 60  # lines by which activations that had begun are told
FIRST, LAST = 1000, 1100


class Tried:
    def __init__(self, binaries, folder):
        self.culprit = binaries / "culprit"
        self.folder = folder
        self.environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache", "CULPRIT_RECORDINGS": folder}
        self.compiler = binaries / "culprit-cc"

    def record(self, subject, optimised):
        program, recording = f"{self.folder}/{subject.stem}", f"{self.folder}/recording-{subject.stem}{optimised}"
        subprocess.run([self.compiler, optimised, "-g", "-w", "-pthread", subject, "-o", program], check=True)
        subprocess.run([self.culprit, "record", "-o", recording, "--", program], env=self.environment, check=True, capture_output=True)
        return recording

    def trace(self, recording, *options, status=0):
        trace = f"{self.folder}/trace"
        done = subprocess.run([self.culprit, "trace", "-o", trace, *options, recording], env=self.environment, capture_output=True,
                              text=True, check=False)
        if done.returncode != status:
            sys.exit(f"{options} ended with {done.returncode}: {done.stderr}")
        return trace if status == 0 else done.stderr

    def steps(self, trace):
        shown = subprocess.run([self.culprit, "dump", "trace", trace], env=self.environment, capture_output=True, text=True, check=True)
        return re.sub(r"frame \d+", "frame", shown.stdout).splitlines()

    def slice(self, trace, place):
        return subprocess.run([self.culprit, "slice", trace, "--at", place], env=self.environment, capture_output=True, text=True,
                              check=True).stdout


def rounds(steps, line):
    """The numbers that the loop's line stored."""
    return [int(value) for step in steps for value in re.findall(rf"stores piles\.c:{line}:\d+ (\d+)$", step)]


def check(tried, subject, optimised):
    recording = tried.record(subject, optimised)
    lines = subject.read_text().splitlines()
    made = next(number for number, text in enumerate(lines, 1) if text.endswith("// round"))
    loop = made - 1
    whole = tried.steps(tried.trace(recording, "--values"))
    point = f"{subject.name}:{made}#"
    region = tried.steps(tried.trace(recording, "--from", f"{point}{FIRST}", "--to", f"{point}{LAST}"))
    inside = region[RESUMED:-2]
    if "\n".join(inside) not in "\n".join(whole):
        sys.exit(f"{optimised}: the region is no piece of the whole trace")
    seen = rounds(region, loop)
    # Round N - 1 is the N-th. Its number is stored at the end of the round before.
    if not FIRST - 200 < seen[0] < FIRST - 1 or not LAST - 1 <= seen[-1] < LAST + 100:
        sys.exit(f"{optimised}: the region holds rounds {seen[0]} to {seen[-1]}")
    if f"{subject.name}:{loop} " not in tried.slice(f"{tried.folder}/trace", f"{subject.name}:{made}"):
        sys.exit(f"{optimised}: the region's slice lacks the loop")

    beginning = tried.steps(tried.trace(recording, "--to", f"{point}{FIRST}"))
    if beginning[:-2] != whole[: len(beginning) - 2] or not FIRST - 1 <= rounds(beginning, loop)[-1] < FIRST + 100:
        sys.exit(f"{optimised}: what comes before a point is not the beginning of the whole trace")
    end = tried.steps(tried.trace(recording, "--from", f"{point}{FIRST}"))
    if end[RESUMED:] != whole[RESUMED - len(end):] or not FIRST - 200 < rounds(end, loop)[0] < FIRST - 1:
        sys.exit(f"{optimised}: what follows a point is not the end of the whole trace")
    early = tried.steps(tried.trace(recording, "--from", f"{point}1", "--to", "exit"))
    if early != whole:
        sys.exit(f"{optimised}: the region of all is not the whole trace")

    if "before" not in tried.trace(recording, "--from", f"{point}{LAST}", "--to", f"{point}{FIRST}", status=2):
        sys.exit("points the wrong way round are not told")
    if "without reaching" not in tried.trace(recording, "--from", f"{point}5000", status=1):
        sys.exit("a point that is not reached is not told")


def main():
    subject, threaded = map(pathlib.Path, sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        tried = Tried(pathlib.Path(sys.argv[1]), folder)
        for optimised in ("-O0", "-O2"):
            check(tried, subject, optimised)
        recording = tried.record(threaded, "-O2")
        if "threads" not in tried.trace(recording, "--from", "tick:0:1", status=2):
            sys.exit("a late beginning of a run with threads is not refused")
        tried.trace(recording, "--to", "exit")


if __name__ == "__main__":
    main()
