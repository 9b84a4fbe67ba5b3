#!/usr/bin/env python3
"""Slices of one subject, line by line.

Usage: check_slice.py BIN_FOLDER SUBJECT

The subject's comments say what must come out, each line `// slice: OPTIONS => LINES`: the options of `culprit slice`
(`--at 12` means line 12 of the subject) and the lines of the subject in the slice, ascending. `// chain: OPTIONS => LINES`:
the lines of the value chain in its order, neighbours that are equal given once. `// instances: OPTIONS => LINE:COUNT …`: how
many instances of the statements of these lines are in the slice. `// arguments: …` go to the program; what follows such a
line is asked of a run with them.
"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EXPECTATION = re.compile(r"^// (slice|chain|instances): (.*) => (.*)$", re.MULTILINE)
ARGUMENTS = re.compile(r"^// arguments: (.*)$", re.MULTILINE)


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def instances_of(output, name):
    """How many different executions of each line's statements take part: the most of any of them."""
    slice_ = json.loads(output)
    counts = collections.Counter(each["statement"] for each in slice_["instances"])
    lines = collections.defaultdict(int)
    for each in slice_["statements"]:
        if pathlib.Path(each["file"]).name == name:
            lines[each["line"]] = max(lines[each["line"]], counts[each["statement"]])
    return lines


def lines_of(kind, output, name):
    if kind == "slice":
        statements = json.loads(output)["statements"]
        return sorted({each["line"] for each in statements if pathlib.Path(each["file"]).name == name})
    lines = [int(each) for each in re.findall(rf"^{re.escape(name)}:(\d+)", output, re.MULTILINE)]
    return [line for at, line in enumerate(lines) if at == 0 or lines[at - 1] != line]


def agrees(binaries, subject, trace, environment, kind, options, wanted):
    command = [binaries / "culprit", "slice", trace]
    command += re.sub(r"(--at|--from) (\d)", rf"\1 {subject.name}:\2", options).split()
    command += ["--value-chain"] if kind == "chain" else ["--json"]
    answer = run(command, env=environment)
    if answer.returncode != 0:
        found = answer.stderr
    elif kind == "instances":
        wanted_lines = [int(each.split(":")[0]) for each in wanted.split()]
        counts = instances_of(answer.stdout, subject.name)
        found = " ".join(f"{line}:{counts[line]}" for line in wanted_lines)
    else:
        found = " ".join(str(each) for each in lines_of(kind, answer.stdout, subject.name))
    if found == wanted:
        return True
    print(f"{subject.name}: {kind} {options}\n  wanted {wanted}\n  found  {found}")
    return False


def main():
    binaries, subject = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = subject.read_text()
    expectations = EXPECTATION.findall(text)
    if not expectations:
        sys.exit(f"{subject} says nothing of its slices")
    # Text before the first arguments, then arguments and what follows them.
    pieces = ARGUMENTS.split(text)
    runs = [("", pieces[0]), *zip(pieces[1::2], pieces[2::2])]
    if len(runs) > 1 and EXPECTATION.search(pieces[0]):
        runs[1] = (runs[1][0], pieces[0] + runs[1][1])
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache"}
        program, trace = f"{folder}/subject", f"{folder}/trace"
        compiler = "culprit-c++" if subject.suffix == ".cc" else "culprit-cc"
        compiled = run([binaries / compiler, "-O1", "-g", "-w", "-pthread", subject, "-o", program])
        if compiled.returncode != 0:
            sys.exit(compiled.stderr)
        failures = 0
        for words, wanted in runs:
            if not EXPECTATION.search(wanted):
                continue
            shutil.rmtree(trace, ignore_errors=True)
            traced = run([binaries / "culprit", "trace", "-o", trace, "--", program, *words.split()], env=environment)
            if not pathlib.Path(trace, "manifest.json").exists():
                sys.exit(f"no trace:\n{traced.stderr}")
            failures += sum(not agrees(binaries, subject, trace, environment, *each)
                            for each in EXPECTATION.findall(wanted))
        sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
