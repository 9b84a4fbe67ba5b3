#!/usr/bin/env python3
"""Races that native runs hardly show: bench/run races [--native N] [--tries N] [--replays N] [--only NAME…] [--quick]

Each subject of tests/record/races is compiled with culprit-cc, run natively, then recorded with --chaos --fine until a
run fails; the recording is replayed, and each replay must end as the recorded run did. Exit status 1 when fewer than
--least subjects are exposed or a replay differs.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
SUBJECTS = REPOSITORY / "tests/record/races"
LIMIT = 10  # seconds of a native run: one that takes longer waits for ever


def failures_of(program, runs):
    failed = 0
    for _ in range(runs):
        try:
            failed += subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT).returncode != 0
        except subprocess.TimeoutExpired:
            failed += 1
    return failed


def last_json(text):
    lines = [line for line in text.split(b"\n") if line.startswith(b"{")]
    return json.loads(lines[-1]) if lines else None


def examine(culprit, name, folder, options):
    program = folder / name
    subprocess.run([culprit.parent / "culprit-cc", "-O2", "-g", "-pthread", "-w", SUBJECTS / f"{name}.c", "-o", program], check=True)
    natively = failures_of(program, options.native)
    environment = dict(os.environ)
    environment.setdefault("CULPRIT_CACHE", str(folder / "cache"))
    recorded = subprocess.run([culprit, "record", "--chaos", "--fine", "--until-failure", "--tries", str(options.tries), "--json",
                               "-o", folder / "rec", "--", program], stdin=subprocess.DEVNULL, capture_output=True, env=environment)
    said = last_json(recorded.stderr)
    if recorded.returncode != 0 or said is None:
        tail = recorded.stderr.decode(errors="replace").strip().split("\n")[-1]
        print(f"{name:18} native {natively}/{options.native}, not exposed: {tail[:100]}", flush=True)
        return False, False
    alike = 0
    for _ in range(options.replays):
        replayed = subprocess.run([culprit, "replay", "--verify", "--json", folder / "rec"], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=300)
        ended = last_json(replayed.stderr)
        alike += replayed.returncode == 0 and all(ended[each] == said[each] for each in ("exit_status", "exit_signal"))
    subprocess.run([culprit, "rm", folder / "rec"], capture_output=True)
    end = f"signal {said['exit_signal']}" if said["exit_signal"] else f"status {said['exit_status']}"
    print(f"{name:18} native {natively}/{options.native}, exposed by seed {said['chaos']} ({end}), replayed {alike}/{options.replays}",
          flush=True)
    return True, alike == options.replays


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--native", type=int, help="native runs (1000; 50 with --quick)")
    parser.add_argument("--tries", type=int, default=200, help="recorded runs at most (%(default)s)")
    parser.add_argument("--replays", type=int, help="replays of what failed (100; 10 with --quick)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these subjects")
    parser.add_argument("--least", type=int, help="subjects that must be exposed (all but one)")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--culprit", type=pathlib.Path, default=REPOSITORY / "build/release/bin/culprit")
    options = parser.parse_args()
    options.native = options.native if options.native is not None else 50 if options.quick else 1000
    options.replays = options.replays or (10 if options.quick else 100)
    names = options.only or sorted(path.stem for path in SUBJECTS.glob("*.c"))
    least = options.least if options.least is not None else len(names) - 1
    if not os.access(options.culprit, os.X_OK):
        sys.exit(f"bench/races: {options.culprit} is missing; build first, or name it with --culprit")
    exposed = replayed = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="culprit-races-") as folder:
            found, alike = examine(options.culprit.resolve(), name, pathlib.Path(folder), options)
        exposed += found
        replayed += alike
    print(f"races: subjects={len(names)} exposed={exposed} replayed={replayed}")
    return 0 if exposed >= least and replayed == exposed else 1


if __name__ == "__main__":
    sys.exit(main())
