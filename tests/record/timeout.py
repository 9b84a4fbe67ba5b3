#!/usr/bin/env python3
"""Runs that do not end are ended, and their recordings are whole: timeout.py CULPRIT PROGRAM SOURCE"""
import json
import pathlib
import subprocess
import sys
import tempfile

from check import build


def record(culprit, directory, *words):
    done = subprocess.run([culprit, "record", "--json", "-o", directory, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60)
    return json.loads(done.stderr.strip().split(b"\n")[-1])


def text_of(file):
    try:
        return file.read_bytes()
    except OSError:
        return b""  # of a process that has gone meanwhile


def replay(culprit, directory, kind):
    replayed = subprocess.run([culprit, "replay", "--verify", "--json", directory], capture_output=True, timeout=60)
    said = json.loads(replayed.stderr.strip().split(b"\n")[-1])
    if replayed.returncode != 0 or said["state"] != "finished" or replayed.stdout != b"begun\n":
        sys.exit(f"{kind}: {said}")


def main():
    culprit, program, source = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="culprit-timeout-") as folder:
        folder = pathlib.Path(folder)
        captured = build(culprit, source, folder)
        for kind in ("spin", "wait", "thread", "calls", "calls-blocked", "spin-blocked-ignored", "wait-blocked"):
            for name, command in (("native", program), ("captured", captured)):
                directory = folder / f"{kind}-{name}"
                said = record(culprit, directory, "--timeout", "0.3", "--", command, kind)
                if not said["timed_out"] or said["exit_signal"] != 14:
                    sys.exit(f"{kind} {name}: {said}")
                replay(culprit, directory, f"{kind} {name}")
        said = record(culprit, folder / "hang", "--chaos", "--until-failure", "--timeout", "0.3", "--", captured, "thread")
        if not said["timed_out"] or said["chaos"] != 1:
            sys.exit(f"a hang is no failure: {said}")
        replay(culprit, folder / "hang", "until failure")
        said = record(culprit, folder / "children", "--timeout", "0.5", "--", "/bin/sh", "-c", f"cp /bin/sleep {folder}/sleeper; {folder}/sleeper 600 & wait")
        left = [each for each in pathlib.Path("/proc").glob("[0-9]*/cmdline") if f"{folder}/sleeper".encode() in text_of(each)]
        if not said["timed_out"] or left:
            sys.exit(f"children: {said}, left {left}")
        said = record(culprit, folder / "in-time", "--timeout", "20", "--", "/bin/true")
        if said["timed_out"] or said["exit_status"] != 0:
            sys.exit(f"in time: {said}")
    print("ended and replayed")


main()
