#!/usr/bin/env python3
"""Slices of one subject, line by line.

Usage: check_slice.py BIN_FOLDER SUBJECT

The subject's comments say what must come out, each line `// slice: OPTIONS => LINES`: the options of `culprit slice`
(`--at 12` means line 12 of the subject) and the lines of the subject in the slice, ascending. `// chain: OPTIONS => LINES`:
the lines of the value chain in its order, neighbours that are equal given once. `// arguments: …` go to the program.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXPECTATION = re.compile(r"// (slice|chain): (.*) => (.*)")
ARGUMENTS = re.compile(r"// arguments: (.*)")


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def lines_of(kind, output, name):
    if kind == "slice":
        statements = json.loads(output)["statements"]
        return sorted({each["line"] for each in statements if pathlib.Path(each["file"]).name == name})
    lines = [int(each) for each in re.findall(rf"^{re.escape(name)}:(\d+)", output, re.MULTILINE)]
    return [line for at, line in enumerate(lines) if at == 0 or lines[at - 1] != line]


def main():
    binaries, subject = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = subject.read_text()
    expectations = EXPECTATION.findall(text)
    if not expectations:
        sys.exit(f"{subject} says nothing of its slices")
    arguments = ARGUMENTS.search(text)
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache"}
        program, trace = f"{folder}/subject", f"{folder}/trace"
        compiler = "culprit-c++" if subject.suffix == ".cc" else "culprit-cc"
        compiled = run([binaries / compiler, "-O1", "-g", "-w", "-pthread", subject, "-o", program])
        if compiled.returncode != 0:
            sys.exit(compiled.stderr)
        words = arguments.group(1).split() if arguments else []
        traced = run([binaries / "culprit", "trace", "-o", trace, "--", program, *words], env=environment)
        if not pathlib.Path(trace, "manifest.json").exists():
            sys.exit(f"no trace:\n{traced.stderr}")
        failures = 0
        for kind, options, wanted in expectations:
            command = [binaries / "culprit", "slice", trace]
            command += re.sub(r"(--at|--from) (\d)", rf"\1 {subject.name}:\2", options).split()
            command += ["--json"] if kind == "slice" else ["--value-chain"]
            answer = run(command, env=environment)
            found = lines_of(kind, answer.stdout, subject.name) if answer.returncode == 0 else answer.stderr
            if found != [int(each) for each in wanted.split()]:
                print(f"{subject.name}: {kind} {options}\n  wanted {wanted}\n  found  {found}")
                failures += 1
        sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
