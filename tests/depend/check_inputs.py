#!/usr/bin/env python3
"""Relevant inputs of one subject.

Usage: check_inputs.py BIN_FOLDER SUBJECT

The subject's comments say what must come out, each line `// KIND: OPTIONS => DERIVED CONTROL ADDRESS` with the options of
`culprit inputs` (`--at 12#3` means line 12 of the subject) and three sets in braces. KIND `bytes`: every byte of each set, with
`=` where its precise value matters; `ranges`: the texts of bytes that follow each other, without strengths; `chains`: after the
arrow, the chains of mapped values. `// stdin:` is the standard input, `// arguments:` the arguments, of which FILE is
input.txt with what `// file:` says, `// environment:` a variable.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXPECTATION = re.compile(r"^// (bytes|ranges|chains): (.*) => (.*)$", re.MULTILINE)


def named(text, name):
    found = re.search(rf"^// {name}: (.*)$", text, re.MULTILINE)
    return found.group(1).replace("\\0", "\0") if found else ""


def shown(text):
    return text.replace("\0", "\\0")


def set_text(kind, ranges):
    if kind == "ranges":
        return [shown(each["text"]) for each in ranges]
    return [shown(letter) + ("=" if each["exact"] else "") for each in ranges for letter in each.get("text", "?")]


def chain_text(chain):
    links = "".join(f"→{each['value']}({each['variable']}@{each['line']})" for each in chain["links"])
    return f"{shown(chain['text'])}={links}"


def answer_text(kind, answer):
    if kind == "chains":
        return [chain_text(each) for each in answer["chains"]]
    return [set_text(kind, answer[role]) for role in ("derived", "control", "address")]


def wanted_text(kind, wanted):
    if kind == "chains":
        return wanted.split()
    return [re.split(r"[, ]", each) if each else [] for each in re.findall(r"\{(.*?)\}", wanted)]


def main():
    binaries, subject = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = subject.read_text()
    expectations = EXPECTATION.findall(text)
    if not expectations:
        sys.exit(f"{subject} says nothing of its inputs")
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache"}
        if variable := named(text, "environment"):
            name, value = variable.split("=")
            environment[name] = value
        pathlib.Path(folder, "input.txt").write_text(named(text, "file"))
        program = f"{folder}/subject"
        subprocess.run([binaries / "culprit-cc", "-O1", "-g", "-w", subject, "-o", program], check=True)
        words = ["input.txt" if each == "FILE" else each for each in named(text, "arguments").split()]
        subprocess.run([binaries / "culprit", "record", "-o", "recording", "--", program, *words], cwd=folder, check=True,
                       env=environment, input=named(text, "stdin"), text=True, capture_output=True)
        failures = 0
        for kind, options, wanted in expectations:
            command = [binaries / "culprit", "inputs", "recording", "--json"]
            command += re.sub(r"--at (\d)", rf"--at {subject.name}:\1", options).split()
            answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            found = answer_text(kind, json.loads(answer.stdout)) if answer.stdout else answer.stderr
            if found != wanted_text(kind, wanted):
                print(f"{subject.name}: {kind} {options}\n  wanted {wanted_text(kind, wanted)}\n  found  {found}")
                failures += 1
        sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
