#!/usr/bin/env python3
"""Kills the launcher, the program or both at random moments: kill.py CULPRIT [--tries N] [--seed N] -- COMMAND…

Whatever is left must open, and replay either to where it ends or to the program's end; nothing may claim more. When only
the launcher is killed the program goes on, and its recording must be whole.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time


def children_of(pid):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def wait_for_end(pid):
    while True:
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        time.sleep(0.01)


def one_try(culprit, command, directory, whom, delay):
    recorder = subprocess.Popen([culprit, "record", "--json", "-o", directory, "--", *command],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started = time.monotonic()
    program = []
    while not program and recorder.poll() is None and time.monotonic() < started + 20:
        program = children_of(recorder.pid)
    time.sleep(delay)
    for pid in {"launcher": [recorder.pid], "program": program, "both": [recorder.pid, *program]}[whom]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    recorder.wait()
    for pid in program:
        wait_for_end(pid)
    if not (directory / "manifest.json").exists():
        return "nothing was recorded yet"
    replayed = subprocess.run([culprit, "replay", "--verify", "--json", directory], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    last = replayed.stderr.strip().split(b"\n")[-1]
    if not last.startswith(b"{"):
        # A recording that had not begun says so in one line and its remedy.
        lines = [line for line in replayed.stderr.split(b"\n") if line and not line.startswith(b"culprit: remedy")]
        if replayed.returncode == 2 and len(lines) == 1 and not program:
            return lines[0].decode()
        sys.exit(f"{whom} after {delay:.3f} s: {replayed.stderr.decode(errors='replace')}")
    said = json.loads(last)
    if replayed.returncode != 0 or said["state"] not in ("finished", "log-ended"):
        sys.exit(f"{whom} after {delay:.3f} s: {said}")
    if whom == "launcher" and said["state"] != "finished":
        sys.exit(f"the program's end is not recorded, though only the launcher was killed after {delay:.3f} s: {said}")
    return f"{said['state']}, {said['events']} events"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("culprit")
    parser.add_argument("--tries", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=0.6)
    split = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:split])
    command = sys.argv[split + 1:]
    chance = random.Random(options.seed)
    ends = {}
    for number in range(options.tries):
        whom = ("launcher", "program", "both")[number % 3]
        with tempfile.TemporaryDirectory(prefix="culprit-kill-") as folder:
            end = one_try(options.culprit, command, pathlib.Path(folder) / "rec", whom, chance.uniform(0, options.longest))
        print(f"{whom}: {end}", flush=True)
        ends[end.split(",")[0]] = ends.get(end.split(",")[0], 0) + 1
    print(f"kills: tries={options.tries} unusable=0 {ends}")


main()
