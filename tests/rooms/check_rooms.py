#!/usr/bin/env python3
"""Fails when an #include points against the table of rooms.

Usage: check_rooms.py SOURCE_FOLDER      (the folder with README.md, whose table names the rooms and what each may use)
"""

import pathlib
import re
import sys

ROW = re.compile(r"^\| `(\w+)/` \|[^|]*\| ([^|]*) \|")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def read_table(readme):
    """Room → what it may use: rooms, single headers ("build/plan.h"), or "all"."""
    table = {}
    for line in readme.read_text().splitlines():
        if row := ROW.match(line):
            uses = row.group(2).strip()
            table[row.group(1)] = set() if uses == "–" else {use.strip(" `/") for use in uses.split(",")}
    if not table:
        sys.exit(f"{readme} has no table of rooms")
    return table


def violations(source, table):
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".cc", ".h", ".c", ".S"):
            continue
        room = file.relative_to(source).parts[0]
        if room not in table:
            yield f"{file}: the table in README.md has no room {room}"
            continue
        for included in INCLUDE.findall(file.read_text()):
            target = included.split("/")[0]
            if target == room or "/" not in included:
                continue
            if target not in table:
                yield f"{file}: includes {included}, which is in no room"
            elif not {"all", target, included} & table[room]:
                yield f"{file}: includes {included}, but {room} may use: {', '.join(sorted(table[room])) or 'nothing'}"


def main():
    source = pathlib.Path(sys.argv[1])
    found = list(violations(source, read_table(source / "README.md")))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
