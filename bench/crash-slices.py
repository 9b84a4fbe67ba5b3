#!/usr/bin/env python3
"""Slices of real crashes: whether the slice holds the statement at fault, and how short the value chain is beside it (as ED
table 3.4 does for instructions).

Of each case in --cases (case.json, see cases.py) that ends by a signal: its program is built with culprit-cc, the failing
command recorded, and sliced where it crashed. `root` says whether the line of the root cause is in the slice; where it is
not, dependence may not be able to reach it: it was not executed, or it was and decided wrongly that something be left out
(an omission: nothing that did happen depends on it), or what it damaged belongs to the heap, which finds it out in a call.
`near`: a statement within three lines is in it.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from cases import ends_by_signal, package_programs, set_up  # noqa: E402
from debian_program import ROOT, Failure, culprit_toolchain  # noqa: E402

LIMIT = 600  # seconds


class Crash:
    def __init__(self, folder):
        self.folder, self.case = folder, json.loads((folder / "case.json").read_text())
        self.name = self.case["name"]


def tool(culprit, words, work, environment, status=(0, 1)):
    done = subprocess.run([culprit, *map(str, words)], cwd=work, env=environment, capture_output=True, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, check=False)
    if status and done.returncode not in status:
        raise Failure(f"culprit {words[0]}: {done.returncode}: {done.stderr.decode(errors='replace')[-300:].strip()}")
    return done.stdout.decode(errors="replace")


def chains_of(text):
    """Each begins at a statement of the criterion."""
    chains = []
    for line in text.splitlines():
        found = re.match(r"(\S+):(\d+)", line)
        if not found:
            continue
        chains.append((found.group(1), int(found.group(2))))
    return chains


def is_found_by_heap(kept_place, statements):
    """Whether the statement that crashed, of which the trace keeps FILE:LINE:COLUMN, calls the heap's functions."""
    if not kept_place.exists():  # it went on, and ended itself
        return False
    file, line, _ = kept_place.read_text().strip().rsplit(":", 2)
    for each in statements:
        if pathlib.Path(each["file"]).name == pathlib.Path(file).name and each["line"] == int(line):
            text = pathlib.Path(each["file"]).read_text(errors="replace").splitlines()[each["line"] - 1]
            return re.search(r"\b(malloc|calloc|realloc|free)\s*\(", text) is not None
    return False


def sliced(crash, program, work, culprit):
    command, environment = set_up(crash.folder, crash.case, program, work)
    environment["CULPRIT_CACHE"] = str(program.directory / "slice-cache")
    tool(culprit, ["record", "-o", "recording", "--", *command], work, environment, status=None)
    found = json.loads(tool(culprit, ["slice", "recording", "--crash", "--json", "--no-instances"], work, environment))
    chain = chains_of(tool(culprit, ["slice", "recording", "--crash", "--value-chain"], work, environment))
    lines_executed = tool(culprit, ["dump", "graph", "recording/trace", "--lines"], work, environment)
    executed = re.findall(r"^ *(\d+) (\S+):(\d+)$", lines_executed, re.M)
    root = crash.case["root_cause"]
    name, line = pathlib.Path(root["file"]).name, root["line"]

    def is_there(places, slack=0):
        return any(pathlib.Path(file).name == name and abs(at - line) <= slack for file, at in places)

    lines = [(each["file"], each["line"]) for each in found["statements"]]
    was_executed = is_there([(file, int(at)) for _, file, at in executed])
    return {"case": crash.name, "root": is_there(lines), "near": is_there(lines, 3), "executed": was_executed,
            "found_by_heap": is_found_by_heap(work / "recording/trace/crash", found["statements"]),
            "chain_has_root": is_there(chain), "lines": len(set(lines)), "instances": sum(each["instances"] for each in found["statements"]),
            "run_instances": sum(int(count) for count, _, _ in executed), "chain": len(chain)}


def why_not(row):
    if row["root"]:
        return ""
    if row["executed"] and row["found_by_heap"]:
        return "executed; it damaged what the heap keeps of its blocks, which the library reads and the program does not"
    if row["executed"]:
        return "executed, but nothing that happened depends on it (omission)"
    return "not executed, so nothing that happened depends on it (omission)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=pathlib.Path, default=ROOT.parent / "shared/cases", help="folder of case folders (%(default)s)")
    parser.add_argument("--only", action="append", help="name of a case, may be repeated")
    parser.add_argument("--quick", action="store_true", help="the first three cases")
    parser.add_argument("--json", type=pathlib.Path, help="write the results there, too")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build directory")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/cases", help="where packages are built")
    options = parser.parse_args()
    crashes = [each for each in map(Crash, sorted(path.parent for path in options.cases.glob("*/case.json"))) if ends_by_signal(each.case)]
    if options.only:
        crashes = [each for each in crashes if each.name in options.only]
    if options.quick:
        crashes = crashes[:3]
    if not crashes:
        parser.error(f"{options.cases} holds no cases that crash")
    toolchain = culprit_toolchain(options.build.resolve())
    programs, problems = package_programs(crashes, options.work.resolve(), toolchain)
    print(f"{'case':28} {'root':5} {'near':5} {'slice lines':>11} {'instances':>10} {'of executed':>12} {'chain':>6} {'root in it':>10}")
    rows, failed = [], False
    for crash in crashes:
        package = crash.case["package"]
        try:
            if package in problems:
                raise Failure(problems[package])
            row = sliced(crash, programs[package], options.work.resolve() / "slices" / crash.name, toolchain.culprit)
        except (Failure, subprocess.SubprocessError, json.JSONDecodeError) as failure:
            print(f"{crash.name:28} not measured: {failure}", flush=True)
            failed = True
            continue
        rows.append(row)
        mark = {True: "yes", False: "no"}
        print(f"{crash.name:28} {mark[row['root']]:5} {mark[row['near']]:5} {row['lines']:>11} {row['instances']:>10} {row['run_instances']:>12} "
              f"{row['chain']:>6} {mark[row['chain_has_root']]:>10}  {why_not(row)}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"crash-slices: n={len(rows)} root={sum(row['root'] for row in rows)} not_executed={sum(not row['root'] and not row['executed'] for row in rows)} "
          f"omissions={sum(not row['root'] and row['executed'] and not row['found_by_heap'] for row in rows)} "
          f"heap={sum(not row['root'] and row['executed'] and row['found_by_heap'] for row in rows)}")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
