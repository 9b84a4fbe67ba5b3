#!/usr/bin/env python3
"""Children of a captured program have recordings of their own.  Usage: forks.py BIN_DIRECTORY SOURCE"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile


def check(holds, what, *found):
    if not holds:
        sys.exit(f"forks: {what}: " + " ".join(str(each) for each in found))


def main():
    binaries, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="culprit-forks-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ)
        environment.setdefault("CULPRIT_CACHE", str(folder / "cache"))
        lines = source.read_text().splitlines()
        (folder / "input").write_text("*")
        subprocess.run([binaries / "culprit-cc", "-O2", "-g", "-pthread", source, "-o", folder / "forks"], check=True)

        def culprit(*words):
            return subprocess.run([binaries / "culprit", *words], env=environment, capture_output=True, text=True)

        natively = subprocess.run([folder / "forks", folder / "input"], capture_output=True, text=True).stdout
        recorded = culprit("record", "-o", folder / "rec", "--", folder / "forks", folder / "input")
        check(recorded.stdout == natively, "the recorded run writes something else", recorded.stdout, recorded.stderr)
        (folder / "input").unlink()  # copies are in the recordings

        parent = culprit("replay", folder / "rec", "--verify")
        check(parent.returncode == 0 and parent.stdout == natively, "the parent is not replayed", parent.stdout, parent.stderr)
        children = json.loads(culprit("info", folder / "rec", "--json").stdout)["children"]
        ends = sorted((each["finished"], each["exit_signal"]) for each in children)
        check(ends == [(False, 0), (True, signal.SIGABRT), (True, signal.SIGSEGV)], "the children ended otherwise", children)
        check(not list((folder / "rec").rglob("ring")), "a ring is left behind")
        for child in children:
            place = child["recording"]
            replayed = culprit("replay", place, "--verify")
            check(replayed.returncode == 0 and "differs" not in replayed.stderr, "a child is not replayed", place, replayed.stderr)
            if child["exit_signal"] == signal.SIGSEGV:
                values = culprit("value", place, "--at", "crash", "--json", "total", "each", "at")
                check(json.loads(values.stdout) == {"total": "45", "each": "3", "at": "0x0"}, "values differ", values)
                # The null pointer ends a list that the child's parent made before the fork.
                chain = culprit("slice", place, "--crash")
                check("made->next = next" in chain.stdout, "the slice does not reach back over the fork", chain)
                why = json.loads(culprit("why", place, "--json").stdout)
                failure = why["failure"]
                check(failure["kind"] == "null-dereference" and "total += at->value" in lines[failure["line"] - 1],
                      "the child's failure is told otherwise", failure)
            elif not child["finished"]:
                why = culprit("why", place)
                check(why.returncode == 2 and "ends before its program did" in why.stderr, "it is not refused", why)


if __name__ == "__main__":
    main()
