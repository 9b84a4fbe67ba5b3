#!/usr/bin/env python3
"""Records a command and replays it: check.py CULPRIT [--times N] [--status N] [--signal N] [--children] [--trap] [--other-core] [--capture SOURCE] -- COMMAND…

Each replay must verify, and show the same output and error as the recorded run did. With --children output is not
compared: what unrecorded children write themselves is not shown again.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def own_lines(text):
    return b"\n".join(line for line in text.split(b"\n") if not line.startswith((b"culprit:", b'{"')))


def build(culprit, source, folder):
    compiler = pathlib.Path(culprit).parent / "culprit-cc"
    subprocess.run([compiler, "-O2", "-g", "-pthread", source, "-o", folder / "program"], check=True)
    subprocess.run([culprit, "build", folder / "program", "-o", folder / "program.fast"], check=True,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, CULPRIT_CACHE=str(folder / "cache")))
    return folder / "program.fast"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("culprit")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--signal", type=int, default=0)
    parser.add_argument("--children", action="store_true")
    parser.add_argument("--trap", action="store_true", help="intercept by seccomp")
    parser.add_argument("--capture", metavar="SOURCE",
                        help="the command is this C program, compiled by culprit-cc and built with ticks")
    parser.add_argument("--other-core", action="store_true", help="replays start on another core than the recording")
    parser.add_argument("--events-at-least", type=int, default=10)
    split = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:split])
    command = sys.argv[split + 1:]
    cores = os.sched_getaffinity(0)
    if options.other_core:
        os.sched_setaffinity(0, {min(cores)})

    with tempfile.TemporaryDirectory(prefix="culprit-record-") as folder:
        directory = pathlib.Path(folder) / "rec"
        trap = ["--trap"] if options.trap else []
        if options.capture:
            command = [build(options.culprit, options.capture, pathlib.Path(folder))]
        recorded = subprocess.run([options.culprit, "record", *trap, "--json", "-o", directory, "--", *command],
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        if recorded.returncode != 0:
            sys.exit(f"record failed: {recorded.stderr.decode(errors='replace')}")
        said = json.loads(recorded.stderr.strip().split(b"\n")[-1])
        if (said["exit_status"], said["exit_signal"]) != (options.status, options.signal):
            sys.exit(f"the program ended with {said}: {recorded.stderr.decode(errors='replace')}")
        if said["events"] < options.events_at_least:
            sys.exit(f"only {said['events']} events")
        if options.other_core:
            os.sched_setaffinity(0, {max(cores)})
        for number in range(options.times):
            replayed = subprocess.run([options.culprit, "replay", *trap, "--verify", "--json", directory],
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
            if replayed.returncode != 0:
                sys.exit(f"replay {number} differs: {replayed.stderr.decode(errors='replace')[-2000:]}")
            ended = json.loads(replayed.stderr.strip().split(b"\n")[-1])
            if (ended["exit_status"], ended["exit_signal"]) != (options.status, options.signal):
                sys.exit(f"replay {number} ended with {ended}")
            if options.children:
                continue
            if replayed.stdout != recorded.stdout:
                sys.exit(f"replay {number} shows other output")
            if own_lines(replayed.stderr) != own_lines(recorded.stderr):
                sys.exit(f"replay {number} shows another error output")
    print(f"{options.times} replays identical, {said['events']} events")


if __name__ == "__main__":
    main()
