#!/usr/bin/env python3
"""What the pass over a trace says of the heap, as `culprit dump graph --heap` tells it: each marked line, nothing else.

Usage: heap_misuse.py BIN_DIR SOURCE...
"""
import pathlib
import re
import sys

from dumped_graph import dumped_graph

BIN = pathlib.Path(sys.argv[1]).resolve()
MARK = re.compile(r"// \w+: (reads|writes|gives back) (-?\d+) of (\w+ )?(\d+)$")
SAID = re.compile(r"\S+?:(\d+):\d+ (reads|writes|gives back) byte (-?\d+) of (?:a block of|(\w+), which has) (\d+) bytes")
DEAD_MARK = re.compile(r"// \w+: (reads|writes) the dead stack$")
DEAD_SAID = re.compile(r"\S+?:(\d+):\d+ (reads|writes) memory of the stack that belongs to no function")

failed = False
for name in sys.argv[2:]:
    source = pathlib.Path(name)
    lines = list(enumerate(source.read_text().splitlines(), 1))
    expected = {(str(number), *(part and part.strip() for part in found.groups())) for number, line in lines if (found := MARK.search(line))}
    expected |= {(str(number), *found.groups()) for number, line in lines if (found := DEAD_MARK.search(line))}
    for optimisation in ("-O0", "-O2"):
        dumped = dumped_graph(BIN, source, optimisation, "--heap")
        said = {found.groups() for pattern in (SAID, DEAD_SAID) for found in pattern.finditer(dumped)}
        if said != expected:
            failed = True
            print(f"{source.name} {optimisation}: told {sorted(said - expected)}, not told {sorted(expected - said)}")
sys.exit(failed)
