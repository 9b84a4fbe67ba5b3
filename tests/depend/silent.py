#!/usr/bin/env python3
"""Handlers that are entered in loops. A loop without a branch may have no events: the walk of a trace goes round it for a while, and
on with what led out of it. Of others no event is lost.

Usage: silent.py BIN_FOLDER SUBJECT...
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

MOST_SILENT = 1_000_000  # executions
VARIANTS = {"interrupted.c": ("-DSILENT", "-DENDLESS", "-DCONDITION")}


def check(binaries, subject, variant, folder):
    culprit = binaries / "culprit"
    environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache", "CULPRIT_RECORDINGS": folder}
    line = {text.rsplit("// ", 1)[1]: number for number, text in enumerate(subject.read_text().splitlines(), 1) if "// " in text}

    def run(*words):
        return subprocess.run(words, env=environment, cwd=folder, capture_output=True, text=True, timeout=120, check=False)

    has_events = variant != "-DSILENT" and "counted" in line
    for optimised in ("-O0", "-O2"):
        program, trace, recording = f"{folder}/program", f"{folder}/trace", f"{folder}/recording"
        subprocess.run(["rm", "-rf", trace, recording], check=True)
        subprocess.run([binaries / "culprit-cc", optimised, variant, "-g", "-w", subject, "-o", program], check=True)
        # In a recorded run handlers come at ticks, in others also in the middle of an event.
        run(culprit, "record", "-o", recording, "--", program)
        run(culprit, "trace", "-o", trace, recording)
        dumped = run(culprit, "dump", "graph", trace).stdout
        executions = int(re.search(r"^block executions (\d+)", dumped, re.M).group(1))
        if not has_events and executions > MOST_SILENT:
            sys.exit(f"{subject.name} {variant} {optimised}: {executions} executions")
        if has_events and optimised == "-O2":
            run(culprit, "trace", "--values", "-o", trace, recording)
            with subprocess.Popen([culprit, "dump", "trace", trace], env=environment, stdout=subprocess.PIPE, text=True) as shown:
                stored = re.compile(rf"  stores {subject.name}:{line['counted']}:\d+ (\d+)$")
                numbers = [int(found[1]) for each in shown.stdout if (found := stored.search(each))]
            if not numbers or numbers != list(range(1, len(numbers) + 1)):
                sys.exit(f"{subject.name} {variant} {optimised}: {len(numbers)} of the loop's numbers are in the trace, up to {max(numbers, default=0)}")
        for name in (trace, recording):
            sliced = run(culprit, "slice", name, "--at", f"{subject.name}:{line['crash']}")
            if sliced.returncode != 0 or f"{subject.name}:{line['origin']} " not in sliced.stdout:
                sys.exit(f"{subject.name} {variant} {optimised}, slice of {name}: {sliced.stdout}{sliced.stderr}")


def main():
    binaries = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for subject in map(pathlib.Path, sys.argv[2:]):
            for variant in VARIANTS.get(subject.name, ("-DSILENT",)):
                check(binaries, subject, variant, folder)


if __name__ == "__main__":
    main()
