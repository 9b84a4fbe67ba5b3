#!/usr/bin/env python3
"""Whether slices hold all that matters: values outside of a slice are altered, and the criterion must not care.

Programs are generated: by csmith, whose arithmetic is made to pass through perturb.h, and by slice_oracle/generate.py,
every second of its with threads. Each is traced once; criteria are digits of its output. A value that passes by and is
not in the criterion's slice is altered in a run of its own, natively. When the digit then differs, the altered run is
traced as well, because a dynamic slice does not claim to know what would have been written had something else
happened: then what was written instead depends on the altered value in the altered run. So the difference is looked for
in both runs together (dual slicing): what is in the slice of one counts in the other, too, instances of a statement
corresponding by their numbers. Only when the altered value is not found so either, the slicer has missed a dependence: a
violation. Looking goes by statement instances, so a dependence that is missed within a statement may pass as found; then
differences found in both runs become frequent (1 in 87,000 alterations as it is, 30 in 3,500 when slices are made
without address dependences). Runs that do not get to the criterion (they hang or crash) say nothing. Seeds are fixed.
Programs with a violation are kept under build/slice-oracle.

Real runs, of Debian's programs, are recorded once, and altered in replays of the recording (slice_oracle/real_runs.py).
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "slice_oracle"))
from debian_program import ROOT, Failure, culprit_toolchain  # noqa: E402
from generate import program as own_program  # noqa: E402
from real_runs import RUNS, examine_real  # noqa: E402

PARTS = pathlib.Path(__file__).resolve().parent / "slice_oracle"
FIRST_SEED = 30001
RUN_LIMIT = 5  # seconds
TOOL_LIMIT = 300
GENERATED = 306  # programs
CRITERIA = 5  # of a program
OUTSIDE, INSIDE = 100, 12  # values altered for each
MASKS_INSIDE = 3  # another one may matter where one does not
SAME, NOT_REACHED, DIFFERS = range(3)
MOST_PASSED = 200_000  # csmith's programs that compute longer are left out
RETURNS = {int(lane): number for number, text in enumerate((PARTS / "perturb.h").read_text().splitlines(), 1)
           for lane in re.findall(r"return value; /\* lane (\d) \*/", text)}


def csmith_headers():
    for directory in (pathlib.Path("/usr/include/csmith"), *pathlib.Path("/usr/include").glob("csmith-*")):
        if (directory / "csmith.h").is_file():
            return str(directory)
    sys.exit("slice-oracle: csmith is missing: run tools/install-deps --tests")


def csmith_program(seed, directory):
    text = subprocess.run(["csmith", "--seed", str(seed), "--no-volatiles", "--max-funcs", "4", "--max-block-depth", "3"],
                          cwd=directory, capture_output=True, text=True, check=True, timeout=60).stdout
    used = sorted(set(re.findall(r"\bsafe_\w+(?=\s*\()", text)))
    passing = "".join(f"#define {name}(...) ((__typeof__({name}(__VA_ARGS__)))perturb0((unsigned long){name}(__VA_ARGS__)))\n"
                      for name in used if "float" not in name)
    return text.replace('#include "csmith.h"', f'#include "csmith.h"\n#include "perturb.h"\n{passing}', 1)


def offset_of(lines, criterion):
    line, place = criterion
    return sum(len(each) + 1 for each in lines[:line]) + place


class Subject:
    """A program, its trace, and what its output is."""

    def __init__(self, kind, seed, binaries, directory):
        self.binaries, self.directory = binaries, directory
        self.arguments = ["1"] if kind == "csmith" else []
        self.source = directory / "program.c"
        self.source.write_text(csmith_program(seed, directory) if kind == "csmith" else own_program(seed, threads=kind == "threads"))
        self.environment = dict(os.environ, CULPRIT_CACHE=str(directory / "cache"))
        level = "-O0" if seed % 3 == 0 else "-O2"
        self.tool("culprit-cc", level, "-g", "-w", "-D_GNU_SOURCE", "-pthread", "-isystem", csmith_headers(), f"-I{PARTS}", self.source, "-o", directory / "program")

    def tool(self, name, *words):
        done = subprocess.run([self.binaries / name, *map(str, words)], env=self.environment, capture_output=True, timeout=TOOL_LIMIT)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{name} {' '.join(map(str, words))}: {done.returncode}: {done.stderr.decode()[-300:]}")
        return done.stdout

    def run(self):
        """Lines of the output of the run; None when it does not end by itself."""
        try:
            done = subprocess.run([self.directory / "program", *self.arguments], env=self.environment, capture_output=True, timeout=RUN_LIMIT)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.split(b"\n") if done.returncode == 0 else None

    def altered(self, values):
        """The same of runs with one value altered each: lane, number and mask."""
        if not values:
            return []
        (self.directory / "list").write_text("".join(f"{lane} {number} {mask}\n" for lane, number, mask in values))
        done = subprocess.run([self.directory / "program", *self.arguments], env=self.environment | {"PERTURB_LIST": str(self.directory / "list")},
                              capture_output=True, timeout=TOOL_LIMIT, check=True)
        outputs, rest = [], done.stdout
        while rest:
            head, _, rest = rest.partition(b"\n")
            status, size = map(int, head.split())
            outputs.append(rest[:size].split(b"\n") if status == 0 else None)
            rest = rest[size:]
        if len(outputs) != len(values):
            raise RuntimeError(f"{len(values)} altered runs are wanted, {len(outputs)} were made")
        return outputs

    def trace(self, name, changes=()):
        """Traces a run; whether its output is `lines`."""
        place = self.directory / name
        shutil.rmtree(place, ignore_errors=True)
        done = subprocess.run([self.binaries / "culprit", "trace", "-o", place, "--", self.directory / "program", *self.arguments],
                              env=self.environment | dict(changes), capture_output=True, timeout=TOOL_LIMIT)
        if done.returncode != 0:
            raise RuntimeError(f"culprit trace: {done.returncode}: {done.stderr.decode()[-300:]}")
        return done.stdout.split(b"\n")

    def passed(self):
        """How many values passed by, by lane."""
        counts = re.findall(r"^ *(\d+) .*/perturb\.h:(\d+)$", self.tool("culprit", "dump", "graph", self.directory / "trace", "--lines").decode(), re.M)
        by_line = {int(line): int(count) for count, line in counts}
        return {lane: by_line.get(line, 0) for lane, line in RETURNS.items()}

    def slice(self, trace, lines, criterion):
        """The altered values, (lane, number), that are in the slice of a digit: line and place in it."""
        offset = offset_of(lines, criterion)
        found = json.loads(self.tool("culprit", "slice", self.directory / trace, "--at", f"stdout:{offset}", "--json", "--no-edges"))
        lanes = {}
        for each in found["statements"]:
            if each["file"].endswith("/perturb.h"):
                for lane, number in RETURNS.items():
                    if each["line"] == number:
                        lanes[each["statement"]] = lane
        return {(lanes[each["statement"]], each["number"]) for each in found["instances"] if each["statement"] in lanes}


def explained(subject, offsets, value):
    """Whether the altered value, (lane, number), is found from the criterion in both runs together."""
    runs = []
    for trace, offset in offsets.items():
        dumped = subject.tool("culprit", "dump", "graph", subject.directory / trace, "--edges").decode()
        edges = {instance: [each.split(":")[1] for each in its] for instance, *its in map(str.split, re.findall(r"^\d+#\d+ .*$", dumped, re.M))}
        found = json.loads(subject.tool("culprit", "slice", subject.directory / trace, "--at", f"stdout:{offset}", "--json", "--no-edges"))
        returns = {each["statement"] for each in found["statements"] if each["file"].endswith("/perturb.h") and each["line"] == RETURNS[value[0]]}
        runs.append((edges, [f"{each['statement']}#{each['number']}" for each in found["instances"]], returns))
    wanted = {f"{statement}#{value[1]}" for statement in runs[0][2] | runs[1][2]}
    seen, waiting = set(), runs[0][1] + runs[1][1]
    while waiting:
        instance = waiting.pop()
        if instance in seen:
            continue
        seen.add(instance)
        for edges, _, _ in runs:
            waiting += edges.get(instance, ())
    return bool(wanted & seen)


def explanation(subject, lines, criterion, value, mask):
    """Where a value is found that changed a criterion outside of whose slice it is, or None; and the altered run's output."""
    again = subject.trace("altered", {"PERTURB_LANE": str(value[0]), "PERTURB_AT": str(value[1]), "PERTURB_MASK": str(mask)})
    if value in subject.slice("altered", again, criterion):
        return "in the altered run's slice", again
    offsets = {"trace": offset_of(lines, criterion), "altered": offset_of(again, criterion)}
    return "found in both runs" if explained(subject, offsets, value) else None, again


def digit(lines, criterion):
    line, place = criterion
    return lines[line][place:place + 1] if lines is not None and len(lines) > line else b""


def looked_at(altered, lines, criterion):
    if digit(altered, criterion) == b"":
        return NOT_REACHED
    return SAME if digit(altered, criterion) == digit(lines, criterion) else DIFFERS


def masks(chance, count):
    return chance.sample([1, 0xFF, 0xFFFFFFFFFFFFFFFF, chance.getrandbits(32) | 1], count)


def criteria_of(lines, chance):
    """Digits of hexadecimal numbers at ends of lines."""
    found = [(line, len(text) - 1 - chance.randrange(2)) for line, text in enumerate(lines) if re.search(rb"[0-9a-fA-F]{4}$", text)]
    return chance.sample(found, min(CRITERIA, len(found)))


def examine(kind, seed, binaries):
    """What was counted, and sentences on violations."""
    counts, violations = collections.Counter(), []
    chance = random.Random(seed)
    directory = pathlib.Path(tempfile.mkdtemp(prefix=f"culprit-oracle-{seed}-"))
    try:
        subject = Subject(kind, seed, binaries, directory)
        lines = subject.run()
        if lines is None:
            return None
        if subject.trace("trace") != lines:
            raise RuntimeError("the traced run puts out something else")
        passed = subject.passed()
        everything = sum(passed.values())
        if everything == 0 or everything > MOST_PASSED:
            return None
        values = [(lane, number) for lane in passed for number in range(1, passed[lane] + 1)]
        counts["programs"] += 1
        for criterion in criteria_of(lines, chance):
            inside = subject.slice("trace", lines, criterion)
            counts["values in slices"] += len(inside)
            counts["values"] += everything
            outside = [each for each in values if each not in inside]
            tried = [(*each, mask) for each in chance.sample(outside, min(OUTSIDE, len(outside))) for mask in masks(chance, 1)]
            tried += [(*each, mask) for each in chance.sample(sorted(inside), min(INSIDE, len(inside))) for mask in masks(chance, MASKS_INSIDE)]
            most = {}  # of what altering a value in the slice does
            for (lane, number, mask), altered in zip(tried, subject.altered(tried), strict=True):
                seen = looked_at(altered, lines, criterion)
                if (lane, number) in inside:
                    most[lane, number] = max(most.get((lane, number), SAME), seen)
                    continue
                counts["outside"] += 1
                if seen == NOT_REACHED:
                    counts["outside, not reached"] += 1
                elif seen == DIFFERS:
                    counts["outside, differs"] += 1
                    found, again = explanation(subject, lines, criterion, (lane, number), mask)
                    if again != altered:
                        raise RuntimeError(f"value {number} of lane {lane} altered by {mask:#x}, the traced run puts out something else")
                    counts[f"outside, {found or 'violation'}"] += 1
                    if not found:
                        violations.append(f"{kind} {seed}: value {number} of lane {lane}, mask {mask:#x}, changes digit {criterion[1]} of line "
                                          f"{criterion[0] + 1} and is in no slice")
            counts["inside"] += len(most)
            counts["inside, differs"] += sum(each == DIFFERS for each in most.values())
            counts["inside, not reached"] += sum(each == NOT_REACHED for each in most.values())
        return counts, violations
    finally:
        if violations:
            shutil.rmtree(directory / "cache", ignore_errors=True)
            place = ROOT / "build/slice-oracle" / f"{kind}-{seed}"
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(directory, place)
        else:
            shutil.rmtree(directory, ignore_errors=True)


def kind_of(number):
    return ("csmith", "own", "threads")[number % 3]


class Tally:
    """Counts and violations, of the generated programs or of the real runs."""

    def __init__(self, name):
        self.name, self.counts, self.violations, self.failed = name, collections.Counter(), [], 0

    def add(self, counts, violations):
        self.counts.update(counts)
        self.violations += violations
        for each in violations:
            print(f"violation: {each}", flush=True)

    def fail(self, what, error):
        self.failed += 1
        print(f"{what}: not examined: {error}", flush=True)

    def perturbations(self):
        return self.counts["inside"] + self.counts["outside"]

    def print(self):
        print(f"{self.name}:")
        for name in sorted(self.counts):
            print(f"{name:>36} {self.counts[name]}")
        if self.counts["inside"]:
            changed = self.counts["inside, differs"] + self.counts["inside, not reached"]
            print(f"{'share inside that changes it':>36} {changed / self.counts['inside']:.2f}")
        print(f"{'not examined':>36} {self.failed}")


def examine_generated(arguments, binaries):
    tally, seed = Tally("generated programs"), arguments.seed
    wanted = arguments.programs or (12 if arguments.quick else GENERATED)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while tally.counts["programs"] + tally.failed < wanted and seed - arguments.seed < 10 * wanted:
            seeds = range(seed, seed + min(wanted - tally.counts["programs"] - tally.failed, 20))
            seed = seeds.stop
            jobs = {pool.submit(examine, arguments.kind or kind_of(each), each, binaries): each for each in seeds}
            for job in concurrent.futures.as_completed(jobs):
                try:
                    result = job.result()
                except (RuntimeError, subprocess.SubprocessError, ValueError) as error:
                    tally.fail(f"seed {jobs[job]}", error)
                    continue
                if result:
                    tally.add(*result)
            print(f"{tally.counts['programs']} of {wanted} generated programs, {tally.perturbations()} perturbations", file=sys.stderr, flush=True)
    return tally


def examine_real_runs(arguments):
    tally = Tally("real runs")
    toolchain = culprit_toolchain(arguments.build.resolve())
    runs = [each for each in RUNS if not arguments.run or each.name in arguments.run]
    for run in runs[:3] if arguments.quick else runs:
        begin = time.monotonic()
        try:
            counts, violations = examine_real(run, toolchain, arguments.packages.resolve(), arguments.seed)
        except (Failure, subprocess.SubprocessError, json.JSONDecodeError) as error:
            tally.fail(run.name, error)
            continue
        tally.add(collections.Counter(counts, programs=1), violations)
        print(f"{run.name}: {counts['outside']} outside, {counts['inside']} inside, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("generated", "real"), help="generated programs or real runs alone")
    parser.add_argument("--programs", type=int, help=f"how many are generated ({GENERATED}; 12 with --quick)")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first seed (%(default)s)")
    parser.add_argument("--kind", choices=("csmith", "own", "threads"), help="generated programs of one kind only")
    parser.add_argument("--run", action="append", choices=[each.name for each in RUNS], help="of the real runs this one, may be repeated")
    parser.add_argument("--quick", action="store_true", help="12 generated programs, 3 real runs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="generated programs at a time (%(default)s)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    parser.add_argument("--packages", type=pathlib.Path, default=ROOT / "build/oracle", help="where packages are built (%(default)s)")
    arguments = parser.parse_args()
    tallies = []
    if arguments.only != "generated":
        tallies.append(examine_real_runs(arguments))
    if arguments.only != "real":
        tallies.append(examine_generated(arguments, arguments.build.resolve() / "bin"))
    for tally in tallies:
        tally.print()
    if arguments.json:
        whole = {each.name: {"counts": each.counts, "violations": each.violations, "not_examined": each.failed} for each in tallies}
        arguments.json.write_text(json.dumps(whole, indent=1) + "\n")
    violations = sum(len(each.violations) for each in tallies)
    print(f"slice-oracle: programs={sum(each.counts['programs'] for each in tallies)} "
          f"perturbations={sum(each.perturbations() for each in tallies)} violations={violations}")
    return 1 if violations or any(each.failed for each in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
