#!/usr/bin/env python3
"""Statements of a recorded run left out or given other values, by sessions and by `culprit suppress`.
Usage: alterations_test.py BIN_DIRECTORY"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("alterations.c")
LINES = SOURCE.read_text().splitlines()
DOUBLE = struct.unpack("<Q", struct.pack("<d", 0.25))[0]
FLOAT = struct.unpack("<I", struct.pack("<f", 8.5))[0]
PRINTED = {"sum": "10", "number": "7", "ratio": "2.5", "part": "3.5", "name": "second", "corner": "9", "doubled": "14", "length": "6"}


def line(text):
    found = [n for n, each in enumerate(LINES, 1) if text in each]
    if len(found) != 1:
        sys.exit(f"{len(found)} lines have {text}")
    return found[0]


def at(text, within=None, instance=1):
    number = line(text)
    column = f":{LINES[number - 1].index(within) + 1}" if within else ""
    return f"alterations.c:{number}{column}#{instance}"


# The alteration, and what of the printed values it changes.
SESSIONS = [
    (f"suppress {at('sum += i', instance=3)} 0", {"sum": "8"}),
    (f"suppress {at('raise(&sum)', instance=2)} 0", {"sum": "9"}),
    (f"suppress {at('number = 7')} 0", {"number": "1", "doubled": "2"}),
    (f"suppress {at('ratio = 2.5')} 0", {"ratio": "0.5"}),
    (f"suppress {at('  name = ')} 0", {"name": "first", "length": "5"}),
    (f"suppress {at('memcpy(')} 0", {"corner": "3"}),
    (f"suppress {at('twice(number)', 'twice')} 0", {"doubled": "0"}),
    (f"suppress {at('twice(number)', 'twice')} 41", {"doubled": "41"}),
    (f"suppress {at('strlen(name)', 'strlen')} 3", {"length": "3"}),
    (f"replace {at('sum += i', instance=4)} 100", {"sum": "101"}),
    (f"replace {at('number = 7')} 0x10", {"number": "16", "doubled": "32"}),
    (f"replace {at('ratio = 2.5')} {DOUBLE}", {"ratio": "0.2"}),
    (f"replace {at('part = 3.5')} {FLOAT}", {"part": "8.5"}),
    (f"replace {at('return 2 * value')} 55", {"doubled": "55"}),
    # Read once, and the variable stays as it is; written, and it stays changed.
    (f"read {at('again += once;')} once 50", {"again": "56"}),
    (f"write {at('again += once;')} once 50", {"again": "100"}),
]
PRINTED["again"] = "12"


def printed(changed):
    return " ".join({**PRINTED, **changed}.values()) + "\n"


def main():
    binaries = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="culprit-alterations-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ, CULPRIT_CACHE=str(folder / "cache"))

        def run(*words, status=0):
            done = subprocess.run([str(word) for word in words], env=environment, cwd=folder, capture_output=True, text=True,
                                  timeout=100)
            if done.returncode != status:
                sys.exit(f"{words}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
            return done

        run(binaries / "culprit-cc", "-O2", "-g", SOURCE, "-o", "program")
        run(binaries / "culprit", "record", "-o", "rec", "--", "./program")
        (folder / "plan.toml").write_text('observed = "homes"\nhooks = "session"\nstart_observed = true\nalterable = true\n')
        built = json.loads(run(binaries / "culprit", "build", "./program", "--plan", "plan.toml", "--json").stdout)
        said = run(binaries / "drive-alterations", "rec", built["executable"], built["model"], *[each for each, _ in SESSIONS])
        wanted = "".join(f"{alteration}: took_effect={'false' if alteration.startswith('write') else 'true'} status=0 signal=0 "
                         + printed(changed) for alteration, changed in SESSIONS)
        wanted += "unaltered: status=0 signal=0 " + printed({})
        for got, right in zip(said.stdout.splitlines(), wanted.splitlines(), strict=True):
            if got != right:
                sys.exit(f"got:    {got}\nwanted: {right}")

        # By hand, of the program itself and of the recording.
        for what in (["--", "./program"], ["rec"]):
            one = run(binaries / "culprit", "suppress", "--at", at("raise(&sum)", instance=4), *what)
            each = run(binaries / "culprit", "suppress", "--json", "--at", f"alterations.c:{line('raise(&sum)')}", *what)
            other = run(binaries / "culprit", "suppress", "--at", at("ratio = 2.5"), "--value", "0.25", *what)
            if (one.stdout, other.stdout) != (printed({"sum": "9"}), printed({"ratio": "0.2"})):
                sys.exit(f"{what}: {one.stdout}{other.stdout}")
            if (json.loads(each.stdout)["executions"], json.loads(each.stdout)["output"]) != (4, printed({"sum": "6"})):
                sys.exit(f"{what}: {each.stdout}")
        refused = run(binaries / "culprit", "suppress", "--at", f"alterations.c:{line('return 2 * value')}", "rec", status=2)
        several = run(binaries / "culprit", "suppress", "--at", f"alterations.c:{line('twice(number)')}", "rec", status=2)
        missing = run(binaries / "culprit", "suppress", "--at", at("raise(&sum)", instance=5), "rec", status=2)
        if "writes memory or makes a call" not in refused.stderr or "(a call of twice)" not in several.stderr:
            sys.exit(refused.stderr + several.stderr)
        if "executed 4 times" not in missing.stderr:
            sys.exit(missing.stderr)
    print(f"{len(SESSIONS)} alterations")


if __name__ == "__main__":
    main()
