#!/usr/bin/env python3
"""Accesses of two threads that nothing orders, as `culprit dump graph --races` tells them.

Usage: races.py BIN_DIR SOURCE...
A line of a source that must be told says "races"; no other must be.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BIN = pathlib.Path(sys.argv[1]).resolve()


def told(source, optimisation):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "prog"
        compiler = "culprit-c++" if source.suffix == ".cc" else "culprit-cc"
        subprocess.run([BIN / compiler, "-g", optimisation, "-w", "-pthread", "-o", program, source], check=True)
        environment = dict(os.environ, CULPRIT_CACHE=folder + "/cache")
        subprocess.run([BIN / "culprit", "trace", "-o", folder + "/trace", "--", program], env=environment,
                       stdout=subprocess.DEVNULL, check=True)
        run = subprocess.run([BIN / "culprit", "dump", "graph", "--races", folder + "/trace"], env=environment,
                             capture_output=True, text=True, check=True)
    lines = set()
    for pair in re.findall(r"^ *\d+ (\S+):(\d+):\d+ \w+, (\S+):(\d+):\d+ \w+ the same memory", run.stdout, re.MULTILINE):
        lines |= {f"{pair[0]}:{pair[1]}", f"{pair[2]}:{pair[3]}"}
    return lines


failed = False
for name in sys.argv[2:]:
    source = pathlib.Path(name)
    expected = {f"{source.name}:{number}" for number, line in enumerate(source.read_text().splitlines(), 1)
                if line.endswith("// races")}
    for optimisation in ("-O0", "-O2"):
        if (said := told(source, optimisation)) != expected:
            failed = True
            print(f"{source.name} {optimisation}: told {sorted(said - expected)}, not told {sorted(expected - said)}")
sys.exit(failed)
