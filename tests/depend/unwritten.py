#!/usr/bin/env python3
"""Reads of variables that were never written, as `culprit dump graph --unwritten` tells them.

Usage: unwritten.py BIN_DIR SOURCE...
A line of a source that must be told says "reads NAME"; no other must be.
"""
import collections
import pathlib
import re
import sys

from dumped_graph import dumped_graph

BIN = pathlib.Path(sys.argv[1]).resolve()


def told(source, optimisation):
    text = dumped_graph(BIN, source, optimisation, "--unwritten")
    lines = collections.defaultdict(set)
    for name, line, variable in re.findall(r"^ *\d+ (\S+):(\d+):\d+ reads (\S+), declared", text, re.MULTILINE):
        lines[name + ":" + line].add(variable)
    return dict(lines)


failed = False
for name in sys.argv[2:]:
    source = pathlib.Path(name)
    expected = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if found := re.search(r"// reads (.*)$", line):
            expected[f"{source.name}:{number}"] = set(found[1].split(", "))
    for optimisation in ("-O0", "-O2"):
        if (said := told(source, optimisation)) != expected:
            failed = True
            print(f"{source.name} {optimisation}: told {said}\n  expected {expected}")
sys.exit(failed)
