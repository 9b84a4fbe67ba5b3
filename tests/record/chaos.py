#!/usr/bin/env python3
"""A race that native runs do not show is found by --chaos and replayed: chaos.py CULPRIT SOURCE [--native N] [--replays N]"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from check import build


def record_fine(culprit, folder):
    """A preemption is one event: what the runtime needs to know of the processor, it has asked before. How many there were."""
    recording = folder / "fine"
    subprocess.run([culprit, "record", "--fine", "--chaos=1", "-o", recording, "--", folder / "program"],
                   capture_output=True, timeout=300)
    lines = subprocess.run([culprit, "dump", "recording", recording], capture_output=True, text=True).stdout.splitlines()
    first = next((number for number, line in enumerate(lines) if "is preempted" in line), None)
    if first is None:
        sys.exit("no preemption under --fine")
    if any("cpuid" in line for line in lines[first:]):
        sys.exit("the processor is asked again")
    return sum("is preempted" in line for line in lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("culprit")
    parser.add_argument("source")
    parser.add_argument("--native", type=int, default=50)
    parser.add_argument("--replays", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="culprit-chaos-") as folder:
        folder = pathlib.Path(folder)
        program = build(options.culprit, options.source, folder)
        failed = sum(subprocess.run([folder / "program"], capture_output=True).returncode != 0
                     for _ in range(options.native))
        found = subprocess.run([options.culprit, "record", "--chaos", "--until-failure", "--json", "-o", folder / "rec",
                                "--", program], capture_output=True, timeout=300)
        if found.returncode != 0:
            sys.exit(f"no schedule made it fail: {found.stderr.decode(errors='replace')[-500:]}")
        said = json.loads(found.stderr.strip().split(b"\n")[-1])
        for number in range(options.replays):
            replayed = subprocess.run([options.culprit, "replay", "--verify", "--json", folder / "rec"],
                                      capture_output=True, timeout=300)
            ended = json.loads(replayed.stderr.strip().split(b"\n")[-1])
            same = replayed.returncode == 0 and all(ended[each] == said[each] for each in ("exit_status", "exit_signal"))
            if not same:
                sys.exit(f"replay {number} ended with {ended}, recorded was {said}")
        fine = record_fine(options.culprit, folder)
        print(f"failed natively {failed} of {options.native}; found by seed {said['chaos']}, {options.replays} replays alike; {fine} fine preemptions")


main()
