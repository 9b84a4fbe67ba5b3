#!/usr/bin/env python3
"""Accesses of two threads that nothing orders, as `culprit dump graph --races` tells them.

Usage: races.py BIN_DIR SOURCE...
A line of a source that must be told says "races"; no other must be.
"""
import pathlib
import re
import sys

from dumped_graph import dumped_graph

BIN = pathlib.Path(sys.argv[1]).resolve()


def told(source, optimisation):
    text = dumped_graph(BIN, source, optimisation, "--races")
    lines = set()
    for pair in re.findall(r"^ *\d+ (\S+):(\d+):\d+ \w+, (\S+):(\d+):\d+ \w+ the same memory", text, re.MULTILINE):
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
