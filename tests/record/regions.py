#!/usr/bin/env python3
"""Recordings of regions: --from and --to.  Usage: regions.py BIN_DIRECTORY ROUNDS_C"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile


def check(holds, what, *found):
    if not holds:
        sys.exit(f"regions: {what}: " + " ".join(str(each) for each in found))


def main():
    binaries, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="culprit-regions-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ)
        environment.setdefault("CULPRIT_CACHE", str(folder / "cache"))
        program = folder / "rounds"
        subprocess.run([binaries / "culprit-cc", "-O1", "-g", source, "-o", program], check=True)
        line = next(number for number, text in enumerate(source.read_text().splitlines(), 1) if "printf(\"round" in text)

        def culprit(*words):
            return subprocess.run([binaries / "culprit", *words], env=environment, capture_output=True, text=True)

        def record(place, *options):
            recorded = culprit("record", "--json", "-o", folder / place, *options, "--", program, program)
            check(recorded.returncode == 0, "is not recorded", options, recorded.stderr)
            check(recorded.stdout.count("\n") == 11, "the program does not run to its end", recorded.stdout)
            replayed = culprit("replay", "--verify", "--json", folder / place)
            check(replayed.returncode == 0, "is not replayed", options, replayed.stderr)
            ended = json.loads(replayed.stderr.strip().splitlines()[-1])
            return ended["state"], replayed.stdout, json.loads(culprit("info", "--json", folder / place).stdout)

        def variable(place, point, expression):
            found = culprit("value", folder / place, "--at", point, "--json", expression)
            check(found.returncode == 0, "has no value", place, point, found.stderr)
            return json.loads(found.stdout)[expression]

        whole, all_output, info = record("whole")
        check(whole == "finished" and len(all_output.splitlines()) == 11, "the whole run", whole, all_output)
        check(info["from"] == "" and info["to"] == "", "a region that was not asked for", info)
        events, files = info["events"], len(info["files"])

        # To a statement: found by a replay after the run.
        state, output, info = record("to-line", "--to", f"{source.name}:{line}#5")
        check(state == "log-ended" and output == "".join(all_output.splitlines(True)[:5]), "to a line", state, output)
        check(info["to"] == f"{source.name}:{line}#5" and info["events"] < events, "the line in the manifest", info["to"], info["events"])
        check(len(info["files"]) == len(list((folder / "to-line/files").iterdir())), "copies of files are left over", info["files"])
        check(info["exit_status"] == 3, "the program's end is forgotten", info)
        check(variable("to-line", "work()#45", "round") == "45", "a point inside the region")
        missed = culprit("replay", folder / "to-line", "--to", "work()#80")
        check(missed.returncode == 1 and "there the recording ends" in missed.stderr, "a point behind the region", missed)

        # To a tick: the program runs on unrecorded.
        ticks = json.loads(culprit("replay", folder / "whole", "--to", "work()#30", "--json").stdout)["ticks"]
        state, output, info = record("to-tick", "--to", f"tick:0:{ticks}")
        check(state == "log-ended" and output == "".join(all_output.splitlines(True)[:2]), "to a tick", state, output, ticks)
        check(info["events"] < events and len(info["files"]) <= files, "to a tick, events", info["events"], events)
        check(variable("to-tick", "work()#29", "round") == "29", "a point before the tick")

        # From a point: executions are counted from there.
        state, output, info = record("from", "--from", "work()#40", "--to", "work()#60")
        check(state == "log-ended" and info["from"] == "work()#40", "from and to", state, info["from"])
        check(variable("from", "work()", "round") == "40", "the region's first execution")
        check(variable("from", "work()#3", "round") == "42", "an execution in the region")
        check(variable("from", f"{source.name}:{line}", "round") == "40", "a line in the region")

        for wrong in ("nowhere.c:3", "nothing()", "tick:0"):
            refused = culprit("record", "-o", folder / "wrong", "--to", wrong, "--", program)
            check(refused.returncode == 2 and refused.stdout == "", "a wrong point is not refused", wrong, refused)
        as_is = culprit("record", "--as-is", "-o", folder / "wrong", "--to", "work()", "--", program)
        check(as_is.returncode == 2 and as_is.stdout == "", "a function of a program recorded as it is", as_is)
        check(not (folder / "wrong").exists(), "a recording is made all the same")


if __name__ == "__main__":
    main()
